/** Where a mesh is looked at from, and where its points fall on the picture. */
import type { Mesh } from '../formats/source/mesh.ts'

export interface View {
  /** Degrees around the Z axis; 0 looks at the side that faces along X, 90 at the one that faces along Y. */
  yaw: number
  /** Degrees above the ground. */
  pitch: number
  /** `tight` fills the picture; `turning` keeps one distance for every yaw and pitch, so that a turntable does not pump. */
  framing: 'tight' | 'turning'
}

/** Unit vectors in the mesh's axes. */
export interface Camera {
  right: Vector
  up: Vector
  /** From the mesh to the camera. */
  back: Vector
}

export type Vector = readonly [number, number, number]

/** A mesh on the picture, in positions. Where a position is no number, so is its place. */
export interface Projected {
  /** From the left and from the top, in samples. */
  x: Float32Array
  y: Float32Array
  /** 1 / distance to the camera; larger is nearer. */
  nearness: Float32Array
  /** Where the mesh stands within the unit sphere: x, y, z of each position. */
  placed: Float32Array
  /** In the same space. */
  eye: Vector
}

/** Half of the angle of view, as a tangent: about 30 degrees in all, a lens that flatters props. */
const halfView = 0.27
const margin = 0.04

export function cameraOf({ yaw, pitch }: View): Camera {
  const [around, above] = [toRadians(yaw), toRadians(Math.min(90, Math.max(-90, pitch)))]
  const [sine, cosine] = [Math.sin(around), Math.cos(around)]
  const [high, wide] = [Math.sin(above), Math.cos(above)]
  return {
    back: [wide * cosine, wide * sine, high],
    right: [sine, -cosine, 0],
    up: [-high * cosine, -high * sine, wide],
  }
}

const toRadians = (degrees: number): number => (Number.isFinite(degrees) ? (degrees * Math.PI) / 180 : 0)

export function project(mesh: Mesh, { view, edge }: { view: View; edge: number }): Projected {
  const camera = cameraOf(view)
  const placed = placedInUnitSphere(mesh)
  const count = placed.length / 3
  // The sphere just fits between the sides of the view.
  const distance = Math.sqrt(1 + 1 / halfView ** 2)
  const projected = { x: new Float32Array(count), y: new Float32Array(count), nearness: new Float32Array(count) }
  const { right, up, back } = camera
  for (let index = 0; index < count; index++) {
    const px = placed[index * 3] ?? 0
    const py = placed[index * 3 + 1] ?? 0
    const pz = placed[index * 3 + 2] ?? 0
    const nearness = 1 / (distance - (px * back[0] + py * back[1] + pz * back[2]))
    projected.nearness[index] = nearness
    projected.x[index] = (px * right[0] + py * right[1] + pz * right[2]) * nearness
    projected.y[index] = -(px * up[0] + py * up[1] + pz * up[2]) * nearness
  }
  const box = view.framing === 'tight' ? around(projected) : { x: 0, y: 0, reach: halfView }
  const scale = (edge / 2) * ((1 - margin) / box.reach)
  for (let index = 0; index < count; index++) {
    projected.x[index] = ((projected.x[index] ?? 0) - box.x) * scale + edge / 2
    projected.y[index] = ((projected.y[index] ?? 0) - box.y) * scale + edge / 2
  }
  return { ...projected, placed, eye: [back[0] * distance, back[1] * distance, back[2] * distance] }
}

/** Middle and half of the longer side of what is drawn. */
function around({ x, y }: { x: Float32Array; y: Float32Array }): { x: number; y: number; reach: number } {
  const [left, right] = rangeOf(x, 0, 1)
  const [top, bottom] = rangeOf(y, 0, 1)
  const reach = Math.max(right - left, bottom - top) / 2
  return reach > 0 ? { x: (left + right) / 2, y: (top + bottom) / 2, reach } : { x: 0, y: 0, reach: halfView }
}

/** Least and greatest of every `step`th value; what is no number does not count. 0 and 0 without any. */
function rangeOf(values: Float32Array, first: number, step: number): [number, number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let at = first; at < values.length; at += step) {
    const value = values[at] ?? Number.NaN
    if (value < least && value > Number.NEGATIVE_INFINITY) least = value
    if (value > most && value < Number.POSITIVE_INFINITY) most = value
  }
  return least <= most ? [least, most] : [0, 0]
}

/** Positions that corners use, moved and scaled into the unit sphere; the others are no numbers. Any size and place of a mesh will do. */
function placedInUnitSphere({ positions, cornerPositions }: Mesh): Float32Array {
  const placed = new Float32Array(positions.length - (positions.length % 3)).fill(Number.NaN)
  for (const position of cornerPositions) {
    const at = position * 3
    if (at + 2 >= placed.length) continue
    placed[at] = positions[at] ?? Number.NaN
    placed[at + 1] = positions[at + 1] ?? Number.NaN
    placed[at + 2] = positions[at + 2] ?? Number.NaN
  }
  const ranges = [0, 1, 2].map((axis) => rangeOf(placed, axis, 3))
  const middle = ranges.map(([least, most]) => least / 2 + most / 2)
  let farthest = 0
  for (let at = 0; at < placed.length; at += 3) {
    let square = 0
    for (let axis = 0; axis < 3; axis++) square += ((placed[at + axis] ?? 0) - (middle[axis] ?? 0)) ** 2
    if (square > farthest && square < Number.POSITIVE_INFINITY) farthest = square
  }
  const radius = Math.sqrt(farthest) || 1
  for (let at = 0; at < placed.length; at++) placed[at] = ((placed[at] ?? 0) - (middle[at % 3] ?? 0)) / radius
  return placed
}
