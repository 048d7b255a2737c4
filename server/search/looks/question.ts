/** What is searched for, and how its dot products with vectors become likenesses: cosines of shapes and of colours, by their weights. */
import type { Look } from '../../looks/embedder.ts'
import type { RoundedLook } from '../../looks/rounding.ts'

/** The likeness of two looks that are the same: what a 32-bit floating-point number holds to the last bit. */
export const fullLikeness = 2 ** 22

/** Of each vector of a question: long enough that rounding its numbers loses nothing, and they fit 16 bits. */
const questionLength = 16_384

/** A picture without colours asks for shapes alone. */
export function questionOf(
  { shape, colour }: Look | RoundedLook,
  colourWeight: number,
): { shape: Int16Array; colour: Int16Array } {
  const hasColours = colour.some((number) => number !== 0)
  return { shape: scaled(shape, questionLength / (hasColours ? 1 : 1 - colourWeight)), colour: scaled(colour, questionLength) }
}

function scaled(vector: Float32Array | Int8Array, length: number): Int16Array {
  const own = Math.hypot(...vector)
  return Int16Array.from(vector, (number) => (own === 0 ? 0 : Math.round((number * length) / own)))
}

/** What the dot products of a vector are multiplied by; a vector of zeros is like nothing. */
export const factorsOf = ({ shape, colour }: RoundedLook, colourWeight: number): [shape: number, colour: number] => [
  factorOf(shape, 1 - colourWeight),
  factorOf(colour, colourWeight),
]

function factorOf(vector: Int8Array, weight: number): number {
  const own = Math.hypot(...vector)
  return own === 0 ? 0 : (fullLikeness * weight) / (own * questionLength)
}
