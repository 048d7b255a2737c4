/**
 * The ways in which words of a library, written together, can say a typed word: `earthcore` is `earth` and `core`, or one word that
 * begins with `ear` and one that goes on. Nothing is kept for it: the dictionary is asked for every word that the typed one begins
 * with, and then for what can follow.
 */

import type { Key } from '../../../words/folded-text.ts'
import type { Dictionary, Slice } from './dictionary.ts'

/** Words that a row has to have, in one field: by their postings. Its record tells whether they stand side by side. */
export type Way = readonly (readonly Slice[])[]

/** Positions in typed words whose continuations are looked up, for each question: up to a tenth of a millisecond each. */
export const mostLookups = 256

/** Steps along the words of one clause: where more would be needed, the words found so far are the way. */
const mostSteps = 64

export const sizeOf = (slices: readonly Slice[]): number => slices.reduce((sum, { from, to }) => sum + to - from, 0)

interface SplitBounds {
  dictionary: Dictionary
  /** Rows that are sooner read than told apart by another word. */
  few: number
  /** Counts down from `mostLookups`. */
  lookups: { left: number }
}

/** How a typed word can go on from one position in it. */
interface Continuations {
  /** Every word that stands there and is not the last, with the position where it ends; undefined for words too long to look for. */
  parts: readonly { end: number | undefined; slices: readonly Slice[] }[]
  /** Words that begin with all that is left. */
  last: readonly Slice[]
}

/** Every row that says the typed word in two words or more has the words of one of the ways. */
export function waysOf(bounds: SplitBounds, typed: Key): Way[] {
  const search = new Search(bounds, typed)
  search.extend(0, [])
  return search.ways
}

class Search {
  readonly ways: Way[] = []
  readonly #bounds: SplitBounds
  readonly #typed: Key
  readonly #continuations = new Map<number, Continuations>()
  readonly #endings = new Map<number, boolean>()
  #steps = 0

  constructor(bounds: SplitBounds, typed: Key) {
    this.#bounds = bounds
    this.#typed = typed
  }

  /** Goes on from a position, behind the words of `way`. */
  extend(at: number, way: Way): void {
    const found = this.#steps++ < mostSteps ? this.#continuationsAt(at) : undefined
    if (!found) {
      this.ways.push(way)
      return
    }
    if (way.length > 0 && found.last.length > 0) this.ways.push([...way, found.last])
    for (const { end, slices } of found.parts) {
      const longer = [...way, slices]
      if (end === undefined || sizeOf(slices) <= this.#bounds.few) {
        if (end === undefined || this.#canEnd(end)) this.ways.push(longer)
      } else if (this.#canEnd(end)) this.extend(end, longer)
    }
  }

  /** Whether words of the library can say what is left; yes, where too much was looked up already. */
  #canEnd(at: number): boolean {
    const known = this.#endings.get(at)
    if (known !== undefined) return known
    const found = this.#continuationsAt(at)
    const can = !found || found.last.length > 0 || found.parts.some(({ end }) => end === undefined || this.#canEnd(end))
    this.#endings.set(at, can)
    return can
  }

  /** Undefined when too much was looked up already; never for the beginning. */
  #continuationsAt(at: number): Continuations | undefined {
    const known = this.#continuations.get(at)
    if (known) return known
    const { dictionary, lookups } = this.#bounds
    if (at > 0 && lookups.left-- <= 0) return undefined
    const rest = this.#typed.slice(at)
    const parts = dictionary.findBeginnings(rest).map(({ length, slices }) => ({ end: length && at + length, slices }))
    // At the beginning these are words that say it alone: no way of several.
    const found = { parts, last: at > 0 ? dictionary.find(rest, true) : [] }
    this.#continuations.set(at, found)
    return found
  }
}
