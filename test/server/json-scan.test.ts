// What is known of JSON before it is read, and large inputs in pieces: the same as if it had been read at once.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { limits } from '../../contract/limits.ts'
import { join, piecesOf } from '../../serving/bodies/pieces.ts'
import { JsonScan } from '../../serving/bodies/scan.ts'

/** As `limits.json` says, of a value that has been read. */
function weightOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const children = Object.values(value)
  const keys = Array.isArray(value) ? 0 : children.length * 64
  return 64 + keys + Math.max(0, children.length - 1) * 24 + children.reduce<number>((sum, child) => sum + weightOf(child), 0)
}

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

function scanned(text: string, cuts: readonly number[] = []): JsonScan {
  const bytes = Buffer.from(text)
  const scan = new JsonScan()
  let from = 0
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    const to = Math.max(from, cut % (bytes.length + 1))
    scan.add(bytes.subarray(from, to))
    from = to
  }
  scan.add(bytes.subarray(from))
  return scan
}

test('JSON weighs the same however it was cut on its way, texts with quotes, brackets and backslashes included', () => {
  const anything = fc.jsonValue({ maxDepth: 6 })
  const odd = fc.array(fc.string({ unit: fc.constantFrom('"', '\\', '{', '[', ',', ':', 'é', 'x') }))
  fc.assert(
    fc.property(fc.oneof(anything, odd), fc.array(fc.nat(500)), (value, cuts) => {
      const text = JSON.stringify(value)
      expect(scanned(text, cuts).weight).toBe(Buffer.byteLength(text) + weightOf(value))
    }),
  )
})

test('what is nested as deeply as is allowed passes, and one level more does not', () => {
  const { depth } = limits.json
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  expect(depthOf(JSON.parse(nested(depth)))).toBe(depth)
  expect(scanned(nested(depth)).fault).toBeUndefined()
  expect(scanned(nested(depth + 1)).fault).toContain(`deeper than ${depth} levels`)
  expect(scanned(nested(depth).repeat(3)).fault, 'beside each other').toBeUndefined()
  expect(scanned(JSON.stringify('['.repeat(1000))).fault, 'in a text').toBeUndefined()
})

test('an input in pieces is what it was, less what its schema does not know', () => {
  const schema = {
    properties: { items: { items: { properties: { id: {}, doc: {} } } }, note: {}, empty: { items: {} }, none: { items: {} } },
  }
  const items = Array.from({ length: 5000 }, (_, id) => ({ id, doc: { any: { thing: [id, 'ö"\\'] } } }))
  const input = { items: items.map((one) => ({ ...one, junk: ['x'] })), note: 'one', empty: [], none: null, junk: [1] }
  const pieces = [...piecesOf(schema, input)]
  expect(Math.max(...pieces.map(({ text }) => text.length))).toBeLessThan(70_000)
  expect(pieces.length).toBeGreaterThan(4)
  const joined: Record<string, unknown> = {}
  for (const piece of pieces) join(joined, piece)
  expect(joined).toEqual({ items, note: 'one', empty: [], none: null })
})

test('an object that takes whatever it is given keeps all of it in pieces', () => {
  const open = { properties: { type: {} }, additionalProperties: true }
  const closed = { properties: { type: {} }, additionalProperties: false }
  const schema = { properties: { open, warnings: { items: open }, closed } }
  const one = { type: 'moved', from: { path: '/Game/A' }, list: [1] }
  const joined: Record<string, unknown> = {}
  for (const piece of piecesOf(schema, { open: one, warnings: [one], closed: one })) join(joined, piece)
  expect(joined).toEqual({ open: one, warnings: [one], closed: { type: 'moved' } })
})
