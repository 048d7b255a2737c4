// Polygons into triangles, as every format that stores polygons needs it: by a fan where a polygon is convex, else ear by ear.
// Source: "Triangulation by Ear Clipping", Eberly; the normal of a polygon in space by Newell's method.

type Point = readonly [x: number, y: number, z: number]
export type PositionOf = (corner: number) => Point
/** Three corners for each triangle, taken from the polygon's corners and wound as it is. */
export type Triangulate = (corners: readonly number[]) => number[]

/** Corners compared while ears are searched, over all polygons of a mesh: about a second. Beyond, concave polygons are cut by a fan. */
const maxComparisons = 20_000_000
/** What has more corners is cut by a fan: real ones with so many are round. */
const maxOutlineCorners = 10_000

/**
 * Cuts the polygons of one mesh. A polygon of n corners always gives n - 2 triangles, none below 3, whatever lies where: one without an
 * area, with positions that are no numbers or that crosses itself is cut as well as can be. What `corners` are (positions, instances) is
 * up to the caller; `positionOf` must know each.
 */
export function triangulation(positionOf: PositionOf): Triangulate {
  const effort = { left: maxComparisons }
  return (corners) => {
    if (corners.length <= 3) return corners.length === 3 ? [...corners] : []
    if (corners.length > maxOutlineCorners) return fan(corners.length).map((at) => corners[at] ?? 0)
    const outline = flatten(corners.map(positionOf))
    const order = isConvex(outline) ? null : clipEars(outline, effort)
    return (order ?? fan(corners.length)).map((at) => corners[at] ?? 0)
  }
}

/** A polygon seen along its normal, counter-clockwise: u and v of each corner. */
type Outline = { u: Float64Array; v: Float64Array; count: number }

/** Leaves out the axis that the normal is closest to. */
function flatten(points: readonly Point[]): Outline {
  const normal = newellNormal(points)
  const sizes = normal.map(Math.abs)
  const axis = sizes.indexOf(Math.max(...sizes))
  const [first, second] = [(axis + 1) % 3, (axis + 2) % 3]
  const isTurned = (normal[axis] ?? 0) < 0
  const u = Float64Array.from(points, (point) => point[isTurned ? second : first] ?? 0)
  const v = Float64Array.from(points, (point) => point[isTurned ? first : second] ?? 0)
  return { u, v, count: points.length }
}

function newellNormal(points: readonly Point[]): [number, number, number] {
  const normal: [number, number, number] = [0, 0, 0]
  const [originX, originY, originZ] = points[0] ?? [0, 0, 0]
  let [beforeX, beforeY, beforeZ] = points.at(-1) ?? [0, 0, 0]
  for (const [x, y, z] of points) {
    normal[0] += (beforeY - y) * (beforeZ + z - 2 * originZ)
    normal[1] += (beforeZ - z) * (beforeX + x - 2 * originX)
    normal[2] += (beforeX - x) * (beforeY + y - 2 * originY)
    ;[beforeX, beforeY, beforeZ] = [x, y, z]
  }
  return normal
}

/** Positive where the way from a over b to c turns left. */
function turn({ u, v }: Outline, [a, b, c]: readonly [number, number, number]): number {
  const [ua = 0, va = 0] = [u[a], v[a]]
  return ((u[b] ?? 0) - ua) * ((v[c] ?? 0) - va) - ((u[c] ?? 0) - ua) * ((v[b] ?? 0) - va)
}

/** Left turns only, and once around: a star that crosses itself turns left as well, but changes direction more often. */
function isConvex(outline: Outline): boolean {
  const { u, count } = outline
  let reversals = 0
  let direction = 0
  for (let at = 0; at < count; at++) {
    const [next, afterNext] = [(at + 1) % count, (at + 2) % count]
    if (turn(outline, [at, next, afterNext]) < 0) return false
    const step = Math.sign((u[next] ?? 0) - (u[at] ?? 0))
    if (step !== 0 && direction !== 0 && step !== direction) reversals++
    if (step !== 0) direction = step
  }
  return reversals <= 2
}

function fan(count: number): number[] {
  const order: number[] = []
  for (let at = 1; at + 1 < count; at++) order.push(0, at, at + 1)
  return order
}

/** Null when the effort is spent. Where no corner is an ear, the polygon crosses itself, and the next corner is cut off. */
function clipEars(outline: Outline, effort: { left: number }): number[] | null {
  const left = Array.from({ length: outline.count }, (_, at) => at)
  const order: number[] = []
  for (let at = 0, refused = 0; left.length > 3; ) {
    const count = left.length
    const triangle = [left[(at + count - 1) % count] ?? 0, left[at % count] ?? 0, left[(at + 1) % count] ?? 0] as const
    effort.left -= count
    if (effort.left < 0) return null
    if (refused < count && !isEar(outline, triangle, left)) {
      at = (at + 1) % count
      refused++
      continue
    }
    order.push(...triangle)
    left.splice(at, 1)
    at %= left.length
    refused = 0
  }
  return [...order, ...left]
}

/** Whether nothing else of the polygon lies in this corner. Corners at the very places of its own are seams to holes. */
function isEar(outline: Outline, triangle: readonly [number, number, number], corners: readonly number[]): boolean {
  const [a, b, c] = triangle
  if (!(turn(outline, triangle) > 0)) return false
  for (const corner of corners) {
    if (turn(outline, [a, b, corner]) < 0 || turn(outline, [b, c, corner]) < 0 || turn(outline, [c, a, corner]) < 0) continue
    if (!triangle.some((own) => isSamePlace(outline, own, corner))) return false
  }
  return true
}

function isSamePlace({ u, v }: Outline, a: number, b: number): boolean {
  return a === b || (u[a] === u[b] && v[a] === v[b])
}
