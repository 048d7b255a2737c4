// FBX files from their records, binary and text, as the readers of formats/ and of other programs take them.
import { deflateSync } from 'node:zlib'

/** Numbers are doubles, `{ int }` has 32 bits, a bigint 64; arrays of numbers are compressed, bytes are raw. Names of objects hold `\0\x01`. */
export type FbxWritable = number | bigint | string | { int: number } | Uint8Array | Float64Array | Int32Array
export type FbxNode = [name: string, values: FbxWritable[], children?: FbxNode[]]

const magic = Buffer.from('Kaydara FBX Binary  \0\x1a\0', 'latin1')
/** What every binary file ends with; its meaning is not known. */
const footer = {
  start: Buffer.from('fabcab09d0c8d466b176fb831cf7267e', 'hex'),
  end: Buffer.from('f85a8c6adef5d97eece90ce3758f290b', 'hex'),
}

/** A binary file; from version 7500 on its records have 64-bit sizes. */
export function toBinaryFbx(nodes: readonly FbxNode[], version = 7400): Buffer {
  const parts: Buffer[] = [magic, u32(version)]
  let length = magic.length + 4
  for (const node of nodes) {
    const bytes = binaryNode(node, length, version >= 7500)
    parts.push(bytes)
    length += bytes.length
  }
  const end = emptyRecord(version >= 7500)
  const filler = Buffer.alloc(20 + ((16 - ((length + end.length + footer.start.length + 4) % 16)) % 16))
  return Buffer.concat([...parts, end, footer.start, filler.subarray(0, -16), u32(version), Buffer.alloc(120), footer.end])
}

const emptyRecord = (wide: boolean) => Buffer.alloc(wide ? 25 : 13)

function binaryNode([name, values, children = []]: FbxNode, at: number, wide: boolean): Buffer {
  const written = Buffer.concat(values.map(binaryValue))
  const head = (wide ? 25 : 13) + name.length
  let end = at + head + written.length
  const inside: Buffer[] = []
  for (const child of children) {
    const bytes = binaryNode(child, end, wide)
    inside.push(bytes)
    end += bytes.length
  }
  if (children.length > 0) inside.push(emptyRecord(wide))
  if (children.length > 0) end += emptyRecord(wide).length
  const sizes = [end, values.length, written.length].map((size) => (wide ? i64(BigInt(size)) : u32(size)))
  return Buffer.concat([...sizes, Buffer.of(name.length), Buffer.from(name, 'latin1'), written, ...inside])
}

function binaryValue(value: FbxWritable): Buffer {
  if (typeof value === 'number') return Buffer.concat([Buffer.from('D'), Buffer.from(Float64Array.of(value).buffer)])
  if (typeof value === 'bigint') return Buffer.concat([Buffer.from('L'), i64(value)])
  if (typeof value === 'string') return Buffer.concat([Buffer.from('S'), u32(Buffer.byteLength(value)), Buffer.from(value)])
  if ('int' in value) return Buffer.concat([Buffer.from('I'), Buffer.from(Int32Array.of(value.int).buffer)])
  if (value instanceof Uint8Array) return Buffer.concat([Buffer.from('R'), u32(value.length), value])
  const stored = deflateSync(Buffer.from(value.buffer, value.byteOffset, value.byteLength))
  const type = value instanceof Float64Array ? 'd' : 'i'
  return Buffer.concat([Buffer.from(type), u32(value.length), u32(1), u32(stored.length), stored])
}

const u32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer)
const i64 = (value: bigint) => Buffer.from(BigInt64Array.of(value).buffer)

/** The same as text. */
export function toTextFbx(nodes: readonly FbxNode[], version = 7400): string {
  const [major, minor] = [Math.floor(version / 1000), Math.floor((version % 1000) / 100)]
  return `; FBX ${major}.${minor}.0 project file\n\n${nodes.map((node) => textNode(node, '')).join('')}`
}

function textNode([name, values, children = []]: FbxNode, indent: string): string {
  const array = values.find((value) => value instanceof Float64Array || value instanceof Int32Array)
  if (array) return `${indent}${name}: *${array.length} {\n${indent}\ta: ${array.join(',')}\n${indent}}\n`
  const line = `${indent}${name}: ${values.map(textValue).join(', ')}`
  if (children.length === 0) return `${line}\n`
  return `${line} {\n${children.map((child) => textNode(child, `${indent}\t`)).join('')}${indent}}\n`
}

function textValue(value: FbxWritable): string {
  if (typeof value === 'object') return 'int' in value ? String(value.int) : ''
  if (typeof value !== 'string') return String(value)
  const [name, kind] = value.split('\0\x01')
  return `"${(kind === undefined ? value : `${kind}::${name}`).replaceAll('"', '&quot;')}"`
}
