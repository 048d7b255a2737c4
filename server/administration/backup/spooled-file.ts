/** Lines on their way into a compressed file below the data folder, hashed as they go. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

export interface Spooled {
  path: string
  /** Of the compressed file. */
  sha256: string
  bytes: number
  lines: number
}

/** A tenth of the time of the default, and a tenth more bytes. */
const level = 1
/** Characters gathered before they are compressed. */
const batchChars = 256 * 1024
/** Compressed bytes between two looks at the room that is left. */
const lookBytes = 16 * 1024 * 1024

export interface SpoolOptions {
  /** Throws when no more may be written. */
  requireRoom?: (() => void) | undefined
}

export class SpooledFile {
  readonly #path: string
  readonly #gzip = createGzip({ level })
  readonly #hash = createHash('sha256')
  readonly #done: Promise<void>
  #batch: string[] = []
  #batched = 0
  #bytes = 0
  #lines = 0

  constructor(path: string, { requireRoom = () => {} }: SpoolOptions = {}) {
    this.#path = path
    const counted = async function* (this: SpooledFile, chunks: AsyncIterable<Buffer>) {
      let looked = 0
      for await (const chunk of chunks) {
        this.#hash.update(chunk)
        this.#bytes += chunk.length
        if (this.#bytes - looked >= lookBytes) {
          looked = this.#bytes
          requireRoom()
        }
        yield chunk
      }
    }.bind(this)
    this.#done = pipeline(this.#gzip, counted, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    // Met by who writes, or closes.
    this.#done.catch(() => {})
  }

  /** Lines without their ends. Throws what the disk says. */
  async write(lines: readonly string[]): Promise<void> {
    for (const line of lines) {
      this.#batch.push(line)
      this.#batched += line.length
      this.#lines += 1
      if (this.#batched >= batchChars) await this.#send()
    }
  }

  /** Done when it is on the disk. */
  async close(): Promise<Spooled> {
    await this.#send()
    this.#gzip.end()
    await this.#done
    const file = await open(this.#path, 'r+')
    await file.sync().finally(() => file.close())
    return { path: this.#path, sha256: this.#hash.digest('hex'), bytes: this.#bytes, lines: this.#lines }
  }

  async #send(): Promise<void> {
    if (this.#batch.length === 0) return
    const text = `${this.#batch.join('\n')}\n`
    this.#batch = []
    this.#batched = 0
    if (!this.#gzip.write(text)) await Promise.race([once(this.#gzip, 'drain'), this.#done])
  }
}
