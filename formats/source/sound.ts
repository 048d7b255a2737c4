/** Samples of a sound. */

export interface Sound {
  sampleRate: number
  channels: number
  /** Of one sample of one channel: 8 (unsigned), 16, 24 or 32 (signed), or 32 for floats. */
  bits: number
  isFloat: boolean
  /** Samples of all channels in turn, little-endian, as in the `data` chunk of a WAV file. A view of what was read where that is possible. */
  data: Uint8Array
}
