/** The picture of a mesh, drawn by the processor alone: perspective, depth, smooth light, no background. */
import type { Mesh } from '../formats/source/mesh.ts'
import type { Picture } from '../formats/source/picture.ts'
import { cameraOf, project, type Size, turningZoom, type View } from './camera.ts'
import { type Placement, placeInSphere } from './placement.ts'
import { Shading, type SlotLook, type Surface, surfaceOf } from './shading.ts'
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
  return new MeshDrawer([{ mesh, looks }]).draw({ ...threeQuarterView, ...view }, { width: edgePx, height: edgePx })
}

export interface DrawnMesh {
  mesh: Mesh
  /** By slot. */
  looks: readonly (SlotLook | undefined)[]
}

/** Draws the same meshes again and again: what does not depend on the view is made once. They share one scale and one place to stand. */
export class MeshDrawer {
  readonly #surfaces: readonly Surface[]
  readonly #placements: readonly Placement[]

  constructor(meshes: readonly DrawnMesh[]) {
    this.#surfaces = meshes.map(({ mesh, looks }) => surfaceOf(mesh, looks))
    this.#placements = placeInSphere(meshes.map(({ mesh }) => mesh))
  }

  /** One of them, in pixels. */
  draw(view: View, { width, height }: Size, which = 0): Picture {
    const [surface, placement] = [this.#surfaces[which], this.#placements[which]]
    const values = new Uint8Array(width * height * 4)
    const picture: Picture = { width, height, channels: 4, samples: { kind: 'u8', values } }
    if (surface === undefined || placement === undefined) return picture
    const samples = { width: width * 2, height: height * 2 }
    const beside = this.#placements.filter((other) => other !== placement)
    const projected = project(placement, { view, size: samples, beside })
    const triangles = visibleTriangles(surface.mesh, projected, samples)
    const pixel = new Pixel(triangles, new Shading(surface, { projected, camera: cameraOf(view) }), samples.width)
    for (let row = 0; row < height; row++) for (let column = 0; column < width; column++) pixel.draw(column, row, values)
    return picture
  }

  /** See `turningZoom`; of the first mesh. */
  turningZoom(pitch: number, size: Size): number {
    const [placement] = this.#placements
    return placement === undefined ? 1 : turningZoom(placement, pitch, size)
  }
}

/** Four samples become one pixel. */
class Pixel {
  readonly #triangles: Int32Array
  readonly #shading: Shading
  readonly #rowSamples: number
  /** Red, green and blue of the samples so far, and how many there are. */
  readonly #sum = new Float64Array(4)

  constructor(triangles: Int32Array, shading: Shading, rowSamples: number) {
    this.#triangles = triangles
    this.#shading = shading
    this.#rowSamples = rowSamples
  }

  draw(column: number, row: number, values: Uint8Array): void {
    const at = row * 2 * this.#rowSamples + column * 2
    const seen = this.#triangles
    const a = seen[at] ?? nothing
    const b = seen[at + 1] ?? nothing
    const c = seen[at + this.#rowSamples] ?? nothing
    const d = seen[at + this.#rowSamples + 1] ?? nothing
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
    const to = row * this.#rowSamples * 2 + column * 4
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
