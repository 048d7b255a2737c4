/** What someone wants of the JSON of a command beside the whole: `--jq`, `--template`, `--fields`. Read before the command acts. */
import type { Globals } from '../context.ts'
import { wrongUsage } from '../refusal.ts'
import { number } from '../terminal/amounts.ts'

/** One way to print documents. */
export type Shape = { kind: 'jq'; expression: string } | { kind: 'template'; template: string }

/** Longer ones are no expression that someone typed. */
const longest = 64 * 1024

/** Options that print documents, as typed; each means `--json`. */
export const documentOptions = ['--json', '--jq', '--template', '--fields'] as const

/** Whether these arguments ask for JSON, as far as can be seen before they are understood: errors are JSON then, too. */
export function asksForDocuments(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  const typed = end === -1 ? args : args.slice(0, end)
  return typed.some((word) => documentOptions.some((option) => word === option || word.startsWith(`${option}=`)))
}

/** Whether `--fields` stands there without names: at the end, or before another option. Then they are listed. */
export function listsFields(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  const typed = end === -1 ? args : args.slice(0, end)
  return typed.some((word, at) => word === '--fields' && (typed[at + 1] ?? '-').startsWith('-'))
}

/** The shape that is asked for; undefined for documents as they are. */
export function shapeOf({ jq, template }: Pick<Globals, 'jq' | 'template'>): Shape | undefined {
  if (jq !== undefined && template !== undefined)
    throw wrongUsage('--jq and --template both say what to print.', 'Use one of them.')
  const [option, text] = jq === undefined ? ['--template', template] : ['--jq', jq]
  if (text !== undefined && text.length > longest)
    throw wrongUsage(`${option} takes at most ${number(longest)} characters, and got ${number(text.length)}.`, 'Shorten it.')
  if (jq !== undefined) return { kind: 'jq', expression: jq }
  return template === undefined ? undefined : { kind: 'template', template }
}
