// The properties of an object in an Unreal package: values by name, decoded only when asked for.
import { customVersion } from '../uasset/custom-versions.ts'
import type { ObjectReader } from './package.ts'
import { type PropertyTag, type PropertyType, readInnerTag, readPropertyTags } from './property-tags.ts'

/** Reads one value that takes `size` bytes; undefined when a value of that size is none of this kind. */
type Reading<Value> = (reader: ObjectReader, size: number) => Value | undefined
/** How values of a type are read as what was asked for; undefined when they are something else. */
type Readings<Value> = (type: PropertyType) => Reading<Value> | undefined

/**
 * Values by name. Each is undefined when the object has no such property, or one of another type; engines leave out
 * what has its default. Asking may throw FormatError: values are looked at only now.
 */
export class Properties {
  readonly #reader: ObjectReader
  readonly #tags: PropertyTag[]

  constructor(reader: ObjectReader, tags: PropertyTag[]) {
    this.#reader = reader
    this.#tags = tags
  }

  /** An integer or a float; `index` tells the element of a fixed array. */
  number(name: string, index = 0): number | undefined {
    return this.#one(name, numbers, index)
  }

  bool(name: string): boolean | undefined {
    return this.#tag(name)?.bool ?? undefined
  }

  /** A name, a string, or the name of an enum's value: `TSF_BGRA8`. */
  text(name: string): string | undefined {
    return this.#one(name, texts)
  }

  /** What an object property refers to: 0 nothing, n the export n - 1, -n the import n - 1. */
  object(name: string): number | undefined {
    return this.#one(name, references)
  }

  /** The numbers of a Vector (x, y, z), Rotator (pitch, yaw, roll), IntPoint (x, y), LinearColor or Color (r, g, b, a; Color 0 to 255). */
  tuple(name: string): number[] | undefined {
    return this.#one(name, tuples)
  }

  /** 32 upper-case hex digits; null for a guid of zeros. */
  guid(name: string): string | null | undefined {
    return this.#one(name, guids)
  }

  struct(name: string): Properties | undefined {
    return this.#tag(name)?.native === false ? this.#one(name, structs) : undefined
  }

  numbers(name: string): number[] | undefined {
    return this.#list(name, numbers)
  }

  texts(name: string): string[] | undefined {
    return this.#list(name, texts)
  }

  objects(name: string): number[] | undefined {
    return this.#list(name, references)
  }

  tuples(name: string): number[][] | undefined {
    return this.#list(name, tuples)
  }

  structs(name: string): Properties[] | undefined {
    return this.#tag(name)?.native === false ? this.#list(name, structs) : undefined
  }

  /** What an input of a material or of one of its expressions is connected to; numbers as those of `object`. */
  input(name: string): number | undefined {
    return this.#one(name, connections)
  }

  /** The colour of a material's input that is connected to nothing: r, g, b, a, 0 to 255. */
  inputColor(name: string): number[] | undefined {
    return this.#one(name, inputColors)
  }

  /** Names of all inputs, in the order of the file. */
  inputNames(): string[] {
    return this.#tags.filter(({ type }) => isInput(type)).map(({ name }) => name)
  }

  #tag(name: string, index = 0): PropertyTag | undefined {
    return this.#tags.find((tag) => tag.name === name && tag.index === index)
  }

  #one<Value>(name: string, readings: Readings<Value>, index = 0): Value | undefined {
    const tag = this.#tag(name, index)
    return tag && readings(tag.type)?.(this.#valueOf(tag), tag.size)
  }

  #list<Value>(name: string, readings: Readings<Value>): Value[] | undefined {
    const tag = this.#tag(name)
    if (tag?.type.name !== 'ArrayProperty') return undefined
    const reader = this.#valueOf(tag)
    const count = reader.count('elements', 1)
    const type = elementType(reader, tag.type)
    const read = type && readings(type)
    if (read === undefined) return undefined
    reader.package.countParts(count)
    const size = reader.left / count
    const values: Value[] = []
    for (let left = count; left > 0; left--) {
      const value = read(reader, size)
      if (value === undefined) return undefined
      values.push(value)
    }
    return values
  }

  #valueOf(tag: PropertyTag): ObjectReader {
    this.#reader.seek(tag.offset)
    return this.#reader.part(tag.size)
  }
}

/**
 * Reads what every object begins with, its properties and its lazy guid, and leaves the reader where the data of its
 * class begin. Throws FormatError.
 */
export function readObjectProperties(reader: ObjectReader): Properties {
  if (reader.versions.ue5 >= 1011 && (reader.u8() & 2) !== 0) reader.skip(1)
  const properties = readProperties(reader)
  if (reader.bool32()) reader.skip(16)
  return properties
}

/** The properties from the reader's offset up to their end. They keep a reader of their own. */
function readProperties(reader: ObjectReader): Properties {
  const tags = readPropertyTags(reader)
  return new Properties(reader.again(), tags)
}

/** The type of an array's elements; in old packages a struct's name stands in a tag before the first of them. */
function elementType(reader: ObjectReader, { parameters: [inner] }: PropertyType): PropertyType | undefined {
  const { ue4, ue5 } = reader.versions
  const tagged = inner?.name === 'StructProperty' && ue4 >= 500 && ue5 < 1012
  return tagged ? readInnerTag(reader).type : inner
}

const numberReadings: ReadonlyMap<string, Reading<number>> = new Map<string, Reading<number>>([
  ['Int8Property', (reader) => (reader.u8() << 24) >> 24],
  ['Int16Property', (reader) => (reader.u16() << 16) >> 16],
  ['IntProperty', (reader) => reader.i32()],
  ['Int64Property', (reader) => reader.i64()],
  ['ByteProperty', (reader, size) => (size === 1 ? reader.u8() : undefined)],
  ['UInt16Property', (reader) => reader.u16()],
  ['UInt32Property', (reader) => reader.u32()],
  ['UInt64Property', (reader) => reader.i64()],
  ['FloatProperty', (reader) => reader.f32()],
  ['DoubleProperty', (reader) => reader.f64()],
])
const numbers: Readings<number> = (type) => numberReadings.get(type.name)

const textReadings: ReadonlyMap<string, Reading<string>> = new Map<string, Reading<string>>([
  ['NameProperty', (reader) => reader.name()],
  ['EnumProperty', (reader) => reader.name()],
  ['ByteProperty', (reader, size) => (size === 8 ? reader.name() : undefined)],
  ['StrProperty', (reader) => reader.string()],
])
const texts: Readings<string> = (type) => textReadings.get(type.name)

const references: Readings<number> = (type) =>
  type.name === 'ObjectProperty' ? (reader: ObjectReader) => reader.i32() : undefined

/** Structs whose values are bare numbers. Floats became doubles with 5.0. */
const tupleReadings: ReadonlyMap<string, Reading<number[]>> = new Map<string, Reading<number[]>>([
  ['Vector', readFloats],
  ['Rotator', readFloats],
  ['LinearColor', (reader) => [reader.f32(), reader.f32(), reader.f32(), reader.f32()]],
  ['IntPoint', (reader) => [reader.i32(), reader.i32()]],
  ['Color', readColor],
])
const tuples: Readings<number[]> = (type) => (type.name === 'StructProperty' ? tupleReadings.get(structName(type)) : undefined)

function readFloats(reader: ObjectReader, size: number): number[] | undefined {
  if (size === 12) return [reader.f32(), reader.f32(), reader.f32()]
  return size === 24 ? [reader.f64(), reader.f64(), reader.f64()] : undefined
}

/** Stored as blue, green, red, alpha. */
function readColor(reader: ObjectReader): number[] {
  const [blue = 0, green = 0, red = 0, alpha = 0] = reader.take(4)
  return [red, green, blue, alpha]
}

const isInput = (type: PropertyType): boolean => type.name === 'StructProperty' && structName(type).endsWith('Input')

/** What the core version names: from then on an input is bare numbers, of which the first is the expression. */
const nativeInputsSince = 1
const hasNativeInputs = (reader: ObjectReader): boolean => reader.version(customVersion.core) >= nativeInputsSince

const connections: Readings<number> = (type) => (isInput(type) ? readConnection : undefined)

function readConnection(reader: ObjectReader): number | undefined {
  return hasNativeInputs(reader) ? reader.i32() : readProperties(reader).object('Expression')
}

const inputColors: Readings<number[]> = (type) => (isInput(type) ? readInputColor : undefined)

/** Whether the colour is used, and the colour, stand at the end. */
function readInputColor(reader: ObjectReader, size: number): number[] | undefined {
  if (!hasNativeInputs(reader)) {
    const input = readProperties(reader)
    return input.bool('UseConstant') ? input.tuple('Constant') : undefined
  }
  if (size < 8) return undefined
  reader.skip(size - 8)
  return reader.bool32() ? readColor(reader) : undefined
}

const guids: Readings<string | null> = (type) => (isGuid(type) ? (reader: ObjectReader) => reader.guid() : undefined)

const structs: Readings<Properties> = (type) =>
  type.name === 'StructProperty' && !tupleReadings.has(structName(type)) && !isGuid(type) ? readProperties : undefined

function isGuid(type: PropertyType): boolean {
  return type.name === 'StructProperty' && structName(type) === 'Guid'
}

function structName({ parameters: [struct] }: PropertyType): string {
  return struct?.name ?? ''
}
