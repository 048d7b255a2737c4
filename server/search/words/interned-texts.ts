/** Texts that many rows say alike (categories, tags, packs): each kept once, by a small number. */
import { type Key, toKey } from '../../../words/folded-text.ts'
import { wordsOf } from '../../../words/tokenizer.ts'

interface SharedText {
  text: string
  keys: readonly Key[]
  bytes: Buffer
  uses: number
}

export class InternedTexts {
  readonly #numbers = new Map<string, number>()
  readonly #texts: (SharedText | undefined)[] = []
  readonly #free: number[] = []

  /** One more than the highest number in use. */
  get size(): number {
    return this.#texts.length
  }

  /** The number of a text, which counts one more use. */
  take(text: string): number {
    const known = this.#numbers.get(text)
    if (known !== undefined) {
      this.#require(known).uses++
      return known
    }
    const number = this.#free.pop() ?? this.#texts.length
    const keys = wordsOf(text).map(toKey)
    this.#texts[number] = { text, keys, bytes: Buffer.from(keys.join(' '), 'latin1'), uses: 1 }
    this.#numbers.set(text, number)
    return number
  }

  /** Forgets a text with its last use; its number is given out again. */
  drop(number: number): void {
    const shared = this.#require(number)
    if (--shared.uses > 0) return
    this.#numbers.delete(shared.text)
    this.#texts[number] = undefined
    this.#free.push(number)
  }

  keysOf(number: number): readonly Key[] {
    return this.#require(number).keys
  }

  bytesOf(number: number): Buffer {
    return this.#require(number).bytes
  }

  #require(number: number): SharedText {
    const shared = this.#texts[number]
    if (!shared) throw new Error(`no shared text has the number ${number}`)
    return shared
  }
}
