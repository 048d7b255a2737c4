// Packages with source data, made by tests for what no real package at hand holds.
import { customVersion } from '../../formats/uasset/custom-versions.ts'
import { NameTable } from '../../formats/uasset/names.ts'
import { PackageReader } from '../../formats/uasset/reader.ts'
import { writePackage } from '../../sample/package.ts'
import { PackageBytes } from '../../sample/package-bytes.ts'
import { summaryOf } from './package-patches.ts'

/** A type with its parameters: `['ArrayProperty', ['StructProperty', ['Vector']]]`. */
export type TypeTree = [name: string, ...parameters: TypeTree[]]

export type SourceSpec = {
  assetClass: string
  engine: string
  /** Versions of engine parts, two at most. */
  versions?: Partial<Record<keyof typeof customVersion, number>>
  /** Long names of packages that it imports. */
  imports?: string[]
  properties?: (out: ObjectBytes) => void
  /** What the class itself keeps, behind the properties. */
  data?: (out: ObjectBytes) => void
  /** Bytes behind all others. The bulk data offset leads to their start, and so does that of the trailer. */
  tail?: Buffer
}

export const stem = 'Asset'

/** Data of one object: tags in the form of the release, names as indices. */
export class ObjectBytes extends PackageBytes {
  readonly ue5: number
  readonly #names: (name: string) => number

  constructor(ue5: number, names: (name: string) => number) {
    super(false)
    this.ue5 = ue5
    this.#names = names
  }

  name(name: string): this {
    return this.i32(this.#names(name), 0)
  }

  u8(value: number): this {
    return this.raw(Buffer.from([value]))
  }

  f32(...values: number[]): this {
    return this.raw(Buffer.from(Float32Array.from(values).buffer))
  }

  f64(...values: number[]): this {
    return this.raw(Buffer.from(Float64Array.from(values).buffer))
  }

  /** A property, or the element of a fixed array; its value is what `value` adds, a bool's stands in the tag. */
  property(place: string | [name: string, index: number], type: TypeTree, value: ((out: ObjectBytes) => void) | boolean): this {
    const [name, index] = typeof place === 'string' ? [place, 0] : place
    const bool = typeof value === 'boolean' ? value : undefined
    const bytes = typeof value === 'boolean' ? Buffer.alloc(0) : this.#part(value)
    return this.ue5 >= 1012 ? this.#tag({ name, type, bytes, bool, index }) : this.#oldTag({ name, type, bytes, bool, index })
  }

  int(name: string, value: number, index = 0): this {
    return this.property([name, index], ['IntProperty'], (out) => out.i32(value))
  }

  /** A struct whose value is properties again. */
  struct(name: string, struct: string, write: (out: ObjectBytes) => void): this {
    return this.property(name, ['StructProperty', [struct]], (out) => {
      write(out)
      out.name('None')
    })
  }

  /** An array of structs, before which old packages write a tag of their own. */
  structs(name: string, struct: string, elements: ((out: ObjectBytes) => void)[]): this {
    return this.property(name, ['ArrayProperty', ['StructProperty', [struct]]], (out) => {
      out.i32(elements.length)
      const write = (into: ObjectBytes) => {
        for (const element of elements) element(into)
      }
      if (this.ue5 >= 1012) return write(out)
      out.name(name).name('StructProperty').i32(this.#part(write).length, 0).name(struct).raw(Buffer.alloc(17))
      if (this.ue5 >= 1011) out.u8(0)
      write(out)
    })
  }

  #part(write: (out: ObjectBytes) => void): Buffer {
    const part = new ObjectBytes(this.ue5, this.#names)
    write(part)
    return part.toBuffer()
  }

  #type([name, ...parameters]: TypeTree): this {
    this.name(name).i32(parameters.length)
    for (const parameter of parameters) this.#type(parameter)
    return this
  }

  #tag({ name, type, bytes, bool, index }: Tag): this {
    this.name(name).#type(type).i32(bytes.length)
    this.u8((index > 0 ? 1 : 0) + (bool === true ? 16 : 0))
    if (index > 0) this.i32(index)
    return this.raw(bytes)
  }

  #oldTag({ name, type: [type, ...parameters], bytes, bool, index }: Tag): this {
    this.name(name).name(type).i32(bytes.length, index)
    for (const [parameter] of parameters) this.name(parameter)
    if (type === 'ByteProperty' && parameters.length === 0) this.name('None')
    if (type === 'StructProperty') this.raw(Buffer.alloc(16))
    if (type === 'BoolProperty') this.u8(bool === true ? 1 : 0)
    this.u8(0)
    if (this.ue5 >= 1011) this.u8(0)
    return this.raw(bytes)
  }
}

type Tag = { name: string; type: TypeTree; bytes: Buffer; bool: boolean | undefined; index: number }

/** Written twice: names are counted first, so that the object's data can name them. */
export async function sourcePackage(spec: SourceSpec): Promise<Buffer> {
  const used = new Set<string>()
  const about = { packageName: `/Game/${stem}`, assetClass: spec.assetClass, engine: spec.engine, imports: spec.imports }
  const { ue5 } = summaryOf(await writePackage(about)).versions
  objectData(spec, ue5, (name) => used.add(name).size)
  const softReferences = [...used]
  const counted = await writePackage({ ...about, softReferences })
  const reader = new PackageReader(counted, { what: 'package' })
  const names = new NameTable(reader, summaryOf(counted))
  const indices = new Map(Array.from({ length: names.count }, (_, index) => [names.entry(index), index]))
  const payload = objectData(spec, ue5, (name) => indices.get(name) ?? 0)
  const whole = await writePackage({ ...about, softReferences, payload })
  setVersions(whole, Object.entries(spec.versions ?? {}))
  setOffsets(whole)
  return Buffer.concat([whole, spec.tail ?? Buffer.alloc(0)])
}

function objectData(spec: SourceSpec, ue5: number, names: (name: string) => number): Buffer {
  const out = new ObjectBytes(ue5, names)
  if (ue5 >= 1011) out.u8(0)
  spec.properties?.(out)
  out.name('None').i32(0) // no lazy guid
  spec.data?.(out)
  return out.toBuffer()
}

const guidBytes = (guid: string) => new PackageBytes(false).guid(guid).toBuffer()

/** Puts versions in the place of those that every sample package has. */
function setVersions(bytes: Buffer, versions: [string, number][]): void {
  const places = [customVersion.fortnite, customVersion.core].map((guid) => bytes.indexOf(guidBytes(guid)))
  for (const [i, [name, version]] of versions.entries()) {
    const at = places[i]
    if (at === undefined) throw new Error('A sample package has two custom versions only.')
    guidBytes(customVersion[name as keyof typeof customVersion]).copy(bytes, at)
    bytes.writeInt32LE(version, at + 16)
  }
}

function setOffsets(bytes: Buffer): void {
  const { bulkDataOffset, endOffset, versions } = summaryOf(bytes)
  bytes.writeBigInt64LE(BigInt(bytes.length), bytes.indexOf(int64(bulkDataOffset)))
  if (versions.ue5 >= 1002) bytes.writeBigInt64LE(BigInt(bytes.length), endOffset - (versions.ue5 >= 1009 ? 12 : 8))
}

export function int64(value: number): Buffer {
  return new PackageBytes(false).i64(value).toBuffer()
}

/** FByteBulkData at the start of the tail. */
export function byteBulk(
  out: ObjectBytes,
  { flags, rawSize, storedSize }: { flags: number; rawSize: number; storedSize: number },
): ObjectBytes {
  return out.u32(flags).i32(rawSize, storedSize).i64(0)
}

export const payloadId = 'a1'.repeat(20)

/** FEditorBulkData of a payload in the trailer. */
export function editorBulk(out: ObjectBytes, rawSize: number, flags = 0x200): void {
  out.u32(flags).guid('1'.repeat(32)).raw(Buffer.from(payloadId, 'hex')).i64(rawSize)
  if ((flags & 0x201) === 0) out.i64(0)
}

/** A compressed buffer that is not compressed. */
export function storedBuffer(raw: Uint8Array): Buffer {
  const header = Buffer.alloc(64)
  header.writeUInt32BE(0xb7756362, 0)
  header.writeBigUInt64BE(BigInt(raw.length), 16)
  header.writeBigUInt64BE(BigInt(64 + raw.length), 24)
  return Buffer.concat([header, raw])
}

export type TrailerSpec = { version?: number; access?: number; rawSize?: number; offset?: number; id?: string; flags?: number }

/** A package trailer with one payload. */
export function trailer(raw: Uint8Array, spec: TrailerSpec = {}): Buffer {
  const { version = 2, access = 0, rawSize = raw.length, offset = 0, id = payloadId, flags = 0 } = spec
  const stored = storedBuffer(raw)
  const headerBytes = 8 + 4 + 4 + 8 + (version < 1 ? 1 : 0) + 4 + 44 + (version >= 2 ? 4 : 0) + (version >= 1 ? 1 : 0)
  const out = new ObjectBytes(0, () => 0).raw(Buffer.from('97f6a5802e3bc4d1', 'hex'))
  out.i32(version, headerBytes).i64(stored.length)
  if (version < 1) out.u8(access)
  out.i32(1).raw(Buffer.from(id, 'hex')).i64(offset).i64(stored.length).i64(rawSize)
  if (version >= 2) out.u32(flags)
  if (version >= 1) out.u8(access)
  return Buffer.concat([out.toBuffer(), stored])
}
