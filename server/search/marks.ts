/** What every row of a library is worth, while a question passes along the postings. */
import { fieldsIn, rowOf } from './block.ts'
import type { Slice } from './dictionary.ts'
import type { Leg } from './legs.ts'
import type { Question } from './question.ts'
import { begunWeights, wholeWeights, withWholeName } from './weights.ts'

/** Rows, ascending, and what each is worth. */
export interface Weighed {
  rows: Uint32Array
  /** Parallel to `rows`; higher is better. Small, so that the best are found by counting. */
  weights: Uint16Array
}

/** For every library of the process the same: a question is answered without a pause. */
let room = { seen: new Uint8Array(0), also: new Uint8Array(0), sums: new Uint16Array(0) }

/**
 * What every row is worth so far. The loops along all rows and all postings are the whole work of a common word: they take no branches
 * that a processor would guess wrong, and `seen` stays in its nearest cache.
 */
export class Marks {
  /** What the clause looked for now is worth in each row; of several words, the fields that have all of them. */
  readonly #seen: Uint8Array
  /** The fields that have one more word. */
  readonly #also: Uint8Array
  /** What the clauses before are worth together; 0 where one of them is not. */
  readonly #sums: Uint16Array
  readonly #nameWords: Uint8Array
  /** Rows that had every clause so far. */
  left = 0

  constructor(nameWords: Uint8Array) {
    const { length } = nameWords
    if (room.seen.length < length) room = roomFor(Math.ceil(length * 1.25))
    this.#nameWords = nameWords
    this.#seen = room.seen.subarray(0, length).fill(0)
    this.#also = room.also.subarray(0, length)
    this.#sums = room.sums.subarray(0, length)
  }

  see({ words }: Leg): void {
    const [rarest = [], ...others] = words
    for (const slice of rarest) {
      if (others.length === 0) this.#seeWeights(slice)
      else seeFields(this.#seen, slice)
    }
    for (const slices of others) {
      this.#also.fill(0)
      for (const slice of slices) seeFields(this.#also, slice)
      this.#seeTogether()
    }
  }

  #seeTogether(): void {
    const seen = this.#seen
    const also = this.#also
    for (let row = 0; row < seen.length; row++) seen[row] = (seen[row] as number) & (also[row] as number)
  }

  #seeWeights({ postings, from, to, exact }: Slice): void {
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

  found({ wordCount }: Question): Weighed {
    const rows = this.rows()
    const weights = new Uint16Array(rows.length)
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at] as number
      weights[at] = withWholeName(this.#sums[row] as number, this.#nameWords[row] as number, wordCount)
    }
    return { rows, weights }
  }
}

const roomFor = (rows: number): typeof room => ({
  seen: new Uint8Array(rows),
  also: new Uint8Array(rows),
  sums: new Uint16Array(rows),
})

function seeFields(seen: Uint8Array, { postings, from, to }: Slice): void {
  for (let at = from; at < to; at++) {
    const posting = postings[at] as number
    const row = rowOf(posting)
    seen[row] = (seen[row] as number) | fieldsIn(posting)
  }
}

/** 1 for 1 to 65,536; 0 for 0. */
const isSome = (value: number): number => (value + 0xffff) >>> 16
