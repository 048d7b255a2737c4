/** Which triangle of a mesh is nearest at each sample of a picture. */
import type { Mesh } from '../formats/source/mesh.ts'
import type { Projected, Size } from './camera.ts'

/** No triangle is seen here. */
export const nothing = -1

/** Samples that are compared at most: no mesh that someone modelled comes near, and it takes about half a second. */
const mostSamples = 300_000_000
/** What a triangle costs beside its samples, and each row of it beyond the first, which is looked at even where it has none. */
const samplesPerTriangle = 16
const samplesPerRow = 8

/** Row by row from the top left; the size is in samples. */
export function visibleTriangles({ cornerPositions }: Mesh, projected: Projected, size: Size): Int32Array {
  const raster = new Raster(projected, size)
  for (let at = 0; at + 2 < cornerPositions.length && raster.samplesLeft > 0; at += 3) {
    if (raster.take(cornerPositions, at)) raster.fill(at / 3)
  }
  // A pole or a leaf from its side is thinner than the samples are apart: its edges are drawn instead.
  const isThin = raster.count() < Math.min(size.width, size.height) * 4
  for (let at = 0; isThin && at + 2 < cornerPositions.length && raster.samplesLeft > 0; at += 3) {
    if (raster.take(cornerPositions, at)) raster.outline(at / 3)
  }
  return raster.triangles
}

/** Draws one triangle after the other; of two at a sample the nearer one stays. */
class Raster {
  readonly triangles: Int32Array
  samplesLeft = mostSamples
  readonly #projected: Projected
  readonly #nearest: Float32Array
  readonly #size: Size
  /** The corners of the triangle that is drawn. */
  readonly #x = new Float64Array(3)
  readonly #y = new Float64Array(3)
  readonly #nearness = new Float64Array(3)

  constructor(projected: Projected, size: Size) {
    this.#projected = projected
    this.#size = size
    this.#nearest = new Float32Array(size.width * size.height)
    this.triangles = new Int32Array(size.width * size.height).fill(nothing)
  }

  /** Samples at which there is something. */
  count(): number {
    let count = 0
    for (let at = 0; at < this.triangles.length; at++) if (this.triangles[at] !== nothing) count++
    return count
  }

  /** The triangle whose corners begin there; false when one of them is nowhere. */
  take(cornerPositions: Uint32Array, first: number): boolean {
    this.samplesLeft -= samplesPerTriangle
    let sum = 0
    for (let corner = 0; corner < 3; corner++) {
      const position = cornerPositions[first + corner] ?? 0
      const x = this.#projected.x[position] ?? Number.NaN
      const y = this.#projected.y[position] ?? Number.NaN
      this.#x[corner] = x
      this.#y[corner] = y
      this.#nearness[corner] = this.#projected.nearness[position] ?? Number.NaN
      sum += x - x + (y - y)
    }
    return sum === 0
  }

  fill(triangle: number): void {
    const x0 = this.#x[0] ?? 0
    const y0 = this.#y[0] ?? 0
    const n0 = this.#nearness[0] ?? 0
    const x1 = (this.#x[1] ?? 0) - x0
    const x2 = (this.#x[2] ?? 0) - x0
    const y1 = (this.#y[1] ?? 0) - y0
    const y2 = (this.#y[2] ?? 0) - y0
    const n1 = (this.#nearness[1] ?? 0) - n0
    const n2 = (this.#nearness[2] ?? 0) - n0
    const area = x1 * y2 - x2 * y1
    if (area === 0) return
    const toRight = (n1 * y2 - n2 * y1) / area
    const down = (n2 * x1 - n1 * x2) / area
    const { width, height } = this.#size
    const first = Math.max(0, Math.ceil(y0 + Math.min(0, y1, y2) - 0.5))
    const last = Math.min(height - 1, Math.floor(y0 + Math.max(0, y1, y2) - 0.5))
    this.samplesLeft -= Math.max(0, last - first) * samplesPerRow
    for (let row = first; row <= last; row++) {
      const y = row + 0.5
      const left = Math.max(0, Math.ceil(this.#crossing(y, area, -1) - 0.5))
      const right = Math.min(width - 1, Math.floor(this.#crossing(y, area, 1) - 0.5))
      if (left > right) continue
      this.samplesLeft -= right - left
      let nearness = n0 + (left + 0.5 - x0) * toRight + (y - y0) * down
      const end = row * width + right
      for (let at = row * width + left; at <= end; at++) {
        if (nearness > (this.#nearest[at] ?? 0)) {
          this.#nearest[at] = nearness
          this.triangles[at] = triangle
        }
        nearness += toRight
      }
    }
  }

  /** Where the middle of a row enters (`side` -1) or leaves (1) the triangle. */
  #crossing(row: number, area: number, side: number): number {
    let found = side * Number.POSITIVE_INFINITY
    for (let corner = 0; corner < 3; corner++) {
      const next = corner === 2 ? 0 : corner + 1
      const y = this.#y[corner] ?? 0
      const rise = (this.#y[next] ?? 0) - y
      if (rise * area * side <= 0) continue
      const x = this.#x[corner] ?? 0
      const crossing = x + (((this.#x[next] ?? 0) - x) * (row - y)) / rise
      if (side > 0 ? crossing < found : crossing > found) found = crossing
    }
    return found
  }

  /** Its three sides, two samples wide. */
  outline(triangle: number): void {
    for (let corner = 0; corner < 3; corner++) {
      const next = corner === 2 ? 0 : corner + 1
      const x = this.#x[corner] ?? 0
      const y = this.#y[corner] ?? 0
      const toX = (this.#x[next] ?? 0) - x
      const toY = (this.#y[next] ?? 0) - y
      const steps = Math.min(this.#size.width + this.#size.height, Math.ceil(Math.max(Math.abs(toX), Math.abs(toY))))
      this.samplesLeft -= steps * 4
      for (let step = 0; step <= steps; step++) {
        const share = steps === 0 ? 0 : step / steps
        const from = this.#nearness[corner] ?? 0
        const nearness = from + ((this.#nearness[next] ?? 0) - from) * share
        this.#dot(triangle, { x: x + toX * share, y: y + toY * share, nearness })
      }
    }
  }

  #dot(triangle: number, { x, y, nearness }: { x: number; y: number; nearness: number }): void {
    const { width, height } = this.#size
    for (let row = Math.round(y) - 1; row <= Math.round(y); row++) {
      for (let column = Math.round(x) - 1; column <= Math.round(x); column++) {
        const at = row * width + column
        const isInside = row >= 0 && column >= 0 && row < height && column < width
        if (!isInside || !(nearness > (this.#nearest[at] ?? 0))) continue
        this.#nearest[at] = nearness
        this.triangles[at] = triangle
      }
    }
  }
}
