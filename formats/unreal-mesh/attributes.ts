// Attributes of a mesh description: named columns of values, one value for each id of an element kind.
import { FormatError } from '../format-error.ts'
import type { PackageReader } from '../uasset/reader.ts'
import { NumberRows } from './number-rows.ts'

export type AttributeSet = ReadonlyMap<string, Attribute>

/** Values of an attribute: numbers of its first channels, or names of the first channel. */
export type Attribute = { channels: NumberRows[]; names: string[] }

/** How a form of mesh descriptions stores attributes. */
export type AttributeForm = {
  /** How many values belong to one id stands before them. */
  hasExtent: boolean
  /** One more number stands before the count of names. */
  hasNameVersion: boolean
}

const nameType = 6
const boolType = 5
/** For each type of numbers, how many 32-bit numbers make a value. */
const widths: Record<number, number> = { 0: 4, 1: 3, 2: 2, 3: 1, 4: 1, 7: 16 }

/** Meshes of engines have fewer than twenty; tools add some of their own. */
const maxAttributes = 256
const maxChannels = 256
/** Names are kept for material slots only, of which a mesh has no more. */
const maxNames = 65_536

/** Reads the attributes of one element kind. Throws FormatError. */
export function readAttributes(reader: PackageReader, form: AttributeForm): AttributeSet {
  reader.skip(4) // how many ids
  const attributes = new Map<string, Attribute>()
  for (let left = boundedCount(reader, 'attributes', maxAttributes); left > 0; left--) {
    const name = reader.string().trim()
    attributes.set(name, readAttribute(reader, form))
  }
  return attributes
}

function readAttribute(reader: PackageReader, form: AttributeForm): Attribute {
  const type = reader.u32()
  if (form.hasExtent) reader.skip(4)
  reader.skip(4) // how many ids
  const attribute: Attribute = { channels: [], names: [] }
  const channels = boundedCount(reader, 'attribute channels', maxChannels)
  for (let channel = 0; channel < channels; channel++) {
    const extent = form.hasExtent ? reader.i32() : 1
    if (type === nameType) readNames(reader, form, attribute)
    else readNumbers(reader, { type, extent }, attribute)
  }
  skipDefault(reader, type)
  reader.skip(4) // flags
  return attribute
}

function readNumbers(reader: PackageReader, shape: { type: number; extent: number }, attribute: Attribute): void {
  const valueBytes = reader.i32()
  if (valueBytes !== sizeOf(shape.type)) throw unknownAttribute(shape.type, valueBytes)
  const values = reader.count('attribute values', valueBytes)
  const start = reader.offset
  reader.skip(values * valueBytes)
  if (shape.type === boolType) return
  if (shape.extent < 1 || values % shape.extent !== 0)
    throw reader.damaged(`holds ${values} attribute values, ${shape.extent} for each element`)
  const width = (valueBytes / 4) * shape.extent
  attribute.channels.push(new NumberRows(reader.bytes, { start, count: values / shape.extent, width }))
}

function readNames(reader: PackageReader, form: AttributeForm, attribute: Attribute): void {
  if (form.hasNameVersion) reader.skip(4)
  const names: string[] = []
  for (let left = boundedCount(reader, 'names', maxNames); left > 0; left--) names.push(reader.string().trim())
  if (attribute.names.length === 0) attribute.names = names
}

function skipDefault(reader: PackageReader, type: number): void {
  if (type === nameType) reader.skipString()
  else reader.skip(type === boolType ? 4 : sizeOf(type))
}

function sizeOf(type: number): number {
  if (type === boolType) return 1
  const width = widths[type]
  if (width === undefined) throw unknownAttribute(type, null)
  return 4 * width
}

/** A count of which each element takes four bytes or more, and of which no mesh has more than `most`. */
export function boundedCount(reader: PackageReader, of: string, most: number): number {
  const count = reader.count(of, 4)
  if (count > most) throw new FormatError('too-large', `The ${reader.what} has ${count} ${of}, more than this reader accepts.`)
  return count
}

function unknownAttribute(type: number, valueBytes: number | null): FormatError {
  const size = valueBytes === null ? '' : ` of ${valueBytes} bytes`
  return new FormatError('unsupported', `The mesh has attributes of type ${type}${size}, which this reader does not know.`)
}
