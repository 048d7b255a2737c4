/** Words as they are found, and what they mean by the look of entries, in one ranking: by reciprocal rank (contract-gaps 6). */

/** The usual constant: it keeps the first of one list from outweighing what both have. */
const damping = 60
/** Ranks are whole numbers, so that a cursor can hold them. */
const scale = 2 ** 40

export interface Blended {
  row: number
  /** Higher is better. */
  rank: number
  /** Above 0; 1 for what comes first in both lists. */
  score: number
}

/** Both lists with the best first, each row once; the best of both first, and of those that are as good the lower id. */
export function blended(byWords: readonly number[], byLook: readonly number[], ids: Float64Array): Blended[] {
  const sums = new Map<number, number>()
  for (const list of [byWords, byLook])
    for (const [place, row] of list.entries()) sums.set(row, (sums.get(row) ?? 0) + 1 / (damping + 1 + place))
  const best = 2 / (damping + 1)
  return [...sums]
    .map(([row, sum]) => ({ row, rank: Math.round((sum / best) * scale), score: sum / best }))
    .sort((a, b) => b.rank - a.rank || (ids[a.row] as number) - (ids[b.row] as number))
}
