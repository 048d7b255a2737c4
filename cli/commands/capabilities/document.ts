/** The commands of `ph` as a document: out of their declarations, so that it says what they take. */
import { Option } from 'commander'
import { clientErrors } from '../../../client/client-error.ts'
import { errors, exits } from '../../../contract/errors.ts'
import type { OptionSpec } from '../../command.ts'
import type { KnownCommand } from '../../command-line/command-words.ts'
import { globalOptions } from '../../command-line/global-options.ts'
import { exitMeanings } from '../../command-line/help.ts'
import { shapes, withoutDocument } from '../../documents/schemas/all.ts'
import { publishedSchema } from '../../documents/schemas/published.ts'
import { ErrorDocument, shape } from '../../documents/schemas/shape.ts'
import { refusalCodes } from '../../refusal-codes.ts'

export const capabilitiesOf = (known: readonly KnownCommand[]) => ({
  commands: known.map(describe),
  global_flags: globalOptions().map((option) => flagOf(option)),
  exit_codes: Object.entries(exits).map(([name, code]) => ({ code, name, meaning: exitMeanings[name as keyof typeof exits] })),
  error_codes: [
    ...Object.entries(errors).map(([code, [, exit, meaning, hint]]) => ({ code, from: 'service', exit, meaning, hint })),
    ...Object.entries(clientErrors).map(([code, [exit, hint]]) => ({ code, from: 'client', exit, meaning: null, hint })),
    ...Object.entries(refusalCodes).map(([code, meaning]) => ({ code, from: 'command', exit: null, meaning, hint: null })),
  ],
  error_schema: publishedSchema('An error of any command, on stderr', shape('{ error: ErrorDocument }', { ErrorDocument })),
})

function describe({ command: words, group, summary, spec }: KnownCommand) {
  const { usage, description, options = {}, examples, exits: own = [] } = spec
  const schema = shapes[words]
  const special: readonly string[] = ['conflict', 'partly']
  return {
    command: words,
    group: group.replace(/:$/, ''),
    usage,
    summary,
    description: description ?? null,
    arguments: argumentsOf(usage, spec.arguments ?? {}),
    flags: Object.values(options).map((option) => flagOf(new Option(option.flags, option.summary), option)),
    exit_codes: Object.entries(exits)
      .filter(([name]) => !special.includes(name) || (own as readonly string[]).includes(name))
      .map(([, code]) => code),
    examples: examples.map(([line, meaning]) => ({ line: `ph ${line}`, meaning })),
    schema: schema ? publishedSchema(`ph ${words} --json`, schema) : null,
    without_schema: withoutDocument[words] ?? null,
  }
}

const argumentsOf = (usage: string, meanings: Readonly<Record<string, string>>) =>
  [...usage.matchAll(/([<[])([^<>[\].]+)(\.\.\.)?[>\]]/g)].map(([, open, name = '', many]) => ({
    name,
    required: open === '<',
    many: many !== undefined,
    description: meanings[name] ?? '',
  }))

function flagOf(option: Option, { kind, read }: Partial<OptionSpec<unknown>> = {}) {
  const takesText = option.required || option.optional
  return {
    name: option.long ?? option.flags,
    short: option.short ?? null,
    value: /[<[]([^<>[\]]+)[>\]]/.exec(option.flags)?.[1] ?? null,
    type: takesText ? 'text' : 'switch',
    values: read?.choices ? [...read.choices] : null,
    repeatable: kind === 'many',
    default: defaultIn(option.description),
    description: option.description,
  }
}

/** The sentence for people says it: `(default 50)`, `keep (default)`, `open (the default)`. */
const defaultIn = (summary: string): string | null =>
  /\(default:? ([^),]+)/.exec(summary)?.[1] ?? wordBefore(summary, / \((?:the )?default\)/)

function wordBefore(text: string, sign: RegExp): string | null {
  const end = text.search(sign)
  return (
    (end === -1
      ? undefined
      : text
          .slice(0, end)
          .split(/[^\w-]/)
          .at(-1)) || null
  )
}
