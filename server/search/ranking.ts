/** How good a match is, and the matches of one question with what each is worth. */
import { fieldsIn, rowOf } from './block.ts'
import type { Dictionary, Slice } from './dictionary.ts'
import { absent, findIn, type Pattern, toKey, toPattern, whole } from './folded-text.ts'
import type { Question } from './question.ts'
import { type Field, fieldBits, RecordReader, type Records } from './records.ts'
import type { SharedTexts } from './shared-texts.ts'

/**
 * What a weight is made of. Every word of the question is worth what it is worth in the best place where it stands:
 *
 *                                 name  category  tags  pack  comments
 *   the whole word                  64        32    16     8         4
 *   the beginning of a word         48        24    12     6         3
 *
 * Words that follow one another (quoted, or in a script without spaces) are worth as much each as the place where they do. A row's
 * weight is the sum over the words, and one more when its name says just what was asked and nothing else. A score is the weight as
 * a share of the best that the question could reach.
 */
const fieldWeights: Record<Field, number> = { name: 64, category: 32, tags: 16, pack: 8, comments: 4 }
const begunShare = 0.75

const fieldNames = Object.keys(fieldBits) as Field[]

/** For every set of fields the weight of its best, for whole words and for beginnings; 0 for no field at all. */
const weighed = (share: number): Uint8Array =>
  Uint8Array.from({ length: 2 ** fieldNames.length }, (_, fields) =>
    Math.max(0, ...fieldNames.map((name) => (fields & fieldBits[name] ? fieldWeights[name] * share : 0))),
  )
const wholeWeights = weighed(1)
const begunWeights = weighed(begunShare)

/** All that is known of the words of one library. */
export interface Library {
  dictionary: Dictionary
  records: Records
  shared: SharedTexts
  /** How many words the name of each row has, up to 255. */
  nameWords: Uint8Array
}

/** Every row that matches, ascending, not yet filtered or cut. Good until the next change of the library. */
export interface Hits {
  rows: Uint32Array
  /** Parallel to `rows`; higher is better. Small, so that the best are found by counting. */
  weights: Uint16Array
  /** Above 0, at most 1. */
  scoreOf(weight: number): number
  /** Where a row says what was asked, strongest first. */
  fieldsOf(row: number): Field[]
}

export function findHits(library: Library, question: Question): Hits {
  const weighing = new Weighing(library, question)
  const { rows, weights } = match(library, question, weighing)
  const best = fieldWeights.name * question.wordCount + 1
  return {
    rows,
    weights,
    scoreOf: (weight) => weight / best,
    fieldsOf: (row) => weighing.fieldsOf(row),
  }
}

type Found = Pick<Hits, 'rows' | 'weights'>
const nothing: Found = { rows: new Uint32Array(), weights: new Uint16Array() }

/** One word to be found by its postings. */
interface Leg {
  slices: Slice[]
  size: number
}

/** Reading the record of a row takes about as long for each clause as passing this many postings. */
const postingsPerClause = 64

/** Passes along the postings of the words, rarest first, until few rows are left; those are weighed by what they say. */
function match(library: Library, question: Question, weighing: Weighing): Found {
  const legs = legsOf(library.dictionary, question)
  const marks = new Marks(library.nameWords)
  let rest = legs.reduce((sum, { size }) => sum + size, 0)
  for (const [passed, leg] of legs.entries()) {
    if (passed > 0 && marks.left * question.clauses.length * postingsPerClause < rest) return weighing.only(marks.rows())
    for (const slice of leg.slices) marks.see(slice)
    marks.pass(passed === 0)
    if (marks.left === 0) return nothing
    rest -= leg.size
  }
  return question.clauses.every(({ words }) => words.length === 1) ? marks.found(question) : weighing.only(marks.rows())
}

/** The words that must be there, each once, rarest first. */
function legsOf(dictionary: Dictionary, { clauses }: Question): Leg[] {
  const legs = new Map<string, Leg>()
  for (const { words, open } of clauses) {
    for (const [index, word] of words.entries()) {
      const isOpen = open && index === words.length - 1
      const name = `${isOpen} ${word}`
      if (legs.has(name)) continue
      const slices = dictionary.find(toKey(word), isOpen)
      legs.set(name, { slices, size: slices.reduce((sum, { from, to }) => sum + to - from, 0) })
    }
  }
  return [...legs.values()].sort((a, b) => a.size - b.size)
}

/** For every library of the process the same: a question is answered without a pause. */
let room = { seen: new Uint8Array(0), sums: new Uint16Array(0) }

/**
 * What every row is worth so far. The loops along all rows and all postings are the whole work of a common word: they take no branches
 * that a processor would guess wrong, and `seen` stays in its nearest cache.
 */
class Marks {
  /** What the word looked for now is worth in each row. */
  readonly #seen: Uint8Array
  /** What the words before are worth together; 0 where one of them is not. */
  readonly #sums: Uint16Array
  readonly #nameWords: Uint8Array
  /** Rows that had every word so far. */
  left = 0

  constructor(nameWords: Uint8Array) {
    const { length } = nameWords
    if (room.seen.length < length) room = { seen: new Uint8Array(length * 1.25), sums: new Uint16Array(length * 1.25) }
    this.#nameWords = nameWords
    this.#seen = room.seen.subarray(0, length).fill(0)
    this.#sums = room.sums.subarray(0, length)
  }

  see({ postings, from, to, exact }: Slice): void {
    const weights = exact ? wholeWeights : begunWeights
    const seen = this.#seen
    for (let at = from; at < to; at++) {
      const posting = postings[at] as number
      const weight = weights[fieldsIn(posting)] as number
      const row = rowOf(posting)
      if (weight > (seen[row] as number)) seen[row] = weight
    }
  }

  /** Adds what was seen to what was summed, where both are. */
  pass(isFirst: boolean): void {
    const seen = this.#seen
    const sums = this.#sums
    if (isFirst) sums.set(seen)
    let left = 0
    for (let row = 0; row < seen.length; row++) {
      const weight = seen[row] as number
      const sum = sums[row] as number
      const has = isSome(weight) & isSome(sum)
      left += has
      if (!isFirst) sums[row] = (sum + weight) & -has
    }
    this.left = left
    seen.fill(0)
  }

  rows(): Uint32Array {
    const rows = new Uint32Array(this.left + 1)
    const sums = this.#sums
    let at = 0
    for (let row = 0; row < sums.length; row++) {
      rows[at] = row
      at += isSome(sums[row] as number)
    }
    return rows.subarray(0, at)
  }

  found({ wordCount }: Question): Found {
    const rows = this.rows()
    const weights = new Uint16Array(rows.length)
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at] as number
      weights[at] = withWholeName(this.#sums[row] as number, this.#nameWords[row] as number, wordCount)
    }
    return { rows, weights }
  }
}

/** 1 for 1 to 65,536; 0 for 0. */
const isSome = (value: number): number => (value + 0xffff) >>> 16

/** One more, when every word is whole in the name, and the name has as many. */
const withWholeName = (weight: number, nameWords: number, wordCount: number): number =>
  weight + ((((weight ^ (fieldWeights.name * wordCount)) | (nameWords ^ wordCount)) - 1) >>> 31)

/** Weighs rows for one question by what they say: slower than along postings, and able to follow the order of words. */
class Weighing {
  readonly #library: Library
  readonly #question: Question
  readonly #patterns: readonly Pattern[]
  /** Per clause, how well each shared text says it, plus one; 0 before it was looked at. */
  readonly #known: readonly Uint8Array[]
  readonly #reader = new RecordReader()
  #fields = 0
  #weight = 0

  constructor(library: Library, question: Question) {
    this.#library = library
    this.#question = question
    this.#patterns = question.clauses.map(({ words, open }) => toPattern(words, open))
    this.#known = question.clauses.map(() => new Uint8Array(library.shared.size))
  }

  /** Those of the rows that match. */
  only(rows: Uint32Array): Found {
    const { nameWords } = this.#library
    const weights = new Uint16Array(rows.length)
    let kept = 0
    for (const row of rows) {
      const weight = this.#weigh(row)
      if (weight === 0) continue
      rows[kept] = row
      weights[kept++] = withWholeName(weight, nameWords[row] ?? 0, this.#question.wordCount)
    }
    return { rows: rows.subarray(0, kept), weights: weights.subarray(0, kept) }
  }

  fieldsOf(row: number): Field[] {
    let fields = 0
    for (let clause = 0; clause < this.#patterns.length; clause++) {
      this.#look(row, clause)
      fields |= this.#fields
    }
    return fieldNames.filter((name) => fields & fieldBits[name])
  }

  /** 0 when a clause is nowhere in the row. */
  #weigh(row: number): number {
    let sum = 0
    for (const [clause, { words }] of this.#question.clauses.entries()) {
      this.#look(row, clause)
      if (this.#fields === 0) return 0
      sum += this.#weight * words.length
    }
    return sum
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
    const known = this.#known[clause]
    if (known?.[text]) return known[text] - 1
    const bytes = this.#library.shared.bytesOf(text)
    const found = findIn({ bytes, from: 0, to: bytes.length }, pattern)
    if (known) known[text] = found + 1
    return found
  }
}
