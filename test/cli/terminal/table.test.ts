/** Tables, trees, amounts and wrapped text: what lines look like at every width. */
import fc from 'fast-check'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { age, count, duration, size, timeLeft } from '../../../cli/terminal/amounts.ts'
import type { Output } from '../../../cli/terminal/output.ts'
import { painter } from '../../../cli/terminal/output.ts'
import { type Column, shorten, table } from '../../../cli/terminal/table.ts'
import { branchesBelow, drawTree, type TreeBounds } from '../../../cli/terminal/tree.ts'
import { wrap } from '../../../cli/terminal/wrap.ts'
import { printable, printableLines } from '../../../system/printable.ts'

interface Prop {
  id: number
  name: string
  pack: string
}
const columns: Column<Prop>[] = [
  { title: 'ID', value: ({ id }) => id, right: true },
  { title: 'NAME', value: ({ name }) => name, cut: 'middle' },
  { title: 'PACK', value: ({ pack }) => pack, cut: 'end', spare: true },
]
const screen = (width: number, terminal = true): Output => ({
  json: false,
  terminal,
  width,
  paint: painter(false),
  result: () => undefined,
  event: async () => undefined,
  lines: () => undefined,
  raw: () => undefined,
  note: () => undefined,
})
const props: Prop[] = [
  { id: 7, name: 'SM_Barrel', pack: 'Medieval' },
  { id: 1200, name: 'SM_桶_wide', pack: 'Städte' },
]

test('columns are aligned by how wide characters are on the screen', () => {
  const lines = table(props, columns, screen(80))
  expect(lines).toEqual(['  ID  NAME        PACK', '   7  SM_Barrel   Medieval', '1200  SM_桶_wide  Städte'])
  expect(new Set(lines.map((line) => stringWidth(line.slice(0, line.search(/PACK|Medieval|Städte/)))))).toHaveLength(1)
})

test('without a terminal a row is one line of tab-separated cells, whole and without heading', () => {
  const long = { id: 1, name: 'n'.repeat(300), pack: 'p' }
  expect(table([long], columns, screen(40, false))).toEqual([`1\t${'n'.repeat(300)}\tp`])
})

test('no line is ever wider than the terminal, down to 40 columns, whatever the names are', () => {
  const prop = fc.record({
    id: fc.nat(),
    name: fc.string({ unit: 'grapheme', maxLength: 60 }),
    pack: fc.string({ maxLength: 60 }),
  })
  fc.assert(
    fc.property(fc.array(prop, { minLength: 1, maxLength: 5 }), fc.integer({ min: 40, max: 120 }), (rows, width) => {
      for (const line of table(rows, columns, screen(width))) expect(stringWidth(line)).toBeLessThanOrEqual(width)
    }),
  )
})

test('a narrow terminal loses the spare column before the name is cut to the bone', () => {
  const [heading] = table([{ id: 1, name: 'x'.repeat(60), pack: 'y'.repeat(60) }], columns, screen(40))
  expect(heading).not.toContain('PACK')
})

test('a column that is spare late goes only when others could not be read any more beside it', () => {
  const late: Column<Prop>[] = [...columns.slice(0, 2), { title: 'MADE', value: () => '12 minutes ago', spare: 'late' }]
  const rows = [{ id: 1, name: 'x'.repeat(60), pack: '' }]
  expect(table(rows, late, screen(32))[0]).toBe('ID  NAME          MADE')
  expect(table(rows, late, screen(31))).toEqual(['ID  NAME', ` 1  ${'x'.repeat(13)}…${'x'.repeat(13)}`])
})

test('what room spare columns leave is given to the others, however long they are', () => {
  const rows = [{ id: 1, name: 'x'.repeat(60), pack: 'y'.repeat(60) }]
  expect(table(rows, columns, screen(40))[1]?.length).toBe(40)
  expect(table(rows, columns, screen(100))[1]?.length).toBe(100)
})

test('a long text keeps both ends when it is cut in the middle, and never splits a character', () => {
  expect(shorten('/Game/Medieval/Props/SM_Barrel', 16, 'middle')).toBe('/Game/Me…_Barrel')
  expect(shorten('👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 5)).toBe('👩‍👩‍👧‍👦👩‍👩‍👧‍👦…')
})

test('a name cannot drive the terminal', () => {
  expect(printable('a\u001b[2Jb\r\n\u202ec')).toBe('a\ufffd[2Jb\ufffd\ufffd\ufffdc')
})

test('what hides in a text is shown: blanks of no width, soft hyphens, tags, joiners and selectors that join and select nothing', () => {
  const hidden = [
    '\u200b',
    '\u2060',
    '\ufeff',
    '\u00ad',
    '\u3164',
    '\u2028',
    '\u{e0061}',
    '\u200d',
    '\ufe0f',
    '\u{e0100}',
    '\u061c',
  ]
  for (const one of hidden) expect(printable(`a${one}b`), one.codePointAt(0)?.toString(16)).toBe('a\ufffdb')
})

test('emoji and scripts keep the joiners and selectors that they need', () => {
  const england = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'
  for (const text of ['👩‍👩‍👧', '❤️', '1️⃣', england, 'می‌خواهم', '葛\u{e0100}城', 'e\u0301']) expect(printable(text)).toBe(text)
})

test('a text of several lines keeps its lines, whatever ends them, and its tabs as blanks', () => {
  expect(printableLines('a\r\nb\n\n\tc\u2028d\u001b[0m')).toEqual(['a', 'b', '', '    c', 'd\ufffd[0m'])
})

const whole: TreeBounds = { most: Number.POSITIVE_INFINITY, deepest: 24 }
const linesOf = (branches: Parameters<typeof drawTree>[0], bounds = whole) => drawTree(branches, bounds).lines

test('a tree shows who hangs on whom, and says what is left out', () => {
  const members = [
    { object_id: 2, via_object_id: 1 },
    { object_id: 3, via_object_id: 2 },
    { object_id: 4, via_object_id: 1 },
  ]
  const branches = branchesBelow(1, members, ({ object_id }) => `v${object_id}`)
  expect(linesOf(branches)).toEqual(['├─ v2', '│  └─ v3', '└─ v4'])
  expect(linesOf(branches, { most: 2, deepest: 9 })).toEqual(['├─ v2', '│  └─ … 1 more', '└─ v4'])
  expect(linesOf(branches, { most: 1, deepest: 9 })).toEqual(['├─ v2', '│  └─ … 1 more', '└─ … 1 more'])
})

test('a tree that is cut keeps what is nearest to its root, and counts all that hangs on what it leaves out', () => {
  const deep = [2, 3, 4, 5].map((object_id) => ({ object_id, via_object_id: object_id - 1 }))
  const wide = [10, 11, 12].map((object_id) => ({ object_id, via_object_id: 1 }))
  const branches = branchesBelow(1, [...deep, ...wide], ({ object_id }) => `v${object_id}`)
  expect(linesOf(branches, { most: 4, deepest: 9 })).toEqual(['├─ v2', '│  └─ … 3 more', '├─ v10', '├─ v11', '└─ v12'])
  expect(drawTree(branches, { most: 4, deepest: 9 }).hidden).toBe(3)
  expect(linesOf(branches, { most: 9, deepest: 2 }).slice(0, 3)).toEqual(['├─ v2', '│  └─ v3', '│     └─ … 2 more'])
})

test('a tree of any depth, and one that hangs on itself, ends', () => {
  const chain = Array.from({ length: 100_000 }, (_, at) => ({ object_id: at + 2, via_object_id: at + 1 }))
  const lines = linesOf(branchesBelow(1, chain, () => 'v'))
  expect([lines.length, lines.at(-1)?.trim()]).toEqual([25, '└─ … 99,976 more'])
  expect(linesOf(branchesBelow(1, [{ object_id: 1, via_object_id: 1 }], () => 'v'))).toEqual(['└─ v'])
})

test('sizes, counts and durations are short and exact enough', () => {
  expect([0, 999, 1024, 1536, 1023 * 1024, 1.5 * 1024 ** 3].map(size)).toEqual([
    '0 B',
    '999 B',
    '1.0 KiB',
    '1.5 KiB',
    '1.0 MiB',
    '1.5 GiB',
  ])
  expect([count(1, 'file'), count(2000, 'file'), count(0, 'entry', 'entries')]).toEqual(['1 file', '2,000 files', '0 entries'])
  expect([400, 9_940, 59_400, 200_000, 7_500_000].map(duration)).toEqual(['0.4 s', '9.9 s', '59 s', '3 min 20 s', '2 h 5 min'])
})

test('what is left of a time is told in units that a person waits by', () => {
  const now = new Date('2026-06-15T12:00:00Z')
  const left = (ms: number) => timeLeft(new Date(now.getTime() + ms).toISOString(), now)
  expect([-5_000, 14_200, 61_000, 3_600_000, 23.2 * 3_600_000, 52 * 3_600_000].map(left)).toEqual([
    '1 s',
    '15 s',
    '2 min',
    '1 h',
    '23 h 12 min',
    '2 d 4 h',
  ])
})

test('an age is told in the largest unit that fits', () => {
  const now = new Date('2026-06-15T12:00:00Z')
  const ago = (ms: number) => age(new Date(now.getTime() - ms).toISOString(), now)
  expect([3_000, 90_000, 3 * 3_600_000, 49 * 3_600_000, 800 * 86_400_000].map(ago)).toEqual([
    'just now',
    '1 minute ago',
    '3 hours ago',
    '2 days ago',
    '2 years ago',
  ])
})

test('text wraps between words', () => {
  expect(wrap('one two three', 9, '  ')).toEqual(['  one two', '  three'])
})
