/** How heavy what is said is: a title and a sign for each weight, which is not only a colour. */
import type { ProblemWeight } from '../../client/project/problem.ts'
import type { Paint } from './output.ts'

type Style = Parameters<Paint>[0]
const weights: Record<ProblemWeight, readonly [title: string, sign: string, style: Style]> = {
  'left-out': ['Skipped:', '-', 'dim'],
  note: ['Notes:', '·', 'cyan'],
  warning: ['Warnings:', '!', ['yellow', 'bold']],
  failed: ['Failed:', '✗', ['red', 'bold']],
}

/** The title of a section, and the sign before each of its sentences. */
export function weightLook(weight: ProblemWeight, paint: Paint): { title: string; sign: string } {
  const [title, sign, style] = weights[weight]
  const isQuiet = weight === 'note' || weight === 'left-out'
  return { title: paint(isQuiet ? 'bold' : style, title), sign: `  ${paint(style, sign)} ` }
}
