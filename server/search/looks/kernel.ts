/** The inner loop of a search by look: how like each of many vectors is to what is searched for. By SIMD; plain loops where there is none. */
import { Instance, i32, Module, moduleOf, op, v128, validate, type WasmMemory } from './wasm.ts'

/** What vectors are made of. */
export interface Measures {
  shape: number
  colour: number
}

/** So many vectors are compared by one call. */
export const blockVectors = 16_384
/** A picture, and views of it that count as the same. */
export const mostQuestions = 8

/** Where things stand in the memory: questions, the list of one call, its results, and from there on vectors. */
export const at = { questions: 0, list: 65_536, likenesses: 131_072, vectors: 196_608 } as const

const laneBytes = 16
const padded = (numbers: number): number => Math.ceil(numbers / laneBytes) * laneBytes

export const colourAt = ({ shape }: Measures): number => padded(shape)
/** Behind the numbers of a vector, two of 32 bits: what its dot products of shapes and of colours are multiplied by. */
export const factorsAt = ({ shape, colour }: Measures): number => padded(shape) + padded(colour)

/** The bytes of one vector: its shape, then its colour, each filled up with zeros, and its factors. */
export const strideOf = (measures: Measures): number => factorsAt(measures) + laneBytes

/** Questions are 16-bit numbers, so that only one side of each product has to be widened. */
export const questionBytes = (measures: Measures): number => factorsAt(measures) * 2

export interface Kernel {
  /**
   * Writes `count` likenesses to `at.likenesses`, each the best of `questions` questions: of the vectors from `first` on, or of those whose
   * numbers stand at `at.list`.
   */
  compare(first: number, count: number, isListed: 0 | 1, questions: number): void
}

const modules = new Map<string, object | undefined>()

export function kernelOf(memory: WasmMemory, measures: Measures): Kernel {
  const key = `${measures.shape} ${measures.colour}`
  if (!modules.has(key)) modules.set(key, compiled(measures))
  const module = modules.get(key)
  if (!module) return plainKernel(memory, measures)
  return new Instance(module, { env: { memory } }).exports as unknown as Kernel
}

function compiled(measures: Measures): object | undefined {
  const bytes = compareModule(measures)
  return validate(bytes) ? new Module(bytes) : undefined
}

const [first, count, isListed, questions] = [0, 1, 2, 3]
const [done, vector, question, left, best, likeness] = [4, 5, 6, 7, 8, 9]
const [evenSum, oddSum, numbers] = [10, 11, 12]

function compareModule(measures: Measures): Uint8Array<ArrayBuffer> {
  const body = [
    ...[...op.block, ...op.loop],
    ...[...op.get(done), ...op.get(count), ...op.isAtLeastUnsigned, ...op.branchIf(1)],
    ...vectorAddress(strideOf(measures)),
    ...[...op.constant(at.questions), ...op.set(question), ...op.get(questions), ...op.set(left)],
    ...[...op.constant(-0x8000_0000), ...op.set(best)],
    ...op.loop,
    ...likenessOf(measures),
    ...[
      ...op.tee(likeness),
      ...op.get(best),
      ...op.get(likeness),
      ...op.get(best),
      ...op.isGreater,
      ...op.select,
      ...op.set(best),
    ],
    ...[...op.get(question), ...op.constant(questionBytes(measures)), ...op.add, ...op.set(question)],
    ...[...op.get(left), ...op.constant(1), ...op.subtract, ...op.tee(left), ...op.branchIf(0)],
    ...op.end,
    ...[...op.get(done), ...op.constant(4), ...op.multiply, ...op.get(best), ...op.store(at.likenesses)],
    ...[...op.get(done), ...op.constant(1), ...op.add, ...op.set(done), ...op.branch(0)],
    ...[...op.end, ...op.end],
  ]
  const locals = [i32, i32, i32, i32, i32, i32, v128, v128, v128]
  return moduleOf({ name: 'compare', parameters: 4, locals, body })
}

const vectorAddress = (stride: number): number[] => [
  ...[...op.get(isListed), ...op.ifI32],
  ...[...op.get(done), ...op.constant(4), ...op.multiply, ...op.load(at.list)],
  ...op.else,
  ...[...op.get(first), ...op.get(done), ...op.add],
  ...op.end,
  ...[...op.constant(stride), ...op.multiply, ...op.set(vector)],
]

/** Leaves the likeness of one vector and one question. */
function likenessOf(measures: Measures): number[] {
  const factors = at.vectors + factorsAt(measures)
  const shape = [...dotProduct(0, colourAt(measures)), ...timesFactor(factors)]
  if (measures.colour === 0) return [...shape, ...op.truncate]
  const colours = [...dotProduct(colourAt(measures), factorsAt(measures)), ...timesFactor(factors + 4)]
  return [...shape, ...colours, ...op.addFloats, ...op.truncate]
}

const timesFactor = (offset: number): number[] => [
  ...op.toFloat,
  ...[...op.get(vector), ...op.loadFloat(offset), ...op.multiplyFloats],
]

/** Of the bytes of a vector from one up to another, without a loop. Two sums, so that one addition does not wait for the other. */
function dotProduct(from: number, to: number): number[] {
  const code = [...op.zeroVector, ...op.set(evenSum), ...op.zeroVector, ...op.set(oddSum)]
  const halves = [
    [op.widenLow, evenSum],
    [op.widenHigh, oddSum],
  ] as const
  for (let offset = from; offset < to; offset += laneBytes) {
    code.push(...op.get(vector), ...op.loadVector(at.vectors + offset), ...op.set(numbers))
    for (const [half, [widen, sum]] of halves.entries()) {
      code.push(...op.get(numbers), ...widen, ...op.get(question), ...op.loadVector(2 * offset + half * laneBytes))
      code.push(...op.dotPairs, ...op.get(sum), ...op.addVectors, ...op.set(sum))
    }
  }
  code.push(...op.get(evenSum), ...op.get(oddSum), ...op.addVectors, ...op.tee(evenSum), ...op.lane(0))
  for (const lane of [1, 2, 3]) code.push(...op.get(evenSum), ...op.lane(lane), ...op.add)
  return code
}

/** The same in plain loops, which take some ten times as long. */
export function plainKernel(memory: WasmMemory, measures: Measures): Kernel {
  const stride = strideOf(measures)
  return {
    compare(...[first, count, isListed, questions]: Parameters<Kernel['compare']>) {
      const vectors = new DataView(memory.buffer, at.vectors)
      const list = new Int32Array(memory.buffer, at.list, blockVectors)
      const likenesses = new Int32Array(memory.buffer, at.likenesses, blockVectors)
      for (let done = 0; done < count; done++) {
        const vector = (isListed ? (list[done] as number) : first + done) * stride
        let best = -0x8000_0000
        for (let index = 0; index < questions; index++) {
          const question = new Int16Array(memory.buffer, at.questions + index * questionBytes(measures), factorsAt(measures))
          best = Math.max(best, plainLikeness(vectors, vector, { question, measures }))
        }
        likenesses[done] = best
      }
    },
  }
}

function plainLikeness(
  vectors: DataView,
  vector: number,
  { question, measures }: { question: Int16Array; measures: Measures },
): number {
  const [split, factors] = [colourAt(measures), factorsAt(measures)]
  let [shape, colour] = [0, 0]
  for (let index = 0; index < split; index++) shape += vectors.getInt8(vector + index) * (question[index] as number)
  for (let index = split; index < factors; index++) colour += vectors.getInt8(vector + index) * (question[index] as number)
  const { fround } = Math
  const ofShape = fround(fround(shape) * vectors.getFloat32(vector + factors, true))
  if (measures.colour === 0) return Math.trunc(ofShape)
  return Math.trunc(fround(ofShape + fround(fround(colour) * vectors.getFloat32(vector + factors + 4, true))))
}
