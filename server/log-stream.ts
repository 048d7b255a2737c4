/**
 * Lines on their way to a file or a pipe, beside the work and in order. One that takes nothing, because its disk is full, holds
 * up neither the server nor its end: pino's own stream tries for ever when the process ends.
 */
import { write, writeSync } from 'node:fs'

/** Characters that wait for room; lines beyond are dropped. */
const mostWaiting = 1024 * 1024
const patienceMs = 100

export class LogStream {
  readonly #fd: number
  #waiting = ''
  /** What is being written, or tried again. */
  #current: Buffer = Buffer.alloc(0)
  #gone = false

  constructor(fd: number) {
    this.#fd = fd
    process.once('exit', () => this.#writeLast())
  }

  write(line: string): void {
    if (this.#gone || this.#waiting.length > mostWaiting) return
    this.#waiting += line
    if (this.#current.length === 0) this.#next()
  }

  #next(): void {
    this.#current = Buffer.from(this.#waiting)
    this.#waiting = ''
    if (this.#current.length > 0) this.#attempt()
  }

  #attempt(): void {
    write(this.#fd, this.#current, (error, written) => {
      if (error?.code === 'EPIPE') this.#gone = true
      else if (error) setTimeout(() => this.#attempt(), patienceMs).unref()
      else {
        this.#current = this.#current.subarray(written)
        if (this.#current.length > 0) this.#attempt()
        else this.#next()
      }
    })
  }

  /** What was handed to the system is on its way; the rest has one chance. */
  #writeLast(): void {
    try {
      if (!this.#gone && this.#waiting !== '') writeSync(this.#fd, this.#waiting)
    } catch {
      // There is nobody left to tell.
    }
  }
}
