// Small solid shapes in centimetres, Z up as in Unreal, from which the sample's props are put together.
import type { Finish } from './finish.ts'
import { roughness } from './noise.ts'

export type Vec = readonly [x: number, y: number, z: number]

export type Corner = {
  at: Vec
  normal: Vec
  /** Where the corner lay when its part was made: the grain of a plank turns with the plank. */
  grain: Vec
}
export type Triangle = { corners: readonly [Corner, Corner, Corner]; finish: Finish }
export type Shape = readonly Triangle[]

export type Bounds = { min: Vec; max: Vec; size: Vec }

/** A block that stands on the ground around the Z axis. Its grain runs along the longest edge. */
export function box([width, depth, height]: Vec, finish: Finish): Shape {
  const [x, y] = [width / 2, depth / 2]
  const sides: [Vec, Vec, Vec, Vec][] = [
    [
      [-x, -y, 0],
      [x, -y, 0],
      [x, -y, height],
      [-x, -y, height],
    ],
    [
      [x, y, 0],
      [-x, y, 0],
      [-x, y, height],
      [x, y, height],
    ],
    [
      [x, -y, 0],
      [x, y, 0],
      [x, y, height],
      [x, -y, height],
    ],
    [
      [-x, y, 0],
      [-x, -y, 0],
      [-x, -y, height],
      [-x, y, height],
    ],
    [
      [-x, -y, height],
      [x, -y, height],
      [x, y, height],
      [-x, y, height],
    ],
    [
      [-x, y, 0],
      [x, y, 0],
      [x, -y, 0],
      [-x, -y, 0],
    ],
  ]
  const grain = longestFirst([width, depth, height])
  return sides.flatMap((side) => quad(side, { finish, grain }))
}

/** A profile of `radius,height` pairs, bottom first, as text: `outline('4,0 5,2 0,6')`. */
export function outline(pairs: string): [number, number][] {
  return pairs.split(' ').map((pair) => {
    const [radius = 0, height = 0] = pair.split(',').map(Number)
    return [radius, height]
  })
}

export type LatheOptions = { segments?: number; flat?: boolean }

/** A profile of [radius, height] points, turned around the Z axis. */
export function lathe(profile: readonly (readonly [number, number])[], finish: Finish, options: LatheOptions = {}): Shape {
  const { segments = 24, flat = false } = options
  const ring = (radius: number, z: number, step: number): Vec => {
    const angle = (step / segments) * 2 * Math.PI
    return [radius * Math.cos(angle), radius * Math.sin(angle), z]
  }
  const shape: Triangle[] = []
  for (const [index, [radius, z]] of profile.slice(0, -1).entries()) {
    const [nextRadius, nextZ] = profile[index + 1] ?? [radius, z]
    for (let step = 0; step < segments; step++) {
      const corners = [
        ring(radius, z, step),
        ring(radius, z, step + 1),
        ring(nextRadius, nextZ, step + 1),
        ring(nextRadius, nextZ, step),
      ]
      const outward = (corner: Vec): Vec => {
        const around = Math.hypot(corner[0], corner[1]) || 1
        const slope = [nextZ - z, radius - nextRadius] as const
        return unit([(corner[0] / around) * slope[0], (corner[1] / around) * slope[0], slope[1]])
      }
      shape.push(...quad(corners as [Vec, Vec, Vec, Vec], { finish, grain: upright, ...(!flat && { normal: outward }) }))
    }
  }
  return shape
}

export type BallOptions = { rings?: number; bumps?: number; seed?: number; flat?: boolean }

/** A ball around the origin; `bumps` moves its surface in and out by up to that part of the radius. */
export function ball(radius: number, finish: Finish, options: BallOptions = {}): Shape {
  const { rings = 16, bumps = 0, seed = 0, flat = bumps > 0 } = options
  const point = (ring: number, step: number): Vec => {
    const [lift, turn] = [(ring / rings) * Math.PI, (step / (rings * 2)) * 2 * Math.PI]
    const direction: Vec = [Math.sin(lift) * Math.cos(turn), Math.sin(lift) * Math.sin(turn), -Math.cos(lift)]
    const bump = bumps === 0 ? 0 : (roughness(scale(direction, 1.4), seed) - 0.5) * 2 * bumps
    return scale(direction, radius * (1 + bump))
  }
  const shape: Triangle[] = []
  for (let ring = 0; ring < rings; ring++) {
    for (let step = 0; step < rings * 2; step++) {
      const corners: [Vec, Vec, Vec, Vec] = [
        point(ring, step),
        point(ring, step + 1),
        point(ring + 1, step + 1),
        point(ring + 1, step),
      ]
      shape.push(...quad(corners, { finish, grain: same, ...(!flat && { normal: unit }) }))
    }
  }
  return shape
}

export function moved(shape: Shape, by: Vec): Shape {
  return mapped(
    shape,
    (at) => add(at, by),
    (normal) => normal,
  )
}

/** Turned around one axis through the origin, in degrees. */
export function turned(shape: Shape, axis: 'x' | 'y' | 'z', degrees: number): Shape {
  const [sin, cos] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)]
  const turn = ([x, y, z]: Vec): Vec => {
    if (axis === 'x') return [x, y * cos - z * sin, y * sin + z * cos]
    if (axis === 'y') return [x * cos + z * sin, y, z * cos - x * sin]
    return [x * cos - y * sin, x * sin + y * cos, z]
  }
  return mapped(shape, turn, turn)
}

export function stretched(shape: Shape, [x, y, z]: Vec): Shape {
  return mapped(
    shape,
    (at) => [at[0] * x, at[1] * y, at[2] * z],
    (normal) => unit([normal[0] / x, normal[1] / y, normal[2] / z]),
  )
}

/** `count` copies around the Z axis. */
export function around(shape: Shape, count: number): Shape {
  return Array.from({ length: count }, (_, index) => turned(shape, 'z', (index / count) * 360)).flat()
}

export function boundsOf(shape: Shape): Bounds {
  const min = [Infinity, Infinity, Infinity]
  const max = [-Infinity, -Infinity, -Infinity]
  for (const { corners } of shape) {
    for (const { at } of corners) {
      for (const axis of [0, 1, 2] as const) {
        min[axis] = Math.min(min[axis] ?? 0, at[axis])
        max[axis] = Math.max(max[axis] ?? 0, at[axis])
      }
    }
  }
  const [low, high] = [min as unknown as Vec, max as unknown as Vec]
  return { min: low, max: high, size: [high[0] - low[0], high[1] - low[1], high[2] - low[2]] }
}

export function add(a: Vec, b: Vec): Vec {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

export function scale(a: Vec, by: number): Vec {
  return [a[0] * by, a[1] * by, a[2] * by]
}

export function dot(a: Vec, b: Vec): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

export function unit(a: Vec): Vec {
  return scale(a, 1 / (Math.hypot(...a) || 1))
}

type Skin = { finish: Finish; grain: (at: Vec) => Vec; normal?: (at: Vec) => Vec }

/** Two triangles, or one where two corners meet in a point; flat unless the skin gives normals. */
function quad(corners: readonly [Vec, Vec, Vec, Vec], { finish, grain, normal }: Skin): Triangle[] {
  const [a, b, c, d] = corners
  const face = unit(cross(add(c, scale(a, -1)), add(d, scale(b, -1))))
  const corner = (at: Vec): Corner => ({ at, normal: normal?.(at) ?? face, grain: grain(at) })
  const triangles: [Vec, Vec, Vec][] = [
    [a, b, c],
    [a, c, d],
  ]
  const solid = triangles.filter(([p, q, r]) => Math.hypot(...cross(add(q, scale(p, -1)), add(r, scale(p, -1)))) > 1e-9)
  return solid.map(([p, q, r]) => ({ corners: [corner(p), corner(q), corner(r)], finish }))
}

function cross(a: Vec, b: Vec): Vec {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

function mapped(shape: Shape, place: (at: Vec) => Vec, turn: (normal: Vec) => Vec): Shape {
  const map = ({ at, normal, grain }: Corner): Corner => ({ at: place(at), normal: turn(normal), grain })
  return shape.map(({ corners: [a, b, c], finish }) => ({ corners: [map(a), map(b), map(c)], finish }))
}

const same = (at: Vec): Vec => at
const upright = ([x, y, z]: Vec): Vec => [z, x, y]

function longestFirst([width, depth, height]: Vec): (at: Vec) => Vec {
  if (height >= width && height >= depth) return upright
  return width >= depth ? same : ([x, y, z]) => [y, z, x]
}
