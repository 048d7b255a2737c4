/** What the surface of a mesh looks like where something says so: a colour or a texture of each slot, or the colours of its corners. */
import type { Mesh } from '../formats/source/mesh.ts'

/** Red, green, blue, alpha from 0 to 1, linear light. */
export type Color = readonly [number, number, number, number]

/** Masks are drawn with the ends of the scale; paint rarely is. */
const isEnd = (value: number | undefined = 0): boolean => !(value > 1 / 512 && value < 511 / 512)

/**
 * Colours of corners that someone painted; null where there are none. Most meshes carry one value for all corners, which would only tint
 * or blacken them, or masks for their materials (wind, layers): black, or pure colours, at more than half of the corners.
 */
export function paintedColors({ colors }: Mesh): Float32Array | null {
  if (colors === null) return null
  let masked = 0
  let isOneColor = true
  for (let at = 0; at + 3 < colors.length; at += 4) {
    const isPure = isEnd(colors[at]) && isEnd(colors[at + 1]) && isEnd(colors[at + 2])
    const isWhite = Math.min(colors[at] ?? 0, colors[at + 1] ?? 0, colors[at + 2] ?? 0) >= 1
    if (isPure && !isWhite) masked++
    for (let channel = 0; channel < 3; channel++) if (colors[at + channel] !== colors[channel]) isOneColor = false
  }
  return isOneColor || masked * 8 > colors.length ? null : colors
}
