/** What the surface of a mesh looks like where somebody knows: a colour or a texture of each slot, or the colours of its corners. */
import type { Mesh } from '../../formats/source/mesh.ts'

/** Red, green, blue, alpha from 0 to 1, linear light. */
export type Color = readonly [number, number, number, number]

/**
 * Colours of corners that differ somewhere; null otherwise. Most meshes carry one value for all corners, white or zeros, which nobody
 * painted and which would only tint or blacken them.
 */
export function paintedColors({ colors }: Mesh): Float32Array | null {
  if (colors === null) return null
  for (let at = 4; at < colors.length; at++) if (colors[at] !== colors[at & 3]) return colors
  return null
}
