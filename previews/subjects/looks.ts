/** How the slots of a GLB's mesh are drawn: its base colours, and its pictures made small. */
import { readGltfLooks } from '../../formats/gltf/looks.ts'
import { loadSharp } from '../../formats/image.ts'
import type { Mesh } from '../../formats/source/mesh.ts'
import type { Picture } from '../../formats/source/picture.ts'
import type { SlotLook } from '../shading.ts'

/** About as large as drawings are. */
const textureEdgePx = 1024
const mostTexturePixels = 8192 * 8192
/** Of all slots together, as they are stored: more are drawn in their colours. */
const mostTextureBytes = 128 * 1024 * 1024

/** By slot. A texture that cannot be read leaves the slot its colour. */
export async function looksOf({ slots, colors }: Mesh, glb: Uint8Array): Promise<(SlotLook | undefined)[]> {
  const known = readGltfLooks(glb)
  const textures = new Map<Uint8Array, Picture | undefined>()
  let bytesLeft = mostTextureBytes
  const looks: (SlotLook | undefined)[] = []
  for (const { name } of slots) {
    const look = known.get(name)
    const image = look?.image
    if (image && !textures.has(image)) {
      bytesLeft -= image.length
      textures.set(image, bytesLeft > 0 ? await readTexture(image) : undefined)
    }
    const texture = image ? textures.get(image) : undefined
    const isPainted = colors !== null && look?.color.slice(0, 3).every((channel) => channel === 1)
    looks.push(look && { ...(texture && { texture }), ...(!isPainted && { color: look.color }) })
  }
  return looks
}

async function readTexture(image: Uint8Array): Promise<Picture | undefined> {
  const sharp = await loadSharp()
  const small = sharp(image, { limitInputPixels: mostTexturePixels, failOn: 'error' })
    .timeout({ seconds: 10 })
    .resize({ width: textureEdgePx, height: textureEdgePx, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
  try {
    const { data, info } = await small.toBuffer({ resolveWithObject: true })
    return { width: info.width, height: info.height, channels: 4, samples: { kind: 'u8', values: data } }
  } catch {
    return undefined
  }
}
