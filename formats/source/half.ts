// Numbers as 16-bit floats (IEEE 754 binary16), in which pictures of light are kept.

const float = new Float32Array(1)
const bits = new Uint32Array(float.buffer)

/** 1 */
export const halfOne = 0x3c00
/** 65,504: what is brighter has no number of its own. */
const largest = 0x7bff

/** The nearest half; what is too large becomes the largest, so that infinity is not made of a number. */
export function toHalf(value: number): number {
  float[0] = value
  const word = bits[0] ?? 0
  const sign = (word >>> 16) & 0x8000
  const exponent = (word >>> 23) & 0xff
  const fraction = word & 0x7f_ffff
  if (exponent === 0xff) return fraction === 0 ? sign | 0x7c00 : 0x7e00
  if (exponent < 102) return sign
  const shift = exponent < 113 ? 126 - exponent : 13
  const whole = exponent < 113 ? fraction | 0x80_0000 : fraction | ((exponent - 112) << 23)
  const half = (whole + (1 << (shift - 1)) - 1 + ((whole >>> shift) & 1)) >>> shift
  return sign | Math.min(half, largest)
}
