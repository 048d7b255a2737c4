// Binary FBX: the walk through its records, which say where they end, so that what the filter leaves out is never read.
// Sources: the layout as Blender's developers found it ("FBX binary file format specification", 2013) and as its exporter
// writes it; 64-bit records since version 7500.
import { ByteReader } from '../byte-reader.ts'
import type { FileWindow } from '../file-window.ts'
import {
  type ArrayType,
  childFilter,
  damagedFbx,
  elementBytes,
  FbxEffort,
  type FbxRecord,
  type FbxValue,
  maxTextLength,
  maxValues,
  type NumberList,
  passes,
  type RecordFilter,
} from './records.ts'

const magic = Buffer.from('Kaydara FBX Binary  \0\x1a\0', 'latin1')
const magicText = magic.subarray(0, 18)
const headerBytes = magic.length + 4
/** From here on offsets have 64 bits. */
const wideVersion = 7500
/** Read of one record's values at once: enough for 64 of them, but long texts. */
const valuesBytes = 64 * 1024

type RecordHeader = { name: string; valueCount: number; valuesStart: number; valuesEnd: number; end: number }

/** The version of a binary file, null for any other. Throws FormatError `damaged` when its first bytes were changed. */
export function binaryFbxVersion(file: FileWindow): number | null {
  if (!file.from(0).subarray(0, magicText.length).equals(magicText)) return null
  const header = file.at(0, headerBytes)
  if (!header.subarray(0, magic.length).equals(magic))
    throw damagedFbx('its zero bytes were changed, as by a program that took it for text')
  return header.readUInt32LE(magic.length)
}

/** The records of a whole binary file that pass the filter. Throws FormatError `truncated`, `damaged` or `too-large`. */
export function readBinaryRecords(file: FileWindow, version: number, filter: RecordFilter): FbxRecord[] {
  return new RecordWalk(file, version >= wideVersion).walk({ start: headerBytes, end: file.sizeBytes, isTop: true }, filter)
}

type ByteRange = { start: number; end: number; isTop: boolean }

class RecordWalk {
  readonly #file: FileWindow
  readonly #offsetBytes: number
  readonly #effort = new FbxEffort()

  constructor(file: FileWindow, wide: boolean) {
    this.#file = file
    this.#offsetBytes = wide ? 8 : 4
  }

  /** Records one after the other, up to the empty one that ends a list. Goes as deep as the filter does. */
  walk({ start, end, isTop }: ByteRange, filter: RecordFilter): FbxRecord[] {
    const records: FbxRecord[] = []
    for (let at = start; at < end || isTop; ) {
      const header = this.#header({ start: at, end, isTop })
      if (header === null) break
      this.#effort.pass()
      const inner = childFilter(filter, header.name)
      const record = inner === undefined ? null : this.#record(header, inner)
      if (record) records.push(record)
      at = header.end
    }
    return records
  }

  /** Null for the empty record. Every other ends behind its own header, so that the walk goes on. */
  #header({ start, end, isTop }: ByteRange): RecordHeader | null {
    const fixed = this.#offsetBytes * 3 + 1
    if (end - start < fixed) throw isTop ? this.#file.cutOff('has no end mark') : damagedFbx(`no record fits at byte ${start}`)
    const reader = new ByteReader(this.#file.at(start, Math.min(fixed + 255, end - start)), { what: 'FBX file' })
    const offset = () => (this.#offsetBytes === 8 ? reader.i64() : reader.u32())
    const [recordEnd, valueCount, valueBytes] = [offset(), offset(), offset()]
    const nameLength = reader.u8()
    if (recordEnd === 0) return null
    const valuesStart = start + fixed + nameLength
    const valuesEnd = valuesStart + valueBytes
    if (isTop && recordEnd > end) throw this.#file.cutOff(`announces a record up to byte ${recordEnd}`)
    if (valueCount < 0 || valueBytes < 0 || valuesEnd > recordEnd || recordEnd > end)
      throw damagedFbx(`the record at byte ${start} does not fit where it stands`)
    return { name: reader.latin1(nameLength), valueCount, valuesStart, valuesEnd, end: recordEnd }
  }

  #record(header: RecordHeader, filter: RecordFilter): FbxRecord | null {
    const { name, valuesEnd: start, end } = header
    const record: FbxRecord = { name, values: [], children: [], numbers: null }
    if (filter === 'numbers') record.numbers = this.#numbers(header)
    else record.values = this.#values(header)
    if (!passes(filter, record)) return null
    this.#effort.keep(record)
    if (start < end) record.children = this.walk({ start, end, isTop: false }, filter)
    return record
  }

  #values({ valueCount, valuesStart, valuesEnd }: RecordHeader): FbxValue[] {
    const bytes = this.#file.at(valuesStart, Math.min(valuesEnd - valuesStart, valuesBytes))
    const reader = new ByteReader(bytes, { what: 'FBX file', pastEnd: 'damaged' })
    const values: FbxValue[] = []
    for (let read = 0; read < Math.min(valueCount, maxValues); read++) {
      const value = readValue(reader, valuesEnd - valuesStart)
      if (value === 'cut') break
      if (value !== null) values.push(value.is)
    }
    return values
  }

  /** The array that is a record's first value, or, before FBX 7, all its values. */
  #numbers({ valueCount, valuesStart, valuesEnd }: RecordHeader): NumberList | null {
    if (valueCount === 0) return null
    const reader = new ByteReader(this.#file.at(valuesStart, Math.min(13, valuesEnd - valuesStart)), { what: 'FBX file' })
    const type = reader.latin1(1)
    if (!isArrayType(type)) return { kind: 'values', count: valueCount, start: valuesStart, end: valuesEnd }
    const [count, encoding, storedBytes] = [reader.u32(), reader.u32(), reader.u32()]
    const [start, end] = [valuesStart + 13, valuesStart + 13 + storedBytes]
    if (end > valuesEnd || encoding > 1) throw damagedFbx(`the array at byte ${valuesStart} contradicts itself`)
    return { kind: 'array', type, count, deflated: encoding === 1, start, end }
  }
}

const isArrayType = (type: string): type is ArrayType => Object.hasOwn(elementBytes, type)

/** A value; null for one that is neither number nor text; `cut` for one that goes on behind the bytes at hand. */
function readValue(reader: ByteReader, listBytes: number): { is: FbxValue } | null | 'cut' {
  const type = reader.latin1(1)
  switch (type) {
    case 'Y':
      return { is: signed(reader.u16(), 16) }
    case 'C':
    case 'B':
      return { is: reader.u8() }
    case 'I':
      return { is: reader.i32() }
    case 'F':
      return { is: reader.f32() }
    case 'D':
      return { is: reader.f64() }
    case 'L':
      return { is: wholeNumber(reader.take(8).readBigInt64LE()) }
    case 'S':
    case 'R':
      return readText(reader, listBytes)
    default:
      if (!isArrayType(type)) throw reader.damaged(`holds a value of the unknown type ${JSON.stringify(type)}`)
      return skipArray(reader, listBytes)
  }
}

function readText(reader: ByteReader, listBytes: number): { is: string } | 'cut' {
  const length = reader.u32()
  if (length > reader.left && reader.bytes.length < listBytes) return 'cut'
  const bytes = reader.take(length)
  return { is: bytes.toString('utf8', 0, Math.min(length, maxTextLength)).toWellFormed() }
}

function skipArray(reader: ByteReader, listBytes: number): null | 'cut' {
  reader.skip(8)
  const storedBytes = reader.u32()
  if (storedBytes > reader.left && reader.bytes.length < listBytes) return 'cut'
  reader.skip(storedBytes)
  return null
}

function signed(value: number, bits: number): number {
  return value >= 2 ** (bits - 1) ? value - 2 ** bits : value
}

function wholeNumber(value: bigint): FbxValue {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}
