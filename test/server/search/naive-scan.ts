/** The search as one would write it without an index: every row, every word, each time. What the index answers is held against it. */
import type { WordFields } from '../../../server/search/postings.ts'
import type { Clause, Question } from '../../../server/search/question.ts'
import { wordsOf } from '../../../server/search/words.ts'

export interface NaiveHit {
  row: number
  weight: number
  fields: string[]
}

const worth = { name: [64, 48], category: [32, 24], tags: [16, 12], pack: [8, 6], comments: [4, 3] } as const
type Place = keyof typeof worth

export function scan(library: ReadonlyMap<number, WordFields>, { clauses, wordCount }: Question): NaiveHit[] {
  return [...library]
    .sort(([a], [b]) => a - b)
    .flatMap(([row, said]) => {
      const matches = clauses.map((clause) => matchesOf(said, clause))
      if (matches.some((found) => found.length === 0)) return []
      const sum = matches.reduce((all, found, at) => all + bestOf(found) * (clauses[at]?.words.length ?? 0), 0)
      const exact = sum === 64 * wordCount && wordsOf(said.name).length === wordCount
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
  return splitOf(said).flatMap(({ place, words }) => {
    const starts = words.keys().filter((start) => saysFrom(words, start, clause))
    return [...starts].map((start) => ({ place, isWhole: words[start + clause.words.length - 1] === clause.words.at(-1) }))
  })
}

interface Split {
  place: Place
  words: string[]
}

/** Texts are split once, for the patience of whoever waits for the tests. */
const splits = new WeakMap<WordFields, Split[]>()

function splitOf(said: WordFields): Split[] {
  const known = splits.get(said)
  if (known) return known
  const { name, category, tags, pack, comments } = said
  const texts: [Place, string][] = [
    ['name', name],
    ...(category === null ? [] : [['category', category] as [Place, string]]),
    ...tags.map((tag): [Place, string] => ['tags', tag]),
    ['pack', pack],
    ...comments.map((comment): [Place, string] => ['comments', comment]),
  ]
  const split = texts.map(([place, text]) => ({ place, words: wordsOf(text) }))
  splits.set(said, split)
  return split
}

function saysFrom(words: readonly string[], start: number, { words: sought, open }: Clause): boolean {
  return sought.every((word, index) => {
    const there = words[start + index]
    const mayGoOn = open && index === sought.length - 1
    return mayGoOn ? there?.startsWith(word) : there === word
  })
}
