// The tags of an object's properties: name, type and place of each value, in both forms that engines wrote.
import type { ObjectReader } from './package.ts'

/** `StructProperty` of `Vector`, `ArrayProperty` of `IntProperty`. A struct's or enum's name is the name of its first parameter. */
export type PropertyType = { name: string; parameters: PropertyType[] }

/** `offset` counts from the start of the reader that the tag was read from. */
export type PropertyTag = {
  name: string
  type: PropertyType
  /** Which element of a fixed array it is; 0 for all others. */
  index: number
  offset: number
  size: number
  /** The value of a BoolProperty, which stands in the tag; null for all others. */
  bool: boolean | null
  /** Whether a struct's value is bare numbers whatever its name is. */
  native: boolean
}

/** Real types nest four deep: a map of names to arrays of structs. */
const maxTypeDepth = 8
const maxTypeParameters = 4

const completeTypeNames = 1012
const withPropertyGuid = 503

/** Reads tags up to the name `None`, passing over the values. Throws FormatError. */
export function readPropertyTags(reader: ObjectReader): PropertyTag[] {
  const tags: PropertyTag[] = []
  for (;;) {
    reader.package.countParts(1)
    const name = reader.name()
    if (name === 'None') return tags
    const tag = reader.versions.ue5 >= completeTypeNames ? readTag(reader, name) : readOldTag(reader, name)
    tags.push(tag)
    reader.skip(tag.size)
  }
}

/** The tag that stands before an array of structs in old packages; it tells the struct's name. */
export function readInnerTag(reader: ObjectReader): PropertyTag {
  return readOldTag(reader, reader.name())
}

function readTag(reader: ObjectReader, name: string): PropertyTag {
  const type = readType(reader, 0)
  const size = readSize(reader)
  const flags = reader.u8()
  const index = (flags & 1) !== 0 ? reader.i32() : 0
  if ((flags & 2) !== 0) reader.skip(16)
  if ((flags & 4) !== 0) skipExtension(reader)
  const bool = type.name === 'BoolProperty' ? (flags & 16) !== 0 : null
  return { name, type, index, offset: reader.offset, size, bool, native: (flags & 8) !== 0 }
}

function readType(reader: ObjectReader, depth: number): PropertyType {
  if (depth > maxTypeDepth) throw reader.damaged(`nests a type more than ${maxTypeDepth} deep`)
  reader.package.countParts(1)
  const name = reader.name()
  const count = reader.count('type parameters', 12)
  if (count > maxTypeParameters) throw reader.damaged(`has a type of ${count} parameters`)
  return { name, parameters: Array.from({ length: count }, () => readType(reader, depth + 1)) }
}

function readOldTag(reader: ObjectReader, name: string): PropertyTag {
  const { ue4, ue5 } = reader.versions
  const type = simple(reader.name())
  const size = readSize(reader)
  const index = reader.i32()
  let bool: boolean | null = null
  if (type.name === 'StructProperty') {
    type.parameters.push(simple(reader.name()))
    if (ue4 >= 441) reader.skip(16)
  }
  if (type.name === 'BoolProperty') bool = reader.u8() !== 0
  if (namesOneType.has(type.name)) type.parameters.push(simple(reader.name()))
  if (type.name === 'SetProperty' && ue4 >= 509) type.parameters.push(simple(reader.name()))
  if (type.name === 'MapProperty' && ue4 >= 509) type.parameters.push(simple(reader.name()), simple(reader.name()))
  if (ue4 >= withPropertyGuid && reader.u8() !== 0) reader.skip(16)
  if (ue5 >= 1011) skipExtension(reader)
  return { name, type, index, offset: reader.offset, size, bool, native: false }
}

const namesOneType = new Set(['ByteProperty', 'EnumProperty', 'ArrayProperty'])

function simple(name: string): PropertyType {
  return { name, parameters: [] }
}

function readSize(reader: ObjectReader): number {
  const size = reader.i32()
  if (size < 0) throw reader.damaged(`has a property of ${size} bytes`)
  return size
}

/** Says how a value is overridden from its template; five bytes more if so. */
function skipExtension(reader: ObjectReader): void {
  if ((reader.u8() & 2) !== 0) reader.skip(5)
}
