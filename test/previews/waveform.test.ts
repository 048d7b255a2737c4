/** Drawings of sounds. */
import { expect, test } from 'vitest'
import type { Sound } from '../../formats/source/sound.ts'
import { drawSound, drawWave } from '../../previews/waveform.ts'

const sound = (samples: ArrayLike<number>, facts: Partial<Sound> = {}): Sound => ({
  sampleRate: 8000,
  channels: 1,
  bits: 16,
  isFloat: false,
  data: new Uint8Array(Int16Array.from(samples).buffer),
  ...facts,
})

/** Rows of a column, from the top, in which something is seen. */
function draw(of: Sound, edgePx = 128) {
  const { width, height, channels, samples } = drawSound(of, edgePx)
  expect([channels, samples.kind, samples.values.length]).toEqual([4, 'u8', width * height * 4])
  const alphas = (column: number) =>
    Array.from({ length: height }, (_, row) => samples.values[(row * width + column) * 4 + 3] ?? 0)
  const rows = (column: number) => alphas(column).flatMap((alpha, row) => (alpha > 0 ? [row] : []))
  return { width, height, alphas, rows }
}

test('a picture has 512 x 512 pixels and no background', () => {
  const { width, height, samples } = drawSound(sound([0, 1]))
  expect([width, height]).toEqual([512, 512])
  expect([...samples.values.subarray(0, 4)]).toEqual([0, 0, 0, 0])
})

test('columns are as high as the sound is loud at their time, up for what is above 0 and down for what is below', () => {
  const loudAtEnd = Array.from({ length: 4000 }, (_, at) => (at < 2000 ? 3000 : 30_000) * (at % 2 ? 1 : -0.5))
  const { rows } = draw(sound(loudAtEnd))
  const [early, late] = [rows(30), rows(100)]
  expect(late.length).toBeGreaterThan(early.length * 5)
  expect(64 - (late[0] ?? 0)).toBeGreaterThan(((late.at(-1) ?? 0) - 64) * 1.8)
  expect([rows(0), rows(15), rows(112)]).toEqual([[], [], []])
})

test('what is heard most of the time is stronger than its peaks', () => {
  const clicks = Array.from({ length: 9600 }, (_, at) => (at % 100 === 0 ? 30_000 : 6000 * (at % 2 ? 1 : -1)))
  const { alphas, rows } = draw(sound(clicks))
  const [top = 0] = rows(64)
  expect(alphas(64)[top + 2]).toBeLessThan(160)
  expect(alphas(64)[62]).toBe(255)
})

test('silence and a sound without a sample are a thin line', () => {
  for (const quiet of [sound(new Array(1000).fill(0)), sound([])]) {
    const { rows } = draw(quiet)
    expect(rows(64)).toEqual([63, 64])
  }
})

test('quiet sounds are raised so that their shape is seen, loud ones are not', () => {
  const wave = (height: number) =>
    draw(sound(Array.from({ length: 1000 }, (_, at) => (at % 2 ? height : -height)))).rows(64).length
  expect(wave(32_767)).toBeGreaterThan(90)
  expect(wave(16_000)).toBe(wave(32_000))
  expect(wave(500)).toBeLessThan(wave(32_000) / 5)
})

test.each([
  ['8 bits', { bits: 8, data: Uint8Array.from({ length: 1000 }, (_, at) => (at % 2 ? 255 : 1)) }],
  [
    '24 bits',
    { bits: 24, data: Uint8Array.from({ length: 3000 }, (_, at) => (at % 6 < 3 ? [0, 0, 0x80] : [255, 255, 127])[at % 3] ?? 0) },
  ],
  [
    '32 bits',
    { bits: 32, data: new Uint8Array(Int32Array.from({ length: 1000 }, (_, at) => (at % 2 ? 1 : -1) * (2 ** 31 - 1)).buffer) },
  ],
  [
    'floats',
    { bits: 32, isFloat: true, data: new Uint8Array(Float32Array.from({ length: 1000 }, (_, at) => (at % 2 ? 1 : -1)).buffer) },
  ],
  [
    'three channels',
    {
      channels: 3,
      data: new Uint8Array(Int16Array.from({ length: 3000 }, (_, at) => (at % 3 < 2 ? 0 : at % 2 ? 32_767 : -32_768)).buffer),
    },
  ],
])('sounds of %s are read as what they are', (_, facts) => {
  const { rows } = draw(sound([], facts))
  expect(rows(64).length).toBeGreaterThan(94)
})

test('a sound of floats that are no numbers, or far too large, is drawn', () => {
  const data = new Uint8Array(
    Float32Array.from({ length: 999 }, (_, at) => [Number.NaN, Number.POSITIVE_INFINITY, -1e30][at % 3] ?? 0).buffer,
  )
  expect(draw(sound([], { bits: 32, isFloat: true, data })).rows(64).length).toBeGreaterThan(94)
})

test.each([{ channels: 0 }, { sampleRate: 0 }, { bits: 4 }])('a sound that cannot be is refused: %o', (facts) => {
  expect(() => drawSound(sound([1], facts))).toThrow(expect.objectContaining({ name: 'FormatError', reason: 'damaged' }))
})

test('a sound that is compared with one of twice its length fills the first half', () => {
  const { samples, width, height } = drawWave(sound(Array.from({ length: 8000 }, () => 16_000)), {
    width: 232,
    height: 64,
    seconds: 2,
  })
  const columns = Array.from({ length: width }, (_, x) =>
    Array.from({ length: height }, (_, y) => samples.values[(y * width + x) * 4 + 3] ?? 0).some((alpha) => alpha > 0),
  )
  expect([columns.indexOf(true), columns.lastIndexOf(true)]).toEqual([16, 115])
})
