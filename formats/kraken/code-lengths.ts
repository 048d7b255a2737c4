// The head of a Huffman array: which byte values occur in it, and how many bits the code of each has.
import type { BitReader } from './bit-reader.ts'
import { damaged, unsupported } from './damage.ts'

export const maxCodeBits = 11

/** Byte values and the lengths of their codes, side by side, in order of appearance. A single value has no code. */
export type CodeLengths = { count: number; symbols: Uint8Array; lengths: Uint8Array }

export function readCodeLengths(bits: BitReader): CodeLengths {
  if (bits.bits(1) === 1) {
    if (bits.bits(1) === 1) throw unsupported('a third form of code lengths')
    return manySymbols(bits)
  }
  if (bits.bits(1) === 1) throw unsupported('the old form of code lengths')
  return fewSymbols(bits)
}

/** Each value spelled out, with its length. */
function fewSymbols(bits: BitReader): CodeLengths {
  const count = bits.bits(8)
  const symbols = new Uint8Array(count)
  const lengths = new Uint8Array(count)
  const lengthBits = count === 1 ? 0 : bits.bits(3)
  for (let i = 0; i < count; i++) {
    symbols[i] = bits.bits(8)
    lengths[i] = count === 1 ? 0 : checkedLength(bits.bits(lengthBits) + 1)
  }
  return { count, symbols, lengths }
}

/** Lengths as differences to a running mean, values as ranges. */
function manySymbols(bits: BitReader): CodeLengths {
  const lowBits = bits.bits(2)
  const count = bits.bits(8) + 1
  const rangeNumbers = readRangeNumbers(bits, count)
  const unary = new Uint8Array(count + rangeNumbers)
  for (let i = 0; i < unary.length; i++) unary[i] = readUnary(bits)
  const lengths = new Uint8Array(count)
  let sum = 30
  for (let i = 0; i < count; i++) {
    const folded = ((unary[i] ?? 0) << lowBits) | bits.bits(lowBits)
    const difference = -(folded & 1) ^ (folded >> 1)
    lengths[i] = checkedLength(difference + (sum >> 2) + 1)
    sum += difference
  }
  return { count, symbols: readRanges(bits, unary.subarray(count), count), lengths }
}

/** How many numbers the ranges take: of x possible values the first z have a bit less than the others. */
function readRangeNumbers(bits: BitReader, count: number): number {
  if (count === 256) return 0
  const values = 2 * Math.min(257 - count, count)
  const wide = 32 - Math.clz32(values - 1)
  const narrowValues = (1 << wide) - values
  const next = bits.peek(wide)
  const narrow = next >> 1 < narrowValues
  bits.skip(narrow ? wide - 1 : wide)
  return narrow ? next >> 1 : next - narrowValues
}

/** Ascending values: a number of them, a gap, a number of them, ...; what is left follows the last gap. */
function readRanges(bits: BitReader, unary: Uint8Array, count: number): Uint8Array {
  const symbols = new Uint8Array(count)
  const number = (index: number, extra: number): number => {
    const size = (unary[index] ?? 0) + extra
    return bits.bits(size) + (1 << size) - extra
  }
  let next = 0
  let symbol = 0
  const run = (length: number): void => {
    if (length > count - next || symbol + length > 256) throw damaged('has a code for more symbols than there are')
    for (const end = next + length; next < end; ) symbols[next++] = symbol++
  }
  let index = 0
  if (unary.length % 2 === 1) symbol = number(index++, 1)
  while (index < unary.length) {
    run(number(index++, 0))
    symbol += number(index++, 1)
  }
  run(count - next)
  return symbols
}

function readUnary(bits: BitReader): number {
  const zeros = bits.zeros(24)
  bits.skip(1)
  return zeros
}

function checkedLength(length: number): number {
  if (length < 1 || length > maxCodeBits) throw damaged(`has a code of ${length} bits`)
  return length
}
