/** Looks over JSON while it arrives: how deep it is nested, and what it will take of the memory once it is read. */
import { limits } from '../../contract/limits.ts'

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Bytes of memory, about. Whatever JSON is made of, reading it takes less than twice its weight; keys that all differ come nearest. */
const weightOf = { object: 64, key: 64, comma: 24 }

/** Whether it is JSON at all is for the parser to say. */
export class JsonScan {
  /** As `limits.json` counts it. */
  weight = 0
  #depth = 0
  #deepest = 0
  #isText = false
  #isEscaped = false

  /** One pass with nothing but local numbers: every byte of every body comes through here. */
  add(bytes: Uint8Array): void {
    let [commas, keys, objects, depth, deepest] = [0, 0, 0, this.#depth, this.#deepest]
    for (let at = this.#isText ? this.#endOfText(bytes, 0) : 0; at < bytes.length; at++) {
      const byte = bytes[at]
      if (byte === quote) at = this.#endOfText(bytes, at + 1) - 1
      else if (byte === comma) commas++
      else if (byte === colon) keys++
      else if (byte === openObject || byte === openList) {
        objects++
        if (++depth > deepest) deepest = depth
      } else if (byte === closeObject || byte === closeList) depth--
    }
    this.#depth = depth
    this.#deepest = deepest
    this.weight += bytes.length + commas * weightOf.comma + keys * weightOf.key + objects * weightOf.object
  }

  /** Levels of lists and objects within each other, so far. */
  get deepest(): number {
    return this.#deepest
  }

  /** What is wrong with it so far, as a sentence about the body. */
  get fault(): string | undefined {
    const { depth, weight } = limits.json
    if (this.#deepest > depth) return `is nested deeper than ${depth} levels`
    if (this.weight > weight)
      return `holds too many values: it weighs more than ${weight} (its bytes, 64 for each object, list and key, 24 for each comma); send less at once`
    return undefined
  }

  /** Where a text ends that goes on at `start`: behind its quote, or beyond these bytes. */
  #endOfText(bytes: Uint8Array, start: number): number {
    let at = start + (this.#isEscaped ? 1 : 0)
    this.#isText = true
    for (; at < bytes.length; at++) {
      const byte = bytes[at]
      if (byte === backslash) at++
      else if (byte === quote) {
        this.#isText = false
        break
      }
    }
    this.#isEscaped = at > bytes.length
    return at + 1
  }
}
