// The sound of an MP3, decoded by `mpg123-decoder` (libmpg123), which leaves out what the encoder added at both ends.
import { FormatError } from '../format-error.ts'
import { DecodedSamples } from '../source/decoded-samples.ts'
import type { Sound } from '../source/sound.ts'
import { readMp3 } from './mp3.ts'

/** So many bytes of the file are decoded at once: a second or two of sound. */
const pieceBytes = 32 * 1024

/** The sound of a whole file, 16 bits. Throws FormatError: those of `readMp3`, `damaged` where it cannot be decoded, `too-large`. */
export async function readMp3Sound(bytes: Uint8Array): Promise<Sound> {
  const { channels, sampleRate } = readMp3(bytes)
  const samples = new DecodedSamples({ sampleRate, channels, bits: 16 })
  const { MPEGDecoder } = await import('mpg123-decoder')
  const decoder = new MPEGDecoder()
  await decoder.ready
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const decoded = decodeQuietly(() => decoder.decode(bytes.subarray(at, at + pieceBytes)))
    if (decoded.samplesDecoded === 0) continue
    if (decoded.sampleRate !== sampleRate) throw damaged('its sample rate changes')
    // Of one channel it gives two.
    samples.addFloats(decoded.channelData.slice(0, channels), 0, decoded.samplesDecoded)
  }
  freeWhole(decoder)
  if (samples.frames === 0) throw damaged('nothing in it can be decoded')
  return samples.sound()
}

/** Not after a failure; a damaged frame may also leave its memory damaged without one, which shows here. */
function freeWhole(decoder: { free(): void }): void {
  try {
    decoder.free()
  } catch (cause) {
    throw damaged('a part cannot be decoded', cause)
  }
}

/** It prints what it also says; what is wrong with a file is said once, by us. */
function decodeQuietly<Decoded extends { errors: unknown[] }>(decode: () => Decoded): Decoded {
  const { error: print } = console
  console.error = () => {}
  try {
    const decoded = decode()
    if (decoded.errors.length > 0) throw damaged('a part cannot be decoded')
    return decoded
  } catch (cause) {
    throw cause instanceof FormatError ? cause : damaged('a part cannot be decoded', cause)
  } finally {
    console.error = print
  }
}

function damaged(problem: string, cause?: unknown): FormatError {
  return new FormatError('damaged', `The MP3 file is damaged: ${problem}.`, { cause })
}
