// FLAC: the samples of one channel in one frame: a constant, samples as they are, or a prediction from the samples before with what it
// missed. Source: RFC 9639, section 9.2.
import type { BitReader } from './bits.ts'
import { damaged } from './flac.ts'

/** Coefficients of the fixed predictors, newest sample first. */
const fixedPredictors = [[], [1], [2, -1], [3, -3, 1], [4, -6, 4, -1]]

/** Fills `samples`. Throws FormatError. */
export function readSubframe(bits: BitReader, samples: Float64Array, sampleBits: number): void {
  if (bits.unsigned(1) !== 0) throw damaged('a frame loses its place')
  const type = bits.unsigned(6)
  const wasted = bits.unsigned(1) === 0 ? 0 : bits.unary() + 1
  const width = sampleBits - wasted
  if (width < 1) throw damaged('a sample has no bits')
  if (type === 0) samples.fill(bits.signed(width))
  else if (type === 1) for (let at = 0; at < samples.length; at++) samples[at] = bits.signed(width)
  else if (type >= 8 && type <= 12) readFixed(bits, samples, { order: type - 8, width })
  else if (type >= 32) readLinear(bits, samples, { order: type - 31, width })
  else throw damaged(`it holds a subframe of kind ${type}`)
  if (wasted > 0) for (let at = 0; at < samples.length; at++) samples[at] = (samples[at] ?? 0) * 2 ** wasted
}

interface Predicted {
  order: number
  width: number
}

function readFixed(bits: BitReader, samples: Float64Array, { order, width }: Predicted): void {
  readWarmUp(bits, samples, { order, width })
  readResidual(bits, samples, order)
  predict(samples, fixedPredictors[order] ?? [], 0)
}

function readLinear(bits: BitReader, samples: Float64Array, { order, width }: Predicted): void {
  readWarmUp(bits, samples, { order, width })
  const precision = bits.unsigned(4) + 1
  const shift = bits.signed(5)
  if (precision === 16 || shift < 0) throw damaged('a prediction cannot be')
  const coefficients = Array.from({ length: order }, () => bits.signed(precision))
  readResidual(bits, samples, order)
  predict(samples, coefficients, shift)
}

function readWarmUp(bits: BitReader, samples: Float64Array, { order, width }: Predicted): void {
  if (order > samples.length) throw damaged('a frame is shorter than its prediction')
  for (let at = 0; at < order; at++) samples[at] = bits.signed(width)
}

/** What the prediction missed, in partitions, each with its own Rice parameter. */
function readResidual(bits: BitReader, samples: Float64Array, order: number): void {
  const method = bits.unsigned(2)
  if (method > 1) throw damaged(`it holds a residual of kind ${method}`)
  const parameterBits = method === 0 ? 4 : 5
  const partitions = 2 ** bits.unsigned(4)
  const each = samples.length / partitions
  if (!Number.isInteger(each) || each < order) throw damaged('a frame cannot be parted')
  let at = order
  for (let partition = 1; partition <= partitions; partition++) {
    const parameter = bits.unsigned(parameterBits)
    const end = partition * each
    if (parameter === 2 ** parameterBits - 1) {
      const width = bits.unsigned(5)
      for (; at < end; at++) samples[at] = bits.signed(width)
      continue
    }
    for (; at < end; at++) {
      const folded = bits.unary() * 2 ** parameter + bits.unsigned(parameter)
      samples[at] = folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2
    }
  }
}

/** Doubles hold every sum that a sample of 32 bits needs exactly. */
function predict(samples: Float64Array, coefficients: readonly number[], shift: number): void {
  const order = coefficients.length
  const scale = 2 ** shift
  for (let at = order; at < samples.length; at++) {
    let sum = 0
    for (let back = 0; back < order; back++) sum += (coefficients[back] ?? 0) * (samples[at - 1 - back] ?? 0)
    samples[at] = (samples[at] ?? 0) + Math.floor(sum / scale)
  }
}
