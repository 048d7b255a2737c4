/** Looks as the library keeps them: in bytes, of which the largest number of a vector takes all. */
import type { Look } from './embedder.ts'

export interface RoundedLook {
  shape: Int8Array
  colour: Int8Array
}

const most = 127

export const rounded = ({ shape, colour }: Look): RoundedLook => ({ shape: inBytes(shape), colour: inBytes(colour) })

/** Zeros stay zeros. */
function inBytes(values: Float32Array): Int8Array {
  let largest = 0
  for (const value of values) largest = Math.max(largest, Math.abs(value))
  const by = largest > 0 ? most / largest : 0
  return Int8Array.from(values, (value) => Math.round(value * by))
}
