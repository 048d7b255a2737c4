/** Sorts the rows of a large catalog in pieces, so that other requests run in between. */
import { setImmediate as nextTurn } from 'node:timers/promises'

export type Compare = (a: number, b: number) => number

/** A multiple of the short runs that merging begins with; some milliseconds of work. */
const pieceRows = 32_768
const shortRun = 16

/** Two sorted neighbours on their way into one. */
interface Merge {
  left: number
  right: number
  readonly middle: number
  readonly end: number
  at: number
}

/** In place and stable. What `compare` looks at must not change meanwhile. */
export async function sortInPieces(rows: Uint32Array, compare: Compare): Promise<void> {
  for (let start = 0; start < rows.length; start += pieceRows) {
    sortShortRuns(rows.subarray(start, start + pieceRows), compare)
    await nextTurn()
  }
  let [from, to]: [Uint32Array, Uint32Array] = [rows, new Uint32Array(rows.length)]
  for (let width = shortRun; width < rows.length; width *= 2) {
    await mergeNeighbours(from, to, { width, compare })
    ;[from, to] = [to, from]
  }
  if (from !== rows) rows.set(from)
}

function sortShortRuns(rows: Uint32Array, compare: Compare): void {
  for (let start = 0; start < rows.length; start += shortRun) {
    const end = Math.min(start + shortRun, rows.length)
    for (let next = start + 1; next < end; next++) {
      const row = rows[next] as number
      let index = next
      for (; index > start && compare(rows[index - 1] as number, row) > 0; index--) rows[index] = rows[index - 1] as number
      rows[index] = row
    }
  }
}

async function mergeNeighbours(
  from: Uint32Array,
  to: Uint32Array,
  { width, compare }: { width: number; compare: Compare },
): Promise<void> {
  let room = pieceRows
  for (let start = 0; start < from.length; start += 2 * width) {
    const middle = Math.min(start + width, from.length)
    const merge = { left: start, right: middle, middle, end: Math.min(middle + width, from.length), at: start }
    while (merge.at < merge.end) {
      room -= mergeSome(from, to, { merge, compare, most: room })
      if (room > 0) continue
      room = pieceRows
      await nextTurn()
    }
  }
}

/** Gives how many rows it moved, at most about `most`. What is in order already is copied. */
function mergeSome(
  from: Uint32Array,
  to: Uint32Array,
  { merge, compare, most }: { merge: Merge; compare: Compare; most: number },
): number {
  const { middle, end } = merge
  const start = merge.at
  if (merge.left === start && isInOrder(from, middle, { end, compare })) {
    to.set(from.subarray(start, end), start)
    merge.at = end
    return end - start
  }
  let { left, right, at } = merge
  const stop = Math.min(end, start + most)
  while (at < stop) {
    const takesLeft = left < middle && (right === end || compare(from[left] as number, from[right] as number) <= 0)
    to[at++] = from[takesLeft ? left++ : right++] as number
  }
  Object.assign(merge, { left, right, at })
  return at - start
}

const isInOrder = (rows: Uint32Array, middle: number, { end, compare }: { end: number; compare: Compare }): boolean =>
  middle === end || compare(rows[middle - 1] as number, rows[middle] as number) <= 0
