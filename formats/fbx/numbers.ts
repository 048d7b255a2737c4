// The long lists of numbers in an FBX file, vertices and corners, in batches, and whole where they are needed so.
import { pipeline, Readable } from 'node:stream'
import { createInflate, inflateSync } from 'node:zlib'
import { type FileWindow, windowBytes } from '../file-window.ts'
import { type ArrayType, damagedFbx, elementBytes, type NumberList } from './records.ts'

type ArrayList = Extract<NumberList, { kind: 'array' }>
/** Compressed bytes, and bytes that come out of them, at a time. */
const streamBytes = 64 * 1024

/** How many bytes a list makes its reader read, decompressed. */
export function listBytes(list: NumberList): number {
  return list.kind === 'array' ? list.count * elementBytes[list.type] : list.end - list.start
}

/** The numbers of a list, some thousand at a time; what is no number is NaN. Throws FormatError `truncated` or `damaged`. */
export async function* readNumbers(file: FileWindow, list: NumberList): AsyncGenerator<Float64Array> {
  if (list.kind === 'text') yield* textNumbers(file, list)
  else if (list.kind === 'values') yield* valueNumbers(file, list)
  else yield* arrayNumbers(file, list)
}

/** How many numbers a list holds at most, as it says itself or as its text has room for. */
export function listNumbers(list: NumberList): number {
  return list.kind === 'text' ? Math.ceil((list.end - list.start) / 2) : list.count
}

/** All numbers of a list, for a caller that has checked `listNumbers`. Throws FormatError `truncated` or `damaged`. */
export async function readWholeList(file: FileWindow, list: NumberList): Promise<Float64Array> {
  refuseLie(list)
  const whole = new Float64Array(listNumbers(list))
  let length = 0
  for await (const batch of readNumbers(file, list)) {
    if (length + batch.length > whole.length)
      throw damagedFbx(`the list of numbers at byte ${list.start} is longer than it announces`)
    whole.set(batch, length)
    length += batch.length
  }
  return list.kind === 'text' ? whole.slice(0, length) : whole.subarray(0, length)
}

/** No zlib stream grows more than this, beside what it needs for itself. */
const largestGrowth = 1032
const zlibBytes = 16

/** Before room is made: a list cannot hold more numbers than its bytes have room for. */
function refuseLie(list: NumberList): void {
  const storedBytes = list.end - list.start
  const holds = list.kind === 'array' && list.deflated ? largestGrowth * (storedBytes + zlibBytes) : storedBytes
  const needed = list.kind === 'values' ? 2 * list.count : listBytes(list)
  if (needed > holds) throw damagedFbx(`the list at byte ${list.start} has ${storedBytes} bytes, too few for what it announces`)
}

async function* arrayNumbers(file: FileWindow, list: ArrayList): AsyncGenerator<Float64Array> {
  const size = elementBytes[list.type]
  let carried = Buffer.alloc(0)
  let left = list.count * size
  for await (const chunk of list.deflated ? inflated(file, list) : file.pieces(list.start, list.end)) {
    left -= chunk.length
    if (left < 0) break
    const bytes = carried.length > 0 ? Buffer.concat([carried, chunk]) : chunk
    const whole = bytes.length - (bytes.length % size)
    yield decode(bytes.subarray(0, whole), list.type)
    carried = Buffer.from(bytes.subarray(whole))
  }
  if (left !== 0) throw damagedFbx(`the array at byte ${list.start} does not hold the ${list.count} numbers it announces`)
}

/** Small arrays at once, large ones as a stream. More than is announced is never kept. */
async function* inflated(file: FileWindow, list: ArrayList): AsyncGenerator<Buffer> {
  try {
    if (list.count > 0 && listBytes(list) <= windowBytes && list.end - list.start <= windowBytes)
      yield inflateSync(file.at(list.start, list.end - list.start), { maxOutputLength: listBytes(list) })
    else if (list.count > 0) yield* inflatedStream(file, list)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    if (!code.startsWith('Z_') && code !== 'ERR_BUFFER_TOO_LARGE') throw cause
    throw damagedFbx(`the array at byte ${list.start} cannot be decompressed`, { cause })
  }
}

function inflatedStream(file: FileWindow, { start, end }: ArrayList): AsyncIterable<Buffer> {
  const inflate = createInflate({ chunkSize: streamBytes })
  // Whatever fails, inflate fails with it and tells its reader.
  pipeline(Readable.from(copies(file, start, end), { highWaterMark: 1 }), inflate, () => {})
  return inflate
}

/** Views of a file change while a stream still holds them. */
function* copies(file: FileWindow, start: number, end: number): Generator<Buffer> {
  for (let at = start; at < end; at += streamBytes) yield Buffer.from(file.at(at, Math.min(streamBytes, end - at)))
}

type Element = (view: DataView, at: number) => number
const elements: Record<ArrayType, Element> = {
  d: (view, at) => view.getFloat64(at, true),
  f: (view, at) => view.getFloat32(at, true),
  l: (view, at) => Number(view.getBigInt64(at, true)),
  i: (view, at) => view.getInt32(at, true),
  c: (view, at) => view.getUint8(at),
  b: (view, at) => view.getUint8(at),
}

function decode(bytes: Buffer, type: ArrayType): Float64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const [size, read] = [elementBytes[type], elements[type]]
  const numbers = new Float64Array(bytes.length / size)
  for (let at = 0; at < numbers.length; at++) numbers[at] = read(view, at * size)
  return numbers
}

/** A type and its bytes, again and again. */
const valueElements: Record<string, { bytes: number; read: Element }> = {
  D: { bytes: 8, read: elements.d },
  F: { bytes: 4, read: elements.f },
  L: { bytes: 8, read: elements.l },
  I: { bytes: 4, read: elements.i },
  Y: { bytes: 2, read: (view, at) => view.getInt16(at, true) },
  C: { bytes: 1, read: elements.c },
}

function* valueNumbers(file: FileWindow, { start, end }: NumberList): Generator<Float64Array> {
  for (let at = start; at < end; ) {
    const bytes = file.at(at, Math.min(streamBytes, end - at))
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    const numbers: number[] = []
    let used = 0
    for (let type = bytes[0]; type !== undefined; type = bytes[used]) {
      const element = valueElements[String.fromCharCode(type)]
      if (!element) throw damagedFbx(`the list of numbers at byte ${start} holds something else`)
      if (used + 1 + element.bytes > bytes.length) break
      numbers.push(element.read(view, used + 1))
      used += 1 + element.bytes
    }
    if (used === 0) throw damagedFbx(`the list of numbers at byte ${start} ends inside one`)
    yield Float64Array.from(numbers)
    at += used
  }
}

/** Words between commas, blanks and braces; a count (`*24`) and a key (`a:`) are none of the numbers. */
function* textNumbers(file: FileWindow, { start, end }: NumberList): Generator<Float64Array> {
  let carried = ''
  for (const piece of file.pieces(start, end)) {
    const words = (carried + piece.toString('latin1')).split(/[\s,{}]+/)
    carried = words.pop() ?? ''
    if (carried.length > maxWordLength) throw damagedFbx(`the list of numbers at byte ${start} holds something else`)
    yield numbersOf(words)
  }
  yield numbersOf([carried])
}

const maxWordLength = 1000

function numbersOf(words: string[]): Float64Array {
  return Float64Array.from(words.filter((word) => word !== '' && !word.startsWith('*') && !word.endsWith(':')).map(Number))
}
