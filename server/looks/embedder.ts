/** What turns pictures, and for some embedders words, into vectors that lie close where things look alike. */

/** Two vectors whose directions are what counts (cosines); a vector of zeros says nothing. */
export interface Look {
  /** Forms and structure, or meaning: `Embedder.dimensions.shape` numbers. */
  shape: Float32Array
  /** Colours: `Embedder.dimensions.colour` numbers; none where the embedder keeps everything in `shape`. */
  colour: Float32Array
}

export interface Embedder {
  /** Vectors of one name can be compared with each other, and with no others: `descriptor-2`, `clip-2-<hash of its files>`. */
  readonly name: string
  readonly dimensions: { readonly shape: number; readonly colour: number }
  /** From 0 to 1: how much of a likeness is that of colours; the rest is that of shapes. */
  readonly colourWeight: number
  /** Of a PNG or JPEG. Throws FormatError where the bytes are no picture that can be read within the limits. */
  look(bytes: Uint8Array): Promise<Look>
  /** Of a picture that is searched for: one look for each view of it that counts as the same, such as the mirrored one. */
  questions(bytes: Uint8Array): Promise<Look[]>
  /** Of words, where words and pictures share one space. */
  words?(text: string): Promise<Look>
}
