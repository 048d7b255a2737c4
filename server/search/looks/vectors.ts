/** The looks of a catalog's rows: vectors one behind the other in one memory, which is scanned as a whole or for some rows. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Look } from '../../looks/embedder.ts'
import type { EmbedderFacts } from '../../looks/embedder-answers.ts'
import type { RoundedLook } from '../../looks/rounding.ts'
import { grown } from '../catalog/runs.ts'
import {
  at,
  blockVectors,
  colourAt,
  factorsAt,
  type Kernel,
  kernelOf,
  type Measures,
  mostQuestions,
  questionBytes,
  strideOf,
} from './kernel.ts'
import { factorsOf, questionOf } from './question.ts'
import { Memory, type WasmMemory } from './wasm.ts'

const pageBytes = 65_536
/** What a WebAssembly memory can have: some 13 million vectors of 320 bytes. */
const mostPages = 65_536

/** So long a scan keeps others waiting. */
const pieceMs = 5

/** A scan under way: vectors that changed meanwhile are compared again at its end. */
interface Scan {
  changed: Set<number>
}

export class Vectors {
  readonly embedder: string
  /** How many vectors there are. They have the numbers up to here, without a gap. */
  count = 0
  /** The number of the last change of looks that is in them. */
  head = 0
  /** While they are read for the first time: rows that changed since have what is newer already. */
  newer: Set<number> | undefined
  /** By number of the vector: its row. Replaced as it grows. */
  rows = new Uint32Array(0)
  readonly measures: Measures
  readonly #colourWeight: number
  readonly #stride: number
  readonly #memory: WasmMemory
  readonly #kernel: Kernel
  /** By row: the number of its vector, plus one; 0: it has none. */
  #numbers = new Uint32Array(0)
  readonly #scans = new Set<Scan>()

  constructor({ name, dimensions, colourWeight }: EmbedderFacts) {
    this.embedder = name
    this.measures = dimensions
    this.#colourWeight = colourWeight
    this.#stride = strideOf(this.measures)
    if (questionBytes(this.measures) * mostQuestions > at.list)
      throw new Error(`vectors of ${this.vectorBytes} numbers are longer than the search by look takes`)
    this.#memory = new Memory({ initial: at.vectors / pageBytes, maximum: mostPages })
    this.#kernel = kernelOf(this.#memory, this.measures)
  }

  /** Of one vector, as the database has it. */
  get vectorBytes(): number {
    return this.measures.shape + this.measures.colour
  }

  /** The number of a row's vector; undefined where it has none. */
  find(row: number): number | undefined {
    const number = this.#numbers[row] ?? 0
    return number === 0 ? undefined : number - 1
  }

  /** A vector as the database has it: the shape, then the colour. */
  set(row: number, vector: Uint8Array): void {
    const number = this.find(row) ?? this.#add(row)
    this.#changed(number)
    const look = lookOf(vector, this.measures)
    const start = at.vectors + number * this.#stride
    const bytes = new Int8Array(this.#memory.buffer, start, this.#stride)
    bytes.set(look.shape)
    bytes.set(look.colour, colourAt(this.measures))
    new Float32Array(this.#memory.buffer, start + factorsAt(this.measures), 2).set(factorsOf(look, this.#colourWeight))
  }

  /** The last vector takes its place. */
  remove(row: number): void {
    const number = this.find(row)
    if (number === undefined) return
    const last = --this.count
    this.#numbers[row] = 0
    if (number === last) return
    const vectors = new Uint8Array(this.#memory.buffer, at.vectors)
    vectors.copyWithin(number * this.#stride, last * this.#stride, (last + 1) * this.#stride)
    const moved = this.rows[last] as number
    this.rows[number] = moved
    this.#numbers[moved] = number + 1
    this.#changed(number)
  }

  /** How like each vector is to the most like of the questions, by number. Others come in while a large library is scanned. */
  async scan(questions: readonly (Look | RoundedLook)[]): Promise<Int32Array> {
    const scan: Scan = { changed: new Set() }
    this.#scans.add(scan)
    try {
      let likenesses = new Int32Array(this.count)
      let until = performance.now() + pieceMs
      for (let first = 0; first < this.count; first += blockVectors) {
        if (performance.now() > until) {
          await nextTurn()
          until = performance.now() + pieceMs
        }
        if (likenesses.length < this.count) likenesses = grownTo(likenesses, this.count)
        const count = Math.min(blockVectors, this.count - first)
        this.#ask(questions)
        this.#kernel.compare(first, count, 0, questions.length)
        likenesses.set(new Int32Array(this.#memory.buffer, at.likenesses, count), first)
      }
      return this.#brought(likenesses, scan, questions)
    } finally {
      this.#scans.delete(scan)
    }
  }

  /** The same of some vectors, in their order, at once. */
  compare(numbers: Uint32Array, questions: readonly (Look | RoundedLook)[]): Int32Array {
    const likenesses = new Int32Array(numbers.length)
    this.#ask(questions)
    for (let first = 0; first < numbers.length; first += blockVectors) {
      const some = numbers.subarray(first, first + blockVectors)
      new Uint32Array(this.#memory.buffer, at.list, blockVectors).set(some)
      this.#kernel.compare(0, some.length, 1, questions.length)
      likenesses.set(new Int32Array(this.#memory.buffer, at.likenesses, some.length), first)
    }
    return likenesses
  }

  #brought(likenesses: Int32Array<ArrayBuffer>, { changed }: Scan, questions: readonly (Look | RoundedLook)[]): Int32Array {
    const numbers = Uint32Array.from([...changed].filter((number) => number < this.count))
    const exact = likenesses.length < this.count ? grownTo(likenesses, this.count) : likenesses.subarray(0, this.count)
    const anew = this.compare(numbers, questions)
    for (const [index, number] of numbers.entries()) exact[number] = anew[index] as number
    return exact
  }

  #ask(questions: readonly (Look | RoundedLook)[]): void {
    if (questions.length === 0 || questions.length > mostQuestions)
      throw new Error(`a search by look has 1 to ${mostQuestions} views of a picture, not ${questions.length}`)
    for (const [index, question] of questions.entries()) {
      const { shape, colour } = questionOf(question, this.#colourWeight)
      const numbers = new Int16Array(
        this.#memory.buffer,
        at.questions + index * questionBytes(this.measures),
        factorsAt(this.measures),
      )
      numbers.fill(0)
      numbers.set(shape)
      numbers.set(colour, colourAt(this.measures))
    }
  }

  #add(row: number): number {
    const number = this.count++
    if (number >= this.rows.length) this.rows = grown(this.rows, roomFor(number))
    if (row >= this.#numbers.length) this.#numbers = grown(this.#numbers, roomFor(row))
    const missing = at.vectors + this.count * this.#stride - this.#memory.buffer.byteLength
    if (missing > 0) this.#memory.grow(Math.ceil(Math.max(missing, (number * this.#stride) / 8) / pageBytes))
    this.rows[number] = row
    this.#numbers[row] = number + 1
    return number
  }

  #changed(number: number): void {
    for (const { changed } of this.#scans) changed.add(number)
  }
}

/** Of a vector as the database has it. */
export function lookOf(vector: Uint8Array, { shape }: Pick<Measures, 'shape'>): RoundedLook {
  const numbers = new Int8Array(vector.buffer, vector.byteOffset, vector.length)
  return { shape: numbers.subarray(0, shape), colour: numbers.subarray(shape) }
}

const roomFor = (number: number): number => Math.ceil(number * 1.125) + 16

function grownTo(numbers: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  const longer = new Int32Array(length)
  longer.set(numbers)
  return longer
}
