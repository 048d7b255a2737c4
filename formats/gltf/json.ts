// The JSON of a glTF or GLB file, checked as far as the facts need it, and the binary buffers that are at hand.
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { ByteReader } from '../byte-reader.ts'
import { FormatError } from '../format-error.ts'

const Index = Type.Integer({ minimum: 0, maximum: 2 ** 32 })
const Numbers = (length: number) => Type.Optional(Type.Array(Type.Number(), { minItems: length, maxItems: length }))
/** No list may hold more. */
const List = <T extends Type.TSchema>(item: T) => Type.Optional(Type.Array(item, { maxItems: 100_000 }))
const Text = Type.Optional(Type.String())
const OptionalIndex = Type.Optional(Index)
const Extensions = Type.Optional(Type.Record(Type.String(), Type.Unknown()))

const Sparse = Type.Object({
  count: Index,
  indices: Type.Object({ bufferView: Index, byteOffset: OptionalIndex, componentType: Index }),
  values: Type.Object({ bufferView: Index, byteOffset: OptionalIndex }),
})
const Accessor = Type.Object({
  bufferView: OptionalIndex,
  byteOffset: OptionalIndex,
  componentType: Index,
  normalized: Type.Optional(Type.Boolean()),
  count: Index,
  type: Type.String(),
  min: Type.Optional(Type.Array(Type.Number(), { maxItems: 16 })),
  max: Type.Optional(Type.Array(Type.Number(), { maxItems: 16 })),
  sparse: Type.Optional(Type.Unknown()),
})
const Primitive = Type.Object({
  attributes: Type.Record(Type.String(), Index),
  indices: OptionalIndex,
  mode: OptionalIndex,
  material: OptionalIndex,
  extensions: Extensions,
})
const Node = Type.Object({
  children: List(Index),
  mesh: OptionalIndex,
  matrix: Numbers(16),
  translation: Numbers(3),
  rotation: Numbers(4),
  scale: Numbers(3),
})
const BufferView = Type.Object({
  buffer: Index,
  byteOffset: OptionalIndex,
  byteLength: Index,
  byteStride: OptionalIndex,
  extensions: Extensions,
})

/** What of glTF 2.0 is read here (Khronos specification, section 5); other keys are let through unread. */
const Gltf = Type.Object({
  asset: Type.Object({ version: Type.String(), generator: Text, copyright: Text }),
  scene: OptionalIndex,
  scenes: List(Type.Object({ nodes: List(Index) })),
  nodes: List(Node),
  meshes: List(Type.Object({ primitives: Type.Array(Primitive, { maxItems: 100_000 }) })),
  accessors: List(Accessor),
  bufferViews: List(BufferView),
  buffers: List(Type.Object({ uri: Text, byteLength: Index })),
  materials: List(Type.Object({ name: Text, alphaMode: Text, doubleSided: Type.Optional(Type.Boolean()) })),
  textures: List(Type.Object({})),
  images: List(Type.Object({ uri: Text })),
  animations: List(Type.Object({ samplers: List(Type.Object({ input: Index })) })),
  skins: List(Type.Object({ joints: Type.Array(Index, { maxItems: 100_000 }) })),
  extensionsUsed: List(Type.String()),
  extensionsRequired: List(Type.String()),
})
const gltf = Compile(Gltf)
const sparse = Compile(Sparse)

export type GltfJson = Static<typeof Gltf>
export type GltfNode = Static<typeof Node>
export type GltfAccessor = Static<typeof Accessor>
export type GltfPrimitive = Static<typeof Primitive>
export type GltfSparse = Static<typeof Sparse>

/** Facts do without it, so that it is not checked with the rest. */
export const isSparse = (value: unknown): value is GltfSparse => sparse.Check(value)

export type GltfFile = {
  format: 'gltf' | 'glb'
  json: GltfJson
  /** By buffer index; undefined where the bytes are not at hand. A GLB cut short gives what there is of its buffer. */
  buffers: (Uint8Array | undefined)[]
}

/** Scenes keep their JSON below 3 MB; what is larger holds its buffers as text. */
export const maxGltfJsonBytes = 32 * 1024 * 1024
/** Ten times those of a large scene. Parsed, a value takes up to 50 bytes, however few it takes as text. */
const maxJsonValues = 1_000_000
const glbMagic = Buffer.from('glTF')
const jsonChunk = 0x4e4f534a
const binaryChunk = 0x004e4942

/** Throws FormatError `not-this-format`, `unsupported` (not version 2), `truncated`, `damaged` or `too-large`. */
export function openGltf(bytes: Uint8Array, resources: Map<string, Uint8Array>): GltfFile {
  const isBinary = glbMagic.compare(bytes, 0, Math.min(4, bytes.length)) === 0
  const { text, binary } = isBinary ? glbChunks(bytes) : { text: bytes, binary: undefined }
  const json = parse(text, isBinary ? 'GLB' : 'glTF')
  const buffers = (json.buffers ?? []).map(({ uri }, index) => {
    if (uri === undefined) return index === 0 ? binary : undefined
    return uri.startsWith('data:') ? dataUriBytes(uri) : resources.get(uri)
  })
  return { format: isBinary ? 'glb' : 'gltf', json, buffers }
}

function glbChunks(bytes: Uint8Array) {
  const reader = new ByteReader(bytes, { what: 'GLB file' })
  reader.skip(4)
  const version = reader.u32()
  if (version !== 2) throw new FormatError('unsupported', `The GLB file is of version ${version}; only version 2 can be read.`)
  reader.skip(4)
  const length = reader.u32()
  if (reader.u32() !== jsonChunk) throw reader.damaged('has no JSON chunk first')
  if (length > maxGltfJsonBytes) throw tooLarge('GLB')
  const text = reader.take(length)
  if (reader.left < 8) return { text, binary: undefined }
  const binaryLength = reader.u32()
  if (reader.u32() !== binaryChunk) return { text, binary: undefined }
  return { text, binary: reader.take(Math.min(binaryLength, reader.left)) }
}

function parse(text: Uint8Array, name: string): GltfJson {
  if (text.length > maxGltfJsonBytes || countValues(text) > maxJsonValues) throw tooLarge(name)
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(text))
  } catch (cause) {
    throw new FormatError(name === 'GLB' ? 'damaged' : 'not-this-format', `The ${name} file does not hold valid JSON.`, { cause })
  }
  if (gltf.Check(value)) {
    if (value.asset.version.startsWith('2.')) return value
    const version = value.asset.version.slice(0, 20)
    throw new FormatError('unsupported', `The ${name} file is of version ${version}; only version 2 can be read.`)
  }
  const [first] = gltf.Errors(value)
  const where = first === undefined ? '' : ` at ${(first.instancePath || '/').slice(0, 80)}: it ${first.message}`
  throw new FormatError('damaged', `The ${name} file is damaged${where}.`)
}

/** At least as many as JSON values: each follows a comma or opens a list or object. */
function countValues(text: Uint8Array): number {
  let count = 1
  for (const byte of text) if (byte === 0x2c || byte === 0x5b || byte === 0x7b) count++
  return count
}

/** Undefined for what is not base64. */
export function dataUriBytes(uri: string): Uint8Array | undefined {
  const comma = uri.indexOf(',')
  return uri.slice(0, comma).endsWith(';base64') ? Buffer.from(uri.slice(comma + 1), 'base64') : undefined
}

function tooLarge(name: string): FormatError {
  return new FormatError(
    'too-large',
    `The ${name} file describes its scene in more text than any real one needs, too much to read.`,
  )
}
