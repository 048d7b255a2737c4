/**
 * The ways in which words of a library, written together, can say a typed word: `earthcore` is `earth` and `core`, or one word that
 * begins with `ear` and one that goes on. Nothing is kept for it: the dictionary is asked for every word that the typed one begins
 * with, and then for what can follow.
 */
import type { Dictionary, Slice } from './dictionary.ts'
import type { Key } from './folded-text.ts'

/** Words that a row has to have, in one field: by their postings. Its record tells whether they stand side by side. */
export type Way = readonly (readonly Slice[])[]

/** Places in typed words whose continuations are looked up, for each question: up to a tenth of a millisecond each. */
export const mostPlaces = 256

/** Steps along the words of one clause: where more would be needed, the words found so far are the way. */
const mostSteps = 64

export const sizeOf = (slices: readonly Slice[]): number => slices.reduce((sum, { from, to }) => sum + to - from, 0)

interface Asked {
  dictionary: Dictionary
  /** Rows that are sooner read than told apart by another word. */
  few: number
  /** Counts down from `mostPlaces`. */
  places: { left: number }
}

/** How a typed word can go on from one place in it. */
interface Place {
  /** Every word that stands there and is not the last, with the place where it ends; undefined for words too long to look for. */
  parts: readonly { end: number | undefined; slices: readonly Slice[] }[]
  /** Words that begin with all that is left. */
  last: readonly Slice[]
}

/** Every row that says the typed word in two words or more has the words of one of the ways. */
export function waysOf(asked: Asked, typed: Key): Way[] {
  const search = new Search(asked, typed)
  search.extend(0, [])
  return search.ways
}

class Search {
  readonly ways: Way[] = []
  readonly #asked: Asked
  readonly #typed: Key
  readonly #places = new Map<number, Place>()
  readonly #endings = new Map<number, boolean>()
  #steps = 0

  constructor(asked: Asked, typed: Key) {
    this.#asked = asked
    this.#typed = typed
  }

  /** Goes on from a place, behind the words of `way`. */
  extend(at: number, way: Way): void {
    const place = this.#steps++ < mostSteps ? this.#placeAt(at) : undefined
    if (!place) {
      this.ways.push(way)
      return
    }
    if (way.length > 0 && place.last.length > 0) this.ways.push([...way, place.last])
    for (const { end, slices } of place.parts) {
      const longer = [...way, slices]
      if (end === undefined || sizeOf(slices) <= this.#asked.few) {
        if (end === undefined || this.#canEnd(end)) this.ways.push(longer)
      } else if (this.#canEnd(end)) this.extend(end, longer)
    }
  }

  /** Whether words of the library can say what is left; yes, where too much was looked up already. */
  #canEnd(at: number): boolean {
    const known = this.#endings.get(at)
    if (known !== undefined) return known
    const place = this.#placeAt(at)
    const can = !place || place.last.length > 0 || place.parts.some(({ end }) => end === undefined || this.#canEnd(end))
    this.#endings.set(at, can)
    return can
  }

  /** Undefined when too much was looked up already; never for the beginning. */
  #placeAt(at: number): Place | undefined {
    const known = this.#places.get(at)
    if (known) return known
    const { dictionary, places } = this.#asked
    if (at > 0 && places.left-- <= 0) return undefined
    const rest = this.#typed.slice(at)
    const parts = dictionary.findBeginnings(rest).map(({ length, slices }) => ({ end: length && at + length, slices }))
    // At the beginning these are words that say it alone: no way of several.
    const place = { parts, last: at > 0 ? dictionary.find(rest, true) : [] }
    this.#places.set(at, place)
    return place
  }
}
