/** A picture's content brought to one size: a square of brightness, and how much of each of its pixels is shown. */
import type { Content } from './content.ts'

export const panelPx = 96

/** Of `panelPx` x `panelPx`; background has the mean brightness of what is shown, so that its own colour says nothing. */
export interface Panel {
  /** From 0 to 1, spread over the range whatever the gamma of the picture. */
  light: Float32Array
  /** From 0 to 1. */
  shown: Float32Array
}

/** The longer side fills the panel; the other one is in the middle. Pixels are means over what they cover. */
export function panelOf({ width, height, rgb, shown }: Content, mirrored = false): Panel {
  const side = Math.max(width, height)
  const scale = side / panelPx
  const [offsetX, offsetY] = [(width - side) / 2, (height - side) / 2]
  const panel: Panel = { light: new Float32Array(panelPx ** 2), shown: new Float32Array(panelPx ** 2) }
  const steps = Math.min(4, Math.max(1, Math.ceil(scale)))
  for (let y = 0; y < panelPx; y++) {
    for (let x = 0; x < panelPx; x++) {
      let light = 0
      let part = 0
      for (let step = 0; step < steps * steps; step++) {
        const px = offsetX + (x + ((step % steps) + 0.5) / steps) * scale - 0.5
        const py = offsetY + (y + (Math.floor(step / steps) + 0.5) / steps) * scale - 0.5
        if (px < -0.5 || py < -0.5 || px > width - 0.5 || py > height - 0.5) continue
        const left = Math.max(0, Math.min(width - 1, Math.floor(px)))
        const top = Math.max(0, Math.min(height - 1, Math.floor(py)))
        const right = Math.min(width - 1, left + 1)
        const bottom = Math.min(height - 1, top + 1)
        const toRight = Math.max(0, px - left)
        const down = Math.max(0, py - top)
        const add = (pixel: number, weight: number) => {
          if (!shown[pixel]) return
          part += weight
          const at = pixel * 3
          light += weight * (0.299 * (rgb[at] ?? 0) + 0.587 * (rgb[at + 1] ?? 0) + 0.114 * (rgb[at + 2] ?? 0))
        }
        add(top * width + left, (1 - toRight) * (1 - down))
        add(top * width + right, toRight * (1 - down))
        add(bottom * width + left, (1 - toRight) * down)
        add(bottom * width + right, toRight * down)
      }
      const at = y * panelPx + (mirrored ? panelPx - 1 - x : x)
      panel.shown[at] = part / (steps * steps)
      panel.light[at] = part > 0 ? light / part : 0
    }
  }
  spread(panel)
  return panel
}

/** Half by rank, which no gamma changes, half as it is: rank alone makes noise of a plain surface as loud as a form. */
function spread({ light, shown }: Panel): void {
  const counts = new Float64Array(256)
  let total = 0
  for (let at = 0; at < light.length; at++) {
    const part = shown[at] ?? 0
    const bin = Math.min(255, Math.round(light[at] ?? 0))
    counts[bin] = (counts[bin] ?? 0) + part
    total += part
  }
  const ranks = new Float32Array(256)
  let below = 0
  for (let bin = 0; bin < 256; bin++) {
    ranks[bin] = total > 0 ? (below + (counts[bin] ?? 0) / 2) / total : 0
    below += counts[bin] ?? 0
  }
  let mean = 0
  for (let at = 0; at < light.length; at++) {
    const value = light[at] ?? 0
    const low = Math.min(254, Math.floor(value))
    const rank = (ranks[low] ?? 0) + ((ranks[low + 1] ?? 0) - (ranks[low] ?? 0)) * (value - low)
    light[at] = (rank + value / 255) / 2
    mean += (light[at] ?? 0) * (shown[at] ?? 0)
  }
  mean = total > 0 ? mean / total : 0
  for (let at = 0; at < light.length; at++) {
    const part = shown[at] ?? 0
    light[at] = (light[at] ?? 0) * part + mean * (1 - part)
  }
}
