/** The surfaces of a mesh as a GLB holds them, and as the rasteriser draws them. */
import type { Picture } from '../formats/source/picture.ts'
import type { SlotMaterial } from './glb.ts'
import { picturePng, smallPicture } from './png.ts'
import type { SlotLook } from './shading.ts'
import type { SlotSurface } from './source-data/materials.ts'

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

export function drawnLooks(surfaces: readonly (SlotSurface | undefined)[]): (SlotLook | undefined)[] {
  const textures = new Map<Picture, Picture>()
  const small = (texture: Picture): Picture => {
    const known = textures.get(texture) ?? smallPicture(texture, drawnTexturePx)
    textures.set(texture, known)
    return known
  }
  return surfaces.map(
    (surface) => surface && { color: surface.color, ...(surface.texture && { texture: small(surface.texture) }) },
  )
}
