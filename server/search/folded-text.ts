/** Folded words as bytes: how texts are kept, compared and looked through without being made into strings again. */

/**
 * A word's UTF-8 bytes, one character each: such keys compare and begin with one another exactly as the bytes do. Words of ASCII are
 * their own keys.
 */
export type Key = string

export const toKey = (word: string): Key => (/[\u0080-\uffff]/.test(word) ? Buffer.from(word).toString('latin1') : word)

/** Between the words of a text; no word holds it. */
export const wordGap = 0x20

/** Some bytes of a larger block: words with one gap between two of them. */
export interface Stretch {
  bytes: Uint8Array
  from: number
  to: number
}

/** How well a text says a pattern: not at all, with its last word going on, or word for word. */
export const absent = 0
export const begun = 1
export const whole = 2

/** Words that follow one another, as bytes with gaps. The last may go on where `open`. */
export interface Pattern {
  bytes: Uint8Array
  open: boolean
}

export const toPattern = (words: readonly string[], open: boolean): Pattern => ({ bytes: Buffer.from(words.join(' ')), open })

export function findIn({ bytes, from, to }: Stretch, pattern: Pattern): number {
  const { bytes: sought, open } = pattern
  let best = absent
  for (let at = from; at + sought.length <= to; at = nextWord(bytes, at, to)) {
    let same = 0
    while (same < sought.length && bytes[at + same] === sought[same]) same++
    if (same < sought.length) continue
    if (at + same === to || bytes[at + same] === wordGap) return whole
    if (open) best = begun
  }
  return best
}

function nextWord(bytes: Uint8Array, at: number, to: number): number {
  while (at < to && bytes[at] !== wordGap) at++
  return at + 1
}
