// Telephone sounds: 8 bits a sample on a curve, as A-law or mu-law.
// Source: ITU-T Recommendation G.711.

/** Mu-law adds this before it takes the logarithm. */
const muBias = 0x84

function fromMuLaw(byte: number): number {
  const stored = ~byte
  const size = ((((stored & 15) << 3) + muBias) << ((stored & 0x70) >> 4)) - muBias
  return stored & 0x80 ? -size : size
}

function fromALaw(byte: number): number {
  const stored = byte ^ 0x55
  const segment = (stored & 0x70) >> 4
  const step = ((stored & 15) << 4) + 8
  const size = segment === 0 ? step : (step + 0x100) << (segment - 1)
  return stored & 0x80 ? size : -size
}

const laws = { alaw: fromALaw, ulaw: fromMuLaw }

/** Gives 16-bit samples, little-endian, for bytes on the curve. */
export function expanded(data: Uint8Array, law: keyof typeof laws): Uint8Array {
  const curve = Int16Array.from({ length: 256 }, (_, byte) => laws[law](byte))
  const bytes = new Uint8Array(data.length * 2)
  const view = new DataView(bytes.buffer)
  for (let at = 0; at < data.length; at++) view.setInt16(at * 2, curve[data[at] ?? 0] ?? 0, true)
  return bytes
}
