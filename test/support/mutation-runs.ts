// Runs of mutations: each reads one changed file, and gives what it became, the FormatError, or what should never come out.
import { FormatError } from '../../formats/format-error.ts'
import type { Subject } from './mutation-corpus.ts'
import { mutated } from './mutations.ts'

export type Fault = { index: number; reader: string; name: string; problem: string }
/** By reader and outcome: how often. */
export type Counts = Record<string, Record<string, number>>

/** What one file may cost. */
export const limits = { cpuMs: 1000, memoryBytes: 512 * 1024 * 1024 }
/** So much held of the files before is given back first, where Node is told to (`--expose-gc`); what others hold in this process stays. */
const heldBytes = 64 * 1024 * 1024

/** Which file a run is about and what is done to it follow from the seed and the run's index alone. */
export class MutationRuns {
  readonly counts: Counts = {}
  readonly faults: Fault[] = []
  slowestMs = 0
  /** What was held beside these runs, when it was last looked at. */
  #othersBytes = Number.POSITIVE_INFINITY
  readonly #subjects: readonly Subject[]
  readonly #seed: string
  /** The largest the process has been, in bytes; it never shrinks. */
  #peakBytes = 0

  constructor(subjects: readonly Subject[], seed: string) {
    this.#subjects = subjects
    this.#seed = seed
  }

  /** The subject of a run, and the changed bytes. */
  file(index: number): { subject: Subject; bytes: Buffer } {
    const subject = this.#subjects[index % this.#subjects.length]
    if (subject === undefined) throw new Error('there is nothing to mutate')
    const alike = this.#subjects.filter(({ reader }) => reader === subject.reader)
    const other = alike[Math.floor(index / this.#subjects.length) % alike.length] ?? subject
    return { subject, bytes: mutated(subject, other.bytes, `${this.#seed} ${index}`) }
  }

  #giveBack(): void {
    const held = process.memoryUsage().arrayBuffers
    this.#othersBytes = Math.min(this.#othersBytes, held)
    if (held - this.#othersBytes <= heldBytes) return
    globalThis.gc?.()
    this.#othersBytes = process.memoryUsage().arrayBuffers
  }

  async run(index: number): Promise<void> {
    const { subject, bytes } = this.file(index)
    this.#giveBack()
    this.#peakBytes = Math.max(this.#peakBytes, peakBytes())
    const before = process.memoryUsage.rss()
    const started = process.cpuUsage()
    const outcome = await this.#outcome(subject, bytes, index)
    const { user, system } = process.cpuUsage(started)
    const tookMs = (user + system) / 1000
    this.slowestMs = Math.max(this.slowestMs, tookMs)
    const counts = this.counts[subject.reader] ?? {}
    this.counts[subject.reader] = counts
    counts[outcome] = (counts[outcome] ?? 0) + 1
    if (tookMs > limits.cpuMs) this.#fault(index, `took ${Math.round(tookMs)} ms of the processor`)
    const peak = peakBytes()
    if (peak > this.#peakBytes && peak - before > limits.memoryBytes) this.#fault(index, `took ${peak - before} bytes of memory`)
  }

  async #outcome(subject: Subject, bytes: Buffer, index: number): Promise<string> {
    try {
      return await subject.read(bytes)
    } catch (error) {
      if (error instanceof FormatError) return error.reason
      this.#fault(index, error instanceof Error ? (error.stack ?? error.message) : String(error))
      return 'fault'
    }
  }

  #fault(index: number, problem: string): void {
    const { subject } = this.file(index)
    this.faults.push({ index, reader: subject.reader, name: subject.name, problem })
  }
}

const peakBytes = (): number => process.resourceUsage().maxRSS * 1024
