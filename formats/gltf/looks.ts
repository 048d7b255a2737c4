// How the materials of a glTF or GLB look: base colours and the pictures of base colours, as far as they are in the file itself.
// Source: glTF 2.0 specification, Khronos Group, sections 3.8 and 3.9.
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { materialName } from './geometry.ts'
import { type GltfFile, openGltf } from './json.ts'

export type GltfLook = {
  /** Red, green, blue, alpha from 0 to 1, linear. */
  color: readonly [number, number, number, number]
  /** A PNG or JPEG, unread; null without one, or where it is not in the file. */
  image: Uint8Array | null
}

const Index = Type.Integer({ minimum: 0, maximum: 2 ** 32 })
const Share = Type.Number({ minimum: 0, maximum: 1 })
const Material = Type.Object({
  pbrMetallicRoughness: Type.Object({
    baseColorFactor: Type.Optional(Type.Tuple([Share, Share, Share, Share])),
    baseColorTexture: Type.Optional(Type.Object({ index: Index, texCoord: Type.Optional(Index) })),
  }),
})
const Texture = Type.Object({ source: Index })
const Image = Type.Object({ bufferView: Index })
const [material, texture, image] = [Compile(Material), Compile(Texture), Compile(Image)]

const white = [1, 1, 1, 1] as const

/**
 * By the names that `readGltfMesh` gives to slots; of two materials with one name the first. What is not as it should be is left out, and
 * what names the second set of texture coordinates too. One image of several materials is one array. Throws FormatError: those of `readGltf`.
 */
export function readGltfLooks(bytes: Uint8Array): Map<string, GltfLook> {
  const file = openGltf(bytes, new Map())
  const looks = new Map<string, GltfLook>()
  const images = new Map<number, Uint8Array | null>()
  for (const [index, one] of (file.json.materials ?? []).entries()) {
    const name = materialName(file.json, index)
    if (looks.has(name) || !material.Check(one)) continue
    const { baseColorFactor: color = white, baseColorTexture } = (one as Static<typeof Material>).pbrMetallicRoughness
    const { index: textured = -1, texCoord = 0 } = baseColorTexture ?? {}
    if (!images.has(textured)) images.set(textured, imageOf(file, textured))
    looks.set(name, { color, image: texCoord === 0 ? (images.get(textured) ?? null) : null })
  }
  return looks
}

function imageOf({ json, buffers }: GltfFile, index: number): Uint8Array | null {
  const named = json.textures?.[index]
  const stored = texture.Check(named) ? json.images?.[named.source] : undefined
  const view = image.Check(stored) ? json.bufferViews?.[stored.bufferView] : undefined
  const bytes = view && buffers[view.buffer]
  if (!view || !bytes) return null
  const { byteOffset = 0, byteLength } = view
  return byteOffset + byteLength <= bytes.length ? bytes.subarray(byteOffset, byteOffset + byteLength) : null
}
