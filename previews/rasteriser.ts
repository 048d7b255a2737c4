/** The picture of a mesh, drawn by the processor alone: perspective, depth, smooth light, no background. */
import type { Mesh } from '../formats/source/mesh.ts'
import type { Picture } from '../formats/source/picture.ts'
import { cameraOf, project, type View } from './camera.ts'
import { Shading, type SlotLook } from './shading.ts'
import { nothing, visibleTriangles } from './visible-triangles.ts'

export interface DrawingOptions extends Partial<View> {
  edgePx?: number
  /** By slot. */
  looks?: readonly (SlotLook | undefined)[]
}

/** About where the editor looks from for its own thumbnails, a little more from above. */
export const threeQuarterView: View = { yaw: 55, pitch: 18, framing: 'tight' }

/** Samples of a pixel are 2 x 2; light becomes bytes with a gamma of 2.2. */
const bytes = Uint8Array.from({ length: 4096 }, (_, step) => Math.round((step / 4095) ** (1 / 2.2) * 255))

/** Triangles that are nowhere are not drawn: a mesh without any other gives a picture that is transparent throughout. */
export function drawMesh(mesh: Mesh, { edgePx = 512, looks = [], ...view }: DrawingOptions = {}): Picture {
  const edge = edgePx * 2
  const whole = { ...threeQuarterView, ...view }
  const projected = project(mesh, { view: whole, edge })
  const triangles = visibleTriangles(mesh, projected, edge)
  const shading = new Shading(mesh, { projected, camera: cameraOf(whole), looks })
  const values = new Uint8Array(edgePx * edgePx * 4)
  const pixel = new Pixel(triangles, shading, edge)
  for (let row = 0; row < edgePx; row++) for (let column = 0; column < edgePx; column++) pixel.draw(column, row, values)
  return { width: edgePx, height: edgePx, channels: 4, samples: { kind: 'u8', values } }
}

/** Four samples become one pixel. */
class Pixel {
  readonly #triangles: Int32Array
  readonly #shading: Shading
  readonly #edge: number
  /** Red, green and blue of the samples so far, and how many there are. */
  readonly #sum = new Float64Array(4)

  constructor(triangles: Int32Array, shading: Shading, edge: number) {
    this.#triangles = triangles
    this.#shading = shading
    this.#edge = edge
  }

  draw(column: number, row: number, values: Uint8Array): void {
    const at = row * 2 * this.#edge + column * 2
    const seen = this.#triangles
    const a = seen[at] ?? nothing
    const b = seen[at + 1] ?? nothing
    const c = seen[at + this.#edge] ?? nothing
    const d = seen[at + this.#edge + 1] ?? nothing
    if (a === b && a === c && a === d && a === nothing) return
    const x = column * 2
    const y = row * 2
    this.#sum.fill(0)
    if (a === b && a === c && a === d) {
      this.#add(a, x + 1, y + 1)
    } else {
      this.#add(a, x + 0.5, y + 0.5)
      this.#add(b, x + 1.5, y + 0.5)
      this.#add(c, x + 0.5, y + 1.5)
      this.#add(d, x + 1.5, y + 1.5)
    }
    const covered = +(a !== nothing) + +(b !== nothing) + +(c !== nothing) + +(d !== nothing)
    const count = this.#sum[3] ?? 1
    const to = row * this.#edge * 2 + column * 4
    values[to] = byteOf((this.#sum[0] ?? 0) / count)
    values[to + 1] = byteOf((this.#sum[1] ?? 0) / count)
    values[to + 2] = byteOf((this.#sum[2] ?? 0) / count)
    values[to + 3] = Math.round((covered * 255) / 4)
  }

  #add(triangle: number, x: number, y: number): void {
    if (triangle === nothing) return
    this.#shading.shade(triangle, x, y)
    for (let channel = 0; channel < 3; channel++)
      this.#sum[channel] = (this.#sum[channel] ?? 0) + (this.#shading.light[channel] ?? 0)
    this.#sum[3] = (this.#sum[3] ?? 0) + 1
  }
}

const byteOf = (light: number): number => bytes[Math.min(4095, Math.round(light * 4095))] ?? 0
