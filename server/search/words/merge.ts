/** Takes new postings into a block, and leaves out what died: the block is written anew, in one pass. */

import type { Key } from '../../../words/folded-text.ts'
import { type Block, cut, fieldsIn, type Layout, rowOf } from './block.ts'

/** Postings of one word that a block does not have; no row of them lives there. */
export interface Addition {
  key: Key
  postings: number[]
}

/** `additions` ascend by key. The blocks that come out hold what the one held; none, when nothing lives. */
export function merge(block: Block | undefined, additions: readonly Addition[]): Block[] {
  const writer = new Writer(block, additions)
  let at = 0
  for (const { key, postings } of additions) {
    while (block && at < block.wordCount && block.compare(at, key) < 0) writer.write(block, at++, [])
    const known = block !== undefined && at < block.wordCount && block.compare(at, key) === 0
    const ascending = postings.sort((a, b) => a - b)
    if (block && known) writer.write(block, at++, ascending)
    else writer.writeNew(key, ascending)
  }
  while (block && at < block.wordCount) writer.write(block, at++, [])
  return [...cut(writer.layout)]
}

class Writer {
  readonly layout: Layout
  #keyEnd = 0
  #postingEnd = 0

  constructor(block: Block | undefined, additions: readonly Addition[]) {
    const words = (block?.wordCount ?? 0) + additions.length
    const keyBytes = additions.reduce((sum, { key }) => sum + key.length, block?.keyStart(block.wordCount) ?? 0)
    const postings = additions.reduce((sum, one) => sum + one.postings.length, block?.postings.length ?? 0)
    this.layout = {
      keys: Buffer.allocUnsafeSlow(keyBytes),
      keyEnds: new Uint32Array(words),
      postings: new Uint32Array(postings),
      postingEnds: new Uint32Array(words),
      wordCount: 0,
    }
  }

  /** A word of the block, with what is added to it. */
  write(block: Block, index: number, added: readonly number[]): void {
    const { postings } = this.layout
    const start = this.#postingEnd
    let next = 0
    for (let at = block.postingStart(index), to = block.postingStart(index + 1); at < to; at++) {
      const posting = block.postings[at] ?? 0
      if (fieldsIn(posting) === 0) continue
      while (next < added.length && rowOf(added[next] ?? 0) < rowOf(posting)) postings[this.#postingEnd++] = added[next++] ?? 0
      postings[this.#postingEnd++] = posting
    }
    while (next < added.length) postings[this.#postingEnd++] = added[next++] ?? 0
    if (this.#postingEnd > start) this.#endWord(block.copyKey(index, this.layout.keys, this.#keyEnd))
  }

  writeNew(key: Key, added: readonly number[]): void {
    for (const posting of added) this.layout.postings[this.#postingEnd++] = posting
    this.#endWord(this.#keyEnd + this.layout.keys.write(key, this.#keyEnd, 'latin1'))
  }

  #endWord(keyEnd: number): void {
    const { keyEnds, postingEnds, wordCount } = this.layout
    this.#keyEnd = keyEnd
    keyEnds[wordCount] = keyEnd
    postingEnds[wordCount] = this.#postingEnd
    this.layout.wordCount = wordCount + 1
  }
}
