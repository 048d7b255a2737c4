/**
 * A list of what to leave out, in gitignore's syntax, regardless of case. All its rules go along a path together, a character at a time,
 * and never back: the work is that of the list times the path, whatever stands in them.
 */
import type { Rule } from './ignore-rule.ts'

/** Characters of paths whose places are kept. */
const mostKnown = 512

const wordBits = 32
const bit = (at: number): number => 1 << (at % wordBits)
const wordOf = (at: number): number => Math.floor(at / wordBits)

/** A bit for each place of each rule. */
type Bits = Uint32Array

export class IgnoreList {
  readonly #rules: readonly Rule[]
  /** The last place of each rule. */
  readonly #lasts: number[] = []
  readonly #starts: Bits
  readonly #accepting: Bits
  readonly #staying: { inName: Bits; always: Bits }
  readonly #skipping: Bits
  readonly #taking = new Map<string, Bits>()
  /** Places of all rules: what a character of a path costs. */
  readonly size: number

  constructor(rules: readonly Rule[]) {
    this.#rules = rules
    this.size = this.#rules.reduce((sum, { places }) => sum + places.length, 0)
    const none = () => new Uint32Array(wordOf(this.size) + 1)
    this.#starts = none()
    this.#accepting = none()
    this.#skipping = none()
    this.#staying = { inName: none(), always: none() }
    this.#lay()
  }

  /**
   * The last rule that speaks of a path, or of a folder that it lies in, from the top; what is left out by its folder stays out. A folder
   * ends in a slash.
   */
  ruleOf(path: string): Rule | undefined {
    if (this.#rules.length === 0) return undefined
    const isFolder = path.endsWith('/')
    const at = this.#starts.slice()
    this.#skip(at)
    for (const char of (isFolder ? path.slice(0, -1) : path).toLowerCase()) {
      const above = char === '/' ? this.#accepted(at, true) : undefined
      if (above && !above.isException) return above
      this.#step(at, char)
    }
    return this.#accepted(at, isFolder)
  }

  #lay(): void {
    let at = 0
    for (const { places } of this.#rules) {
      set(this.#starts, at)
      for (const [index, { stays, skips }] of places.entries()) {
        if (skips) set(this.#skipping, at + index)
        if (stays === 'always') set(this.#staying.always, at + index)
        if (stays !== 'no') set(this.#staying.inName, at + index)
      }
      at += places.length
      this.#lasts.push(at - 1)
      set(this.#accepting, at - 1)
    }
  }

  #step(at: Bits, char: string): void {
    const taking = this.#takingOf(char)
    const staying = char === '/' ? this.#staying.always : this.#staying.inName
    let carried = 0
    for (let word = 0; word < at.length; word++) {
      const now = at[word] as number
      at[word] = (((now << 1) | carried) & (taking[word] as number)) | (now & (staying[word] as number))
      carried = now >>> (wordBits - 1)
    }
    this.#skip(at)
  }

  /** Two places on; no place that is reached so skips again. */
  #skip(at: Bits): void {
    let carried = 0
    for (let word = 0; word < at.length; word++) {
      const now = at[word] as number
      const skipping = now & (this.#skipping[word] as number)
      at[word] = now | (skipping << 2) | carried
      carried = skipping >>> (wordBits - 2)
    }
  }

  #accepted(at: Bits, isFolder: boolean): Rule | undefined {
    if (!at.some((bits, word) => bits & (this.#accepting[word] as number))) return undefined
    for (let index = this.#rules.length - 1; index >= 0; index--) {
      const rule = this.#rules[index] as Rule
      if (isSet(at, this.#lasts[index] as number) && (isFolder || !rule.isForFolders)) return rule
    }
    return undefined
  }

  #takingOf(char: string): Bits {
    const known = this.#taking.get(char)
    if (known) return known
    const taking = new Uint32Array(this.#starts.length)
    let at = 0
    for (const { places } of this.#rules)
      for (const { takes } of places) {
        if (takes(char)) set(taking, at)
        at++
      }
    if (this.#taking.size < mostKnown) this.#taking.set(char, taking)
    return taking
  }
}

function set(bits: Bits, at: number): void {
  bits[wordOf(at)] = (bits[wordOf(at)] as number) | bit(at)
}

const isSet = (bits: Bits, at: number): boolean => ((bits[wordOf(at)] as number) & bit(at)) !== 0
