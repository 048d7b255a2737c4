/** The surfaces of a mesh as a GLB holds them, and as the rasteriser draws them. */
import type { Picture } from '../formats/source/picture.ts'
import type { SlotMaterial } from './glb.ts'
import { picturePng, smallPicture } from './png.ts'
import type { SlotLook } from './shading.ts'
import type { SlotSurface } from './source-data/materials.ts'
import type { Color } from './surface.ts'

/** Enough for a viewer in a page; the texture itself has a preview of its own. */
const glbTexturePx = 1024
/** As large as a drawing. */
const drawnTexturePx = 512

/** Slots with the same texture share its PNG. */
export async function glbMaterials(surfaces: readonly (SlotSurface | undefined)[]): Promise<(SlotMaterial | undefined)[]> {
  const textures = new Map<Picture, Uint8Array>()
  for (const { texture } of surfaces.filter((surface) => surface !== undefined))
    if (texture && !textures.has(texture)) textures.set(texture, (await picturePng(smallPicture(texture, glbTexturePx))).png)
  return surfaces.map((surface) => {
    if (surface === undefined) return undefined
    const { texture, ...more } = surface
    const png = texture && textures.get(texture)
    return { ...more, ...(png && { texture: png }) }
  })
}

/** Of the light that falls on it, as paint does: what is wholly white would be cut off where the lamps shine, and its form with it. */
const mostReflected = 0.8

/** The same colour, as bright as paint can be. */
function paint(color: Color | undefined): Color | undefined {
  const brightest = Math.max(...(color?.slice(0, 3) ?? []))
  if (color === undefined || !(brightest > mostReflected)) return color
  const [red, green, blue, alpha] = color
  const share = mostReflected / brightest
  return [red * share, green * share, blue * share, alpha]
}

export function drawnLooks(surfaces: readonly (SlotSurface | undefined)[]): (SlotLook | undefined)[] {
  const textures = new Map<Picture, Picture>()
  const small = (texture: Picture): Picture => {
    const known = textures.get(texture) ?? smallPicture(texture, drawnTexturePx)
    textures.set(texture, known)
    return known
  }
  return surfaces.map(
    (surface) => surface && { color: paint(surface.color), ...(surface.texture && { texture: small(surface.texture) }) },
  )
}
