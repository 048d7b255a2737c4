// How the materials of a glTF or GLB look: base colours and the pictures of base colours, in the file or beside it.
// Source: glTF 2.0 specification, Khronos Group, sections 3.8 and 3.9.
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { relativeAddress, type SourceLook, white } from '../source/look.ts'
import { decoded, materialName } from './geometry.ts'
import { dataUriBytes, type GltfFile, openGltf } from './json.ts'

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

type Picture = Pick<SourceLook, 'image' | 'address'>
const none: Picture = { image: null }

/**
 * By the names that `readGltfMesh` gives to slots; of two materials with one name the first. What is not as it should be is left out, and
 * what names the second set of texture coordinates too. One image of several materials is one array. Throws FormatError: those of `readGltf`.
 */
export function readGltfLooks(bytes: Uint8Array): Map<string, SourceLook> {
  const file = openGltf(bytes, new Map())
  const looks = new Map<string, SourceLook>()
  const pictures = new Map<number, Picture>()
  for (const [index, one] of (file.json.materials ?? []).entries()) {
    const name = materialName(file.json, index)
    if (looks.has(name) || !material.Check(one)) continue
    const { baseColorFactor: color = white, baseColorTexture } = (one as Static<typeof Material>).pbrMetallicRoughness
    const { index: textured = -1, texCoord = 0 } = baseColorTexture ?? {}
    if (!pictures.has(textured)) pictures.set(textured, pictureOf(file, textured))
    const picture = texCoord === 0 ? (pictures.get(textured) ?? none) : none
    looks.set(name, { color, ...picture, ...(one.alphaMode === 'MASK' && { isMasked: true }) })
  }
  return looks
}

function pictureOf({ json, buffers }: GltfFile, index: number): Picture {
  const named = json.textures?.[index]
  const stored = texture.Check(named) ? json.images?.[named.source] : undefined
  if (stored?.uri?.startsWith('data:')) return { image: dataUriBytes(stored.uri) ?? null }
  const address = relativeAddress(stored?.uri ?? '')
  if (address !== null) return { image: null, address: decoded(address) }
  const view = image.Check(stored) ? json.bufferViews?.[stored.bufferView] : undefined
  const bytes = view && buffers[view.buffer]
  if (!view || !bytes) return none
  const { byteOffset = 0, byteLength } = view
  return byteOffset + byteLength <= bytes.length ? { image: bytes.subarray(byteOffset, byteOffset + byteLength) } : none
}
