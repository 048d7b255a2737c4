/** Lists of ids, ascending, with what each is worth: put together without a lookup for each. */

export interface Weighed {
  ids: Float64Array
  weights: Uint16Array
}

export const noneWeighed: Weighed = { ids: new Float64Array(), weights: new Uint16Array() }

const roomFor = (most: number): Weighed => ({ ids: new Float64Array(most), weights: new Uint16Array(most) })
const first = ({ ids, weights }: Weighed, count: number): Weighed => ({
  ids: ids.subarray(0, count),
  weights: weights.subarray(0, count),
})

/** What is in both, worth what both are together. */
export function intersect(one: Weighed, other: Weighed): Weighed {
  const both = roomFor(Math.min(one.ids.length, other.ids.length))
  let kept = 0
  for (let at = 0, next = 0; at < one.ids.length && next < other.ids.length; ) {
    const [id, against] = [one.ids[at] as number, other.ids[next] as number]
    if (id === against) {
      both.ids[kept] = id
      both.weights[kept++] = (one.weights[at] as number) + (other.weights[next] as number)
    }
    if (id <= against) at++
    if (against <= id) next++
  }
  return first(both, kept)
}

/** What is in one of them: worth `weight` where it is among the ids, and what it was worth where that is more. */
export function unite(one: Weighed, ids: readonly number[], weight: number): Weighed {
  if (ids.length === 0) return one
  const either = roomFor(one.ids.length + ids.length)
  let kept = 0
  for (let at = 0, next = 0; at < one.ids.length || next < ids.length; ) {
    const id = at < one.ids.length ? (one.ids[at] as number) : Number.POSITIVE_INFINITY
    const against = next < ids.length ? (ids[next] as number) : Number.POSITIVE_INFINITY
    const worth = id <= against ? (one.weights[at] as number) : 0
    either.ids[kept] = Math.min(id, against)
    either.weights[kept++] = against <= id && weight > worth ? weight : worth
    if (id <= against) at++
    if (against <= id) next++
  }
  return first(either, kept)
}

/** Without what is named, ascending. */
export function exclude({ ids, weights }: Weighed, without: readonly number[]): Weighed {
  let next = 0
  return only({ ids, weights }, (id) => {
    while (next < without.length && (without[next] as number) < id) next++
    return without[next] !== id
  })
}

export function only({ ids, weights }: Weighed, isWanted: (id: number) => boolean): Weighed {
  const left = roomFor(ids.length)
  let kept = 0
  for (let at = 0; at < ids.length; at++) {
    const id = ids[at] as number
    if (!isWanted(id)) continue
    left.ids[kept] = id
    left.weights[kept++] = weights[at] as number
  }
  return first(left, kept)
}

/** What of it is named is worth so much more. */
export function raise({ ids, weights }: Weighed, named: readonly number[], by: number): void {
  let at = 0
  for (const id of named) {
    while (at < ids.length && (ids[at] as number) < id) at++
    if (ids[at] === id) weights[at] = (weights[at] as number) + by
  }
}

/** Whether a list holds an id. */
export function holds(ids: Float64Array, id: number): boolean {
  let [from, to] = [0, ids.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((ids[middle] as number) < id) from = middle + 1
    else to = middle
  }
  return ids[from] === id
}
