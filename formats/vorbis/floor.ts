// Vorbis: floors, the coarse curve of loudness over the spectrum that every channel of a block has: straight lines between points.
// Source: Vorbis I specification, section 7. Floors of kind 0, which no encoder has written since 2001, are not read.
import { FormatError } from '../format-error.ts'
import { bitsOf, type PacketBits } from './bits.ts'
import { type Codebook, damaged } from './codebook.ts'

interface FloorClass {
  dimensions: number
  /** Bits that choose among its books. */
  subclassBits: number
  masterBook: Codebook | null
  /** Null: the points are zero. */
  books: (Codebook | null)[]
}

const ranges = [256, 128, 86, 64]
/** Loudness in 256 steps, evenly spaced by ear. */
const quietest = 1.064_986_3e-7
const loudness = Float32Array.from({ length: 256 }, (_, step) => quietest ** ((255 - step) / 255))

export class Floor {
  readonly #classes: FloorClass[]
  /** Class of each group of points. */
  readonly #groups: number[]
  readonly #multiplier: number
  /** Places of the points, the two ends first. */
  readonly #places: number[]
  /** Numbers of the points from left to right. */
  readonly #order: number[]
  /** Of each point, the nearest ones before it in the list that lie left and right. */
  readonly #neighbours: [number, number][]

  constructor(bits: PacketBits, books: readonly Codebook[]) {
    const bookAt = (index: number): Codebook => books[index] ?? fail('a floor names a codebook that is not there')
    this.#groups = Array.from({ length: bits.unsigned(5) }, () => bits.unsigned(4))
    this.#classes = Array.from({ length: Math.max(-1, ...this.#groups) + 1 }, () => {
      const dimensions = bits.unsigned(3) + 1
      const subclassBits = bits.unsigned(2)
      const masterBook = subclassBits > 0 ? bookAt(bits.unsigned(8)) : null
      const subBooks = Array.from({ length: 2 ** subclassBits }, () => bits.unsigned(8) - 1)
      return { dimensions, subclassBits, masterBook, books: subBooks.map((index) => (index < 0 ? null : bookAt(index))) }
    })
    this.#multiplier = bits.unsigned(2) + 1
    const placeBits = bits.unsigned(4)
    this.#places = [0, 2 ** placeBits]
    for (const group of this.#groups)
      for (let count = this.#classes[group]?.dimensions ?? 0; count > 0; count--) this.#places.push(bits.unsigned(placeBits))
    if (new Set(this.#places).size < this.#places.length) throw damaged('a floor has two points at one place')
    this.#order = [...this.#places.keys()].sort((a, b) => (this.#places[a] ?? 0) - (this.#places[b] ?? 0))
    this.#neighbours = this.#places.map((place, index) => neighbours(this.#places.slice(0, index), place))
  }

  /** Reads the curve of a channel in a block of so many values; null where it is silent. */
  read(bits: PacketBits, size: number): Float32Array | null {
    if (bits.bit() === 0) return null
    const range = ranges[this.#multiplier - 1] ?? 64
    const heights = [bits.unsigned(bitsOf(range - 1)), bits.unsigned(bitsOf(range - 1))]
    for (const group of this.#groups) {
      const { dimensions, subclassBits, masterBook, books } = this.#classes[group] as FloorClass
      let choice = masterBook ? masterBook.next(bits) : 0
      for (let index = 0; index < dimensions; index++) {
        heights.push(Math.max(0, books[choice & (2 ** subclassBits - 1)]?.next(bits) ?? 0))
        choice >>= subclassBits
      }
    }
    return bits.isPastEnd ? null : this.#curve(this.#unwrapped(heights, range), size)
  }

  /** Heights are stored as what they are off the line between their neighbours; undefined for points that are not drawn. */
  #unwrapped(stored: number[], range: number): (number | undefined)[] {
    const heights = stored.slice(0, 2)
    const drawn: boolean[] = [true, true]
    for (let index = 2; index < stored.length; index++) {
      const [left, right] = this.#neighbours[index] as [number, number]
      const middle = this.#onLine(left, right, { heights, place: this.#places[index] ?? 0 })
      const off = stored[index] ?? 0
      const [above, below] = [range - middle, middle]
      const room = Math.min(above, below) * 2
      drawn[index] = off !== 0
      if (off !== 0) drawn[left] = drawn[right] = true
      if (off === 0) heights[index] = middle
      else if (off >= room) heights[index] = above > below ? off - below + middle : middle - off + above - 1
      else heights[index] = off % 2 === 1 ? middle - (off + 1) / 2 : middle + off / 2
    }
    return heights.map((height, index) => (drawn[index] ? Math.min(range - 1, Math.max(0, height)) : undefined))
  }

  #onLine(left: number, right: number, { heights, place }: { heights: number[]; place: number }): number {
    const [fromX, toX] = [this.#places[left] ?? 0, this.#places[right] ?? 0]
    const [fromY, toY] = [heights[left] ?? 0, heights[right] ?? 0]
    const climb = Math.floor((Math.abs(toY - fromY) * (place - fromX)) / (toX - fromX))
    return toY < fromY ? fromY - climb : fromY + climb
  }

  #curve(heights: (number | undefined)[], size: number): Float32Array {
    const curve = new Float32Array(size)
    let [x, y] = [0, (heights[this.#order[0] ?? 0] ?? 0) * this.#multiplier]
    for (const point of this.#order.slice(1)) {
      const height = heights[point]
      if (height === undefined) continue
      const to = { x: this.#places[point] ?? 0, y: height * this.#multiplier }
      drawLine(curve, { x, y }, to)
      ;({ x, y } = to)
    }
    curve.fill(loudness[y] ?? 0, Math.min(x, size))
    return curve
  }
}

interface Point {
  x: number
  y: number
}

/** In whole numbers, so that every decoder draws the same. */
function drawLine(curve: Float32Array, from: Point, to: Point): void {
  const width = to.x - from.x
  const base = Math.trunc((to.y - from.y) / width)
  const rest = Math.abs(to.y - from.y) - Math.abs(base) * width
  const step = to.y < from.y ? base - 1 : base + 1
  let y = from.y
  let error = 0
  const end = Math.min(to.x, curve.length)
  for (let x = from.x; x < end; x++) {
    curve[x] = loudness[y] ?? 0
    error += rest
    y += error >= width ? step : base
    if (error >= width) error -= width
  }
}

/** Of places before it in the list. */
function neighbours(places: number[], place: number): [number, number] {
  let [left, right] = [0, 1]
  for (const [index, other] of places.entries()) {
    if (other < place && other > (places[left] ?? 0)) left = index
    if (other > place && other < (places[right] ?? 0)) right = index
  }
  return [left, right]
}

function fail(problem: string): never {
  throw damaged(problem)
}

/** Reads which kind of floor follows, and that. */
export function readFloor(bits: PacketBits, books: readonly Codebook[]): Floor {
  const kind = bits.unsigned(16)
  if (kind === 0) throw new FormatError('unsupported', 'The OGG file holds Vorbis of an early kind (floor 0), which is not read.')
  if (kind !== 1) throw damaged(`it holds a floor of kind ${kind}`)
  return new Floor(bits, books)
}
