// How q is read: words, quoted phrases, runs of ideographs, and bounds (spec 4.2; contract-gaps 6).
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toQuestion } from '../../../words/query-words.ts'

/** A clause as text: quoted when it is whole, with a star where it may go on. */
const read = (q: string): string | undefined =>
  toQuestion(q)
    ?.clauses.map(({ words, open }) => (open ? `${words.join('+')}*` : `"${words.join(' ')}"`))
    .join(' ')

test('bare words may go on and stand anywhere, quoted ones are whole and follow one another', () => {
  expect(read('old barrel')).toBe('old* barrel*')
  expect(read('"Old Barrel" oak')).toBe('"old barrel" oak*')
  expect(read('oak"old barrel"rust')).toBe('oak* "old barrel" rust*')
  expect(read('"SM_OldBarrel01"')).toBe('"sm old barrel 01"')
  expect(read('“old barrel” ＂oak＂')).toBe('"old barrel" "oak"')
  expect(read('a AND b OR NOT c')).toBe('a* and* b* or* not* c*')
  expect(read('"barrel" barrel')).toBe('"barrel" barrel*')
})

test('the pieces of one typed word stay together, whatever splits them; blanks, commas and semicolons end it', () => {
  expect(read('SM_OldBarrel01 rusty')).toBe('sm+old+barrel+01* rusty*')
  expect(read('old-barrel v1.2 Props/Oak 4k')).toBe('old+barrel* v+1+2* props+oak* 4+k*')
  expect(read('wood,metal;oak\u3000elm、ash')).toBe('wood* metal* oak* elm* ash*')
  expect(read('木箱 樽')).toBe('木+箱* 樽*')
  expect(read('"木箱"SM木箱')).toBe('"木 箱" sm+木+箱*')
  expect(read('earthcore EarthCore earth_core "earth core"')).toBe('earth+core* "earth core"')
})

test('a quote that nothing closes is none, and nothing between quotes is nothing', () => {
  expect(read('"old barrel')).toBe('old* barrel*')
  expect(read('oak "old" barrel"')).toBe('oak* "old" barrel*')
  expect(read('"" "!" oak')).toBe('oak*')
})

test('without a word there is no question', () => {
  for (const q of ['', ' ', '\t\n', '""', '"', '-_-', '* ? % ( ) : & | \\', '\u200f', '\ud800', '\0'])
    expect([q, toQuestion(q)]).toEqual([q, undefined])
})

test('words that come again count once, and what stands behind the 128th different one is passed over', () => {
  expect(read('barrel '.repeat(1400))).toBe('barrel*')
  const many = Array.from(
    { length: 1500 },
    (_, index) =>
      `w${String.fromCharCode(97 + (index % 26))}x${'abcdefghij'[Math.floor(index / 26) % 10]}${'abcdef'[Math.floor(index / 260)]}`,
  )
  const question = toQuestion(many.join(' '))
  expect(question?.wordCount).toBe(128)
  expect(question?.clauses.map(({ words }) => words[0])).toEqual(many.slice(0, 128))
  expect(toQuestion(`"${many.join(' ')}"`)).toEqual({ clauses: [{ words: many.slice(0, 128), open: false }], wordCount: 128 })
})

test('any q is read, and no question has more than 128 words, none of them empty', () => {
  const q = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc
      .array(fc.constantFrom('"', ' ', 'a', 'Ab', '木', 'ß', '🪑', '\ud83e', '01'), { maxLength: 400 })
      .map((parts) => parts.join('')),
  )
  const property = fc.property(q, (one) => {
    const question = toQuestion(one)
    if (!question) return
    expect(question.wordCount).toBeLessThanOrEqual(128)
    expect(question.clauses.flatMap(({ words }) => words)).toHaveLength(question.wordCount)
    expect(question.clauses.every(({ words }) => words.length > 0 && words.every((word) => word !== ''))).toBe(true)
  })
  fc.assert(property, { seed: 3, numRuns: 500 })
})
