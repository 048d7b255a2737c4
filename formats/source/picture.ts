/** Pixels of a texture's source: what it was imported as, before the engine compressed it. */

/** Rows from the top left, each `width * channels` samples; red first. */
export interface Picture {
  width: number
  height: number
  channels: 1 | 4
  /** 16-bit samples are unsigned; `half` are 16-bit floats, linear light, which may exceed 1. */
  samples: { kind: 'u8'; values: Uint8Array } | { kind: 'u16'; values: Uint16Array } | { kind: 'half'; values: Uint16Array }
}
