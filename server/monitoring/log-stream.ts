/**
 * Lines on their way to a file or a pipe, beside the work and in order. One that takes nothing, because its disk is full, holds
 * up neither the server nor its end: pino's own stream tries for ever when the process ends.
 */
import { write, writeSync } from 'node:fs'

/** Characters that wait for room; lines beyond are dropped. */
const mostWaiting = 1024 * 1024
const patienceMs = 100
/** Lines wait so long for others: one write a line would cost a busy server as much as answering does. */
const batchMs = 10
/** Attempts at the very end, a millisecond apart: who reads a full pipe may only be slow. */
const lastAttempts = 100

const nothing: Buffer = Buffer.alloc(0)

export class LogStream {
  readonly #fd: number
  #waiting = ''
  /** What is being written, or tried again. */
  #current = nothing
  /** Whether the system has it, which writes it even while the process ends. */
  #isHandedOver = false
  #gone = false
  #flushing: NodeJS.Timeout | undefined
  #flushed: (() => void)[] = []

  constructor(fd: number) {
    this.#fd = fd
    // Also when a failure that nobody caught ends the process.
    process.once('exit', () => this.#writeLast())
  }

  write(line: string): void {
    if (this.#gone || this.#waiting.length > mostWaiting) return
    this.#waiting += line
    if (this.#current.length === 0) this.#flushing ??= setTimeout(() => this.#next(), batchMs).unref()
  }

  /** Does not wait for more; `done` is called when everything is written, or nothing was taken for a while. */
  flush(done: () => void): void {
    const late = setTimeout(() => this.#settle(), patienceMs)
    this.#flushed.push(() => {
      clearTimeout(late)
      done()
    })
    if (this.#current.length === 0) this.#next()
  }

  #next(): void {
    clearTimeout(this.#flushing)
    this.#flushing = undefined
    this.#current = Buffer.from(this.#waiting)
    this.#waiting = ''
    if (this.#current.length > 0) this.#attempt()
    else this.#settle()
  }

  #attempt(): void {
    this.#isHandedOver = true
    write(this.#fd, this.#current, (error, written) => {
      this.#isHandedOver = false
      if (error?.code === 'EPIPE') this.#giveUp()
      else if (error) setTimeout(() => this.#attempt(), patienceMs).unref()
      else this.#goOn(written)
    })
  }

  #goOn(written: number): void {
    this.#current = this.#current.subarray(written)
    if (this.#current.length > 0) this.#attempt()
    else if (this.#flushed.length > 0) this.#next()
    else if (this.#waiting !== '') this.#flushing = setTimeout(() => this.#next(), batchMs).unref()
  }

  #giveUp(): void {
    this.#gone = true
    this.#current = nothing
    this.#waiting = ''
    this.#settle()
  }

  #settle(): void {
    for (const done of this.#flushed.splice(0)) done()
  }

  #writeLast(): void {
    let left = Buffer.concat([this.#isHandedOver ? nothing : this.#current, Buffer.from(this.#waiting)])
    for (let attempt = 0; attempt < lastAttempts && left.length > 0; attempt++) left = left.subarray(this.#writeNow(left))
  }

  /** How many bytes were taken; of what cannot be written there is nobody left to tell. */
  #writeNow(bytes: Buffer): number {
    try {
      return writeSync(this.#fd, bytes)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return bytes.length
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
      return 0
    }
  }
}
