/** Vectors as looks keep them: of one length, in bytes. */
import { lookLength } from './embedder.ts'

/** Scaled to a length and rounded; zeros stay zeros. */
export function toLook(values: Float32Array, length: number = lookLength): Int8Array {
  let square = 0
  for (const value of values) square += value * value
  const by = square > 0 ? length / Math.sqrt(square) : 0
  return Int8Array.from(values, (value) => Math.max(-127, Math.min(127, Math.round(value * by))))
}
