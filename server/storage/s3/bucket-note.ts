/** A short text in a bucket. Its key does not begin with a number, as those of files of workspaces do. */
import { createHash } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import type { Note } from '../note.ts'
import type { Bucket } from './bucket.ts'
import { explainStore, isMissing } from './failure.ts'

const mostBytes = 10_000

export class BucketNote implements Note {
  readonly #bucket: Bucket
  readonly #key: string
  readonly #newPath: () => string

  /** `newPath` gives names on this disk that it may use. */
  constructor(bucket: Bucket, { key, newPath }: { key: string; newPath: () => string }) {
    this.#bucket = bucket
    this.#key = key
    this.#newPath = newPath
  }

  async read(): Promise<string | undefined> {
    try {
      return await this.#bucket.get(this.#key, ({ body }) => body.text(), `bytes=0-${mostBytes}`)
    } catch (error) {
      if (isMissing(error)) return undefined
      throw explainStore(error, this.#bucket.where)
    }
  }

  async write(text: string): Promise<void> {
    try {
      await this.put(text, false)
    } catch (error) {
      throw explainStore(error, this.#bucket.where)
    }
  }

  /** Throws what the store says, unexplained. `isNew`: where none is there. */
  async put(text: string, isNew: boolean): Promise<void> {
    const path = this.#newPath()
    const sha256 = createHash('sha256').update(text).digest('hex')
    writeFileSync(path, text, { mode: 0o600 })
    try {
      await this.#bucket.put(this.#key, { path, size: Buffer.byteLength(text), sha256 }, isNew)
    } finally {
      rmSync(path, { force: true })
    }
  }
}
