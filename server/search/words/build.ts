/**
 * The first dictionary of a library, made from the records of all its rows: words are counted, put in order, and then given their
 * postings, without a list per word. A generator, so that who builds a large index can let others work in between.
 */

import { type Stretch, wordGap } from '../../../words/folded-text.ts'
import { grown } from '../catalog/runs.ts'
import { type Block, cut, type Layout, toPosting } from './block.ts'
import { type ForwardIndex, RecordReader } from './forward-index.ts'
import type { InternedTexts } from './interned-texts.ts'
import { WordTable } from './word-table.ts'

/** Rows between two pauses: a few milliseconds. */
const stepRows = 4096

type Visit = (row: number, word: number, bit: number) => void

export function* buildBlocks(records: ForwardIndex, shared: InternedTexts): Generator<void, Block[]> {
  const walk = new Walk(records, shared)
  const seen = new Tally()
  yield* walk.rows((row, word) => seen.isNew(row, word))
  const order = yield* inOrder(walk.table)
  const layout = layoutOf(walk.table, order, seen)
  yield
  const written = Tally.from(startsOf(layout, order))
  yield* walk.rows((row, word, bit) => {
    const isNew = written.isNew(row, word)
    const at = written.count(word) - 1
    layout.postings[at] = isNew ? toPosting(row, bit) : (layout.postings[at] ?? 0) | bit
  })
  const blocks: Block[] = []
  for (const block of cut(layout)) {
    blocks.push(block)
    if (blocks.length % 16 === 0) yield
  }
  return blocks
}

/** Goes through every word of every row; words have the numbers of a table. */
class Walk {
  readonly table = new WordTable()
  readonly #records: ForwardIndex
  readonly #shared: InternedTexts
  readonly #sharedWords: number[][] = []
  /** The words that rows have to themselves, one after the other. */
  #numbers = new Uint32Array(4096)
  #seen = 0
  #at = 0

  constructor(records: ForwardIndex, shared: InternedTexts) {
    this.#records = records
    this.#shared = shared
  }

  *rows(visit: Visit): Generator<void> {
    const reader = new RecordReader()
    this.#at = 0
    for (let row = 0; row < this.#records.rowLimit; row++) {
      if (row % stepRows === stepRows - 1) yield
      if (!this.#records.open(row, reader)) continue
      while (reader.nextMention()) for (const word of this.#wordsOf(reader.text)) visit(row, word, reader.bit)
      while (reader.nextText()) this.#ownWords(row, reader, visit)
    }
  }

  #ownWords(row: number, { bytes, from: start, to: end, bit }: RecordReader, visit: Visit): void {
    for (let from = start; from < end; ) {
      let to = from
      while (to < end && bytes[to] !== wordGap) to++
      visit(row, this.#nextNumber({ bytes, from, to }), bit)
      from = to + 1
    }
  }

  /** Looked up in the first round only. */
  #nextNumber(word: Stretch): number {
    const at = this.#at++
    if (at < this.#seen) return this.#numbers[at] ?? 0
    if (at === this.#numbers.length) this.#numbers = grown(this.#numbers, at * 2)
    this.#seen++
    const number = this.table.numberOf(word)
    this.#numbers[at] = number
    return number
  }

  #wordsOf(text: number): number[] {
    const known = this.#sharedWords[text]
    if (known) return known
    const numbers = this.#shared.keysOf(text).map((key) => {
      const bytes = Buffer.from(key, 'latin1')
      return this.table.numberOf({ bytes, from: 0, to: bytes.length })
    })
    this.#sharedWords[text] = numbers
    return numbers
  }
}

/** In how many rows each word was seen, rows in ascending order. */
class Tally {
  /** Of each word the count, and beside it, where the processor has both at once, the row where it was seen last, plus one. */
  #cells = new Uint32Array(2048)

  /** Counts on from these. */
  static from(counts: Uint32Array): Tally {
    const tally = new Tally()
    tally.#cells = new Uint32Array(counts.length * 2)
    for (let word = 0; word < counts.length; word++) tally.#cells[word * 2] = counts[word] ?? 0
    return tally
  }

  /** Whether this is the first time that the row has the word. */
  isNew(row: number, word: number): boolean {
    while (word * 2 >= this.#cells.length) this.#cells = grown(this.#cells, this.#cells.length * 2)
    const cells = this.#cells
    if (cells[word * 2 + 1] === row + 1) return false
    cells[word * 2 + 1] = row + 1
    cells[word * 2] = (cells[word * 2] ?? 0) + 1
    return true
  }

  count(word: number): number {
    return this.#cells[word * 2] ?? 0
  }
}

/** The numbers of all words in the order of their bytes. Sorted apart by their first two bytes, so that no sort takes long. */
function* inOrder(table: WordTable): Generator<void, Uint32Array> {
  const groups = new Map<number, string[]>()
  for (let word = 0; word < table.count; word++) {
    const key = table.bytes.toString('latin1', table.start(word), table.ends[word])
    const beginning = key.charCodeAt(0) * 256 + (key.length > 1 ? key.charCodeAt(1) : 0)
    const group = groups.get(beginning)
    if (group) group.push(key)
    else groups.set(beginning, [key])
    if (word % (stepRows * 8) === 0) yield
  }
  const order = new Uint32Array(table.count)
  let at = 0
  for (const beginning of [...groups.keys()].sort((a, b) => a - b)) {
    for (const key of groups.get(beginning)?.sort() ?? []) {
      const bytes = Buffer.from(key, 'latin1')
      order[at++] = table.numberOf({ bytes, from: 0, to: bytes.length })
    }
    groups.delete(beginning)
    yield
  }
  return order
}

/** Words in order, with room for their postings. */
function layoutOf(table: WordTable, order: Uint32Array, seen: Tally): Layout {
  const keys = Buffer.allocUnsafeSlow(table.start(table.count))
  const keyEnds = new Uint32Array(order.length)
  const postingEnds = new Uint32Array(order.length)
  let keyEnd = 0
  let postingEnd = 0
  for (const [index, word] of order.entries()) {
    for (let from = table.start(word), to = table.ends[word] ?? 0; from < to; from++) keys[keyEnd++] = table.bytes[from] ?? 0
    keyEnds[index] = keyEnd
    postingEnd += seen.count(word)
    postingEnds[index] = postingEnd
  }
  return { keys, keyEnds, postings: new Uint32Array(postingEnd), postingEnds, wordCount: order.length }
}

/** Where the postings of each word begin, by the word's number. */
function startsOf({ postingEnds }: Layout, order: Uint32Array): Uint32Array {
  const starts = new Uint32Array(order.length)
  for (const [index, word] of order.entries()) starts[word] = index === 0 ? 0 : (postingEnds[index - 1] ?? 0)
  return starts
}
