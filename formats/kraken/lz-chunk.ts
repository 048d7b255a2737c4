// A chunk of matches: literals, and commands that copy what came before.
import type { ArrayReader } from './coded-array.ts'
import { damaged, unsupported } from './damage.ts'
import { readMatches } from './matches.ts'
import type { DecoderMemory, Span } from './memory.ts'

/** Where raw bytes go; `start` is the first of the stream, before which nothing is copied from. */
export type RawTarget = Span & { bytes: Uint8Array; start: number }

/** Literals are the bytes themselves, or what is to be added to the byte at the last used offset. */
export type LiteralKind = 'plain' | 'differences'

type Lists = { literals: Span; commands: Span; offsetCount: number; lengthCount: number }

const firstBytes = 8
const firstOffset = 8

export class LzReader {
  readonly #memory: DecoderMemory
  readonly #arrays: ArrayReader

  constructor(memory: DecoderMemory, arrays: ArrayReader) {
    this.#memory = memory
    this.#arrays = arrays
  }

  /** Decodes the compressed bytes at `chunk` in the decoder's input; gives all bytes of `target` or throws FormatError. */
  read(chunk: Span, target: RawTarget, kind: LiteralKind): void {
    const skipped = target.from === target.start ? this.#copyFirst(chunk, target) : 0
    const rest = { ...target, from: target.from + skipped }
    this.#expand(this.#readLists({ from: chunk.from + skipped, to: chunk.to }, rest.to - rest.from), rest, kind)
  }

  /** A stream begins with a few bytes as they are. A chunk is shorter than what it gives, so that they fit there, too. */
  #copyFirst(chunk: Span, target: RawTarget): number {
    if (chunk.to - chunk.from < firstBytes) throw damaged('ends within its first bytes')
    for (let i = 0; i < firstBytes; i++) target.bytes[target.from + i] = this.#memory.input[chunk.from + i] as number
    return firstBytes
  }

  /** Every command gives two bytes or more, and takes one new offset and two lengths at most. */
  #readLists(chunk: Span, rawBytes: number): Lists {
    const arrays = this.#arrays
    arrays.enter(chunk)
    const literals = arrays.read(rawBytes)
    const commands = arrays.read(rawBytes >> 1)
    const count = commands.to - commands.from
    const { from, to } = arrays.left
    if (from < to && (this.#memory.input[from] as number) >= 0x80) throw unsupported('scaled offsets')
    const offsets = arrays.read(count)
    const lengths = arrays.read(2 * count)
    readMatches(this.#memory, { offsets, lengths, bits: arrays.left })
    return { literals, commands, offsetCount: offsets.to - offsets.from, lengthCount: lengths.to - lengths.from }
  }

  /**
   * Runs the commands. What is written ends within the chunk, and what is copied begins within the stream: both are checked for each
   * command. Whether the lists held as much as was taken of them is checked at the end; what lies behind them is harmless.
   */
  #expand({ literals, commands, offsetCount, lengthCount }: Lists, target: RawTarget, kind: LiteralKind): void {
    const { arrays, offsets, lengths } = this.#memory
    const { bytes, start, to } = target
    const plain = kind === 'plain'
    let at = target.from
    let literal = literals.from
    let [offset, second, third] = [firstOffset, firstOffset, firstOffset]
    let [offsetsTaken, lengthsTaken] = [0, 0]
    for (let i = commands.from; i < commands.to; i++) {
      const command = arrays[i] as number
      let run = command & 3
      if (run === 3) run = lengths[lengthsTaken++] as number
      let match = ((command >> 2) & 15) + 2
      if (match === 17) match = 14 + (lengths[lengthsTaken++] as number)
      if (run > literals.to - literal || run + match > to - at) throw damaged('has commands that give too much')
      const runEnd = at + run
      if (plain) while (at < runEnd) bytes[at++] = arrays[literal++] as number
      else for (; at < runEnd; at++) bytes[at] = (arrays[literal++] as number) + (bytes[at - offset] as number)
      const choice = command >> 6
      if (choice !== 0) {
        const chosen = choice === 1 ? second : choice === 2 ? third : (offsets[offsetsTaken++] as number)
        if (choice !== 1) third = second
        second = offset
        offset = chosen
      }
      if (offset > at - start) throw damaged('copies from before its start')
      for (const matchEnd = at + match; at < matchEnd; at++) bytes[at] = bytes[at - offset] as number
    }
    if (literals.to - literal !== to - at) throw damaged('has literals that do not fill it')
    if (offsetsTaken !== offsetCount || lengthsTaken !== lengthCount)
      throw damaged('has offsets or lengths that no command takes')
    if (plain) while (at < to) bytes[at++] = arrays[literal++] as number
    else for (; at < to; at++) bytes[at] = (arrays[literal++] as number) + (bytes[at - offset] as number)
  }
}
