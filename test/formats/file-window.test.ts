// The window through which readers see a file of any size.
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { FileWindow, type WholeFile, windowBytes } from '../../formats/file-window.ts'

const bytes = randomBytes(windowBytes * 3 + 77)
const whole: WholeFile = { sizeBytes: bytes.length, readAt: (into, offset) => bytes.copy(into, 0, offset) }
const window = (headBytes: number, file: WholeFile = whole) => new FileWindow(bytes.subarray(0, headBytes), file, 'test file')
const refusal = expect.objectContaining({ name: 'FormatError', reason: 'truncated' })

test.each([0, 1, 1000, windowBytes, windowBytes * 2 + 5, bytes.length])(
  'with a beginning of %i bytes every view shows the file',
  (headBytes) => {
    const file = window(headBytes)
    for (const offset of [0, 1, headBytes - 10, headBytes, windowBytes - 3, windowBytes * 2, 5, bytes.length - 40]) {
      const [start, length] = [Math.max(0, Math.min(offset, bytes.length - 40)), 40]
      expect(file.at(start, length).equals(bytes.subarray(start, start + length))).toBe(true)
      const rest = file.from(start)
      expect(rest.length).toBeGreaterThan(0)
      expect(rest.equals(bytes.subarray(start, start + rest.length))).toBe(true)
    }
    const pieces = Array.from(file.pieces(3, bytes.length - 3), (piece) => Buffer.from(piece))
    expect(Buffer.concat(pieces).equals(bytes.subarray(3, -3))).toBe(true)
  },
)

test('a file is read in as few pieces as the window allows', () => {
  let reads = 0
  const counted = {
    sizeBytes: bytes.length,
    readAt: (into: Uint8Array, offset: number) => {
      reads++
      return bytes.copy(into, 0, offset)
    },
  }
  const file = window(0, counted)
  for (let at = 0; at + 100 <= bytes.length; at += 100) file.at(at, 100)
  expect(reads).toBeLessThanOrEqual(5)
})

test('what lies behind the end, or behind what is at hand, is missing', () => {
  expect(() => window(100).at(bytes.length - 5, 6)).toThrow(refusal)
  expect(() => window(100, { sizeBytes: bytes.length }).at(99, 2)).toThrow(refusal)
  expect(window(100).from(bytes.length)).toHaveLength(0)
  expect(() => window(100).at(-1, 2)).toThrow(refusal)
})

test('a file that has become shorter is cut off', () => {
  const shrunk = {
    sizeBytes: bytes.length,
    readAt: (into: Uint8Array, offset: number) => bytes.subarray(0, 5000).copy(into, 0, Math.min(offset, 5000)),
  }
  expect(() => window(100, shrunk).at(4990, 20)).toThrow(refusal)
  expect(() => [...window(100, shrunk).pieces(0, bytes.length)]).toThrow(refusal)
})
