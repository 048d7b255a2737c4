// Polygons cut into triangles, concave ones too.

/** Looks at corners, for all polygons of a mesh together: some tenths of a second. What is left after them becomes fans. */
const maxLooks = 10_000_000

/** Cuts the polygons of one mesh. */
export class PolygonCutter {
  #looksLeft = maxLooks

  /**
   * Triangles of a polygon by its corners' numbers, in the polygon's own direction: always three numbers for each corner
   * but two. `points` is x, y, z of each corner. Ears are cut off one by one; where no ear is left, as in polygons that cross
   * themselves, the next corner is cut off as it is.
   */
  cut(points: ArrayLike<number>): number[] {
    const count = points.length / 3
    if (count < 3) return []
    if (count === 3) return [0, 1, 2]
    const ring = new Ring(points)
    const triangles: number[] = []
    let [at, failed] = [0, 0]
    while (ring.left > 3) {
      const cutAnyway = this.#looksLeft <= 0 || failed >= ring.left
      if (!cutAnyway && !this.#isEar(ring, at)) {
        at = ring.next(at)
        failed++
        continue
      }
      triangles.push(ring.previous(at), at, ring.next(at))
      at = ring.remove(at)
      failed = 0
    }
    triangles.push(ring.previous(at), at, ring.next(at))
    return triangles
  }

  #isEar(ring: Ring, at: number): boolean {
    this.#looksLeft--
    const [before, after] = [ring.previous(at), ring.next(at)]
    if (!(ring.turn(before, at, after) > 0)) return false
    for (let other = ring.next(after); other !== before; other = ring.next(other)) {
      this.#looksLeft--
      if (ring.isWithin(other, [before, at, after])) return false
    }
    return true
  }
}

/** The corners that are left of a polygon, seen along its normal so that it runs counterclockwise. */
class Ring {
  left: number
  readonly #next: Uint32Array
  readonly #previous: Uint32Array
  readonly #x: Float64Array
  readonly #y: Float64Array

  constructor(points: ArrayLike<number>) {
    const count = points.length / 3
    this.left = count
    this.#next = Uint32Array.from({ length: count }, (_, i) => (i + 1) % count)
    this.#previous = Uint32Array.from({ length: count }, (_, i) => (i + count - 1) % count)
    const [axisX, axisY] = planeOf(points)
    this.#x = Float64Array.from({ length: count }, (_, i) => points[3 * i + axisX] ?? 0)
    this.#y = Float64Array.from({ length: count }, (_, i) => points[3 * i + axisY] ?? 0)
  }

  next(corner: number): number {
    return this.#next[corner] ?? 0
  }

  previous(corner: number): number {
    return this.#previous[corner] ?? 0
  }

  /** Takes a corner out; gives the one after the next, so that ears are taken from all around. */
  remove(corner: number): number {
    const [before, after] = [this.previous(corner), this.next(corner)]
    this.#next[before] = after
    this.#previous[after] = before
    this.left--
    return this.next(after)
  }

  /** Twice the triangle's area: positive when it runs counterclockwise. */
  turn(a: number, b: number, c: number): number {
    const [ax, ay] = [this.#x[a] ?? 0, this.#y[a] ?? 0]
    return ((this.#x[b] ?? 0) - ax) * ((this.#y[c] ?? 0) - ay) - ((this.#y[b] ?? 0) - ay) * ((this.#x[c] ?? 0) - ax)
  }

  /** Whether a corner lies in a triangle or on its edge; not where it lies at one of the triangle's own corners. */
  isWithin(corner: number, [a, b, c]: [number, number, number]): boolean {
    if (this.#isAt(corner, a) || this.#isAt(corner, b) || this.#isAt(corner, c)) return false
    return this.turn(a, b, corner) >= 0 && this.turn(b, c, corner) >= 0 && this.turn(c, a, corner) >= 0
  }

  #isAt(a: number, b: number): boolean {
    return this.#x[a] === this.#x[b] && this.#y[a] === this.#y[b]
  }
}

/** The two axes that show most of the polygon, in the order in which it runs counterclockwise. */
function planeOf(points: ArrayLike<number>): [number, number] {
  const normal: [number, number, number] = [0, 0, 0]
  const count = points.length / 3
  for (let i = 0; i < count; i++) {
    const j = (i + 1) % count
    for (let axis = 0; axis < 3; axis++) {
      const [u, v] = [(axis + 1) % 3, (axis + 2) % 3]
      const [u0, v0] = [points[3 * i + u] ?? 0, points[3 * i + v] ?? 0]
      normal[axis] = (normal[axis] ?? 0) + (u0 - (points[3 * j + u] ?? 0)) * (v0 + (points[3 * j + v] ?? 0))
    }
  }
  const sizes = normal.map(Math.abs)
  const axis = Math.max(0, sizes.indexOf(Math.max(...sizes)))
  const [u, v] = [(axis + 1) % 3, (axis + 2) % 3]
  return (normal[axis] ?? 0) < 0 ? [v, u] : [u, v]
}
