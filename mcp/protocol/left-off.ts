/** How many rows an answer lacks. Which lists they are of is data: keys of what people wrote are among their paths. */
import type { Bounded } from '../tools/bounded.ts'
import { fenced, own, type Said } from '../tools/said.ts'

export function leftOffWords(leftOff: Bounded['leftOff']): Said[] {
  const counts = Object.values(leftOff)
  if (counts.length === 0) return []
  const rows = counts.reduce((sum, one) => sum + one, 0)
  return [own`${rows} rows were left off: ask for less. Of which lists, the data says.`, fenced({ left_off: leftOff })]
}
