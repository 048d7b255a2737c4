/** The best of many rows by a number: found by counting, so that most are never sorted. */

/** Rows and how like they are, parallel. */
export interface Likened {
  rows: Uint32Array
  likenesses: Int32Array
}

export interface LikeHit {
  row: number
  likeness: number
}

const classes = 4_096

/** At most so many, the most like first; of those that are as like, the lower id. */
export function bestOf({ rows, likenesses }: Likened, ids: Float64Array, most: number): LikeHit[] {
  const least = leastOf(likenesses, most)
  const found: LikeHit[] = []
  for (let index = 0; index < rows.length; index++) {
    const likeness = likenesses[index] as number
    if (likeness >= least) found.push({ row: rows[index] as number, likeness })
  }
  found.sort((a, b) => b.likeness - a.likeness || (ids[a.row] as number) - (ids[b.row] as number))
  return found.slice(0, most)
}

/** A number that at least `most` of them reach, and few more; the lowest of all where there are no more than that. */
function leastOf(likenesses: Int32Array, most: number): number {
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let index = 0; index < likenesses.length; index++) {
    const likeness = likenesses[index] as number
    if (likeness < lowest) lowest = likeness
    if (likeness > highest) highest = likeness
  }
  if (likenesses.length <= most) return lowest
  const width = Math.max(1, Math.ceil((highest - lowest + 1) / classes))
  const counts = new Uint32Array(classes)
  for (let index = 0; index < likenesses.length; index++) {
    const one = Math.floor(((likenesses[index] as number) - lowest) / width)
    counts[one] = (counts[one] as number) + 1
  }
  let one = classes
  for (let counted = 0; one > 0 && counted < most; ) counted += counts[--one] as number
  return lowest + one * width
}
