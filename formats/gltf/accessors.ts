// The numbers that a glTF keeps in its buffers: accessors, as stored or normalized, with the exceptions of sparse ones.
// Source: glTF 2.0 specification, Khronos Group, section 3.6.2.
import { FormatError } from '../format-error.ts'
import { type GltfAccessor, type GltfFile, type GltfSparse, isSparse } from './json.ts'
import { damaged, item } from './nodes.ts'

type Component = { bytes: number; read: (view: DataView, at: number) => number; normalizedMax: number }
export const components: Record<number, Component> = {
  5120: { bytes: 1, read: (view, at) => view.getInt8(at), normalizedMax: 127 },
  5121: { bytes: 1, read: (view, at) => view.getUint8(at), normalizedMax: 255 },
  5122: { bytes: 2, read: (view, at) => view.getInt16(at, true), normalizedMax: 32_767 },
  5123: { bytes: 2, read: (view, at) => view.getUint16(at, true), normalizedMax: 65_535 },
  5125: { bytes: 4, read: (view, at) => view.getUint32(at, true), normalizedMax: 2 ** 32 - 1 },
  5126: { bytes: 4, read: (view, at) => view.getFloat32(at, true), normalizedMax: 1 },
}

export const componentCounts: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 }
/** Of all accessors that are read, as numbers. */
const maxNumberBytes = 512 * 1024 * 1024

/** Numbers of an accessor one after the other, `size` for each element. */
type AccessorNumbers = { values: Float32Array | Uint32Array; size: number }

/**
 * Reads accessors, each once. Throws FormatError `damaged` for what does not lie where it should, `unsupported` for files
 * beside this one that are not at hand, `too-large`.
 */
export class Accessors {
  readonly #file: GltfFile
  readonly #known = new Map<number, AccessorNumbers>()
  readonly #colors = new Map<number, Float32Array>()
  #numberBytes = 0

  constructor(file: GltfFile) {
    this.#file = file
  }

  /** For indices: whole numbers of any size. */
  indices(index: number): AccessorNumbers['values'] {
    return this.#read(index, ['SCALAR']).values
  }

  /** For what corners have, which the specification keeps from being 32-bit integers. */
  vectors(index: number, type: 'VEC2' | 'VEC3'): Float32Array {
    const { values } = this.#read(index, [type])
    if (values instanceof Float32Array) return values
    throw damaged(`accessor ${index} is of another type than its place`)
  }

  /** r, g, b, a from 0 to 1, opaque where the file gives no alpha. They are linear already. */
  colors(index: number): Float32Array {
    const known = this.#colors.get(index)
    if (known !== undefined) return known
    const { values, size } = this.#read(index, ['VEC3', 'VEC4'])
    this.#count((values.length / size) * 4)
    const colors = new Float32Array((values.length / size) * 4).fill(1)
    for (let at = 0; at < values.length; at++) {
      colors[Math.floor(at / size) * 4 + (at % size)] = Math.min(1, Math.max(0, values[at] ?? 1))
    }
    this.#colors.set(index, colors)
    return colors
  }

  /** `types` are those that the place may have where the accessor is used. */
  #read(index: number, types: readonly string[]): AccessorNumbers {
    const accessor = item(this.#file.json.accessors ?? [], index, 'accessor')
    if (!types.includes(accessor.type)) throw damaged(`accessor ${index} is of another type than its place`)
    const known = this.#known.get(index) ?? this.#numbers(accessor, index)
    this.#known.set(index, known)
    return known
  }

  #count(numbers: number): void {
    this.#numberBytes += numbers * 4
    if (this.#numberBytes > maxNumberBytes)
      throw new FormatError('too-large', 'The glTF file has more numbers in its accessors than can be read.')
  }

  #numbers(accessor: GltfAccessor, index: number): AccessorNumbers {
    const { componentType, count, byteOffset = 0, bufferView } = accessor
    const sparse = sparseOf(accessor)
    const size = componentCounts[accessor.type] ?? 1
    const kind = components[componentType]
    if (kind === undefined) throw damaged(`accessor ${index} has numbers of the unknown type ${componentType}`)
    const elements = { size, kind, count, start: byteOffset, isNormalized: accessor.normalized === true }
    const bytes = bufferView === undefined ? null : this.#elements(bufferView, elements)
    this.#count(count * size)
    const values = componentType === 5125 ? new Uint32Array(count * size) : new Float32Array(count * size)
    if (bytes !== null) for (let at = 0; at < values.length; at++) values[at] = bytes(at)
    if (sparse !== undefined) this.#replace(values, sparse, elements)
    return { values, size }
  }

  /** Gives the numbers of a buffer view by their place. */
  #elements(index: number, { size, kind, count, start, isNormalized }: Elements): (at: number) => number {
    const view = item(this.#file.json.bufferViews ?? [], index, 'buffer view')
    const bytes = bufferBytes(this.#file, view.buffer)
    const elementBytes = size * kind.bytes
    const { byteOffset = 0, byteLength, byteStride: stride = elementBytes } = view
    const end = count === 0 ? start : start + stride * (count - 1) + elementBytes
    if (stride < elementBytes || end > byteLength || byteOffset + byteLength > bytes.length)
      throw damaged(`${count} elements do not fit into buffer view ${index}`)
    const data = new DataView(bytes.buffer, bytes.byteOffset + byteOffset, byteLength)
    return (at) => {
      const stored = kind.read(data, start + Math.floor(at / size) * stride + (at % size) * kind.bytes)
      return isNormalized ? Math.max(stored / kind.normalizedMax, -1) : stored
    }
  }

  #replace(values: Float32Array | Uint32Array, { count, indices, values: replacements }: GltfSparse, elements: Elements): void {
    const kind = components[indices.componentType]
    if (kind === undefined || count > elements.count) throw damaged('it has a sparse accessor that contradicts itself')
    const places = { size: 1, kind, count, start: indices.byteOffset ?? 0, isNormalized: false }
    const placeAt = this.#elements(indices.bufferView, places)
    const valueAt = this.#elements(replacements.bufferView, { ...elements, count, start: replacements.byteOffset ?? 0 })
    for (let at = 0; at < count; at++) {
      const place = placeAt(at)
      if (!(place < elements.count)) throw damaged(`a sparse accessor names element ${place} of ${elements.count}`)
      for (let part = 0; part < elements.size; part++) values[place * elements.size + part] = valueAt(at * elements.size + part)
    }
  }
}

type Elements = { size: number; kind: Component; count: number; start: number; isNormalized: boolean }

/** What a sparse accessor replaces; undefined for another. Throws FormatError `damaged`. */
export function sparseOf({ sparse }: Pick<GltfAccessor, 'sparse'>): GltfSparse | undefined {
  if (sparse === undefined || isSparse(sparse)) return sparse
  throw damaged('it has a sparse accessor that does not say what it replaces')
}

function bufferBytes({ json, buffers }: GltfFile, index: number): Uint8Array {
  const { uri } = item(json.buffers ?? [], index, 'buffer')
  const bytes = buffers[index]
  if (bytes !== undefined) return bytes
  if (uri === undefined || uri.startsWith('data:')) throw damaged(`buffer ${index} is not in it`)
  throw new FormatError(
    'unsupported',
    `The glTF file keeps its mesh in ${JSON.stringify(uri.slice(0, 200))}, which is not at hand.`,
  )
}
