/** How a command is declared: usage, options, examples and what it does. Arguments and options arrive typed. */
import type { Context } from './context.ts'

/** One option. `read` turns its text into a value and throws a Refusal when it cannot; `many` options gather into a list. */
export interface OptionSpec<T> {
  flags: string
  summary: string
  kind: 'flag' | 'one' | 'many'
  read: Reader<T>
}

/** Reads the text of an option. `choices`: the words it takes, where these are all. */
export type Reader<T> = ((text: string) => T) & { choices?: readonly string[] }
export type Options = Record<string, OptionSpec<unknown>>

/** What an option gives a command. */
export type ValueOf<O> = O extends { kind: 'flag' }
  ? boolean
  : O extends OptionSpec<infer T> & { kind: 'many' }
    ? T[]
    : O extends OptionSpec<infer T>
      ? T | undefined
      : never
type ValuesOf<O extends Options> = { [K in keyof O]: ValueOf<O[K]> }

type Word<W extends string> = W extends `<${infer N}...>` | `[${infer N}...]`
  ? { [K in N]: string[] }
  : W extends `<${infer N}>`
    ? { [K in N]: string }
    : W extends `[${infer N}]`
      ? { [K in N]?: string }
      : unknown
/** `'api <method> <path>'` gives `{method: string; path: string}`. */
export type ArgumentsOf<U extends string> = U extends `${infer Head} ${infer Rest}` ? Word<Head> & ArgumentsOf<Rest> : Word<U>

export interface CommandSpec<U extends string = string, O extends Options = Options> {
  /** What a person types after `ph`: `server start`, `show <entry>`, `inspect <files...>`. */
  usage: U
  /** One line for lists; a command that is a whole first word has its line in program.ts instead. */
  summary?: string
  /** Paragraphs for `ph help <command>`. */
  description?: string
  /** What the arguments mean, by name. */
  arguments?: Record<string, string>
  options?: O
  /** Command lines without the leading `ph `, each with what it does. */
  examples: readonly (readonly [line: string, meaning: string])[]
  /** Terms that the command depends on, such as its settings, below the options. */
  terms?: { title: string; list: readonly (readonly [term: string, meaning: string])[] }
  /** Exit codes beyond those that every command has. */
  exits?: readonly ('conflict' | 'partly')[]
  /** Does the work; gives the exit code when it is not 0. */
  run(context: Context, input: ArgumentsOf<U> & ValuesOf<O>): Promise<number | undefined>
}

/** A command whose input types were checked where it was declared. */
export type Command = Omit<CommandSpec, 'run'> & { run(context: Context, input: never): Promise<number | undefined> }

/** Declares a command; keeps the literal types of its usage and options. */
export const command = <const U extends string, const O extends Options = Record<never, never>>(
  spec: CommandSpec<U, O>,
): Command => spec as unknown as Command

const asIs = (text: string): string => text

/** A switch: there or not. `--no-x` reads as true when it is given, like any other. */
export const flag = (flags: string, summary: string) => ({ flags, summary, kind: 'flag', read: () => true }) as const

/** An option with a text value. */
export const text = (flags: string, summary: string) => ({ flags, summary, kind: 'one', read: asIs }) as const

/** An option with a text value that may be given several times. */
export const texts = (flags: string, summary: string) => ({ flags, summary, kind: 'many', read: asIs }) as const

/** An option whose value is read by a function of the command's own. */
export const value = <T>(flags: string, summary: string, read: Reader<T>) => ({ flags, summary, kind: 'one', read }) as const

/** The same, given several times. */
export const values = <T>(flags: string, summary: string, read: Reader<T>) => ({ flags, summary, kind: 'many', read }) as const

/** Says which words an option takes, for programs and for completion. */
export const among = <T>(choices: readonly string[], read: (text: string) => T): Reader<T> =>
  Object.assign((given: string) => read(given), { choices })
