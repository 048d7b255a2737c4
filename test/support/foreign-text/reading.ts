/** What reads text or structures that come from outside: where it stands, its largest input, and a run over an input of some size. */

export interface Reading {
  file: string
  /** What is read, from whom. */
  what: string
  /** The size of the largest input that gets there, in characters or bytes. */
  largest: number
  /** Programs read it in a thread of its own: it stops nothing. */
  isInThread?: true
  /** A program of one person reads it, and no server: it is held to proportion alone. */
  isClient?: true
  /** An input that costs as much as any of this size; what comes back reads it once. */
  prepare(size: number): (() => unknown) | Promise<() => unknown>
}

/** A text of some size out of one that is repeated. */
export const filled = (piece: string, size: number): string => piece.repeat(Math.ceil(size / piece.length)).slice(0, size)

/** Reads one text, which is made by its size. */
export const ofText =
  (make: (size: number) => string, read: (text: string) => unknown): Reading['prepare'] =>
  (size) => {
    const text = make(size)
    return () => read(text)
  }

/** Reads what may be refused: the refusal is an answer, too. */
export async function tried(read: () => unknown): Promise<unknown> {
  try {
    return await read()
  } catch (error) {
    return error
  }
}
