/** What `--help` says: commander's layout with examples, exit codes and a little colour. */
import type { HelpConfiguration, Command as Parser } from 'commander'
import { exits } from '../contract/errors.ts'
import type { Command } from './command.ts'
import type { Paint } from './output.ts'

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
  styleTitle: (title) => paint('bold', title),
  subcommandTerm: (parser) =>
    [parser.name(), ...parser.registeredArguments.map((arg) => argumentForm(arg.name(), arg.required, arg.variadic))].join(' '),
})

const argumentForm = (name: string, required: boolean, variadic: boolean): string => {
  const inner = variadic ? `${name}…` : name
  return required ? `<${inner}>` : `[${inner}]`
}

/** Examples and exit codes, below the options of one command. */
export function commandEpilogue({ examples, exits: extra = [] }: Command, paint: Paint): string {
  const lines = [paint('bold', 'Examples:')]
  for (const [line, meaning] of examples) lines.push(`  ${paint('cyan', `ph ${line}`)}`, `      ${meaning}`)
  const kinds = (Object.keys(exits) as (keyof typeof exits)[]).filter(
    (kind) => (kind !== 'conflict' && kind !== 'partly') || extra.includes(kind),
  )
  lines.push('', paint('bold', 'Exit codes:'))
  for (const kind of kinds) lines.push(`  ${String(exits[kind]).padStart(3)}  ${exitMeanings[kind]}`)
  return `\n${lines.join('\n')}`
}

/** What stands below the list of commands of `ph --help`. */
export const programEpilogue = (paint: Paint): string => `
${paint('bold', 'Start here:')}
  ${paint('cyan', 'ph demo')}                         see it work on this machine, nothing to set up
  ${paint('cyan', 'ph login --with-key --url <address>')}   sign in with a key from standard input
  ${paint('cyan', 'ph push ./Content')}               send an Unreal Content folder to the library
  ${paint('cyan', 'ph help push')}                    more about one command, with examples

Environment: PH_URL, PH_API_KEY, PH_CONFIG_DIR, PH_STATE_DIR, PH_CACHE_DIR, NO_COLOR.`

/** What commander calls a usage error, without its prefix and suggestion: sentence and next step (for exit.ts). */
export function usageWords(message: string, parser: Parser): { message: string; next: string } {
  const [, said = message, similar] = /^(?:error: )?(.*?)\.?(?:\s*\(Did you mean (?:one of )?(.+?)\?\))?$/s.exec(message) ?? []
  const path = pathOf(parser)
  const sentence = `${said.charAt(0).toUpperCase()}${said.slice(1).replaceAll("'", '`')}.`
  const more = `See \`ph help${path ? ` ${path}` : ''}\`.`
  return { message: sentence, next: similar ? `Did you mean ${similar}? ${more}` : more }
}

/** The words of a command below `ph`: `server start`. */
function pathOf(parser: Parser): string {
  const words: string[] = []
  for (let at: Parser | null = parser; at?.parent; at = at.parent) words.unshift(at.name())
  return words.join(' ')
}
