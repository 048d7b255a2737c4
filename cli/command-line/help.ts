/** What `--help` says: commander's layout with examples, exit codes and a little colour. */
import { type CommanderError, Help, type HelpConfiguration, type Command as Parser } from 'commander'
import { exits } from '../../contract/errors.ts'
import { withoutEnd } from '../../system/text/text-end.ts'
import type { Command } from '../command.ts'
import type { Paint } from '../terminal/output.ts'
import { wrap, wrapAfter } from '../terminal/wrap.ts'

export const exitMeanings: Record<keyof typeof exits, string> = {
  done: 'done',
  failed: 'failed',
  usage: 'wrong usage',
  temporary: 'temporary trouble, a retry may help',
  signIn: 'sign-in needed',
  conflict: 'conflict: locked, stale or lost claim',
  partly: 'partly done: some items were held, denied, locked or failed',
  interrupted: 'interrupted',
}

/** Fewer columns than this beside a term are no room for what it means, which then stands below it. */
const narrowestBeside = 20
const below = '      '

/** Titles stand out; the usage line says `ph` once. */
export const helpStyle = (paint: Paint): HelpConfiguration => ({
  showGlobalOptions: true,
  minWidthToWrap: narrowestBeside,
  formatItem(...item) {
    const [term, termWidth, description, helper] = item
    const width = helper.helpWidth ?? 80
    const beside = width - termWidth - 4
    if (beside < narrowestBeside && description !== '') return [`  ${term}`, ...wrap(description, width, below)].join('\n')
    return Help.prototype.formatItem.apply(helper, item)
  },
  styleTitle: (title) => paint('bold', title),
  subcommandTerm: (parser) => `${parser.name()} ${parser.usage()}`.trimEnd(),
})

/** Terms, examples and exit codes, below the options of one command. */
export function commandEpilogue({ terms, examples, exits: extra = [] }: Command, paint: Paint, width: number): string {
  const lines: string[] = []
  const title = (text: string) => lines.push('', paint('bold', text))
  if (terms) title(`${terms.title}:`)
  for (const [term, meaning] of terms?.list ?? []) lines.push(`  ${term}`, ...wrap(meaning, width, below))
  title('Examples:')
  for (const [line, meaning] of examples) lines.push(`  ${paint('cyan', `ph ${line}`)}`, ...wrap(meaning, width, below))
  title('Exit codes:')
  const special: readonly string[] = ['conflict', 'partly']
  for (const [kind, meaning] of Object.entries(exitMeanings))
    if (!special.includes(kind) || (extra as readonly string[]).includes(kind))
      lines.push(...wrapAfter(`  ${String(exits[kind as keyof typeof exits]).padStart(3)}  `, meaning, width))
  return lines.join('\n')
}

/** What stands below the list of commands of `ph --help`. */
export function programEpilogue(paint: Paint, width: number): string {
  const lines = firstSteps.flatMap(([line, meaning]) => {
    const term = `  ${paint('cyan', `ph ${line}`.padEnd(longestStep))}`
    if (width - longestStep < narrowestBeside + 2) return [term.trimEnd(), ...wrap(meaning, width, below)]
    return wrapAfter(term, meaning, width)
  })
  return `\n${paint('bold', 'Start here:')}\n${lines.join('\n')}`
}

/** Columns for the longest of them. */
const longestStep = 26
const firstSteps = [
  ['demo', 'see it work on this machine, with nothing to set up'],
  ['login --url <address>', 'sign in to a workspace in the browser'],
  ['push ./Content', 'send an Unreal Content folder to the library'],
  ['search barrel', 'find props in the library by words, or list them all'],
  ['help push', 'more about one command, with examples'],
] as const

/** A usage error as commander found it, in our words: what is wrong, and what to do (for exit.ts). */
export function usageWords({ code, message }: CommanderError, parser: Parser): { message: string; next: string } {
  const program = ['ph', ...pathOf(parser)].join(' ')
  const more = `See \`${['ph help', ...pathOf(parser)].join(' ')}\`.`
  const similar = message.split(/\(Did you mean (?:one of )?/)[1]?.split('?)')[0]
  const [, quoted = ''] = /'(.+?)'/.exec(message) ?? []
  return {
    message: sentences[code]?.({ program, quoted, message, parser }) ?? `${message.replace(/^error: /, '')}.`,
    next: similar ? `Did you mean ${orWords(similar)}? ${more}` : more,
  }
}

/** `create, remove` as `\`create\` or \`remove\``. */
const orWords = (similar: string): string =>
  similar
    .split(', ')
    .map((word) => `\`${word}\``)
    .join(' or ')

interface Misuse {
  /** `ph server start` */
  program: string
  /** What commander's message has in quotes: the word, the option or the argument. */
  quoted: string
  message: string
  parser: Parser
}

const sentences: Record<string, (misuse: Misuse) => string> = {
  'commander.unknownCommand': ({ program, quoted }) => `There is no command \`${program} ${quoted}\`.`,
  'commander.unknownOption': ({ program, quoted }) => `\`${program}\` has no option \`${quoted}\`.`,
  'commander.optionMissingArgument': ({ quoted }) => `The option \`${quoted}\` needs its value.`,
  'commander.missingArgument': ({ program, quoted, parser }) => {
    const meaning = parser.registeredArguments.find((argument) => argument.name() === quoted)?.description
    return `\`${program}\` needs <${quoted}>${meaning ? `: ${meaning}` : ''}.`
  },
  'commander.excessArguments': ({ program, message, parser }) => {
    const got = withoutEnd(/but got \d+: (.*)/.exec(message)?.[1] ?? '', '.')
    const expected = parser.registeredArguments.map((argument) => `<${argument.name()}>`).join(' ')
    if (expected) return `\`${program}\` takes ${expected} and no more; it got ${got}.`
    // What was typed may be a key or a password: it is not said again.
    return parser.commands.length > 0
      ? `There is no command \`${program} ${got.split(', ')[0]}\`.`
      : `\`${program}\` takes options only, and nothing else after it.`
  },
}

/** The words of a command below `ph`: `server`, `start`. */
function pathOf(parser: Parser): string[] {
  const words: string[] = []
  for (let at: Parser | null = parser; at?.parent; at = at.parent) words.unshift(at.name())
  return words
}
