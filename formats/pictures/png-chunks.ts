// The chunks of a PNG that decoders need. Others may hold text that is compressed a thousandfold, as often as the file has room for it:
// decoders unpack each of them before they come to the pixels, and no limit of time holds there.
// Source: PNG (ISO 15948) 5.3 and 11.

/** Beside those that every decoder has to know, whose names begin with a capital: transparency, colours, and which way is up. */
const needed = new Set(['tRNS', 'gAMA', 'cHRM', 'sRGB', 'sBIT', 'bKGD', 'cICP', 'iCCP', 'eXIf', 'pHYs'])
const signatureBytes = 8

/** The same picture without its other chunks; of each kind that is needed beside the pixels and the palette the first. */
export function pngToDecode(bytes: Uint8Array): Uint8Array {
  const kept = keptRanges(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  if (kept.length === 1 && kept[0]?.end === bytes.length) return bytes
  return Buffer.concat(kept.map(({ start, end }) => bytes.subarray(start, end)))
}

/** Neighbours are one range. What is cut off, or behind the last chunk, stays as it is. */
function keptRanges(bytes: Buffer): { start: number; end: number }[] {
  const ranges = [{ start: 0, end: Math.min(signatureBytes, bytes.length) }]
  const seen = new Set<string>()
  for (let at = signatureBytes; at < bytes.length; ) {
    const whole = at + 12 <= bytes.length ? at + 12 + bytes.readUInt32BE(at) : bytes.length
    const end = Math.min(whole, bytes.length)
    const name = bytes.toString('latin1', at + 4, Math.min(at + 8, bytes.length))
    const isNeeded = isCritical(name) || (needed.has(name) && !seen.has(name))
    seen.add(name)
    const last = ranges.at(-1)
    if (isNeeded && last?.end === at) last.end = end
    else if (isNeeded) ranges.push({ start: at, end })
    at = name === 'IEND' ? bytes.length : end
  }
  return ranges
}

/** Bit 5 of the first letter. A name that is cut off is none. */
const isCritical = (name: string): boolean => name.length < 4 || (name.charCodeAt(0) & 0x20) === 0
