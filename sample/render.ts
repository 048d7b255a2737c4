// Draws a shape as a product photographer would: three-quarter view, warm key light, cool fill, a soft shadow, a dark backdrop.
import { Canvas } from './canvas.ts'
import type { Color, Finish } from './finish.ts'
import { add, boundsOf, dot, type Shape, scale, type Triangle, turned, unit, type Vec } from './shape.ts'
import { nothing, type ScreenTriangle, samplesPerPixel, Visibility } from './visibility.ts'

export type View = {
  sizePx: number
  backdrop: Color
  /** Degrees: how far around, and how far from above, the shape is seen. */
  yaw?: number
  pitch?: number
  /** The part of the picture that the shape fills. */
  fill?: number
}

export const backdrops = {
  slate: [0.2, 0.22, 0.26],
  blueprint: [0.11, 0.2, 0.36],
  dusk: [0.22, 0.17, 0.26],
  moss: [0.17, 0.23, 0.2],
} satisfies Record<string, Color>

const keyLight = unit([-0.5, -0.62, 0.85])
const fillLight = unit([0.9, -0.45, 0.2])
const towardsEye: Vec = [0, -1, 0]
const highlightAt = unit(add(keyLight, towardsEye))
const warm: Color = [1.02, 0.95, 0.84]
const cool: Color = [0.55, 0.68, 0.95]

/** The picture as RGBA rows, top row first. */
export function render(shape: Shape, view: View): Uint8Array {
  const { sizePx, yaw = 32, pitch = 22, fill = 0.78 } = view
  const pose = (one: Shape) => turned(turned(one, 'z', yaw), 'x', pitch)
  const posed = pose(shape)
  const { min, max, size } = boundsOf(posed)
  const zoom = (sizePx * fill) / Math.max(size[0], size[2])
  const middle = scale(add(min, max), 0.5)
  const project = ([x, y, z]: Vec): Vec => [sizePx / 2 + (x - middle[0]) * zoom, sizePx / 2 - (z - middle[2]) * zoom, y]
  const triangles = posed.map(({ corners: [a, b, c] }): ScreenTriangle => [project(a.at), project(b.at), project(c.at)])
  const canvas = new Canvas(sizePx)
  paintBackdrop(canvas, view.backdrop)
  const ground = boundsOf(shape)
  const foot = project(poseSpot([(ground.min[0] + ground.max[0]) / 2, (ground.min[1] + ground.max[1]) / 2, ground.min[2]], pose))
  const radius = (Math.max(ground.size[0], ground.size[1]) * zoom) / 1.5
  paintShadow(canvas, { x: foot[0], y: foot[1], radius, flatten: Math.sin((pitch * Math.PI) / 180) })
  paintSurfaces(canvas, posed, new Visibility(sizePx, triangles))
  canvas.bloom()
  return canvas.toRgba()
}

/** Lighter in the middle, darker below and in the corners. */
export function paintBackdrop(canvas: Canvas, color: Color): void {
  eachPixel(canvas, (x, y) => {
    const light = 1.3 - Math.hypot(x / canvas.sizePx - 0.5, y / canvas.sizePx - 0.42) * 1.4
    canvas.paint(x, y, { color: [color[0] * light, color[1] * light, color[2] * light] })
  })
}

function paintShadow(canvas: Canvas, ellipse: { x: number; y: number; radius: number; flatten: number }): void {
  eachPixel(canvas, (x, y) => {
    const distance = Math.hypot((x - ellipse.x) / ellipse.radius, (y - ellipse.y) / (ellipse.radius * ellipse.flatten))
    if (distance < 1) canvas.paint(x, y, { color: [0.02, 0.02, 0.03], part: (1 - distance) ** 1.3 * 0.95 })
  })
}

function paintSurfaces(canvas: Canvas, shape: Shape, visibility: Visibility): void {
  eachPixel(canvas, (x, y) => {
    let color: Color = [0, 0, 0]
    let covered = 0
    let red = 0
    let green = 0
    let blue = 0
    let glow = 0
    let last = nothing
    for (let sample = 0; sample < samplesPerPixel; sample++) {
      const index = visibility.at(x, y, sample)
      const triangle = index === nothing ? undefined : shape[index]
      if (triangle === undefined) continue
      if (index !== last) color = surfaceColor(triangle, visibility.weights(index, x + 0.5, y + 0.5))
      last = index
      covered++
      red += color[0]
      green += color[1]
      blue += color[2]
      glow += triangle.finish.glow
    }
    if (covered === 0) return
    const mean: Color = [red / covered, green / covered, blue / covered]
    canvas.paint(x, y, { color: mean, part: covered / samplesPerPixel, glow: glow / covered })
  })
}

function surfaceColor(triangle: Triangle, weights: Vec): Color {
  const base = triangle.finish.color(weighted(triangle, 'grain', weights))
  return lit(triangle.finish, base, unit(weighted(triangle, 'normal', weights)))
}

function weighted({ corners: [a, b, c] }: Triangle, of: 'normal' | 'grain', weights: Vec): Vec {
  return add(add(scale(a[of], weights[0]), scale(b[of], weights[1])), scale(c[of], weights[2]))
}

/** Key, fill and sky light, a highlight as sharp as the surface is polished, and a thin rim. */
function lit({ gloss, glow }: Finish, base: Color, normal: Vec): Color {
  if (glow > 0) return base
  const key = Math.max(0, dot(normal, keyLight) * 0.85 + 0.15)
  const fill = Math.max(0, dot(normal, fillLight)) * 0.28
  const sky = 0.13 + normal[2] * 0.13
  const highlight = Math.max(0, dot(normal, highlightAt)) ** (8 + gloss * 60) * gloss * 0.9
  const rim = (1 - Math.max(0, dot(normal, towardsEye))) ** 3 * 0.13
  const channel = (index: 0 | 1 | 2) => {
    const light = key * warm[index] + fill * cool[index] + sky
    return base[index] * light + (0.65 + base[index] * 0.35) * highlight + rim
  }
  return [channel(0), channel(1), channel(2)]
}

function poseSpot(at: Vec, pose: (shape: Shape) => Shape): Vec {
  const corner = { at, normal: towardsEye, grain: at }
  const finish: Finish = { color: () => [0, 0, 0], gloss: 0, glow: 0 }
  return pose([{ corners: [corner, corner, corner], finish }])[0]?.corners[0].at ?? at
}

export function eachPixel({ sizePx }: Canvas, visit: (x: number, y: number) => void): void {
  for (let y = 0; y < sizePx; y++) for (let x = 0; x < sizePx; x++) visit(x, y)
}
