/**
 * What each row says, in its own order: needed to take a row back, to find words that follow one another, and to tell where a
 * hit matched. 256 rows to a page, so that a change moves a few kilobytes.
 *
 * A record is the number of shared texts, then `number * 32 + field` for each of them (LEB128), then the name, behind a vertical tab each
 * other name, and behind a line feed each comment, as folded words.
 */
import type { wordFields } from '../../../contract/entries.ts'
import { wordGap } from '../../../words/folded-text.ts'

const pageRows = 256
const textGap = 0x0a
const nameGap = 0x0b

export type Field = (typeof wordFields)[number]

/** Bits of the fields a word can stand in. */
export const fieldBits: Record<Field, number> = { name: 1, category: 2, tags: 4, pack: 8, comments: 16 }

/** A shared text and the one field it stands in. */
export interface Mention {
  text: number
  bit: number
}

/** The texts that a row has to itself, each as keys with gaps; the first name is its own. */
export interface OwnTexts {
  names: readonly string[]
  comments: readonly string[]
}

interface Page {
  bytes: Buffer
  /** Where the record of each row of the page ends; rows that say nothing have records without length. */
  ends: Uint32Array
}

export class ForwardIndex {
  readonly #pages: (Page | undefined)[] = []
  #scratch = Buffer.allocUnsafeSlow(1024)

  /** One more than the highest row of any page. */
  get rowLimit(): number {
    return this.#pages.length * pageRows
  }

  put(row: number, mentions: readonly Mention[], texts: OwnTexts): void {
    this.#store(row, this.#encode(mentions, texts))
  }

  clear(row: number): void {
    this.#store(row, 0)
  }

  /** Fills the reader with the record of a row; false where the row says nothing. */
  open(row: number, reader: RecordReader): boolean {
    const page = this.#pages[Math.floor(row / pageRows)]
    if (!page) return false
    const slot = row % pageRows
    const from = slot === 0 ? 0 : (page.ends[slot - 1] ?? 0)
    const to = page.ends[slot] ?? 0
    if (from === to) return false
    reader.start(page.bytes, from, to)
    return true
  }

  #encode(mentions: readonly Mention[], { names, comments }: OwnTexts): number {
    const texts = [...names, ...comments]
    const room = 5 + mentions.length * 6 + texts.reduce((sum, text) => sum + text.length + 1, 0)
    if (room > this.#scratch.length) this.#scratch = Buffer.allocUnsafeSlow(room * 2)
    let at = this.#encodeNumber(mentions.length, 0)
    for (const { text, bit } of mentions) at = this.#encodeNumber(text * 32 + bit, at)
    for (const [number, text] of texts.entries()) {
      if (number > 0) this.#scratch[at++] = number < names.length ? nameGap : textGap
      for (let index = 0; index < text.length; index++) this.#scratch[at++] = text.charCodeAt(index)
    }
    return at
  }

  #encodeNumber(value: number, at: number): number {
    let rest = value
    let next = at
    while (rest >= 0x80) {
      this.#scratch[next++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.#scratch[next++] = rest
    return next
  }

  /** A page begins as long as the page before it became: most are never enlarged. */
  #roomFor(needed: number): number {
    const before = this.#pages.at(-2)?.ends[pageRows - 1] ?? 0
    return Math.max(needed + (needed >>> 3), before + (before >>> 4))
  }

  /** Puts the first `length` bytes of the scratch where the record of the row was. */
  #store(row: number, length: number): void {
    const number = Math.floor(row / pageRows)
    while (this.#pages.length <= number) this.#pages.push(undefined)
    const page = this.#pages[number] ?? { bytes: Buffer.allocUnsafeSlow(0), ends: new Uint32Array(pageRows) }
    this.#pages[number] = page
    const slot = row % pageRows
    const from = slot === 0 ? 0 : (page.ends[slot - 1] ?? 0)
    const to = page.ends[slot] ?? 0
    const used = page.ends[pageRows - 1] ?? 0
    const growth = length - (to - from)
    if (used + growth > page.bytes.length) page.bytes = enlarged(page.bytes, this.#roomFor(used + growth))
    if (growth !== 0 && to < used) page.bytes.copyWithin(to + growth, to, used)
    for (let at = 0; at < length; at++) page.bytes[from + at] = this.#scratch[at] ?? 0
    if (growth !== 0) for (let index = slot; index < pageRows; index++) page.ends[index] = (page.ends[index] ?? 0) + growth
  }
}

const isGap = (byte: number | undefined): boolean => byte === textGap || byte === nameGap

function enlarged(bytes: Buffer, room: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(room)
  bytes.copy(larger)
  return larger
}

/** Reads one record after the other, without an object for each: first its mentions, then its texts. */
export class RecordReader {
  bytes: Buffer = Buffer.allocUnsafeSlow(0)
  /** Of the text read last. */
  from = 0
  to = 0
  /** Of what was read last. */
  bit = 0
  text = 0
  #at = 0
  #end = 0
  #mentions = 0
  #field = fieldBits.name

  start(bytes: Buffer, from: number, to: number): void {
    this.bytes = bytes
    this.#at = from
    this.#end = to
    this.#field = fieldBits.name
    this.#mentions = this.#number()
  }

  /** Moves to the next mention of a shared text: `text` in the field `bit`. */
  nextMention(): boolean {
    if (this.#mentions === 0) return false
    this.#mentions--
    const value = this.#number()
    this.bit = value % 32
    this.text = Math.floor(value / 32)
    return true
  }

  /** Moves to the next text of the row's own, once the mentions are read: `from` and `to` in the field `bit`. */
  nextText(): boolean {
    if (this.#at > this.#end) return false
    this.bit = this.#field
    this.from = this.#at
    while (this.#at < this.#end && !isGap(this.bytes[this.#at])) this.#at++
    if (this.bytes[this.#at] === textGap) this.#field = fieldBits.comments
    this.to = this.#at++
    return true
  }

  /** The words of the text read last, as keys. */
  keys(): string[] {
    return this.from === this.to ? [] : this.bytes.toString('latin1', this.from, this.to).split(String.fromCharCode(wordGap))
  }

  #number(): number {
    let value = 0
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.bytes[this.#at++] ?? 0
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
  }
}
