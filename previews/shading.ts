/** The light on a point of a mesh: two lamps that go with the camera, and a little from all sides. */
import type { Mesh } from '../formats/source/mesh.ts'
import type { Picture } from '../formats/source/picture.ts'
import type { Camera, Projected, Vector } from './camera.ts'
import { unitNormals } from './normals.ts'
import { type Color, paintedColors } from './surface.ts'

/** How a slot is drawn; what is not known stays a light grey. */
export interface SlotLook {
  color?: Color
  /** 8 bits a sample; others are not drawn. One about as large as the drawing is best, as the nearest pixel is taken. */
  texture?: Picture
}

/** What is the same from wherever a mesh is looked at. */
export interface Surface {
  mesh: Mesh
  normals: Float32Array
  painted: Float32Array | null
  looks: readonly (SlotLook | undefined)[]
}

export const surfaceOf = (mesh: Mesh, looks: Surface['looks']): Surface => ({
  ...{ mesh, looks },
  normals: unitNormals(mesh),
  painted: paintedColors(mesh),
})

const plain: Color = [0.5, 0.5, 0.5, 1]
const ambient = 0.14
/** From above on the left, then a weaker one from the right. */
const lamps = [
  { right: -0.5, up: 0.7, back: 0.65, strength: 1 },
  { right: 0.85, up: 0.15, back: 0.4, strength: 0.28 },
]

/** Of a byte of a picture, as linear light. */
const linear = Float32Array.from({ length: 256 }, (_, byte) => (byte / 255) ** 2.2)

export class Shading {
  /** Red, green and blue of the last point, linear light, 0 where it is black; they may exceed 1. */
  readonly light = new Float64Array(3)
  readonly #mesh: Mesh
  readonly #projected: Projected
  readonly #normals: Float32Array
  readonly #painted: Float32Array | null
  readonly #looks: readonly (SlotLook | undefined)[]
  readonly #lamps: { toward: Vector; strength: number }[]
  /** How much each corner counts at the point. */
  readonly #weights = new Float64Array(3)
  readonly #normal = new Float64Array(3)

  constructor({ mesh, normals, painted, looks }: Surface, scene: { projected: Projected; camera: Camera }) {
    this.#mesh = mesh
    this.#projected = scene.projected
    this.#normals = normals
    this.#painted = painted
    this.#looks = looks
    this.#lamps = lamps.map(({ strength, ...lamp }) => ({ strength, toward: direction(scene.camera, lamp) }))
  }

  /** Lights the point of a triangle that is seen at `x`, `y`, in samples. */
  shade(triangle: number, x: number, y: number): void {
    this.#weigh(triangle, x, y)
    this.#findNormal(triangle)
    this.#findColor(triangle)
    const normal = this.#normal
    let brightness = ambient * (1 + 0.5 * (normal[2] ?? 0))
    for (let index = 0; index < this.#lamps.length; index++) brightness += this.#lampLight(index)
    for (let channel = 0; channel < 3; channel++) this.light[channel] = (this.light[channel] ?? 0) * brightness
  }

  #lampLight(index: number): number {
    const normal = this.#normal
    const lamp = this.#lamps[index]
    if (lamp === undefined) return 0
    const { toward, strength } = lamp
    const cosine = (normal[0] ?? 0) * toward[0] + (normal[1] ?? 0) * toward[1] + (normal[2] ?? 0) * toward[2]
    return cosine > 0 ? strength * cosine : 0
  }

  /** Barycentric weights, right in perspective, never outside of the triangle. */
  #weigh(triangle: number, x: number, y: number): void {
    const { cornerPositions } = this.#mesh
    const { x: xs, y: ys, nearness } = this.#projected
    let sum = 0
    for (let corner = 0; corner < 3; corner++) {
      const own = cornerPositions[triangle * 3 + corner] ?? 0
      const a = cornerPositions[triangle * 3 + ((corner + 1) % 3)] ?? 0
      const b = cornerPositions[triangle * 3 + ((corner + 2) % 3)] ?? 0
      const ax = xs[a] ?? 0
      const ay = ys[a] ?? 0
      const dx = (xs[b] ?? 0) - ax
      const dy = (ys[b] ?? 0) - ay
      const part = (dx * (y - ay) - dy * (x - ax)) / (dx * ((ys[own] ?? 0) - ay) - dy * ((xs[own] ?? 0) - ax))
      const weight = (part > 0 ? Math.min(1, part) : 0) * (nearness[own] ?? 0)
      this.#weights[corner] = weight
      sum += weight
    }
    for (let corner = 0; corner < 3; corner++) this.#weights[corner] = sum > 0 ? (this.#weights[corner] ?? 0) / sum : 1 / 3
  }

  /** Turned to the side of the triangle that is seen: thin leaves have one side, and are looked at from both. */
  #findNormal(triangle: number): void {
    const from = triangle * 9
    const normal = this.#normal
    for (let axis = 0; axis < 3; axis++) normal[axis] = this.#mixed(this.#normals, from + axis, 3)
    const nx = normal[0] ?? 0
    const ny = normal[1] ?? 0
    const nz = normal[2] ?? 0
    const length = Math.sqrt(nx * nx + ny * ny + nz * nz) || 1
    const turn = this.#isTurnedAway(triangle) ? -1 / length : 1 / length
    for (let axis = 0; axis < 3; axis++) normal[axis] = (normal[axis] ?? 0) * turn
  }

  #isTurnedAway(triangle: number): boolean {
    const { placed, eye } = this.#projected
    const { cornerPositions } = this.#mesh
    const normal = this.#normal
    const a = (cornerPositions[triangle * 3] ?? 0) * 3
    const b = (cornerPositions[triangle * 3 + 1] ?? 0) * 3
    const c = (cornerPositions[triangle * 3 + 2] ?? 0) * 3
    const ax = placed[a] ?? 0
    const ay = placed[a + 1] ?? 0
    const az = placed[a + 2] ?? 0
    const ux = (placed[b] ?? 0) - ax
    const uy = (placed[b + 1] ?? 0) - ay
    const uz = (placed[b + 2] ?? 0) - az
    const vx = (placed[c] ?? 0) - ax
    const vy = (placed[c + 1] ?? 0) - ay
    const vz = (placed[c + 2] ?? 0) - az
    const gx = uy * vz - uz * vy
    const gy = uz * vx - ux * vz
    const gz = ux * vy - uy * vx
    const seen = gx * (eye[0] - ax) + gy * (eye[1] - ay) + gz * (eye[2] - az)
    return ((normal[0] ?? 0) * gx + (normal[1] ?? 0) * gy + (normal[2] ?? 0) * gz) * seen < 0
  }

  #findColor(triangle: number): void {
    const look = this.#looks[this.#mesh.triangleSlots[triangle] ?? 0]
    const uvs = this.#mesh.uvs[0]
    if (look?.texture?.samples.kind === 'u8' && uvs !== undefined) {
      const point = { u: this.#mixed(uvs, triangle * 6, 2), v: this.#mixed(uvs, triangle * 6 + 1, 2) }
      this.#takeTexel(look.texture, look.texture.samples.values, point)
    } else if (look?.color === undefined && this.#painted !== null) {
      for (let channel = 0; channel < 3; channel++)
        this.light[channel] = Math.min(1, Math.max(0, this.#mixed(this.#painted, triangle * 12 + channel, 4)))
    } else {
      const color = look?.color ?? plain
      for (let channel = 0; channel < 3; channel++) this.light[channel] = color[channel] ?? 0
    }
  }

  #takeTexel({ width, height, channels }: Picture, values: Uint8Array, { u, v }: { u: number; v: number }): void {
    const column = Math.min(width - 1, Math.floor((u - Math.floor(u)) * width))
    const row = Math.min(height - 1, Math.floor((v - Math.floor(v)) * height))
    const at = (row * width + column) * channels
    for (let channel = 0; channel < 3; channel++)
      this.light[channel] = linear[values[channels === 1 ? at : at + channel] ?? 0] ?? 0
  }

  /** A value of three corners, `step` apart, at the point. */
  #mixed(values: Float32Array, at: number, step: number): number {
    const weights = this.#weights
    const first = (weights[0] ?? 0) * (values[at] ?? 0)
    return first + (weights[1] ?? 0) * (values[at + step] ?? 0) + (weights[2] ?? 0) * (values[at + 2 * step] ?? 0)
  }
}

function direction({ right, up, back }: Camera, part: { right: number; up: number; back: number }): Vector {
  const of = (axis: 0 | 1 | 2) => right[axis] * part.right + up[axis] * part.up + back[axis] * part.back
  const length = Math.hypot(of(0), of(1), of(2))
  return [of(0) / length, of(1) / length, of(2) / length]
}
