/** The search as one would write it without an index: every row, every word, each time. What the index answers is held against it. */

import type { WordFields } from '../../../server/search/words/word-index.ts'
import type { Clause, Question } from '../../../words/query-words.ts'
import { wordsOf } from '../../../words/tokenizer.ts'

export interface NaiveHit {
  row: number
  weight: number
  fields: string[]
}

const worth = { name: [64, 48], category: [32, 24], tags: [16, 12], pack: [8, 6], comments: [4, 3] } as const
type Place = keyof typeof worth

export function scan(library: ReadonlyMap<number, WordFields>, { clauses, wordCount }: Question): NaiveHit[] {
  // As numbers of one kind: pairs would take longer to sort than to scan.
  const rows = Uint32Array.from(library.keys()).sort()
  return [...rows].flatMap((row) => {
    const said = library.get(row) as WordFields
    const matches = clauses.map((clause) => matchesOf(said, clause))
    if (matches.some((found) => found.length === 0)) return []
    const sum = matches.reduce((all, found, at) => all + bestOf(found) * (clauses[at]?.words.length ?? 0), 0)
    const exact = sum === 64 * wordCount && isAsLong(wordsOf(said.name), clauses)
    const fields = new Set(matches.flat().map(({ place }) => place))
    return [{ row, weight: sum + (exact ? 1 : 0), fields: Object.keys(worth).filter((place) => fields.has(place as Place)) }]
  })
}

interface Match {
  place: Place
  isWhole: boolean
}

const bestOf = (found: Match[]): number => Math.max(...found.map(({ place, isWhole }) => worth[place][isWhole ? 0 : 1]))

function matchesOf(said: WordFields, clause: Clause): Match[] {
  const found: Match[] = []
  for (const { place, words } of splitOf(said)) {
    for (let start = 0; start < words.length; start++) {
      const isWhole = foundFrom(words, start, clause)
      if (isWhole !== undefined) found.push({ place, isWhole })
    }
  }
  return found
}

/** Whether a clause is said from a word on, and then whether it ends with a word. What was typed is taken off word after word. */
function foundFrom(words: readonly string[], start: number, { words: sought, open }: Clause): boolean | undefined {
  if (!open) return sought.every((word, index) => words[start + index] === word) ? true : undefined
  let typed = sought.length === 1 ? (sought[0] ?? '') : sought.join('')
  for (let at = start; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word === typed) return true
    if (word.startsWith(typed)) return false
    if (!typed.startsWith(word)) return undefined
    typed = typed.slice(word.length)
  }
  return undefined
}

/** A name that is asked for by all it says, no longer than 254 bytes. */
function isAsLong(name: readonly string[], clauses: readonly Clause[]): boolean {
  const length = Buffer.byteLength(name.join(''))
  return length < 255 && length === Buffer.byteLength(clauses.flatMap(({ words }) => words).join(''))
}

interface Split {
  place: Place
  words: string[]
}

/** Texts are split once, for the patience of the one who waits for the tests. */
const splits = new WeakMap<WordFields, Split[]>()

function splitOf(said: WordFields): Split[] {
  const known = splits.get(said)
  if (known) return known
  const { name, otherNames = [], category, tags, pack, comments } = said
  const texts: [Place, string][] = [
    ['name', name],
    ...otherNames.map((other): [Place, string] => ['name', other]),
    ...(category === null ? [] : [['category', category] as [Place, string]]),
    ...tags.map((tag): [Place, string] => ['tags', tag]),
    ['pack', pack],
    ...comments.map((comment): [Place, string] => ['comments', comment]),
  ]
  const split = texts.map(([place, text]) => ({ place, words: wordsOf(text) }))
  splits.set(said, split)
  return split
}
