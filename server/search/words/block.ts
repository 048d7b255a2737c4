/**
 * A stretch of the dictionary: words in order, and for each the rows that say it. The postings of words that begin alike lie side by
 * side, so that looking for a prefix is one pass over an array.
 *
 * A posting is `row * 32 + fields`, where `fields` are the bits of where the word stands (forward-index.ts); without any it is dead. Rows
 * ascend within a word.
 */
import type { Key } from '../../../words/folded-text.ts'

/** Rows fit into what a posting leaves beside the bits of the fields. */
export const rowLimit = 2 ** 27

export const rowOf = (posting: number): number => posting >>> 5
export const fieldsIn = (posting: number): number => posting & 31
export const toPosting = (row: number, fields: number): number => ((row << 5) | fields) >>> 0

/** Words with their postings, in arrays that may be longer than what they hold. */
export interface Layout {
  keys: Buffer
  /** Where each word ends in `keys`. */
  keyEnds: Uint32Array
  postings: Uint32Array
  /** Where those of each word end. */
  postingEnds: Uint32Array
  wordCount: number
}

export class Block {
  readonly #layout: Layout
  readonly firstKey: Key
  /** Dead postings. */
  dead = 0

  constructor(layout: Layout) {
    this.#layout = layout
    this.firstKey = this.keyAt(0)
  }

  get wordCount(): number {
    return this.#layout.wordCount
  }

  get postings(): Uint32Array {
    return this.#layout.postings
  }

  keyStart(index: number): number {
    return index === 0 ? 0 : (this.#layout.keyEnds[index - 1] ?? 0)
  }

  postingStart(index: number): number {
    return index === 0 ? 0 : (this.#layout.postingEnds[index - 1] ?? 0)
  }

  keyAt(index: number): Key {
    return this.#layout.keys.toString('latin1', this.keyStart(index), this.keyStart(index + 1))
  }

  /** Puts the bytes of a word where they are wanted; gives where they end there. */
  copyKey(index: number, target: Buffer, at: number): number {
    const { keys } = this.#layout
    let next = at
    for (let from = this.keyStart(index), to = this.keyStart(index + 1); from < to; from++) target[next++] = keys[from] ?? 0
    return next
  }

  /** Negative: the word stands before the key; 0: it is the key. */
  compare(index: number, key: Key): number {
    const { keys } = this.#layout
    const from = this.keyStart(index)
    const length = this.keyStart(index + 1) - from
    for (let at = 0; at < length && at < key.length; at++) {
      const difference = (keys[from + at] ?? 0) - key.charCodeAt(at)
      if (difference !== 0) return difference
    }
    return length - key.length
  }

  /** The first word that does not stand before the key. */
  lowerBound(key: Key): number {
    let low = 0
    let high = this.wordCount
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.compare(middle, key) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Takes the word away from a row. False: the block does not say that the row has it. */
  kill(key: Key, row: number): boolean {
    const index = this.lowerBound(key)
    if (index === this.wordCount || this.compare(index, key) !== 0) return false
    const at = this.#find(row, this.postingStart(index), this.postingStart(index + 1))
    const posting = this.postings[at]
    if (posting === undefined || rowOf(posting) !== row || fieldsIn(posting) === 0) return false
    this.postings[at] = toPosting(row, 0)
    this.dead++
    return true
  }

  /** Where a row stands, or would, among the postings of one word; -1 beyond them. */
  #find(row: number, from: number, to: number): number {
    let low = from
    let high = to
    while (low < high) {
      const middle = (low + high) >>> 1
      if (rowOf(this.postings[middle] ?? 0) < row) low = middle + 1
      else high = middle
    }
    return low < to ? low : -1
  }
}

/** About as many postings as a block has when it is made: copying them takes a fraction of a millisecond. */
const blockPostings = 32_768

/** Cuts a layout into blocks of like size, between words. */
export function* cut(layout: Layout): Generator<Block> {
  const { wordCount, postingEnds } = layout
  const total = wordCount === 0 ? 0 : (postingEnds[wordCount - 1] ?? 0)
  const size = Math.ceil(total / Math.max(1, Math.floor(total / blockPostings)))
  for (let first = 0; first < wordCount; ) {
    const start = first === 0 ? 0 : (postingEnds[first - 1] ?? 0)
    let next = first + 1
    while (next < wordCount && (postingEnds[next - 1] ?? 0) - start < size) next++
    yield new Block(part(layout, first, next))
    first = next
  }
}

function part({ keys, keyEnds, postings, postingEnds }: Layout, first: number, next: number): Layout {
  const keyStart = first === 0 ? 0 : (keyEnds[first - 1] ?? 0)
  const postingStart = first === 0 ? 0 : (postingEnds[first - 1] ?? 0)
  const bytes = Buffer.allocUnsafeSlow((keyEnds[next - 1] ?? 0) - keyStart)
  keys.copy(bytes, 0, keyStart)
  return {
    keys: bytes,
    keyEnds: keyEnds.slice(first, next).map((end) => end - keyStart),
    postings: postings.slice(postingStart, postingEnds[next - 1]),
    postingEnds: postingEnds.slice(first, next).map((end) => end - postingStart),
    wordCount: next - first,
  }
}
