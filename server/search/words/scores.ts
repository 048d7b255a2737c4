/** What every row of a library is worth, while a question passes along the postings, and which only their records can tell. */

import { bestWord } from '../../../words/field-weights.ts'
import { fieldsIn, rowOf } from './block.ts'
import type { Slice } from './dictionary.ts'
import type { PlanStep } from './query-plan.ts'
import type { RecordScoring, Scored } from './scoring.ts'
import type { Way } from './splits.ts'
import { begunWeights, wholeWeights, withWholeName } from './weights.ts'

/** For every library of the process the same: a question is answered without a pause. */
let room = { seen: new Uint8Array(0), also: new Uint8Array(0), sums: new Uint16Array(0) }

/**
 * What every row is worth so far. The loops along all rows and all postings are the whole work of a common word: they take no branches
 * that a processor would guess wrong, and `seen` stays in its nearest cache.
 */
export class Scores {
  /** What a word of the clause looked for now is worth in each row, and `doubtful` where its record may say more. */
  readonly #seen: Uint8Array
  /** The fields that have one word of a way; else 0. */
  readonly #also: Uint8Array
  /** What the clauses before are worth together, and `doubtfulSum` where one of them is doubtful; 0 where one of them is not. */
  readonly #sums: Uint16Array
  readonly #nameLengths: Uint8Array
  /** Rows that had every clause so far. */
  left = 0

  constructor(nameLengths: Uint8Array) {
    const { length } = nameLengths
    if (room.seen.length < length) room = roomFor(Math.ceil(length * 1.25))
    this.#nameLengths = nameLengths
    this.#seen = room.seen.subarray(0, length).fill(0)
    this.#also = room.also.subarray(0, length).fill(0)
    this.#sums = room.sums.subarray(0, length)
  }

  see({ alone, ways }: PlanStep): void {
    for (const slice of alone) this.#seeWeights(slice)
    for (const way of ways) this.#doubt(way)
  }

  /** Rows that have the two rarest words of a way in one field. Not those that are worth the most already. */
  #doubt([rarest = [], other = rarest]: Way): void {
    const also = this.#also
    const seen = this.#seen
    for (const slice of rarest) seeFields(also, slice)
    for (const { postings, from, to } of other) {
      for (let at = from; at < to; at++) {
        const posting = postings[at] as number
        const row = rowOf(posting)
        const worth = seen[row] as number
        const isBest = worth & bestWord
        seen[row] = worth | ((isSome((also[row] as number) & fieldsIn(posting)) * doubtful) & ~(isBest << 1))
      }
    }
    for (const { postings, from, to } of rarest) for (let at = from; at < to; at++) also[rowOf(postings[at] as number)] = 0
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

  /** Adds what was seen, for so many words, to what was summed, where both are. */
  pass(words: number, isFirst: boolean): void {
    const seen = this.#seen
    const sums = this.#sums
    if (isFirst) sums.fill(neutral)
    let left = 0
    for (let row = 0; row < seen.length; row++) {
      const worth = seen[row] as number
      const sum = sums[row] as number
      const has = isSome(worth) & isSome(sum)
      left += has
      sums[row] = (((sum & ~neutral) + (worth & ~doubtful) * words) | ((worth & doubtful) * doubtfulShift)) & -has
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

  found(scoring: RecordScoring): Scored {
    const rows = this.rows()
    const weights = new Uint16Array(rows.length)
    const { wholeName } = scoring
    const sums = this.#sums
    const nameLengths = this.#nameLengths
    let kept = 0
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at] as number
      const sum = sums[row] as number
      const weight = sum >= doubtfulSum ? scoring.weightOf(row) : withWholeName(sum, nameLengths[row] as number, wholeName)
      rows[kept] = row
      weights[kept] = weight
      kept += isSome(weight)
    }
    return { rows: rows.subarray(0, kept), weights: weights.subarray(0, kept) }
  }
}

/** Beside what a word is worth, which is at most `bestWord`; and beside what 128 words are. */
const doubtful = 128
const doubtfulSum = 2 ** 15
const doubtfulShift = doubtfulSum / doubtful
/** A sum of nothing yet, in rows that have all of no clauses. */
const neutral = 2 ** 14

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
