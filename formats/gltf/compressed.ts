// Meshes and buffers that a glTF keeps compressed are unpacked before they are read: afterwards the file is one without compression.
// Sources: KHR_draco_mesh_compression and EXT_meshopt_compression, Khronos Group.
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { FormatError } from '../format-error.ts'
import { componentCounts } from './accessors.ts'
import { dracoMesh } from './draco.ts'
import type { GltfFile, GltfJson, GltfPrimitive } from './json.ts'
import { damaged, item } from './nodes.ts'

const Index = Type.Integer({ minimum: 0, maximum: 2 ** 32 })
const Draco = Compile(Type.Object({ bufferView: Index, attributes: Type.Record(Type.String(), Index) }))
const MeshoptView = Type.Object({
  buffer: Index,
  byteOffset: Type.Optional(Index),
  byteLength: Index,
  byteStride: Type.Integer({ minimum: 1, maximum: 256 }),
  count: Index,
  mode: Type.Enum(['ATTRIBUTES', 'TRIANGLES', 'INDICES']),
  filter: Type.Optional(Type.Enum(['NONE', 'OCTAHEDRAL', 'QUATERNION', 'EXPONENTIAL', 'COLOR'])),
})
const Meshopt = Compile(MeshoptView)

/** Of all that one file unpacks. */
const maxUnpackedBytes = 256 * 1024 * 1024

/** What a view keeps compressed by meshopt; null for another. */
function meshoptOf(json: GltfJson, index: number | undefined): Static<typeof MeshoptView> | null {
  const { extensions = {} } = json.bufferViews?.[index ?? -1] ?? {}
  const found = extensions.EXT_meshopt_compression ?? extensions.KHR_meshopt_compression
  if (found === undefined) return null
  if (Meshopt.Check(found)) return found
  throw damaged(`buffer view ${index} does not say how it is compressed`)
}

function dracoOf({ extensions }: GltfPrimitive) {
  const found = extensions?.KHR_draco_mesh_compression
  if (found === undefined) return null
  if (Draco.Check(found)) return found
  throw damaged('a mesh does not say how it is compressed')
}

/** The buffer view in which Draco keeps a primitive; undefined without. */
export const dracoView = (primitive: GltfPrimitive): number | undefined => dracoOf(primitive)?.bufferView

/** The buffer in which the bytes of a view are, compressed or not; -1 for no view. */
export const bufferOf = (json: GltfJson, view: number | undefined): number =>
  meshoptOf(json, view)?.buffer ?? json.bufferViews?.[view ?? -1]?.buffer ?? -1

/**
 * Puts what `primitives` and the views of `views` keep compressed into buffers of its own. Throws FormatError `damaged`, `too-large`,
 * and `unsupported` for what the decoders do not know.
 */
export async function unpack(file: GltfFile, primitives: Iterable<GltfPrimitive>, views: Iterable<number>): Promise<void> {
  const unpacked = new Unpacked(file)
  for (const view of views) {
    const compressed = meshoptOf(file.json, view)
    if (compressed !== null) await unpackView(file, { view, compressed, unpacked })
  }
  for (const primitive of primitives) {
    const compressed = dracoOf(primitive)
    if (compressed !== null) await unpackMesh(file, { primitive, compressed, unpacked })
  }
}

/** Buffers that are added to a file. */
class Unpacked {
  readonly #file: GltfFile
  #bytes = 0

  constructor(file: GltfFile) {
    this.#file = file
  }

  /** Before they are made. */
  reserve(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > maxUnpackedBytes)
      throw new FormatError('too-large', `The glTF file unpacks to more than ${maxUnpackedBytes} bytes.`)
  }

  /** Gives the number of the buffer. */
  add(bytes: Uint8Array): number {
    const { json, buffers } = this.#file
    json.buffers ??= []
    const index = json.buffers.push({ byteLength: bytes.length }) - 1
    buffers[index] = bytes
    return index
  }
}

type MeshoptOrder = { view: number; compressed: Static<typeof MeshoptView>; unpacked: Unpacked }

async function unpackView(file: GltfFile, { view, compressed, unpacked }: MeshoptOrder): Promise<void> {
  const { buffer, byteOffset = 0, byteLength, byteStride, count, mode, filter } = compressed
  const source = bytesAt(file, { buffer, byteOffset, byteLength })
  if (mode === 'ATTRIBUTES' ? byteStride % 4 !== 0 : byteStride !== 2 && byteStride !== 4)
    throw damaged(`buffer view ${view} has elements of ${byteStride} bytes`)
  const bytes = count * byteStride
  // What decodes it works on whole groups of sixteen.
  unpacked.reserve(bytes * 2)
  const { MeshoptDecoder } = await import('meshoptimizer/decoder')
  await MeshoptDecoder.ready
  const target = new Uint8Array(bytes)
  try {
    MeshoptDecoder.decodeGltfBuffer(target, count, byteStride, source, mode, filter)
  } catch (cause) {
    throw new FormatError('damaged', `The glTF file is damaged: buffer view ${view} cannot be unpacked.`, { cause })
  }
  const views = file.json.bufferViews ?? []
  const isStrided = mode === 'ATTRIBUTES'
  views[view] = { buffer: unpacked.add(target), byteLength: bytes, ...(isStrided ? { byteStride } : {}) }
}

type DracoOrder = {
  primitive: GltfPrimitive
  compressed: { bufferView: number; attributes: Record<string, number> }
  unpacked: Unpacked
}

/** The primitive has accessors of its own afterwards: others may share those that it had. */
async function unpackMesh(file: GltfFile, { primitive, compressed, unpacked }: DracoOrder): Promise<void> {
  const { json } = file
  const accessors = json.accessors ?? []
  const { buffer, byteOffset = 0, byteLength } = item(json.bufferViews ?? [], compressed.bufferView, 'buffer view')
  const add = (like: { componentType: number; type: string; normalized?: boolean }, bytes: Uint8Array, count: number): number => {
    json.bufferViews ??= []
    const bufferView = json.bufferViews.push({ buffer: unpacked.add(bytes), byteLength: bytes.length }) - 1
    return accessors.push({ ...like, bufferView, count }) - 1
  }
  const wanted = Object.entries(compressed.attributes).map(([name, id]) => {
    const { componentType, type, normalized, count } = item(accessors, primitive.attributes[name] ?? -1, 'accessor')
    const kind = { componentType, type, ...(normalized === undefined ? {} : { normalized }) }
    return { name, id, kind, count, componentType, size: componentCounts[type] ?? 1 }
  })
  const points = wanted[0]?.count ?? 0
  const corners = item(accessors, primitive.indices ?? -1, 'accessor').count
  if (wanted.some(({ count }) => count !== points)) throw damaged('the parts of a compressed mesh differ in length')
  unpacked.reserve(corners * 4 + wanted.reduce((sum, { size }) => sum + points * size * 4, 0))
  const mesh = await dracoMesh(bytesAt(file, { buffer, byteOffset, byteLength }), { points, corners, attributes: wanted })
  for (const { name, kind } of wanted) primitive.attributes[name] = add(kind, mesh.attributes.get(name) ?? empty, points)
  primitive.indices = add({ componentType: 5125, type: 'SCALAR' }, mesh.corners, corners)
  primitive.mode = 4
  delete primitive.extensions
}

const empty = new Uint8Array()

function bytesAt({ buffers }: GltfFile, place: { buffer: number; byteOffset: number; byteLength: number }): Uint8Array {
  const { buffer, byteOffset, byteLength } = place
  const bytes = buffers[buffer]
  if (bytes === undefined)
    throw new FormatError('unsupported', `The glTF file keeps its mesh in buffer ${buffer}, which is not at hand.`)
  if (byteOffset + byteLength > bytes.length) throw damaged(`a compressed part does not lie within buffer ${buffer}`)
  return bytes.subarray(byteOffset, byteOffset + byteLength)
}
