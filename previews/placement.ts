/** Where meshes stand before a camera looks at them: moved and scaled into the unit sphere, so that any size and place will do. */
import type { Mesh } from '../formats/source/mesh.ts'

export interface Placement {
  /** x, y, z of each position; no numbers where no corner uses it, or where it is nowhere. */
  placed: Float32Array
}

/** One sphere around all of them: what is larger than the others stays larger, and stands where it stood. */
export function placeInSphere(meshes: readonly Mesh[]): Placement[] {
  const used = meshes.map(usedPositions)
  const ranges = [0, 1, 2].map((axis) => {
    const own = used.map((placed) => rangeOf(placed, axis, 3)).filter((_, at) => (used[at]?.length ?? 0) > 0)
    return [Math.min(...own.map(([least]) => least)), Math.max(...own.map(([, most]) => most))]
  })
  const middle = ranges.map(([least = 0, most = 0]) => (least <= most ? least / 2 + most / 2 : 0))
  let farthest = 0
  for (const placed of used) farthest = Math.max(farthest, farthestFrom(middle, placed))
  const radius = Math.sqrt(farthest) || 1
  for (const placed of used)
    for (let at = 0; at < placed.length; at++) placed[at] = ((placed[at] ?? 0) - (middle[at % 3] ?? 0)) / radius
  return used.map((placed) => ({ placed }))
}

function usedPositions({ positions, cornerPositions }: Mesh): Float32Array {
  const used = new Float32Array(positions.length - (positions.length % 3)).fill(Number.NaN)
  for (const position of cornerPositions) {
    const at = position * 3
    if (at + 2 >= used.length) continue
    used[at] = positions[at] ?? Number.NaN
    used[at + 1] = positions[at + 1] ?? Number.NaN
    used[at + 2] = positions[at + 2] ?? Number.NaN
  }
  return used
}

/** As a square. */
function farthestFrom(middle: readonly number[], placed: Float32Array): number {
  let farthest = 0
  for (let at = 0; at < placed.length; at += 3) {
    let square = 0
    for (let axis = 0; axis < 3; axis++) square += ((placed[at + axis] ?? 0) - (middle[axis] ?? 0)) ** 2
    if (square > farthest && square < Number.POSITIVE_INFINITY) farthest = square
  }
  return farthest
}

/** Least and greatest of every `step`th value; what is no number does not count. 0 and 0 without any. */
export function rangeOf(values: Float32Array, first: number, step: number): [number, number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let at = first; at < values.length; at += step) {
    const value = values[at] ?? Number.NaN
    if (value < least && value > Number.NEGATIVE_INFINITY) least = value
    if (value > most && value < Number.POSITIVE_INFINITY) most = value
  }
  return least <= most ? [least, most] : [0, 0]
}
