/** What `--help` says: commander's layout with examples, exit codes and a little colour. */
import type { HelpConfiguration, Command as Parser } from 'commander'
import { exits } from '../contract/errors.ts'
import type { Command } from './command.ts'
import type { Paint } from './output.ts'
import { wrap } from './wrap.ts'

const exitMeanings: Record<keyof typeof exits, string> = {
  done: 'done',
  failed: 'failed',
  usage: 'wrong usage',
  temporary: 'temporary trouble, a retry may help',
  signIn: 'sign-in needed',
  conflict: 'conflict: locked, stale or lost claim',
  partly: 'partly done: some items were held, denied, locked or failed',
  interrupted: 'interrupted',
}

/** Titles stand out; the usage line says `ph` once. */
export const helpStyle = (paint: Paint): HelpConfiguration => ({
  showGlobalOptions: true,
  minWidthToWrap: 20,
  styleTitle: (title) => paint('bold', title),
  subcommandTerm: (parser) => `${parser.name()} ${parser.usage()}`.trimEnd(),
})

/** Terms, examples and exit codes, below the options of one command. */
export function commandEpilogue({ terms, examples, exits: extra = [] }: Command, paint: Paint, width: number): string {
  const lines: string[] = []
  const title = (text: string) => lines.push('', paint('bold', text))
  if (terms) title(`${terms.title}:`)
  for (const [term, meaning] of terms?.list ?? []) lines.push(`  ${term}`, ...wrap(meaning, width, '      '))
  title('Examples:')
  for (const [line, meaning] of examples) lines.push(`  ${paint('cyan', `ph ${line}`)}`, ...wrap(meaning, width, '      '))
  title('Exit codes:')
  const special: readonly string[] = ['conflict', 'partly']
  for (const [kind, meaning] of Object.entries(exitMeanings))
    if (!special.includes(kind) || (extra as readonly string[]).includes(kind))
      lines.push(`  ${String(exits[kind as keyof typeof exits]).padStart(3)}  ${meaning}`)
  return lines.join('\n')
}

/** What stands below the list of commands of `ph --help`. */
export function programEpilogue(paint: Paint, width: number): string {
  const lines = firstSteps.flatMap(([line, meaning]) => {
    const [first = '', ...more] = wrap(meaning, width, ' '.repeat(28))
    return [`  ${paint('cyan', `ph ${line}`.padEnd(26))}${first.trimStart()}`, ...more]
  })
  return `\n${paint('bold', 'Start here:')}\n${lines.join('\n')}`
}

const firstSteps = [
  ['demo', 'see it work on this machine, with nothing to set up'],
  ['login --with-key', 'sign in with a key'],
  ['push ./Content', 'send an Unreal Content folder to the library'],
  ['help push', 'more about one command, with examples'],
] as const

/** What commander calls a usage error, without its prefix and suggestion: sentence and next step (for exit.ts). */
export function usageWords(message: string, parser: Parser): { message: string; next: string } {
  const [, said = message, similar] = /^(?:error: )?(.*?)\.?(?:\s*\(Did you mean (?:one of )?(.+?)\?\))?$/s.exec(message) ?? []
  const path = pathOf(parser)
  const sentence = `${said.charAt(0).toUpperCase()}${said.slice(1).replaceAll("'", '`')}.`
  const more = `See \`ph help${path ? ` ${path}` : ''}\`.`
  return { message: sentence, next: similar ? `Did you mean \`${similar}\`? ${more}` : more }
}

/** The words of a command below `ph`: `server start`. */
function pathOf(parser: Parser): string {
  const words: string[] = []
  for (let at: Parser | null = parser; at?.parent; at = at.parent) words.unshift(at.name())
  return words.join(' ')
}
