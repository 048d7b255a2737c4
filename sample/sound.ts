// The sounds of the sample, made of noise and decay, and the WAV files that hold them.
import { randomNumbers } from './random.ts'

export type Sound = { sampleRate: number; samples: Float32Array }

/** A fire: a low roar, and wood that cracks now and then. */
export function fireCrackle(seconds: number, seed: string): Sound {
  const sampleRate = 22_050
  const random = randomNumbers(seed)
  const samples = new Float32Array(Math.round(seconds * sampleRate))
  let roar = 0
  let crack = 0
  for (let at = 0; at < samples.length; at++) {
    roar += (random() - 0.5 - roar) * 0.06
    crack = random() < 9 / sampleRate ? 0.4 + random() * 0.6 : crack * 0.997
    const swell = 0.75 + 0.25 * Math.sin((at / sampleRate) * 2.1)
    samples[at] = roar * 1.6 * swell + (random() - 0.5) * crack
  }
  return { sampleRate, samples }
}

/** 16-bit PCM with one channel. */
export function toWav({ sampleRate, samples }: Sound): Buffer {
  const wav = Buffer.alloc(44 + samples.length * 2)
  wav.write('RIFF', 0, 'latin1')
  wav.writeUInt32LE(wav.length - 8, 4)
  wav.write('WAVEfmt ', 8, 'latin1')
  for (const [at, value] of [16, 1 + (1 << 16), sampleRate, sampleRate * 2, 2 + (16 << 16)].entries())
    wav.writeUInt32LE(value, 16 + at * 4)
  wav.write('data', 36, 'latin1')
  wav.writeUInt32LE(samples.length * 2, 40)
  for (const [at, sample] of samples.entries())
    wav.writeInt16LE(Math.round(Math.max(-1, Math.min(1, sample)) * 32_767), 44 + at * 2)
  return wav
}
