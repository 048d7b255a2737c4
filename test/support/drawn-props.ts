/** Pictures of props, materials, textures and sounds that nobody made by hand: as many as wanted, the same for the same seed. */
import sharp from 'sharp'
import type { Mesh } from '../../formats/source/mesh.ts'
import { drawMesh } from '../../previews/rasteriser.ts'
import { bricks, type Color, type Finish, foliage, metal, plain, stone, wood } from '../../sample/finish.ts'
import { noise, roughness } from '../../sample/noise.ts'
import { randomNumbers } from '../../sample/random.ts'
import { around, ball, box, lathe, moved, type Shape, stretched, turned } from '../../sample/shape.ts'

/** RGBA rows, top row first. */
export interface DrawnPicture {
  width: number
  height: number
  rgba: Uint8Array
}

type Random = () => number

export function drawnPng(seed: string, index: number, edgePx = 128): Promise<Buffer> {
  const { width, height, rgba } = drawnPicture(seed, index, edgePx)
  return sharp(rgba, { raw: { width, height, channels: 4 } })
    .png({ compressionLevel: 1 })
    .toBuffer()
}

/** `index` is any whole number; half of them are props, a third of these without a background. */
export function drawnPicture(seed: string, index: number, edgePx = 128): DrawnPicture {
  const random = randomNumbers(`${seed} ${index}`)
  const kind = random()
  const rgba = new Uint8Array(edgePx * edgePx * 4)
  const picture = { width: edgePx, height: edgePx, rgba }
  if (kind < 0.3) paintPattern(picture, random)
  else if (kind < 0.36) paintSound(picture, random)
  else if (kind < 0.48) paintSigns(picture, random)
  else paintProp(picture, kind < 0.58 ? ball(30, anyFinish(random), { rings: 12 }) : anyProp(random), random)
  return picture
}

const between = (random: Random, least: number, most: number): number => least + (most - least) * random()
const oneOf = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T

function anyColor(random: Random): Color {
  const grey = random() < 0.4 ? 0.85 : 0
  const light = between(random, 0.1, 1)
  const channel = () => light * (grey + (1 - grey) * random())
  return [channel(), channel(), channel()]
}

const hexOf = (color: Color): string =>
  `#${color
    .map((one) =>
      Math.round(one * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`

function anyFinish(random: Random): Finish {
  const hex = hexOf(anyColor(random))
  const other = hexOf(anyColor(random))
  const kinds = [
    () => wood(hex, Math.floor(random() * 100)),
    () => stone(hex, random() < 0.5 ? other : undefined),
    () => metal(hex, random()),
    () => plain(hex, random()),
    () => plain(hex, random()),
    () => foliage(hex),
    () => bricks(hex, other),
    () => patched(anyColor(random), anyColor(random), between(random, 0.03, 0.25)),
  ]
  return oneOf(random, kinds)()
}

/** Spots of one colour on the other. */
function patched(a: Color, b: Color, size: number): Finish {
  return { gloss: 0.2, glow: 0, color: ([x, y, z]) => (noise([x * size, y * size, z * size], 5) > 0.5 ? a : b) }
}

/** Two to seven parts, some of them several times around the middle. */
function anyProp(random: Random): Shape {
  const finishes = Array.from({ length: 3 }, () => anyFinish(random))
  const parts = Array.from({ length: 2 + Math.floor(random() * 6) }, () => {
    const part = turned(
      anyPart(random, oneOf(random, finishes)),
      oneOf(random, ['x', 'y', 'z']),
      oneOf(random, [0, 0, 0, 90, 35, -20]),
    )
    const spread = between(random, 0, 45)
    const placed = moved(part, [between(random, -spread, spread), between(random, -spread, spread), between(random, -10, 70)])
    return random() < 0.3 ? around(placed, 2 + Math.floor(random() * 5)) : placed
  })
  const stretch = random() < 0.4 ? between(random, 0.3, 3) : 1
  return stretched(parts.flat(), [1, 1, stretch])
}

function anyPart(random: Random, finish: Finish): Shape {
  const kind = random()
  if (kind < 0.4) return box([between(random, 3, 70), between(random, 3, 70), between(random, 3, 70)], finish)
  if (kind < 0.55)
    return ball(between(random, 5, 30), finish, {
      rings: 8,
      bumps: random() < 0.5 ? random() * 0.5 : 0,
      seed: Math.floor(random() * 99),
    })
  const steps = 2 + Math.floor(random() * 6)
  const height = between(random, 8, 90)
  const profile = Array.from({ length: steps + 1 }, (_, step) => [between(random, 1, 35), (step / steps) * height] as const)
  return lathe(profile, finish, { segments: oneOf(random, [4, 6, 8, 16]), flat: random() < 0.5 })
}

/** As readers of source files give it; the finishes are colours of its corners. */
export function meshOfShape(shape: Shape): Mesh {
  const corners = shape.flatMap((triangle) => triangle.corners.map((corner) => ({ corner, finish: triangle.finish })))
  return {
    // Unreal's corners run the other way around.
    positions: Float32Array.from(corners.flatMap(({ corner }) => corner.at)),
    cornerPositions: Uint32Array.from(corners, (_, index) => index),
    normals: Float32Array.from(corners.flatMap(({ corner }) => corner.normal)),
    uvs: [],
    colors: Float32Array.from(
      corners.flatMap(({ corner, finish }) => [
        ...finish.color(corner.grain).map((one) => Math.min(1, Math.max(0, one)) ** 2.2),
        1,
      ]),
    ),
    triangleSlots: new Uint16Array(shape.length),
    slots: [{ name: 'Prop', material: null }],
  }
}

function paintProp({ width, height, rgba }: DrawnPicture, shape: Shape, random: Random): void {
  const framing = random() < 0.7 ? 'tight' : 'turning'
  const view = { yaw: between(random, 0, 360), pitch: between(random, -5, 45), framing } as const
  const drawn = drawMesh(meshOfShape(shape), { edgePx: width, ...view }).samples.values
  const background = anyBackground(random)
  for (let pixel = 0; pixel < width * height; pixel++) {
    const alpha = (drawn[pixel * 4 + 3] ?? 0) / 255
    const behind = background((pixel % width) / width, Math.floor(pixel / width) / height)
    for (let channel = 0; channel < 3; channel++) {
      const front = drawn[pixel * 4 + channel] ?? 0
      rgba[pixel * 4 + channel] = behind === undefined ? front : front * alpha + toByte(behind[channel] ?? 0) * (1 - alpha)
    }
    rgba[pixel * 4 + 3] = behind === undefined ? Math.round(alpha * 255) : 255
  }
}

const toByte = (value: number): number => Math.round(Math.min(1, Math.max(0, value)) * 255)

/** Undefined is transparent; the others are plain, or a chequered floor below a sky, as editors have it. */
function anyBackground(random: Random): (x: number, y: number) => Color | undefined {
  const kind = random()
  if (kind < 0.33) return () => undefined
  const [near, far] = [anyColor(random), anyColor(random)]
  if (kind < 0.5) return () => near
  const horizon = between(random, 0.2, 0.8)
  const contrast = between(random, 0.02, 0.2)
  const tone = between(random, 0.1, 0.7)
  if (kind < 0.6) return (x, y) => shaded(near, 1 + contrast * ((Math.floor(x * 10) + Math.floor(y * 10)) % 2))
  return (x, y) => {
    if (y < horizon) return shaded(far, 0.7 + (0.5 * y) / horizon)
    const depth = 1 / (y - horizon + 0.08)
    const square = (Math.floor((x - 0.5) * depth * 2) + Math.floor(depth * 1.6) + 1000) % 2
    return [tone + contrast * square, tone + contrast * square, tone * 1.05 + contrast * square]
  }
}

const shaded = (color: Color, by: number): Color => [color[0] * by, color[1] * by, color[2] * by]

function eachPixel({ width, height, rgba }: DrawnPicture, colorAt: (x: number, y: number) => Color): void {
  for (let pixel = 0; pixel < width * height; pixel++) {
    const color = colorAt((pixel % width) / width, Math.floor(pixel / width) / height)
    rgba.set([toByte(color[0]), toByte(color[1]), toByte(color[2]), 255], pixel * 4)
  }
}

const mixed = (a: Color, b: Color, part: number): Color => [
  a[0] + (b[0] - a[0]) * part,
  a[1] + (b[1] - a[1]) * part,
  a[2] + (b[2] - a[2]) * part,
]

function paintPattern(picture: DrawnPicture, random: Random): void {
  const [a, b] = [anyColor(random), anyColor(random)]
  const size = between(random, 2, 14)
  const seed = Math.floor(random() * 500)
  const turn = between(random, 0, Math.PI)
  const [cosine, sine] = [Math.cos(turn), Math.sin(turn)]
  const wave = between(random, 0, 6)
  const [middleX, middleY] = [between(random, 0.2, 0.8), between(random, 0.2, 0.8)]
  const patterns: ((x: number, y: number) => number)[] = [
    (x, y) => roughness([x * size, y * size, 0], seed),
    (x, y) => Math.min(1, Math.max(0, (roughness([x * size, y * size, 0], seed) - 0.5) * 8 + 0.5)),
    (x, y) => Math.sin((x * cosine + y * sine) * size * 5 + wave * roughness([x * 3, y * 3, 0], seed)) * 0.5 + 0.5,
    (x, y) => ((Math.floor(x * size) + Math.floor(y * size * 0.7)) % 2) * 0.8 + 0.2 * noise([x * 9, y * 9, 0], seed),
    (x, y) => Math.sin(Math.hypot(x - middleX, y - middleY) * size * 4 + wave * noise([x * 4, y * 4, 0], seed)) * 0.5 + 0.5,
    (x, y) =>
      Math.min(1, Math.hypot(x - middleX, y - middleY) * between(() => 0.5, 1, 2)) * 0.7 +
      0.3 * noise([x * size, y * size, 0], seed),
    (x, y) => Math.max(0, noise([x * size * (0.2 + cosine ** 2), y * size, 0], seed) * 2 - 0.8),
  ]
  const pattern = oneOf(random, patterns)
  eachPixel(picture, (x, y) => mixed(a, b, pattern(x, y)))
}

function paintSound(picture: DrawnPicture, random: Random): void {
  const color = anyColor(random)
  const beats = between(random, 1, 9)
  const seed = Math.floor(random() * 500)
  const loud = between(random, 0.15, 0.45)
  eachPixel(picture, (x, y) => {
    const level =
      loud * Math.abs(Math.sin(x * beats * 3 + noise([x * 6, 0, 0], seed) * 5)) * (0.4 + 0.6 * noise([x * 60, 0, 0], seed))
    return Math.abs(y - 0.5) < level + 0.004 ? color : [0, 0, 0]
  })
}

/** Bars, discs and rings, as icons, maps and letters have them. */
function paintSigns(picture: DrawnPicture, random: Random): void {
  const [ground, ink, other] = [anyColor(random), anyColor(random), anyColor(random)]
  const signs = Array.from({ length: 1 + Math.floor(random() * 6) }, () => {
    const [middleX, middleY, turn] = [between(random, 0.15, 0.85), between(random, 0.15, 0.85), between(random, 0, Math.PI)]
    const [long, wide] = [between(random, 0.05, 0.45), between(random, 0.02, 0.2)]
    const round = random() < 0.45
    const color = random() < 0.7 ? ink : other
    const covers = (x: number, y: number): boolean => {
      const [dx, dy] = [x - middleX, y - middleY]
      if (round) return Math.abs(Math.hypot(dx, dy) - long / 2) < wide
      return (
        Math.abs(dx * Math.cos(turn) + dy * Math.sin(turn)) < long &&
        Math.abs(dy * Math.cos(turn) - dx * Math.sin(turn)) < wide / 2
      )
    }
    return { covers, color }
  })
  eachPixel(picture, (x, y) => signs.findLast(({ covers }) => covers(x, y))?.color ?? ground)
}
