/** What turns pictures, and for some embedders words, into vectors that lie close where things look alike. */

/**
 * Of each vector of a look, before its numbers are rounded and kept within ±127: a dot product divided by its square is their cosine. Long
 * enough that rounding loses little in 256 dimensions, and short enough that hardly a number is cut.
 */
export const lookLength = 200

/** The same of a vector of colours: it is short, and of one number in plain pictures, which is not to be cut. */
export const colourLength = 127

/** Two vectors of the lengths `lookLength` and `colourLength`; a vector of zeros says nothing. */
export interface Look {
  /** Forms and structure, or meaning: `Embedder.dimensions.shape` numbers. */
  shape: Int8Array
  /** Colours: `Embedder.dimensions.colour` numbers; none where the embedder keeps everything in `shape`. */
  colour: Int8Array
}

export interface Embedder {
  /** Vectors of one name can be compared with each other, and with no others: `descriptor-1`, `clip-<hash of its files>`. */
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
