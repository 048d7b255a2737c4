// The words of one library: what is asked is answered as a scan of every row would, whatever was changed before.
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type WordFields, WordIndex } from '../../../server/search/words/word-index.ts'
import { toQuestion } from '../../../words/query-words.ts'
import { type Random, seeded } from '../../support/random-library.ts'
import { scan } from './naive-scan.ts'

const said = (over: Partial<WordFields> = {}): WordFields => ({
  name: '',
  category: null,
  tags: [],
  pack: '',
  comments: [],
  ...over,
})

/** An index with the same rows in a map beside it, and every answer held against a scan of that. */
class Pair {
  readonly words = new WordIndex()
  readonly rows = new Map<number, WordFields>()

  set(row: number, fields: WordFields): void {
    this.words.set(row, fields)
    this.rows.set(row, fields)
  }

  remove(row: number): void {
    this.words.remove(row)
    this.rows.delete(row)
  }

  /** Gives how many rows were found. */
  ask(q: string): number {
    const question = toQuestion(q)
    if (!question) return 0
    const hits = this.words.ask(question)
    const found = Array.from(hits.rows, (row, at) => ({ row, weight: hits.weights[at], fields: hits.fieldsOf(row) }))
    const wanted = scan(this.rows, question)
    // Lists of thousands are compared in a fraction of the time that `expect` takes; it shows where they differ.
    if (!isDeepStrictEqual(found, wanted)) expect({ q, found }).toEqual({ q, found: wanted })
    return found.length
  }
}

const rowsOf = (words: WordIndex, q: string): number[] => {
  const question = toQuestion(q)
  return question ? [...words.ask(question).rows] : []
}

/** Few parts, put together anyhow: what is asked is often there, and often almost. */
const parts = [
  'old',
  'oak',
  'barrel',
  'barrels',
  'bar',
  'SM',
  '01',
  '1',
  'Été',
  'ß',
  'ss',
  'İ',
  '木箱',
  '木',
  '箱樽',
  'ถังไม้',
  '🪑',
  'Бочка',
  'oldOak',
  'OakBarrels',
  'oldoak',
  'o',
  'l',
  'd',
  'ld',
  '\ud83e',
  '_',
  '-',
  '"',
]
const text = fc
  .array(fc.constantFrom(...parts), { maxLength: 4 })
  .chain((list) => fc.constantFrom('', ' ', '_').map((gap) => list.join(gap)))
const fields = fc.record({
  name: text,
  otherNames: fc.array(text, { maxLength: 2 }),
  category: fc.option(text),
  tags: fc.array(text, { maxLength: 3 }),
  pack: text,
  comments: fc.array(text, { maxLength: 2 }),
})
const phrase = text.map((words) => `"${words}"`)
const q = fc.oneof(
  fc.constantFrom(...parts),
  text,
  fc.array(fc.oneof(fc.constantFrom(...parts), text, phrase), { minLength: 1, maxLength: 3 }).map((list) => list.join(' ')),
)
const row = fc.nat(11)
const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ row, fields }) },
  { weight: 1, arbitrary: fc.record({ row, fields: fc.constant(undefined) }) },
  { weight: 4, arbitrary: q },
)

test('of thousands of libraries and questions, every answer is what a scan finds: rows, weights and where they match', () => {
  let found = 0
  const property = fc.property(fc.array(act, { maxLength: 40, size: 'max' }), (acts) => {
    const pair = new Pair()
    for (const one of acts) {
      if (typeof one === 'string') found += pair.ask(one)
      else if (one.fields) pair.set(one.row, one.fields)
      else pair.remove(one.row)
    }
  })
  fc.assert(property, { seed: 4, numRuns: 2000 })
  expect(found).toBeGreaterThan(5000)
})

/** A library large enough for many blocks: some words in every other row, some in one. */
function realistic(next: Random): WordFields {
  const word = () =>
    `${['ba', 'ro', 'ste', 'cra'][next(4)]}${['rrel', 'ck', 'el', 'te', 'n'][next(5)]}${next(3) ? '' : next(400)}`
  return said({
    name: `SM_${word()}_${word()}_${next(100_000)}`,
    otherNames: next(10) ? [] : [`SM_${word()}`],
    category: next(10) ? `Category ${word()}` : null,
    tags: Array.from({ length: next(5) }, word),
    pack: `Pack ${next(50)}`,
    comments: next(20) ? [] : [`${word()} needs ${word()}`],
  })
}

const realisticQuestions = [
  'sm',
  'b',
  'barrel',
  '"barrel"',
  'rock 1',
  'sm pack category',
  '"pack 7"',
  'steel "category crate" 3',
  'c 1 2',
  'needs',
  'rock_1',
  'smrock2',
  'SM_Rock',
  'packro',
  'pack7',
  'sm "sm rock"',
  'zzz',
  'b zzz',
]

test('through tens of thousands of changes, folded in as they come, answers stay those of a scan', () => {
  const next = seeded(20)
  const pair = new Pair()
  for (let index = 0; index < 9000; index++) pair.set(index, realistic(next))
  for (const one of realisticQuestions) pair.ask(one)
  for (let round = 0; round < 10; round++) {
    for (let change = 0; change < 2000; change++) {
      const at = next(10_000)
      if (next(5) === 0) pair.remove(at)
      else pair.set(at, realistic(next))
    }
    for (const one of realisticQuestions) pair.ask(one)
  }
  for (const at of [...pair.rows.keys()]) pair.remove(at)
  for (const one of realisticQuestions) expect(pair.ask(one)).toBe(0)
  pair.set(3, said({ name: 'SM_Barrel' }))
  expect(pair.ask('sm barrel')).toBe(1)
})

test('an entry with sixteen thousand words of its own is folded in, and each of them is found before and afterwards', () => {
  const next = seeded(22)
  const pair = new Pair()
  for (let index = 0; index < 500; index++) pair.set(index, realistic(next))
  const words = Array.from({ length: 16_000 }, (_, index) => String(10_000 + index))
  const asked = ['10000', '"25999"', '1', '2599', '17', ...words.filter((_, index) => index % 999 === 0)]
  pair.ask('1')
  pair.set(600, said({ name: 'Talk', comments: [words.join(' ')] }))
  for (const one of asked) expect(pair.ask(one)).toBeGreaterThan(0)
  for (let change = 0; change < 3000; change++) pair.set(next(500), realistic(next))
  for (const one of asked) expect(pair.ask(one)).toBeGreaterThan(0)
  pair.remove(600)
  for (const one of asked) pair.ask(one)
  expect(pair.ask('talk 25998')).toBe(0)
})

test('a library that is settled in steps may change in between', () => {
  const pair = new Pair()
  const next = seeded(21)
  for (let index = 0; index < 9000; index++) pair.set(index, realistic(next))
  const steps = pair.words.settle()
  for (let step = 0; !steps.next().done; step++) {
    if (step === 2) pair.set(5, realistic(next))
    if (step === 4) pair.remove(6)
    if (step === 20) pair.ask('sm')
    if (step === 30) pair.set(7, said({ name: 'late comer' }))
  }
  for (const one of [...realisticQuestions, 'late']) pair.ask(one)
})

test('a phrase is found within one name, tag or comment, never across two of them', () => {
  const words = new WordIndex()
  words.set(0, said({ name: 'Old Barrel', tags: ['Rusty'], pack: 'Tavern' }))
  words.set(
    1,
    said({ name: 'Barrel', category: 'Old', tags: ['old', 'barrel'], pack: 'Old', comments: ['so old', 'barrel of oak'] }),
  )
  words.set(2, said({ name: 'X', tags: ['very old barrel indeed'] }))
  words.set(3, said({ name: 'OldBarrels' }))
  expect(rowsOf(words, '"old barrel"')).toEqual([0, 2])
  expect(rowsOf(words, '"barrel rusty"')).toEqual([])
  expect(rowsOf(words, '"barrel of"')).toEqual([1])
  expect(rowsOf(words, 'old barrel')).toEqual([0, 1, 2, 3])
})

test('a typed word is looked for among adjoining words of one text, however many, and however it was split', () => {
  const words = new WordIndex()
  words.set(0, said({ name: 'SM_OldOakBarrel_01' }))
  words.set(1, said({ name: 'Oldoak', tags: ['Barrel 01'] }))
  words.set(2, said({ name: 'old', tags: ['oak', 'barrel'] }))
  words.set(3, said({ name: 'Old_Oaks_Barrel' }))
  for (const [q, rows] of [
    ['oldoak', [0, 1, 3]],
    ['OldOak', [0, 1, 3]],
    ['oldoakbarrel', [0]],
    ['old-oak-barr', [0]],
    ['oldoakbarrel01', [0]],
    ['oldoakbarrel1', []],
    ['ldoak', []],
    ['barrel0', [0, 1]],
    ['oldoak barrel01', [0, 1]],
    ['smoldoak', [0]],
    ['oldbarrel', []],
  ] as const)
    expect([q, rowsOf(words, q)]).toEqual([q, rows])
})

test('words that hold one another in every way are found by a typed word that could be any of them', () => {
  const pair = new Pair()
  const ones = Array.from({ length: 70 }, (_, index) => '1'.repeat(index + 1))
  for (let row = 0; row < 300; row++)
    pair.set(row, said({ name: ones.slice(row % 70, (row % 70) + 3).join(' '), tags: [ones[row % 7] ?? ''] }))
  pair.set(300, said({ name: ones.join('_') }))
  for (const length of [1, 2, 3, 6, 63, 64, 65, 66, 70, 130, 210, 2485, 9000]) pair.ask('1'.repeat(length))
  for (const one of [
    '1_1',
    '11_111',
    `${'1'.repeat(65)}_1`,
    `1_${'1'.repeat(70)}`,
    Array.from(ones, (word) => `${word}x`).join(' '),
  ])
    pair.ask(one)
})

test('ideographs are found in their order, wherever they stand in a longer run', () => {
  const words = new WordIndex()
  words.set(0, said({ name: '古い木箱セット' }))
  words.set(1, said({ name: '箱木' }))
  words.set(2, said({ name: '木', tags: ['箱'] }))
  expect(rowsOf(words, '木箱')).toEqual([0])
  expect(rowsOf(words, '木 箱')).toEqual([0, 1, 2])
  expect(rowsOf(words, '箱セ')).toEqual([0])
})

test('a name weighs above a category, a tag, a pack and a comment, a whole word above its beginning, and the very name above all', () => {
  const words = new WordIndex()
  const rows = [
    said({ name: 'Barrel' }),
    said({ name: 'Old Barrel' }),
    said({ name: 'Barrels' }),
    said({ category: 'Barrel' }),
    said({ category: 'Barrels' }),
    said({ tags: ['x', 'barrel'] }),
    said({ tags: ['barrels'] }),
    said({ pack: 'barrel' }),
    said({ pack: 'barrels' }),
    said({ comments: ['a barrel'] }),
    said({ comments: ['barrels'] }),
  ]
  for (const [index, fieldsOfRow] of rows.entries()) words.set(index, fieldsOfRow)
  const hits = words.ask(toQuestion('barrel') ?? { clauses: [], wordCount: 0 })
  expect([...hits.rows]).toEqual([...rows.keys()])
  const weights = [...hits.weights]
  expect(weights).toEqual([...new Set(weights)].sort((a, b) => b - a))
  const scores = weights.map((weight) => hits.scoreOf(weight))
  expect(scores[0]).toBe(1)
  expect(Math.min(...scores)).toBeGreaterThan(0)
})

test('a question of 128 long words, of all the letters there are, and of what everybody says, is answered', () => {
  const pair = new Pair()
  const next = seeded(22)
  for (let index = 0; index < 2000; index++) pair.set(index, realistic(next))
  const letters = Array.from({ length: 5000 }, (_, index) => String.fromCharCode(0x4e00 + index)).join(' ')
  for (const one of [
    letters,
    letters.replaceAll(' ', ''),
    `"${letters}"`,
    'sm '.repeat(3000),
    's m c p b '.repeat(900),
    'x'.repeat(10_000),
  ])
    pair.ask(one)
})

test('of the comments of an entry the first 100,000 characters are searched', () => {
  const words = new WordIndex()
  words.set(0, said({ comments: ['first', 'x '.repeat(49_997), 'last'] }))
  words.set(1, said({ comments: ['y '.repeat(60_000), 'last'] }))
  expect([rowsOf(words, 'first'), rowsOf(words, 'y'), rowsOf(words, 'last')]).toEqual([[0], [1], []])
})

test('a row beyond what a posting can name is refused', () => {
  expect(() => new WordIndex().set(2 ** 27, said())).toThrow(RangeError)
})
