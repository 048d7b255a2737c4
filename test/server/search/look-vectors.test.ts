/** Vectors of looks: SIMD and plain loops give one likeness, what looks the same is fully alike, and rows come and go. */
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { randomNumbers } from '../../../sample/random.ts'
import { descriptor } from '../../../server/looks/descriptor/descriptor.ts'
import { type RoundedLook, rounded } from '../../../server/looks/rounding.ts'
import { at, colourAt, factorsAt, kernelOf, plainKernel, questionBytes, strideOf } from '../../../server/search/looks/kernel.ts'
import { fullLikeness } from '../../../server/search/looks/question.ts'
import { Vectors } from '../../../server/search/looks/vectors.ts'
import { Memory } from '../../../server/search/looks/wasm.ts'
import { drawnPng } from '../../support/drawn-props.ts'

const random = randomNumbers('look vectors')
const some = (length: number) => Float32Array.from({ length }, () => random() - 0.5)
const anyLook = (shape = 256, colour = 48): RoundedLook => rounded({ shape: some(shape), colour: some(colour) })
const bytesOf = ({ shape, colour }: RoundedLook) => new Uint8Array([...shape, ...colour])
const vectorsFor = (shape = 256, colour = 48) =>
  new Vectors({ name: 'any', dimensions: { shape, colour }, colourWeight: colour === 0 ? 0 : 0.15, hasWords: false })

const dot = (a: Int8Array, b: Int8Array) => a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)

/** In floats, by the definition. */
function expected(look: RoundedLook, question: RoundedLook): number {
  const shape = dot(look.shape, question.shape) / Math.hypot(...look.shape) / Math.hypot(...question.shape)
  const colour = dot(look.colour, question.colour) / Math.hypot(...look.colour) / Math.hypot(...question.colour)
  return 0.85 * shape + 0.15 * colour
}

test('a likeness is that of shapes and colours by their weights, of the question that is most like', async () => {
  const looks = Array.from({ length: 500 }, () => anyLook())
  const vectors = vectorsFor()
  for (const [row, look] of looks.entries()) vectors.set(row, bytesOf(look))
  const questions = [anyLook(), anyLook(), anyLook()]
  const found = await vectors.scan(questions)
  for (const [number, look] of looks.entries()) {
    const best = Math.max(...questions.map((question) => expected(look, question)))
    expect((found[number] ?? 0) / fullLikeness).toBeCloseTo(best, 3)
  }
  const picked = Uint32Array.from([7, 499, 0])
  expect([...vectors.compare(picked, questions)]).toEqual([...picked].map((number) => found[number]))
})

test.each([
  [256, 48],
  [5, 0],
  [512, 0],
])('SIMD and plain loops agree to the last bit, with %i numbers of shape and %i of colour', (shape, colour) => {
  const memory = new Memory({ initial: 8, maximum: 8 })
  const measures = { shape, colour }
  const bytes = new Int8Array(memory.buffer)
  for (let index = at.vectors; index < at.vectors + 100 * strideOf(measures); index++) bytes[index] = random() * 255 - 128
  for (let number = 0; number < 100; number++) {
    const factors = new Float32Array(memory.buffer, at.vectors + number * strideOf(measures) + factorsAt(measures), 2)
    factors.set([random() / 8, random() / 8])
  }
  for (let index = 0; index < 3; index++) {
    const question = new Int16Array(memory.buffer, at.questions + index * questionBytes(measures), factorsAt(measures))
    question.set(Int16Array.from(some(shape), (value) => value * 800))
    question.set(
      Int16Array.from(some(colour), (value) => value * 2400),
      colourAt(measures),
    )
  }
  const compared = (kernel: ReturnType<typeof plainKernel>) => {
    new Int32Array(memory.buffer, at.likenesses, 100).fill(0)
    kernel.compare(0, 100, 0, 3)
    return [...new Int32Array(memory.buffer, at.likenesses, 100)]
  }
  expect(compared(kernelOf(memory, measures))).toEqual(compared(plainKernel(memory, measures)))
})

test('pictures that are the same are fully alike, in colours, grey, of one colour and hardly different throughout', async () => {
  const drawn = await Promise.all([0, 1, 2, 3, 4, 5].map((index) => drawnPng('same', index, 96)))
  const grey = await sharp(drawn[0]).greyscale().png().toBuffer()
  const red = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#c01010' } })
    .png()
    .toBuffer()
  const pictures = [...drawn, grey, red]
  const vectors = vectorsFor(descriptor.dimensions.shape, descriptor.dimensions.colour)
  for (const [row, picture] of pictures.entries()) vectors.set(row, bytesOf(rounded(await descriptor.look(picture))))
  for (const [row, picture] of pictures.entries()) {
    const likenesses = [...(await vectors.scan([await descriptor.look(picture)]))].map((one) => one / fullLikeness)
    expect(likenesses[row], `picture ${row}`).toBeGreaterThan(Math.max(...likenesses) - 0.0001)
    expect(likenesses[row], `picture ${row}`).toBeCloseTo(1, 3)
  }
})

test('a row that is removed is found no more, and the last one has its place', async () => {
  const vectors = vectorsFor()
  const looks = Array.from({ length: 4 }, () => anyLook())
  for (const [row, look] of looks.entries()) vectors.set(10 + row, bytesOf(look))
  vectors.remove(11)
  vectors.remove(99)
  expect([10, 11, 12, 13].map((row) => vectors.find(row) !== undefined)).toEqual([true, false, true, true])
  const likenesses = await vectors.scan([looks[3] as RoundedLook])
  expect(likenesses).toHaveLength(3)
  expect(vectors.rows[likenesses.indexOf(Math.max(...likenesses))]).toBe(13)
})
