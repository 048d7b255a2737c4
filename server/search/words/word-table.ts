/** Numbers for words while a dictionary is made: a hash table over bytes, in arrays, an eighth of what a Map of strings would take. */

import type { Stretch } from '../../../words/folded-text.ts'
import { grown } from '../catalog/runs.ts'

export class WordTable {
  count = 0
  bytes = Buffer.allocUnsafeSlow(4096)
  ends = new Uint32Array(1024)
  #hashes = new Uint32Array(1024)
  /** Numbers plus one; 0 is empty. A power of two of them, at most half of them taken. */
  #slots = new Uint32Array(2048)

  /** The number of a word, a new one for a word that was not seen before. */
  numberOf(word: Stretch): number {
    const hash = hashOf(word)
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (let taken = this.#slots[slot]; taken; taken = this.#slots[slot]) {
      if (this.#hashes[taken - 1] === hash && this.#isSame(taken - 1, word)) return taken - 1
      slot = (slot + 1) & mask
    }
    return this.#append(word, { hash, slot })
  }

  start(number: number): number {
    return number === 0 ? 0 : (this.ends[number - 1] ?? 0)
  }

  #isSame(number: number, { bytes, from, to }: Stretch): boolean {
    const start = this.start(number)
    if ((this.ends[number] ?? 0) - start !== to - from) return false
    for (let at = from; at < to; at++) if (bytes[at] !== this.bytes[start + at - from]) return false
    return true
  }

  #append({ bytes, from, to }: Stretch, { hash, slot }: { hash: number; slot: number }): number {
    const number = this.count++
    if (number === this.ends.length) {
      this.ends = grown(this.ends, number * 2)
      this.#hashes = grown(this.#hashes, number * 2)
    }
    const start = this.start(number)
    if (start + to - from > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow((start + to - from) * 2)
      this.bytes.copy(larger)
      this.bytes = larger
    }
    for (let at = from; at < to; at++) this.bytes[start + at - from] = bytes[at] ?? 0
    this.ends[number] = start + to - from
    this.#hashes[number] = hash
    this.#slots[slot] = number + 1
    if (this.count * 2 > this.#slots.length) this.#spread()
    return number
  }

  #spread(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2)
    const mask = this.#slots.length - 1
    for (let number = 0; number < this.count; number++) {
      let slot = (this.#hashes[number] ?? 0) & mask
      while (this.#slots[slot]) slot = (slot + 1) & mask
      this.#slots[slot] = number + 1
    }
  }
}

/** FNV-1a, stirred once more, because a slot is chosen by the lowest bits. */
function hashOf({ bytes, from, to }: Stretch): number {
  let hash = 0x811c9dc5
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}
