/** What is searched for, in numbers whose dot products with vectors are likenesses. */
import { colourLength, type Look, lookLength } from '../../looks/embedder.ts'
import { type Measures, wholeShare } from './kernel.ts'

/** The likeness of two looks that are the same. */
export const fullLikeness = wholeShare * lookLength ** 2

/**
 * Brought to its full length where numbers were cut, so that what looks the same is fully alike; colours to the scale of shapes. A picture
 * without colours asks for shapes alone.
 */
export function questionOf({ shape, colour }: Look, { colourShare }: Measures): { shape: Int16Array; colour: Int16Array } {
  const ofColours = scaled(colour, lookLength ** 2 / colourLength)
  const share = ofColours.some((number) => number !== 0) ? 1 : wholeShare / (wholeShare - colourShare)
  return { shape: scaled(shape, lookLength * share), colour: ofColours }
}

function scaled(vector: Int8Array, length: number): Int16Array {
  const own = Math.hypot(...vector)
  return own === 0 ? new Int16Array(vector.length) : Int16Array.from(vector, (number) => Math.round((number * length) / own))
}
