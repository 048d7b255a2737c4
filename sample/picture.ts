// The pictures of the sample: props, materials, textures, sounds and effects, as RGBA squares and as PNG or TGA files.
import sharp from 'sharp'
import { Canvas } from './canvas.ts'
import { type Color, color, type Finish, shade } from './finish.ts'
import { randomNumbers } from './random.ts'
import { backdrops, eachPixel, paintBackdrop, render } from './render.ts'
import { ball, type Shape } from './shape.ts'

/** Opaque RGBA rows, top row first. */
export type Picture = { sizePx: number; rgba: Uint8Array }

export function propPicture(shape: Shape, sizePx: number, backdrop: Color = backdrops.slate): Picture {
  return { sizePx, rgba: render(shape, { sizePx, backdrop }) }
}

/** A material as editors show it: on a ball. */
export function materialPicture(finish: Finish, sizePx: number): Picture {
  const shape = ball(30, finish, { rings: 24 })
  return { sizePx, rgba: render(shape, { sizePx, backdrop: backdrops.moss, pitch: 8, fill: 0.72 }) }
}

/** The finish unrolled from a pillar, so that left and right edges meet. */
export function texturePicture(finish: Finish, sizePx: number): Picture {
  const canvas = new Canvas(sizePx)
  const radius = 40
  eachPixel(canvas, (x, y) => {
    const angle = (x / sizePx - 0.5) * 2 * Math.PI
    canvas.paint(x, y, { color: finish.color([(y / sizePx) * 120, radius * Math.cos(angle), radius * Math.sin(angle)]) })
  })
  return { sizePx, rgba: canvas.toRgba() }
}

/** A normal map: the brightness of a texture taken as its height. */
export function normalPicture({ sizePx, rgba }: Picture): Picture {
  const canvas = new Canvas(sizePx)
  const height = (x: number, y: number) => (rgba[(((y + sizePx) % sizePx) * sizePx + ((x + sizePx) % sizePx)) * 4 + 1] ?? 0) / 255
  eachPixel(canvas, (x, y) => {
    const [dx, dy] = [(height(x - 1, y) - height(x + 1, y)) * 2, (height(x, y + 1) - height(x, y - 1)) * 2]
    const length = Math.hypot(dx, dy, 1)
    canvas.paint(x, y, { color: [0.5 + dx / length / 2, 0.5 + dy / length / 2, 0.5 + 1 / length / 2] })
  })
  return { sizePx, rgba: canvas.toRgba() }
}

/** The loudness of a sound over time. */
export function soundPicture(samples: Float32Array, sizePx: number, hex = '#57c7b6'): Picture {
  const canvas = new Canvas(sizePx)
  paintBackdrop(canvas, [0.1, 0.17, 0.2])
  const perColumn = Math.floor(samples.length / sizePx)
  for (let x = 0; x < sizePx; x++) {
    const column = samples.subarray(x * perColumn, (x + 1) * perColumn)
    const peak = column.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0.01)
    const half = Math.round(peak * sizePx * 0.42)
    for (let y = sizePx / 2 - half; y <= sizePx / 2 + half; y++)
      canvas.paint(x, y, { color: shade(color(hex), 0.7 + 0.3 * peak), part: 0.92 })
  }
  return { sizePx, rgba: canvas.toRgba() }
}

/** Sparks that rise and fade. */
export function sparksPicture(sizePx: number, seed: string): Picture {
  const canvas = new Canvas(sizePx)
  paintBackdrop(canvas, backdrops.dusk)
  const random = randomNumbers(seed)
  for (let spark = 0; spark < 130; spark++) {
    const rise = random()
    const [centerX, centerY] = [sizePx * (0.5 + (random() - 0.5) * (0.2 + rise * 0.65)), sizePx * (0.9 - rise * 0.8)]
    const radius = (1 - rise * 0.7) * sizePx * 0.012 * (0.5 + random())
    const tint: Color = [1, 0.85 - rise * 0.5, 0.35 - rise * 0.3]
    eachAround(canvas, { centerX, centerY, radius }, (x, y) => canvas.paint(x, y, { color: tint, glow: 1.4 * (1 - rise) }))
  }
  canvas.bloom()
  return { sizePx, rgba: canvas.toRgba() }
}

export function toPng({ sizePx, rgba }: Picture): Promise<Buffer> {
  return sharp(rgba, { raw: { width: sizePx, height: sizePx, channels: 4 } })
    .png()
    .toBuffer()
}

/** A 32-bit TGA with its bottom row first, as paint programs write it; runs of equal pixels become packets when `rle`. */
export function toTga({ sizePx, rgba }: Picture, rle: boolean): Buffer {
  const header = Buffer.alloc(18)
  header.set([0, 0, rle ? 10 : 2])
  header.writeUInt16LE(sizePx, 12)
  header.writeUInt16LE(sizePx, 14)
  header.set([32, 8], 16)
  const pixels: number[] = []
  for (let at = 0; at < sizePx * sizePx; at++) {
    const from = ((sizePx - 1 - Math.floor(at / sizePx)) * sizePx + (at % sizePx)) * 4
    pixels.push(
      ((rgba[from + 3] ?? 0) * 2 ** 24 + ((rgba[from] ?? 0) << 16) + ((rgba[from + 1] ?? 0) << 8) + (rgba[from + 2] ?? 0)) >>> 0,
    )
  }
  const footer = Buffer.concat([Buffer.alloc(8), Buffer.from('TRUEVISION-XFILE.\0', 'latin1')])
  return Buffer.concat([header, rle ? packets(pixels, sizePx) : Buffer.from(Uint32Array.from(pixels).buffer), footer])
}

/** Packets end with their row, as the format wants it. */
function packets(pixels: number[], rowLength: number): Buffer {
  const parts: Buffer[] = []
  for (let start = 0; start < pixels.length; ) {
    const rowEnd = Math.min(start + 128, (Math.floor(start / rowLength) + 1) * rowLength)
    let end = start + 1
    while (end < rowEnd && pixels[end] === pixels[start]) end++
    const packet = Buffer.alloc(5)
    packet.writeUInt8(128 + end - start - 1)
    packet.writeUInt32LE(pixels[start] ?? 0, 1)
    parts.push(packet)
    start = end
  }
  return Buffer.concat(parts)
}

type Spot = { centerX: number; centerY: number; radius: number }

function eachAround({ sizePx }: Canvas, { centerX, centerY, radius }: Spot, visit: (x: number, y: number) => void): void {
  for (let y = Math.max(0, Math.floor(centerY - radius)); y <= Math.min(sizePx - 1, centerY + radius); y++) {
    for (let x = Math.max(0, Math.floor(centerX - radius)); x <= Math.min(sizePx - 1, centerX + radius); x++) {
      if (Math.hypot(x - centerX, y - centerY) <= Math.max(radius, 0.7)) visit(x, y)
    }
  }
}
