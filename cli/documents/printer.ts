/** Prints documents on stdout for programs: whole, or in the shape that was asked for. */

import { printableJson, printableLines } from '../../system/printable.ts'
import type { Surroundings } from '../context.ts'
import type { Refusal } from '../refusal.ts'
import type { Documents } from '../terminal/output.ts'
import type { Shaper } from './shaper.ts'

type Streams = Pick<Surroundings, 'stdout' | 'stderr'>

/** Documents as they are, with what drives a terminal escaped: those of a command whole, those of a stream each on a line. */
export const plainDocuments = ({ stdout }: Streams): Documents & AsyncDisposable => ({
  async print(document, form) {
    stdout.write(`${printableJson(JSON.stringify(document, null, form === 'line' ? 0 : 2))}\n`)
  },
  async printed() {},
  async [Symbol.asyncDispose]() {},
})

/** Documents in a shape, one after the other. What fails is told when the next is printed or, at the latest, at the end. */
export class ShapedDocuments implements Documents, AsyncDisposable {
  readonly #streams: Streams
  readonly #shaper: Shaper
  #last: Promise<void> = Promise.resolve()

  constructor(streams: Streams, shaper: Shaper) {
    this.#streams = streams
    this.#shaper = shaper
  }

  print(document: unknown): Promise<void> {
    this.#last = this.#last.then(() => this.#printOne(document))
    this.#last.catch(() => undefined)
    return this.#last
  }

  printed(): Promise<void> {
    return this.#last
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#shaper[Symbol.asyncDispose]()
  }

  async #printOne(document: unknown): Promise<void> {
    const { text, remarks, failed } = await this.#shaper.shape(document)
    const { stdout, stderr } = this.#streams
    if (text !== '') stdout.write(safeOn(stdout, text))
    if (remarks !== '') stderr.write(safeOn(stderr, `${remarks}\n`))
    if (failed) throw failed satisfies Refusal
  }
}

/** Names and texts come from other people: a terminal shows them, and is not driven by them. A program gets them as they are. */
const safeOn = ({ isTTY }: { isTTY?: boolean }, text: string): string =>
  isTTY ? `${printableLines(text.replace(/\n$/, '')).join('\n')}\n` : text
