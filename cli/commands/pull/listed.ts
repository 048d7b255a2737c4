/** Lists in the report of a pull: files below a title, and the ways on from there. */
import type { JobReport, Outcome, PulledFile } from '../../../client/pull/report.ts'
import { printable } from '../../../system/printable.ts'
import { number } from '../../terminal/amounts.ts'
import type { Output } from '../../terminal/output.ts'
import { wrap } from '../../terminal/wrap.ts'

export interface PullLook {
  out: Output
  /** Name every file, however many there are. */
  verbose: boolean
  now: Date
  cwd: string
}

/** Lists of files longer than this end in a line that says how many more there are. */
const mostFiles = 5

export const more = (hidden: number): string[] => (hidden > 0 ? [`    and ${number(hidden)} more (--verbose)`] : [])

export function listed(
  [title, advice]: readonly [string, string],
  files: readonly string[],
  { out, verbose }: PullLook,
): string[] {
  if (files.length === 0) return []
  const shown = verbose ? files : files.slice(0, mostFiles)
  return [
    '',
    out.paint(['yellow', 'bold'], title),
    ...wrap(advice, out.width, '  '),
    ...shown.map((file) => `    ${printable(file)}`),
    ...more(files.length - shown.length),
  ]
}

export const waysOut = (ways: readonly string[], { out }: PullLook): string[] =>
  ways.flatMap((text) => wrap(`→ ${text}`, out.width, '    ').map((line) => out.paint('dim', line)))

export const filesOf = ({ files }: JobReport, ...outcomes: Outcome[]): PulledFile[] =>
  files.filter(({ outcome }) => outcomes.includes(outcome))
