// Which triangle is seen where: a depth buffer with four samples to a pixel.
import type { Vec } from './shape.ts'

/** Corners on the picture: pixels to the right, pixels down, and the distance from the eye. */
export type ScreenTriangle = readonly [Vec, Vec, Vec]

/** Along either side of a pixel. */
const samples = 2
export const samplesPerPixel = samples ** 2
/** Instead of a triangle's number. */
export const nothing = -1

export class Visibility {
  readonly #width: number
  readonly #depths: Float32Array
  readonly #seen: Int32Array
  readonly #triangles: ScreenTriangle[]

  constructor(sizePx: number, triangles: ScreenTriangle[]) {
    this.#width = sizePx * samples
    this.#depths = new Float32Array(this.#width ** 2).fill(Number.POSITIVE_INFINITY)
    this.#seen = new Int32Array(this.#width ** 2).fill(nothing)
    this.#triangles = triangles
    for (const index of triangles.keys()) this.#draw(index)
  }

  /** The triangle at one of the samples of a pixel, or `nothing`. */
  at(x: number, y: number, sample: number): number {
    const row = y * samples + (sample >> 1)
    return this.#seen[row * this.#width + x * samples + (sample & 1)] ?? nothing
  }

  /** How much of each corner is in a place; of the nearest place inside when it lies a little outside. */
  weights(index: number, x: number, y: number): Vec {
    const [a, b, c] = this.#triangles[index] ?? [origin, origin, origin]
    const area = areaOf(a, b, c)
    const first = Math.max(0, ((b[0] - x) * (c[1] - y) - (c[0] - x) * (b[1] - y)) / area)
    const second = Math.max(0, ((c[0] - x) * (a[1] - y) - (a[0] - x) * (c[1] - y)) / area)
    const third = Math.max(0, 1 - first - second)
    const sum = first + second + third
    return [first / sum, second / sum, third / sum]
  }

  #draw(index: number): void {
    const [a, b, c] = this.#triangles[index] ?? [origin, origin, origin]
    const area = areaOf(a, b, c)
    if (area >= 0) return // seen from behind
    const [left, right] = this.#range(a[0], b[0], c[0])
    const [top, bottom] = this.#range(a[1], b[1], c[1])
    for (let row = top; row <= bottom; row++) {
      const y = (row + 0.5) / samples
      for (let column = left; column <= right; column++) {
        const x = (column + 0.5) / samples
        const first = ((b[0] - x) * (c[1] - y) - (c[0] - x) * (b[1] - y)) / area
        const second = ((c[0] - x) * (a[1] - y) - (a[0] - x) * (c[1] - y)) / area
        const third = 1 - first - second
        if (first < 0 || second < 0 || third < 0) continue
        const depth = a[2] * first + b[2] * second + c[2] * third
        const at = row * this.#width + column
        if (depth >= (this.#depths[at] ?? 0)) continue
        this.#depths[at] = depth
        this.#seen[at] = index
      }
    }
  }

  #range(...values: number[]): [number, number] {
    const [low, high] = [Math.min(...values) * samples - 0.5, Math.max(...values) * samples - 0.5]
    return [Math.max(0, Math.ceil(low)), Math.min(this.#width - 1, Math.floor(high))]
  }
}

const origin: Vec = [0, 0, 0]

function areaOf(a: Vec, b: Vec, c: Vec): number {
  return (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
}
