// A square picture in the making: colours that may be brighter than white, and the light of what glows.
import type { Color } from './finish.ts'

export class Canvas {
  readonly sizePx: number
  readonly #colors: Float32Array
  readonly #glows: Float32Array

  constructor(sizePx: number) {
    this.sizePx = sizePx
    this.#colors = new Float32Array(sizePx * sizePx * 3)
    this.#glows = new Float32Array(sizePx * sizePx * 3)
  }

  /** Mixes a colour in; `glow` is how much of it spreads when the picture blooms. */
  paint(x: number, y: number, { color, part = 1, glow = 0 }: { color: Color; part?: number; glow?: number }): void {
    const at = (y * this.sizePx + x) * 3
    for (let channel = 0; channel < 3; channel++) {
      const value = color[channel] ?? 0
      this.#colors[at + channel] = (this.#colors[at + channel] ?? 0) * (1 - part) + value * part
      this.#glows[at + channel] = (this.#glows[at + channel] ?? 0) + value * part * glow
    }
  }

  /** Spreads the light of what glows over its surroundings. */
  bloom(): void {
    if (!this.#glows.some((glow) => glow > 0)) return
    for (const radius of [this.sizePx >> 6, this.sizePx >> 5, this.sizePx >> 4]) {
      const spread = blurred(blurred(this.#glows, this.sizePx, radius), this.sizePx, radius)
      for (let at = 0; at < spread.length; at++) this.#colors[at] = (this.#colors[at] ?? 0) + (spread[at] ?? 0) * 0.5
    }
  }

  /** RGBA rows, top row first, opaque. */
  toRgba(): Uint8Array {
    const rgba = new Uint8Array(this.sizePx * this.sizePx * 4).fill(255)
    for (let at = 0; at < this.#colors.length; at++) {
      const value = Math.min(1, Math.max(0, this.#colors[at] ?? 0))
      rgba[Math.floor(at / 3) * 4 + (at % 3)] = Math.round(value * 255)
    }
    return rgba
  }
}

/** The mean over a square around each pixel: first along rows, then along columns. */
function blurred(source: Float32Array, sizePx: number, radius: number): Float32Array {
  const rows = slide(source, { sizePx, radius, step: 3, line: sizePx * 3 })
  return slide(rows, { sizePx, radius, step: sizePx * 3, line: 3 })
}

function slide(from: Float32Array, lines: { sizePx: number; radius: number; step: number; line: number }): Float32Array {
  const { sizePx, radius, step, line } = lines
  const to = new Float32Array(from.length)
  for (let start = 0; start < sizePx * 3; start++) {
    const base = Math.floor(start / 3) * line + (start % 3)
    let sum = 0
    for (let index = -radius; index < sizePx; index++) {
      if (index + radius < sizePx) sum += from[base + (index + radius) * step] ?? 0
      if (index - radius - 1 >= 0) sum -= from[base + (index - radius - 1) * step] ?? 0
      if (index >= 0) to[base + index * step] = sum / (radius * 2 + 1)
    }
  }
  return to
}
