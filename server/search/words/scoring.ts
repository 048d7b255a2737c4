/** What rows are worth by what they say, word after word. */
import { wordFields } from '../../../contract/entries.ts'
import { absent, findIn, type Pattern, toPattern, whole } from '../../../words/folded-text.ts'
import type { Question } from '../../../words/query-words.ts'
import { type Field, type ForwardIndex, fieldBits, RecordReader } from './forward-index.ts'
import type { InternedTexts } from './interned-texts.ts'
import { begunWeights, type WholeName, wholeNameOf, wholeWeights, withWholeName } from './weights.ts'

/** What the rows of a library say. */
export interface Said {
  records: ForwardIndex
  shared: InternedTexts
  /** How long the name of each row is, in bytes of its words without gaps, up to `longestName`. */
  nameLengths: Uint8Array
}

/** Weighs rows for one question by what they say: slower than along postings, and able to follow the order of words. */
export class RecordScoring {
  readonly wholeName: WholeName
  readonly #library: Said
  readonly #question: Question
  readonly #patterns: readonly Pattern[]
  /** Per clause, how well each shared text says it, plus one; 0 before it was looked at. */
  readonly #known: Uint8Array[] = []
  readonly #reader = new RecordReader()
  #fields = 0
  #weight = 0

  constructor(library: Said, question: Question) {
    this.#library = library
    this.#question = question
    this.wholeName = wholeNameOf(question)
    this.#patterns = question.clauses.map(({ words, open }) => toPattern(words, open))
  }

  /** Those of the rows that match. */
  only(rows: Uint32Array): Scored {
    const weights = new Uint16Array(rows.length)
    let kept = 0
    for (const row of rows) {
      const weight = this.weightOf(row)
      if (weight === 0) continue
      rows[kept] = row
      weights[kept++] = weight
    }
    return { rows: rows.subarray(0, kept), weights: weights.subarray(0, kept) }
  }

  fieldsOf(row: number): Field[] {
    let fields = 0
    for (let clause = 0; clause < this.#patterns.length; clause++) {
      this.#look(row, clause)
      fields |= this.#fields
    }
    return wordFields.filter((name) => fields & fieldBits[name])
  }

  /** 0 when a clause is nowhere in the row. */
  weightOf(row: number): number {
    let sum = 0
    const { clauses } = this.#question
    for (let clause = 0; clause < clauses.length; clause++) {
      this.#look(row, clause)
      if (this.#fields === 0) return 0
      sum += this.#weight * (clauses[clause]?.words.length ?? 0)
    }
    return withWholeName(sum, this.#library.nameLengths[row] ?? 0, this.wholeName)
  }

  /** Looks for one clause in all that a row says: leaves the fields that say it in `#fields`, the best of them in `#weight`. */
  #look(row: number, clause: number): void {
    const pattern = this.#patterns[clause]
    const reader = this.#reader
    this.#fields = 0
    this.#weight = 0
    if (!pattern || !this.#library.records.open(row, reader)) return
    while (reader.nextMention()) this.#take(this.#inShared(reader.text, clause, pattern), reader.bit)
    while (reader.nextText()) this.#take(findIn(reader, pattern), reader.bit)
  }

  #take(found: number, bit: number): void {
    if (found === absent) return
    this.#fields |= bit
    this.#weight = Math.max(this.#weight, (found === whole ? wholeWeights : begunWeights)[bit] ?? 0)
  }

  #inShared(text: number, clause: number, pattern: Pattern): number {
    const { shared } = this.#library
    const known = this.#known[clause] ?? new Uint8Array(shared.size)
    this.#known[clause] = known
    if (known[text]) return known[text] - 1
    const bytes = shared.bytesOf(text)
    const found = findIn({ bytes, from: 0, to: bytes.length }, pattern)
    known[text] = found + 1
    return found
  }
}

/** Rows, ascending, and what each is worth. */
export interface Scored {
  rows: Uint32Array
  /** Parallel to `rows`; higher is better. Small, so that the best are found by counting. */
  weights: Uint16Array
}
