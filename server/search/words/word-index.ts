/** The words of one library: which rows say what was asked, and how well (spec 4.2; contract-gaps 6). In memory, without database. */

import { type Key, toKey } from '../../../words/folded-text.ts'
import type { Question } from '../../../words/query-words.ts'
import { wordsOf } from '../../../words/tokenizer.ts'
import { grown } from '../catalog/runs.ts'
import { rowLimit } from './block.ts'
import { buildBlocks } from './build.ts'
import { Dictionary } from './dictionary.ts'
import { ForwardIndex, fieldBits, type Mention, RecordReader } from './forward-index.ts'
import { InternedTexts } from './interned-texts.ts'
import { findHits, type Hits } from './match.ts'
import { longestName } from './weights.ts'

export type { Hits } from './match.ts'

/** What a row says. */
export interface WordFields {
  name: string
  otherNames?: readonly string[]
  category: string | null
  tags: readonly string[]
  pack: string
  comments: readonly string[]
}

/**
 * The most characters of an entry's comments that are searched, from the first on: so that one more comment under the most discussed
 * entry takes no longer than a moment.
 */
export const mostCommentCharacters = 100_000

/**
 * Words of rows 0, 1, 2, … as the catalog numbers them; numbers may be left out and used again. Before anything is asked, rows are
 * only taken down, in any order; the first question settles them. From then on each change is taken in by itself.
 */
export class WordIndex {
  readonly #records = new ForwardIndex()
  readonly #shared = new InternedTexts()
  readonly #reader = new RecordReader()
  /** How long each name is, as questions need it (scoring.ts); longer than there are rows. */
  #nameLengths = new Uint8Array(1024)
  #rowCount = 0
  #dictionary: Dictionary | undefined
  #changes = 0

  /** Replaces what the row said. */
  set(row: number, fields: WordFields): void {
    if (!(row >= 0 && row < rowLimit)) throw new RangeError(`a library has rows 0 to ${rowLimit - 1}; ${row} is none of them`)
    this.#change(row, () => this.#write(row, fields))
  }

  remove(row: number): void {
    this.#change(row, () => this.#records.clear(row))
  }

  /** Makes the dictionary of all rows so far, in steps of milliseconds; between two of them others may work. Begins anew when a row changes. */
  *settle(): Generator<void> {
    while (!this.#dictionary) {
      const changes = this.#changes
      const blocks = yield* buildBlocks(this.#records, this.#shared)
      if (changes === this.#changes) this.#dictionary ??= new Dictionary(blocks)
    }
  }

  /** Every row that matches: all clauses, each in whatever field. */
  ask(question: Question): Hits {
    const nameLengths = this.#nameLengths.subarray(0, this.#rowCount)
    return findHits({ dictionary: this.#settled(), records: this.#records, shared: this.#shared, nameLengths }, question)
  }

  #settled(): Dictionary {
    const steps = this.settle()
    while (!this.#dictionary) steps.next()
    return this.#dictionary
  }

  /** Writes another record for the row, and tells the dictionary of the words that came and went. */
  #change(row: number, write: () => void): void {
    this.#changes++
    const dictionary = this.#dictionary
    const mentions = this.#mentionsOf(row)
    const before = dictionary && this.#wordsOf(row)
    write()
    if (dictionary && before) exchange(dictionary, row, { before, after: this.#wordsOf(row) })
    for (const text of mentions) this.#shared.drop(text)
    dictionary?.tend()
  }

  #write(row: number, { name, otherNames = [], category, tags, pack, comments }: WordFields): void {
    const words = wordsOf(name)
    const mentions = tags.map((tag) => this.#mention(tag, fieldBits.tags))
    if (category !== null) mentions.push(this.#mention(category, fieldBits.category))
    mentions.push(this.#mention(pack, fieldBits.pack))
    const names = [toText(words), ...otherNames.map((other) => toText(wordsOf(other)))]
    this.#records.put(row, mentions, { names, comments: searched(comments).map((comment) => toText(wordsOf(comment))) })
    this.#rowCount = Math.max(this.#rowCount, row + 1)
    if (row >= this.#nameLengths.length)
      this.#nameLengths = grown(this.#nameLengths, Math.max(row + 1, this.#nameLengths.length * 2))
    this.#nameLengths[row] = Math.min(Buffer.byteLength(words.join('')), longestName)
  }

  #mention(text: string, bit: number): Mention {
    return { text: this.#shared.take(text), bit }
  }

  #mentionsOf(row: number): number[] {
    const texts: number[] = []
    if (this.#records.open(row, this.#reader)) while (this.#reader.nextMention()) texts.push(this.#reader.text)
    return texts
  }

  /** The words of a row, and the fields where each stands. */
  #wordsOf(row: number): Map<Key, number> {
    const words = new Map<Key, number>()
    const reader = this.#reader
    if (!this.#records.open(row, reader)) return words
    while (reader.nextMention())
      for (const key of this.#shared.keysOf(reader.text)) words.set(key, (words.get(key) ?? 0) | reader.bit)
    while (reader.nextText()) for (const key of reader.keys()) words.set(key, (words.get(key) ?? 0) | reader.bit)
    return words
  }
}

interface Exchange {
  before: ReadonlyMap<Key, number>
  after: ReadonlyMap<Key, number>
}

function exchange(dictionary: Dictionary, row: number, { before, after }: Exchange): void {
  for (const [key, fields] of before) if (after.get(key) !== fields) dictionary.remove(key, row)
  for (const [key, fields] of after) if (before.get(key) !== fields) dictionary.add(key, row, fields)
}

const toText = (words: readonly string[]): string => toKey(words.join(' '))

/** The comments as far as they are searched. */
function searched(comments: readonly string[]): string[] {
  let left = mostCommentCharacters
  return comments.flatMap((comment) => {
    const kept = comment.slice(0, Math.max(0, left))
    left -= comment.length
    return kept === '' ? [] : [kept]
  })
}
