/**
 * Every word of a library in order, with the rows that say it: blocks, and beside them what came since, which is folded in one
 * block at a time. A change costs microseconds, whatever the size of the library; what is asked sees it at once.
 */

import type { Key } from '../../../words/folded-text.ts'
import { type Block, rowOf, toPosting } from './block.ts'
import { type Addition, merge } from './merge.ts'

/** Postings of one word, or of all words that begin alike: where they lie. `exact` when they are of the very word asked for. */
export interface Slice {
  postings: Uint32Array
  from: number
  to: number
  exact: boolean
}

/** A pass of folding goes once along the blocks, with the words that were new when it began. */
interface FoldingPass {
  /** Not in order yet. */
  unsorted: Key[]
  /** Each in order, taken along one beside the other. */
  runs: Run[]
  nextBlock: number
}

interface Run {
  keys: readonly Key[]
  next: number
}

/** Sorting so many words takes some milliseconds. */
const runKeys = 4096
/** Changes come by the hundred without a pause: a step of folding with each of them would take a hundred milliseconds. */
const changesPerStep = 32

/** Postings that came or died before a pass begins. Few enough to be looked through by every question. */
const mostUnfolded = 32_768
const fewUnfolded = 2048

/** Bytes of the longest word that is looked for where another follows it. */
const longestPart = 64

/** No byte of UTF-8 is as high: behind every word that begins so. */
const last = '\xff'

export class Dictionary {
  #blocks: Block[]
  #postingCount: number
  /** Live postings that no block has yet. */
  readonly #recent = new Map<Key, number[]>()
  #recentCount = 0
  #deadCount = 0
  #pass: FoldingPass | undefined
  #changesSinceStep = 0

  constructor(blocks: Block[]) {
    this.#blocks = blocks
    this.#postingCount = blocks.reduce((sum, { postings }) => sum + postings.length, 0)
  }

  /** The row does not have the word yet. */
  add(key: Key, row: number, fields: number): void {
    const postings = this.#recent.get(key)
    if (postings) postings.push(toPosting(row, fields))
    else this.#recent.set(key, [toPosting(row, fields)])
    this.#recentCount++
    this.#postingCount++
  }

  /** The row has the word. */
  remove(key: Key, row: number): void {
    this.#postingCount--
    if (this.#removeRecent(key, row)) return
    const block = this.#blocks[this.#blockOf(key)]
    if (!block?.kill(key, row)) throw new Error(`row ${row} does not have the word it should give up`)
    this.#deadCount++
  }

  #removeRecent(key: Key, row: number): boolean {
    const postings = this.#recent.get(key)
    const at = postings?.findIndex((posting) => rowOf(posting) === row) ?? -1
    if (!postings || at < 0) return false
    postings.splice(at, 1)
    if (postings.length === 0) this.#recent.delete(key)
    this.#recentCount--
    return true
  }

  /** Where the postings of a word lie, and where `open` those of every word that begins with it. Good until the next change. */
  find(key: Key, open: boolean): Slice[] {
    const slices: Slice[] = []
    for (let number = this.#blockOf(key); number < this.#blocks.length; number++) {
      const block = this.#blocks[number]
      if (!block) break
      const first = block.lowerBound(key)
      const exact = first < block.wordCount && block.compare(first, key) === 0
      const begins = exact ? first + 1 : first
      if (exact) slices.push(sliceOf(block, first, { to: begins, exact: true }))
      if (!open) break
      const end = block.lowerBound(key + last)
      if (begins < end) slices.push(sliceOf(block, begins, { to: end, exact: false }))
      if (end < block.wordCount) break
    }
    return [...slices, ...this.#findRecent(key, open)]
  }

  /**
   * The postings of every word that a text begins with and goes on after, shortest first. Behind `longestPart` bytes there is no
   * telling words apart: those of all that begin alike, without a length.
   */
  findBeginnings(text: Key): { length: number | undefined; slices: Slice[] }[] {
    const found: { length: number | undefined; slices: Slice[] }[] = []
    let isInBlocks = true
    for (let length = 1; length < text.length && length <= longestPart; length++) {
      const word = text.slice(0, length)
      isInBlocks &&= this.#beginsWord(word)
      const slices = isInBlocks ? this.find(word, false) : this.#findRecent(word, false)
      if (slices.length > 0) found.push({ length, slices })
    }
    if (text.length <= longestPart) return found
    const slices = this.find(text.slice(0, longestPart + 1), true)
    return slices.length === 0 ? found : [...found, { length: undefined, slices }]
  }

  /** Whether a block has a word that begins so. */
  #beginsWord(key: Key): boolean {
    const number = this.#blockOf(key)
    const block = this.#blocks[number]
    const first = block?.lowerBound(key) ?? 0
    const word = block && first < block.wordCount ? block.keyAt(first) : this.#blocks[number + 1]?.firstKey
    return word?.startsWith(key) ?? false
  }

  #findRecent(key: Key, open: boolean): Slice[] {
    const exact = this.#recent.get(key) ?? []
    const begun: number[] = []
    if (open)
      for (const [word, postings] of this.#recent)
        if (word.length > key.length && word.startsWith(key)) for (const posting of postings) begun.push(posting)
    return [toSlice(exact, true), toSlice(begun, false)].filter(({ to }) => to > 0)
  }

  /** The block where a word stands or would stand; 0 for a word before all of them. */
  #blockOf(key: Key): number {
    let low = 0
    let high = this.#blocks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#blocks[middle]?.firstKey ?? '') <= key) low = middle + 1
      else high = middle
    }
    return Math.max(0, low - 1)
  }

  /** To be called after each change: when much is unfolded, folds a part of it in now and then, of which no part takes long. */
  tend(): void {
    const bound = Math.min(mostUnfolded, Math.max(fewUnfolded, this.#postingCount >>> 6))
    if (!this.#pass && this.#recentCount + this.#deadCount <= bound) return
    this.#pass ??= { unsorted: [...this.#recent.keys()], runs: [], nextBlock: 0 }
    if (++this.#changesSinceStep < changesPerStep) return
    this.#changesSinceStep = 0
    const { unsorted, runs } = this.#pass
    if (unsorted.length > 0) runs.push({ keys: unsorted.splice(-runKeys).sort(), next: 0 })
    else if (!this.#step(this.#pass)) this.#pass = undefined
  }

  /** Folds in what belongs to the next block that has anything to fold; false at the end of the pass. */
  #step(pass: FoldingPass): boolean {
    while (pass.nextBlock < Math.max(1, this.#blocks.length)) {
      const block = this.#blocks[pass.nextBlock]
      const additions = this.#takeBefore(this.#blocks[pass.nextBlock + 1]?.firstKey, pass)
      if (additions.length === 0 && !block?.dead) {
        pass.nextBlock++
        continue
      }
      const merged = merge(block, additions)
      this.#deadCount -= block?.dead ?? 0
      this.#blocks.splice(pass.nextBlock, 1, ...merged)
      pass.nextBlock += merged.length
      return true
    }
    return false
  }

  /** Takes recent words of the pass away, up to the first of the following block; in order. */
  #takeBefore(end: Key | undefined, { runs }: FoldingPass): Addition[] {
    const taken: Addition[] = []
    for (const run of runs) {
      for (; run.next < run.keys.length; run.next++) {
        const key = run.keys[run.next] ?? ''
        if (end !== undefined && key >= end) break
        const postings = this.#recent.get(key)
        if (!postings) continue
        this.#recent.delete(key)
        this.#recentCount -= postings.length
        taken.push({ key, postings })
      }
    }
    return taken.sort((a, b) => (a.key < b.key ? -1 : 1))
  }
}

const sliceOf = (block: Block, first: number, { to, exact }: { to: number; exact: boolean }): Slice => ({
  postings: block.postings,
  from: block.postingStart(first),
  to: block.postingStart(to),
  exact,
})

const toSlice = (postings: readonly number[], exact: boolean): Slice => ({
  postings: Uint32Array.from(postings),
  from: 0,
  to: postings.length,
  exact,
})
