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

/** How well a text says a pattern: not at all, with its last word going on, or to the end of a word. */
export const absent = 0
export const begun = 1
export const whole = 2

/**
 * What is looked for: words that follow one another, as bytes with gaps; or, `open`, what adjoining words written together begin with,
 * wherever one ends and the next begins.
 */
export interface Pattern {
  bytes: Uint8Array
  open: boolean
}

export const toPattern = (words: readonly string[], open: boolean): Pattern => ({
  bytes: Buffer.from(words.join(open ? '' : ' ')),
  open,
})

export function findIn({ bytes, from, to }: Stretch, pattern: Pattern): number {
  const { bytes: sought, open } = pattern
  let best = absent
  for (let at = from; at + sought.length <= to; at = nextWord(bytes, at, to)) {
    if (bytes[at] !== sought[0]) continue
    const end = open ? endOfJoined(bytes, at, { to, sought }) : endOfSame(bytes, at, sought)
    if (end < 0) continue
    if (end === to || bytes[end] === wordGap) return whole
    if (open) best = begun
  }
  return best
}

/** Where the words that begin here end, when they are those; else -1. */
function endOfSame(bytes: Uint8Array, at: number, sought: Uint8Array): number {
  for (let same = 0; same < sought.length; same++) if (bytes[at + same] !== sought[same]) return -1
  return at + sought.length
}

/** The same of words written together. */
function endOfJoined(bytes: Uint8Array, start: number, { to, sought }: { to: number; sought: Uint8Array }): number {
  let at = start
  for (let same = 0; same < sought.length; at++) {
    if (at >= to) return -1
    if (bytes[at] === sought[same]) same++
    else if (bytes[at] !== wordGap) return -1
  }
  return at
}

function nextWord(bytes: Uint8Array, at: number, to: number): number {
  while (at < to && bytes[at] !== wordGap) at++
  return at + 1
}
