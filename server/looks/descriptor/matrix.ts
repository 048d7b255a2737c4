/** The fixed matrix that makes few numbers of many: which of them tell pictures apart, whatever was done to a picture. bench/looks/learn.ts makes it. */
import { readFileSync } from 'node:fs'
import { formsLength } from './forms.ts'

export const shapeLength = 256

/** In the file in this order, in the byte order of the processors that run us: little endian. */
export interface Matrix {
  /** Taken off the forms first. */
  mean: Float32Array
  /** Of each row. */
  scale: Float32Array
  /** `shapeLength` rows of `formsLength`. */
  rows: Int8Array
}

export function matrixBytes({ mean, scale, rows }: Matrix): Uint8Array {
  return Buffer.concat(
    [mean, scale, rows].map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
  )
}

export function matrixOf(bytes: Uint8Array): Matrix {
  const own = new Uint8Array(bytes).buffer
  const rowsAt = 4 * (formsLength + shapeLength)
  return {
    mean: new Float32Array(own, 0, formsLength),
    scale: new Float32Array(own, 4 * formsLength, shapeLength),
    rows: new Int8Array(own, rowsAt, shapeLength * formsLength),
  }
}

let read: Matrix | undefined

/** `shapeLength` numbers of forms. */
export function shapeOf(forms: Float32Array): Float32Array {
  read ??= matrixOf(readFileSync(new URL('./matrix.bin', import.meta.url)))
  return reduced(forms, read)
}

export function reduced(forms: Float32Array, { mean, scale, rows }: Matrix): Float32Array {
  const centred = forms.map((value, at) => value - (mean[at] ?? 0))
  return Float32Array.from({ length: shapeLength }, (_, row) => {
    let sum = 0
    const from = row * formsLength
    for (let at = 0; at < formsLength; at++) sum += (rows[from + at] ?? 0) * (centred[at] ?? 0)
    return sum * (scale[row] ?? 0)
  })
}
