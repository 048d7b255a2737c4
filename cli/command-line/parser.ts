/** Commands as declared, turned into commander's: arguments, options, help, and errors in our words. */

import { Option, type Command as Parser } from 'commander'
import type { Command, OptionSpec } from '../command.ts'
import type { Surroundings } from '../context.ts'
import { wrongUsage } from '../refusal.ts'
import { columnsOf, hasColor, type OutStream, painter, shown } from '../terminal/output.ts'
import { commandEpilogue, helpStyle, usageWords } from './help.ts'

/** Arguments and options of one use of a command, by name. */
export type Input = Record<string, unknown>
export type Start = (command: Command, input: Input) => Promise<void>

/** What happens when a command is used, and where. */
export interface Running {
  start: Start
  surroundings: Surroundings
  /** What was typed behind the first word. */
  second?: string | undefined
}

/** A first word after `ph`, before its file is loaded. */
export interface FirstWord {
  group: string
  summary: string
  /** Arguments, for the list of `ph --help`. */
  takes?: string
  load(): Promise<Pick<Loaded, 'commands' | 'groups'>>
}

/** A first word with its commands, and a line for each word that several of them share: `user` of `server user add`. */
export interface Loaded {
  name: string
  summary: string
  commands: readonly Command[]
  groups?: Readonly<Record<string, string>> | undefined
}

/** Lines longer than this are hard to read, however wide the terminal is. */
export const helpWidth = (stream: OutStream, env: Surroundings['env']): number => Math.min(columnsOf(stream, env), 100)

/** A parser that writes to our streams, wraps at the terminal's width, and throws instead of exiting. */
export function prepared(parser: Parser, { stdout, stderr, env }: Surroundings): Parser {
  const paint = painter(hasColor(stdout, env))
  return parser
    .configureOutput({
      writeOut: (text) => stdout.write(shown(text)),
      writeErr: (text) => stderr.write(shown(text)),
      outputError: () => undefined,
      getOutHelpWidth: () => helpWidth(stdout, env),
      getErrHelpWidth: () => helpWidth(stderr, env),
      getOutHasColors: () => hasColor(stdout, env),
      getErrHasColors: () => hasColor(stderr, env),
    })
    .configureHelp(helpStyle(paint))
    .helpOption('-h, --help', 'explain this command')
    .exitOverride((error) => {
      if (error.exitCode === 0 || error.code === 'commander.help') throw error
      const { message, next } = usageWords(error, parser)
      throw wrongUsage(message, next)
    })
}

/** Adds a first word and the commands below it. A command whose usage is the word alone is the word itself. */
export function addFirstWord(program: Parser, { name, summary, commands, groups = {} }: Loaded, running: Running): void {
  const { start, surroundings, second } = running
  const isBelow = commands.some(({ usage }) => second !== undefined && literalWords(usage)[1] === second)
  const own = program.command(name).description(summary)
  prepared(own, surroundings)
  const below = (parser: Parser, word: string, line: string): Parser =>
    parser.commands.find((known) => known.name() === word) ?? prepared(parser.command(word).description(line), surroundings)
  for (const command of commands) {
    const words = literalWords(command.usage).slice(1)
    // Commander would give options of the word itself to it that are meant for the command below it.
    if (words.length === 0 && isBelow) continue
    const parser = words.reduce(
      (above, word, at) => below(above, word, (at === words.length - 1 ? command.summary : groups[word]) ?? ''),
      own,
    )
    declare(parser, command, start)
    const { stdout, env } = surroundings
    // Only where help is asked for: words beyond ASCII take a library to measure them.
    parser.addHelpText('after', () => commandEpilogue(command, painter(hasColor(stdout, env)), helpWidth(stdout, env)))
  }
}

const literalWords = (usage: string): string[] => usage.split(' ').filter((word) => !/^[<[]/.test(word))
const argumentWords = (usage: string): string[] => usage.split(' ').filter((word) => /^[<[]/.test(word))
const bareName = (word: string): string => word.replace(/^[<[]|\.\.\.|[>\]]$/g, '')

function declare(parser: Parser, command: Command, start: Start): void {
  const names = argumentWords(command.usage).map((word) => {
    parser.argument(word, command.arguments?.[bareName(word)] ?? '')
    return bareName(word)
  })
  parser.summary(parser.description())
  if (command.description) parser.description(`${parser.description()}\n\n${command.description}`)
  const options = Object.entries(command.options ?? {}).map(([key, spec]) => ({ key, spec, option: optionOf(spec) }))
  for (const { option } of options) parser.addOption(option)
  parser.action(async (...received: unknown[]) => {
    const input: Input = {}
    for (const [at, name] of names.entries()) input[name] = received[at]
    for (const { key, spec, option } of options) input[key] = givenIn(parser, spec, option)
    await start(command, input)
  })
}

function optionOf({ flags, summary, kind, read }: OptionSpec<unknown>): Option {
  const option = new Option(flags, summary)
  if (kind === 'one') option.argParser(read)
  if (kind === 'many') option.argParser((given, before: unknown[] | undefined) => [...(before ?? []), read(given)])
  return option
}

/** A flag is true when it was given, also one that commander stores negated (`--no-deps`). */
function givenIn(parser: Parser, { kind }: OptionSpec<unknown>, option: Option): unknown {
  const stored = parser.getOptionValue(option.attributeName())
  if (kind === 'flag') return option.negate ? stored === false : stored === true
  return kind === 'many' ? (stored ?? []) : stored
}
