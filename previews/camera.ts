/** Where a mesh is looked at from, and where its points fall on the picture. */
import { type Placement, rangeOf } from './placement.ts'

export interface View {
  /** Degrees around the Z axis; 0 looks at the side that faces along X, 90 at the one that faces along Y. */
  yaw: number
  /** Degrees above the ground. */
  pitch: number
  /** `tight` fills the picture; `turning` keeps one distance for every yaw and pitch, so that a turntable does not pump. */
  framing: 'tight' | 'turning'
  /** Of `turning`: how much larger than where the sphere around the mesh just fits. */
  zoom?: number
}

/** Of a picture, in pixels or samples. */
export interface Size {
  width: number
  height: number
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

/** Of pictures that are to be compared, `beside` are the others: all are seen at the size at which each of them fits. */
export function project(
  { placed }: Placement,
  { view, size, beside = [] }: { view: View; size: Size; beside?: readonly Placement[] },
): Projected {
  const { back } = cameraOf(view)
  const projected = seenBy(placed, view)
  const count = placed.length / 3
  const frame = view.framing === 'tight' ? frameOf([projected, ...beside.map((one) => seenBy(one.placed, view))], size) : round
  const shorter = Math.min(size.width, size.height)
  const scale =
    view.framing === 'tight'
      ? (1 - margin) * Math.min(size.width / 2 / frame.x, size.height / 2 / frame.y)
      : (shorter / 2) * ((1 - margin) / halfView) * zoomOf(view)
  for (let index = 0; index < count; index++) {
    projected.x[index] = ((projected.x[index] ?? 0) - frame.middleX) * scale + size.width / 2
    projected.y[index] = ((projected.y[index] ?? 0) - frame.middleY) * scale + size.height / 2
  }
  return { ...projected, placed, eye: [back[0] * distance, back[1] * distance, back[2] * distance] }
}

/** The sphere just fits between the sides of the view. */
const distance = Math.sqrt(1 + 1 / halfView ** 2)
const round = { middleX: 0, middleY: 0, x: halfView, y: halfView }

const zoomOf = ({ zoom = 1 }: View): number => (zoom > 0 && zoom < 1e6 ? zoom : 1)

function seenBy(placed: Float32Array, view: View) {
  const { right, up, back } = cameraOf(view)
  const count = placed.length / 3
  const seen = { x: new Float32Array(count), y: new Float32Array(count), nearness: new Float32Array(count) }
  for (let index = 0; index < count; index++) {
    const px = placed[index * 3] ?? 0
    const py = placed[index * 3 + 1] ?? 0
    const pz = placed[index * 3 + 2] ?? 0
    const nearness = 1 / (distance - (px * back[0] + py * back[1] + pz * back[2]))
    seen.nearness[index] = nearness
    seen.x[index] = (px * right[0] + py * right[1] + pz * right[2]) * nearness
    seen.y[index] = -(px * up[0] + py * up[1] + pz * up[2]) * nearness
  }
  return seen
}

/** How large a mesh may be drawn so that it stays in the picture while it turns once around at this pitch: a zoom for `turning`. */
export function turningZoom({ placed }: Placement, pitch: number, size: Size): number {
  let [radius, height] = [0, 0]
  for (let at = 0; at < placed.length; at += 3) {
    const [x, y, z] = [placed[at] ?? 0, placed[at + 1] ?? 0, placed[at + 2] ?? 0]
    const around = Math.sqrt(x * x + y * y)
    if (around > radius && around < Number.POSITIVE_INFINITY) radius = around
    if (Math.abs(z) > height && Math.abs(z) < Number.POSITIVE_INFINITY) height = Math.abs(z)
  }
  // What the turning mesh sweeps lies in a cylinder, and in the sphere: the smaller one counts.
  const rims = Array.from({ length: rimPoints * 2 }, (_, at) => {
    const angle = (Math.floor(at / 2) * 2 * Math.PI) / rimPoints
    return [Math.cos(angle) * radius, Math.sin(angle) * radius, at % 2 === 0 ? height : -height]
  })
  const seen = seenBy(Float32Array.from(rims.flat()), { yaw: 0, pitch, framing: 'turning' })
  const reach = (values: Float32Array) => Math.min(halfView, Math.max(...values.map(Math.abs))) || halfView
  const shorter = Math.min(size.width, size.height)
  return Math.min((size.width / shorter) * (halfView / reach(seen.x)), (size.height / shorter) * (halfView / reach(seen.y)))
}

const rimPoints = 48

/** Middle, and half of both sides, of what is drawn. */
function frameOf(pictures: readonly { x: Float32Array; y: Float32Array }[], size: Size) {
  const [left, right] = joined(pictures.map(({ x }) => rangeOf(x, 0, 1)))
  const [top, bottom] = joined(pictures.map(({ y }) => rangeOf(y, 0, 1)))
  const [x, y] = [(right - left) / 2, (bottom - top) / 2]
  const least = Math.max(x / size.width, y / size.height) > 0 ? 1e-12 : halfView
  return { middleX: (left + right) / 2, middleY: (top + bottom) / 2, x: Math.max(x, least), y: Math.max(y, least) }
}

const joined = (ranges: readonly (readonly [number, number])[]): [number, number] => [
  Math.min(...ranges.map(([least]) => least)),
  Math.max(...ranges.map(([, most]) => most)),
]
