// Text FBX: keys with values and blocks in braces, read in one pass; what the filter leaves out is skipped by its braces.

import type { FileWindow } from '../file-window.ts'
import {
  childFilter,
  damagedFbx,
  FbxEffort,
  type FbxRecord,
  type FbxValue,
  maxTextLength,
  maxValues,
  passes,
  type RecordFilter,
} from './records.ts'

const [tab, newline, returns, space, quote, comma, colon, semicolon, open, close] = [9, 10, 13, 32, 34, 44, 58, 59, 123, 125]
const ended = -1
const maxKeyLength = 100
const probeBytes = 4096

/** The version in the first comment of a text file, 0 without one; null when this is no FBX text. */
export function textFbxVersion(file: FileWindow): number | null {
  const beginning = file.from(0).subarray(0, probeBytes).toString('latin1')
  const stated = /^[\s\xef\xbb\xbf]*;\s*FBX (\d+)\.(\d+)\.(\d+) project file/.exec(beginning)
  if (stated) return Number(stated[1]) * 1000 + Number(stated[2]) * 100 + Number(stated[3]) * 10
  return /^[ \t]*FBXHeaderExtension:/m.test(beginning) ? 0 : null
}

/**
 * The records of a text file's first `end` bytes that pass the filter. A file that is read as a whole must be whole; of a beginning, what
 * stands in it is read. Throws FormatError `truncated`, `damaged` or `too-large`.
 */
export function readTextRecords(file: FileWindow, end: number, filter: RecordFilter): FbxRecord[] {
  return new TextWalk(file, end).walkAll(filter)
}

class TextWalk {
  readonly #file: FileWindow
  readonly #end: number
  readonly #isWhole: boolean
  readonly #effort = new FbxEffort()
  #at = 0
  #piece = Buffer.alloc(0)
  #pieceStart = 0

  constructor(file: FileWindow, end: number) {
    this.#file = file
    this.#end = end
    this.#isWhole = end === file.sizeBytes
  }

  walkAll(filter: RecordFilter): FbxRecord[] {
    if (this.#byte(0) === 0xef) this.#at = 3
    const records = this.#walk(filter)
    if (this.#byte(this.#at) === close) throw damagedFbx(`it closes at byte ${this.#at} what was never opened`)
    return records
  }

  /** Records up to the end of the block or file, which is left to the caller. Goes as deep as the filter does. */
  #walk(filter: RecordFilter): FbxRecord[] {
    const records: FbxRecord[] = []
    for (let key = this.#key(); key !== null; key = this.#key()) {
      this.#effort.pass()
      const inner = childFilter(filter, key)
      const record = inner === undefined ? this.#skip() : this.#record(key, inner)
      if (record) records.push(record)
    }
    return records
  }

  #record(name: string, filter: RecordFilter): FbxRecord | null {
    const record: FbxRecord = { name, values: [], children: [], numbers: null }
    if (filter === 'numbers') {
      const start = this.#at
      this.#skip()
      record.numbers = { kind: 'text', start, end: this.#at }
    } else {
      record.values = this.#values()
      const isKept = passes(filter, record)
      if (this.#byte(this.#at) === open) record.children = this.#block(isKept ? filter : {})
      if (!isKept) return null
    }
    this.#effort.keep(record)
    return record
  }

  #block(filter: RecordFilter): FbxRecord[] {
    this.#at++
    const records = this.#walk(filter)
    if (this.#byte(this.#at) === close) this.#at++
    else if (this.#isWhole) throw this.#file.cutOff('ends inside a block')
    return records
  }

  /** The next key, its colon passed; null before a closing brace and at the end. */
  #key(): string | null {
    this.#skipBlanks()
    const first = this.#byte(this.#at)
    if (first === close || first === ended) return null
    const { word, next } = this.#word()
    if (next === colon && word.length > 0) {
      this.#at++
      return word
    }
    if (next !== ended) throw damagedFbx(`no key stands at byte ${this.#at}`)
    if (this.#isWhole) throw this.#file.cutOff('ends inside a key')
    return null
  }

  /** Values up to a block, to the next key or to the end of the block around them. */
  #values(): FbxValue[] {
    const values: FbxValue[] = []
    for (;;) {
      this.#skipBlanks()
      const start = this.#at
      const first = this.#byte(start)
      if (first === open || first === close || first === ended) return values
      const { word, next } = first === quote ? { word: this.#text(), next: ended } : this.#word()
      if (next === colon && this.#at > start) {
        this.#at = start
        return values
      }
      if (first !== quote && this.#at === start) throw damagedFbx(`no value stands at byte ${start}`)
      if (values.length < maxValues) values.push(first === quote ? word : toValue(word))
    }
  }

  /** Letters up to what ends a word, which is `next`. A word longer than any key is passed and told in part. */
  #word(): { word: string; next: number } {
    let word = ''
    for (; ; this.#at++) {
      const byte = this.#byte(this.#at)
      if (byte === ended || isBlank(byte) || delimiters.has(byte)) return { word, next: byte }
      if (word.length < maxKeyLength) word += String.fromCharCode(byte)
    }
  }

  #text(): string {
    const bytes: number[] = []
    for (this.#at++; ; this.#at++) {
      const byte = this.#byte(this.#at)
      if (byte === quote) break
      if (byte === ended) {
        if (this.#isWhole) throw this.#file.cutOff('ends inside a text')
        break
      }
      if (bytes.length < maxTextLength) bytes.push(byte)
    }
    this.#at++
    return Buffer.from(bytes).toString('utf8').replaceAll('&quot;', '"').toWellFormed()
  }

  #skipBlanks(): void {
    for (let inComment = false; ; this.#at++) {
      const byte = this.#byte(this.#at)
      if (byte === semicolon) inComment = true
      else if (inComment && byte === newline) inComment = false
      if (byte === ended || !(inComment || isBlank(byte) || byte === comma)) return
    }
  }

  /** Moves to the end of a record whose key was read: behind its block, or before the next key or closing brace. */
  #skip(): null {
    const state: SkipState = { depth: 0, inText: false, inComment: false, wordAt: this.#at }
    for (;;) {
      const piece = this.#file.from(this.#at, this.#end)
      if (piece.length === 0) break
      const stop = skipIn(piece, this.#at, state)
      this.#at = stop ?? this.#at + piece.length
      if (stop !== null) return null
    }
    if (this.#isWhole && (state.depth > 0 || state.inText)) throw this.#file.cutOff('ends inside a block')
    return null
  }

  #byte(offset: number): number {
    const inPiece = offset - this.#pieceStart
    // The window belongs to every reader of the file: a piece is good for one run of this walk only, and copied for it.
    if (inPiece >= 0 && inPiece < this.#piece.length) return this.#piece[inPiece] ?? ended
    this.#piece = Buffer.from(this.#file.from(offset, this.#end).subarray(0, probeBytes))
    this.#pieceStart = offset
    return this.#piece[0] ?? ended
  }
}

type SkipState = { depth: number; inText: boolean; inComment: boolean; wordAt: number }

/** Where in the file the record ends, when it ends in this piece, which begins at `start`. */
function skipIn(piece: Buffer, start: number, state: SkipState): number | null {
  for (let at = 0; at < piece.length; at++) {
    const byte = piece[at]
    if (state.inText) state.inText = byte !== quote
    else if (state.inComment) state.inComment = byte !== newline
    else if (byte === quote) state.inText = true
    else if (byte === semicolon) state.inComment = true
    else if (byte === open) state.depth++
    else if (byte === close) {
      if (state.depth === 0) return start + at
      if (--state.depth === 0) return start + at + 1
    } else if (state.depth === 0) {
      if (byte === colon) return state.wordAt
      if (byte === comma || isBlank(byte)) state.wordAt = start + at + 1
    }
  }
  return null
}

const delimiters = new Set([quote, comma, colon, semicolon, open, close])

function isBlank(byte: number | undefined): boolean {
  return byte === space || byte === tab || byte === newline || byte === returns
}

function toValue(word: string): FbxValue {
  const number = /^[-+]?[\d.]/.test(word) ? Number(word) : Number.NaN
  if (Number.isNaN(number)) return word
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? word : number
}
