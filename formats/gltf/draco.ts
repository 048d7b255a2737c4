// A mesh that is compressed by Draco, unpacked by Google's decoder. What the mesh says of its size is looked at before the decoder
// takes memory for it.
// Sources: KHR_draco_mesh_compression, Khronos Group; Draco bitstream specification 2.2, sections 4.1 and 5.
// biome-ignore lint/style/noRestrictedImports: the program of the decoder is read, no file of anyone's.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { DecoderModule, Mesh } from 'draco3dgltf'
import { ByteReader } from '../byte-reader.ts'
import { FormatError } from '../format-error.ts'
import { damaged } from './nodes.ts'

export type DracoAttribute = {
  name: string
  /** Of the attribute within the mesh. */
  id: number
  /** As glTF numbers them: 5120 to 5126. */
  componentType: number
  /** Numbers for each point. */
  size: number
}

export type DracoExpectation = { points: number; corners: number; attributes: readonly DracoAttribute[] }

/** Little-endian bytes: of each attribute by its name, and of the corners of triangles as 32-bit indices. */
export type DracoMesh = { attributes: Map<string, Uint8Array>; corners: Uint8Array }

/** The decoder takes up to 100 bytes for each. */
const maxTriangles = 3_000_000
const maxDecoderBytes = 384 * 1024 * 1024
const pageBytes = 65_536
const isMesh = 1
const hasMetadata = 0x8000

/** Throws FormatError `damaged`, also where the mesh is not of the size that the file says; `too-large`; `unsupported`. */
export async function dracoMesh(bytes: Uint8Array, expected: DracoExpectation): Promise<DracoMesh> {
  checkHeader(bytes, expected)
  const module = await openDecoder()
  try {
    return decode(module, bytes, expected)
  } catch (cause) {
    if (cause instanceof FormatError) throw cause
    throw new FormatError('damaged', 'The glTF file is damaged: a mesh that Draco compressed cannot be unpacked.', { cause })
  }
}

interface WasmMemory {
  buffer: ArrayBuffer
  grow(pages: number): number
}
interface Started {
  instance: { exports: Record<string, unknown> }
}
const { WebAssembly: wasm } = globalThis as unknown as {
  WebAssembly: { instantiate(code: Uint8Array, imports: object): Promise<Started>; Memory: new () => WasmMemory }
}

/** One for each mesh: its memory does not shrink, and what a hostile mesh left in it is not met by the next. */
export async function openDecoder(): Promise<DecoderModule> {
  const { createDecoderModule } = (await import('draco3dgltf')).default
  const code = readFileSync(createRequire(import.meta.url).resolve('draco3dgltf/draco_decoder_gltf.wasm'))
  return createDecoderModule({
    instantiateWasm(imports: object, done: (instance: Started['instance']) => void) {
      void wasm.instantiate(code, imports).then(({ instance }) => {
        for (const memory of Object.values(instance.exports)) if (memory instanceof wasm.Memory) limit(memory)
        done(instance)
      })
      return {}
    },
  })
}

/** Parts that no file asks for, of which a mesh may hold hundreds, take memory too. The decoder sees that there is no more, and ends. */
function limit(memory: WasmMemory): void {
  const grow = memory.grow.bind(memory)
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * pageBytes > maxDecoderBytes) throw new RangeError('The decoder takes too much memory.')
    return grow(pages)
  }
}

/** What the decoder believes: how much it will unpack. */
function checkHeader(bytes: Uint8Array, { points, corners }: DracoExpectation): void {
  const reader = new ByteReader(bytes, { what: 'Draco mesh' })
  if (reader.latin1(5) !== 'DRACO') throw damaged('what should be compressed by Draco is not')
  const [major, minor] = [reader.u8(), reader.u8()]
  const [kind, method] = [reader.u8(), reader.u8()]
  const flags = reader.u16()
  if (major !== 2 || minor < 2 || kind !== isMesh || (flags & hasMetadata) !== 0 || method > 1)
    throw new FormatError('unsupported', `The glTF file has a mesh in a form of Draco ${major}.${minor} that is not read.`)
  if (corners / 3 > maxTriangles)
    throw new FormatError('too-large', `The glTF file has a compressed mesh of more than ${maxTriangles} triangles.`)
  // Sequential: faces, points. Edgebreaker: the way of its walk, vertices, faces.
  if (method === 1) reader.u8()
  const [first, second] = [varint(reader), varint(reader)]
  const [faces, vertices] = method === 1 ? [second, first] : [first, second]
  if (faces * 3 !== corners || vertices > Math.max(points, 3))
    throw damaged(`a compressed mesh has ${faces} triangles and not ${corners / 3}`)
}

function varint(reader: ByteReader): number {
  let value = 0
  for (let factor = 1; factor <= 2 ** 28; factor *= 128) {
    const byte = reader.u8()
    value += (byte & 0x7f) * factor
    if (byte < 128) return value
  }
  throw damaged('a compressed mesh has a size beyond 32 bits')
}

function decode(module: DecoderModule, bytes: Uint8Array, expected: DracoExpectation): DracoMesh {
  const buffer = new module.DecoderBuffer()
  buffer.Init(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length), bytes.length)
  const decoder = new module.Decoder()
  const mesh = new module.Mesh()
  const status = decoder.DecodeBufferToMesh(buffer, mesh)
  if (!status.ok()) throw damaged('a mesh that Draco compressed cannot be unpacked')
  const { points, corners } = expected
  if (mesh.num_points() !== points || mesh.num_faces() * 3 !== corners)
    throw damaged(`a compressed mesh has ${mesh.num_points()} points and not ${points}`)
  const attributes = expected.attributes.map((one) => [one.name, attributeBytes({ module, decoder, mesh }, one)] as const)
  const copied = copyOut(module, corners * 4, (at) => decoder.GetTrianglesUInt32Array(mesh, corners * 4, at))
  return { attributes: new Map(attributes), corners: copied }
}

type Decoded = { module: DecoderModule; decoder: InstanceType<DecoderModule['Decoder']>; mesh: Mesh }

function attributeBytes({ module, decoder, mesh }: Decoded, { name, id, componentType, size }: DracoAttribute): Uint8Array {
  const attribute = decoder.GetAttributeByUniqueId(mesh, id)
  const type = dataTypes(module)[componentType]
  if (type === undefined) throw damaged(`${name} of a compressed mesh is of the unknown type ${componentType}`)
  // Without such an attribute the decoder gives one at address 0.
  if ((attribute as { ptr?: number }).ptr === 0 || attribute.num_components() !== size)
    throw damaged(`${name} of a compressed mesh is not of ${size} numbers`)
  const bytes = mesh.num_points() * size * type.bytes
  return copyOut(module, bytes, (at) => decoder.GetAttributeDataArrayForAllPoints(mesh, attribute, type.kind, bytes, at))
}

const dataTypes = (module: DecoderModule) =>
  ({
    5120: { kind: module.DT_INT8, bytes: 1 },
    5121: { kind: module.DT_UINT8, bytes: 1 },
    5122: { kind: module.DT_INT16, bytes: 2 },
    5123: { kind: module.DT_UINT16, bytes: 2 },
    5125: { kind: module.DT_UINT32, bytes: 4 },
    5126: { kind: module.DT_FLOAT32, bytes: 4 },
  }) as Record<number, { kind: number; bytes: number }>

function copyOut(module: DecoderModule, bytes: number, fill: (at: number) => unknown): Uint8Array {
  const at = module._malloc(bytes)
  if (at === 0) throw new FormatError('too-large', 'The glTF file has a compressed mesh that takes too much memory.')
  if (fill(at) === false) throw damaged('a mesh that Draco compressed cannot be unpacked')
  const copy = module.HEAPU8.slice(at, at + bytes)
  module._free(at)
  return copy
}
