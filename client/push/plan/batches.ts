/** Order and size of manifests: needs before what needs them, cycles together, some hundred items each (spec 4.9). Pure. */

export interface BatchLimits {
  /** What a batch should hold. */
  usual: number
  /** What the library takes at most. */
  most: number
}

/**
 * Batches of indexes: everything that an index needs is in the same batch or in one before it. `together` names sets that
 * must not be torn apart. A knot of things that need each other makes its batch larger, up to `most`; only beyond that is it
 * cut, and `needs` that lead to a later batch remain.
 */
export function orderBatches(
  count: number,
  edges: { needs: (index: number) => readonly number[]; together: readonly (readonly number[])[] },
  { usual, most }: BatchLimits,
): number[][] {
  const batches: number[][] = []
  let batch: number[] = []
  for (const knot of orderKnots(count, withTogether(count, edges)))
    for (let at = 0; at < knot.length; at += most) {
      const part = knot.slice(at, at + most)
      if (batch.length > 0 && batch.length + part.length > usual) {
        batches.push(batch)
        batch = []
      }
      batch.push(...part)
    }
  return batch.length > 0 ? [...batches, batch] : batches
}

/** Members of one set need each other in a ring, which ties them into one knot. */
function withTogether(
  count: number,
  { needs, together }: { needs: (index: number) => readonly number[]; together: readonly (readonly number[])[] },
): (index: number) => readonly number[] {
  const rings = new Map<number, number[]>()
  for (const set of together)
    for (const [at, index] of set.entries()) {
      const next = set[(at + 1) % set.length]
      if (next !== undefined && index < count) rings.set(index, [...(rings.get(index) ?? []), next])
    }
  return (index) => {
    const ring = rings.get(index)
    return ring ? [...needs(index), ...ring] : needs(index)
  }
}

interface Frame {
  index: number
  needs: readonly number[]
  next: number
}

/**
 * Strongly connected components in the order in which Tarjan's algorithm finds them, which is needs first. Without
 * recursion: chains of needs can be as long as the project is large.
 */
function orderKnots(count: number, needs: (index: number) => readonly number[]): number[][] {
  const order = new Int32Array(count).fill(-1)
  const low = new Int32Array(count)
  const isOpen = new Uint8Array(count)
  const open: number[] = []
  const knots: number[][] = []
  let visited = 0
  const enter = (index: number): Frame => {
    order[index] = low[index] = visited++
    isOpen[index] = 1
    open.push(index)
    return { index, needs: needs(index), next: 0 }
  }
  const leave = (index: number) => {
    if (low[index] !== order[index]) return
    const knot = open.splice(open.lastIndexOf(index))
    for (const member of knot) isOpen[member] = 0
    knots.push(knot.sort((a, b) => a - b))
  }
  for (let start = 0; start < count; start++) {
    if (order[start] !== -1) continue
    const frames = [enter(start)]
    for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
      const needed = frame.needs[frame.next++]
      const { index } = frame
      if (needed === undefined) {
        frames.pop()
        leave(index)
        const below = frames.at(-1)
        if (below) low[below.index] = Math.min(low[below.index] ?? 0, low[index] ?? 0)
      } else if (order[needed] === -1) frames.push(enter(needed))
      else if (isOpen[needed]) low[index] = Math.min(low[index] ?? 0, order[needed] ?? 0)
    }
  }
  return knots
}
