// The sound of an MP3, decoded by `mpg123-decoder` (libmpg123), which leaves out what the encoder added at both ends.
import { FormatError } from '../format-error.ts'
import { DecodedSamples } from '../source/decoded-samples.ts'
import type { Sound } from '../source/sound.ts'
import { decodeQuietly, freeWhole } from '../source/wasm-decoder.ts'
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
    const decoded = decodeQuietly(() => decoder.decode(bytes.subarray(at, at + pieceBytes)), undecoded)
    if (decoded.samplesDecoded === 0) continue
    if (decoded.sampleRate !== sampleRate) throw damaged('its sample rate changes')
    // Of one channel it gives two.
    samples.addFloats(decoded.channelData.slice(0, channels), 0, decoded.samplesDecoded)
  }
  freeWhole(decoder, undecoded)
  if (samples.frames === 0) throw damaged('nothing in it can be decoded')
  return samples.sound()
}

const undecoded = (cause?: unknown) => damaged('a part cannot be decoded', cause)

function damaged(problem: string, cause?: unknown): FormatError {
  return new FormatError('damaged', `The MP3 file is damaged: ${problem}.`, { cause })
}
