/** What a doctor found, in lines: a sign that is not only a colour, what was found, and what fixes it. */
import type { Finding, Verdict } from '../../system/finding.ts'
import { printable } from '../../system/printable.ts'
import { count } from './amounts.ts'
import type { Output } from './output.ts'
import { wrapAfter } from './wrap.ts'

const signs = {
  ok: ['✓', 'green', 'nothing to do'],
  note: ['·', 'cyan', 'good to know'],
  warning: ['!', 'yellow', 'it works, and may go wrong'],
  problem: ['✗', 'red', 'it does not work until it is fixed'],
} as const satisfies Record<Verdict, readonly [sign: string, colour: string, meaning: string]>

/** For the help of a command that shows findings. */
export const findingTerms = {
  title: 'Signs before the lines',
  list: Object.entries(signs).map(([verdict, [sign, , meaning]]) => [`${sign} ${verdict}`, meaning] as const),
}

export function tally(findings: readonly Finding[]): { problems: number; warnings: number } {
  const numberOf = (counted: Verdict) => findings.filter(({ verdict }) => verdict === counted).length
  return { problems: numberOf('problem'), warnings: numberOf('warning') }
}

/** One finding after the other, and how many of them are bad. */
export function findingLines(findings: readonly Finding[], out: Output): string[] {
  const nameWidth = Math.max(...findings.map(({ check }) => check.length)) + 2
  return [...findings.flatMap((finding) => linesOf(finding, nameWidth, out)), '', summary(tally(findings))]
}

function linesOf({ check, verdict, said, next }: Finding, nameWidth: number, { paint, width }: Output): string[] {
  const [sign, colour] = signs[verdict]
  const indent = ' '.repeat(2 + nameWidth)
  return [
    ...wrapAfter(`${paint([colour, 'bold'], sign)} ${check.padEnd(nameWidth)}`, printable(said), width),
    ...(next ? wrapAfter(`${indent}→ `, printable(next), width) : []),
  ]
}

function summary({ problems, warnings }: { problems: number; warnings: number }): string {
  if (problems + warnings === 0) return 'Nothing is wrong.'
  const parts = [...(problems > 0 ? [count(problems, 'problem')] : []), ...(warnings > 0 ? [count(warnings, 'warning')] : [])]
  return `${parts.join(', ')}.`
}
