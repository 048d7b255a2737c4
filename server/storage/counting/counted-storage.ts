/** Any storage, with every file that comes in, or may come in unseen, written down until something takes it over. */
import type { Readable } from 'node:stream'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../database/open.ts'
import {
  type Beginning,
  type DownloadAs,
  type Expected,
  type Lent,
  type Received,
  readKey,
  type Storage,
  type StoredFile,
  type UploadFile,
  type UploadTarget,
} from '../storage.ts'
import { announce } from './announced.ts'
import type { Ledger } from './ledger.ts'

export class CountedStorage implements Storage {
  readonly #kept: Storage
  readonly #ledger: Ledger
  readonly #clock: Clock
  readonly #database: Database

  constructor(kept: Storage, { ledger, clock, database }: { ledger: Ledger; clock: Clock; database: Database }) {
    this.#kept = kept
    this.#ledger = ledger
    this.#clock = clock
    this.#database = database
  }

  get directUploads(): Storage['directUploads'] {
    return this.#kept.directUploads
  }

  async receive(key: string, bytes: Readable, expected: Expected): Promise<Received> {
    const received = await this.#kept.receive(key, bytes, expected)
    if (received.created) this.#ledger.note({ key, size: received.size, storedAt: this.#clock.now() })
    // Who asks such a place about a file asks the database first.
    if (expected.isLimited || this.directUploads !== 'seen') await this.#ledger.written(readKey(key).workspaceId)
    return received
  }

  async remove(keys: readonly string[]): Promise<void> {
    await this.#kept.remove(keys)
    await this.#ledger.removed(keys)
  }

  /** Bytes whose rows the caller takes off by itself, in the transaction that chose them. */
  get uncounted(): Pick<Storage, 'remove'> {
    return this.#kept
  }

  sizes(keys: readonly string[]): Promise<(number | undefined)[]> {
    return this.#kept.sizes(keys)
  }

  settle(keys: readonly string[]): Promise<void> {
    return this.#kept.settle(keys)
  }

  beginning(key: string, mostBytes: number): Promise<Beginning | undefined> {
    return this.#kept.beginning(key, mostBytes)
  }

  read(key: string, start: number, end: number): Promise<Buffer> {
    return this.#kept.read(key, start, end)
  }

  downloadUrl(key: string, as: DownloadAs): Promise<string> {
    return this.#kept.downloadUrl(key, as)
  }

  async uploadTargets(files: readonly UploadFile[], expiresAt: Date): Promise<(UploadTarget | undefined)[]> {
    const targets = await this.#kept.uploadTargets(files, expiresAt)
    if (this.directUploads === 'unseen') {
      const given = files.filter((_, index) => targets[index] !== undefined)
      // A size that is known is the most that is taken; of others the most says nothing.
      const announced = given.map(({ key, sha256, maxBytes }) => ({ key, size: sha256 === undefined ? 0 : maxBytes }))
      await announce(this.#database, announced, this.#clock.now())
    }
    return targets
  }

  lend(key: string, mostBytes: number): Promise<Lent | undefined> {
    return this.#kept.lend(key, mostBytes)
  }

  list(prefix: string): AsyncGenerator<StoredFile[]> {
    return this.#kept.list(prefix)
  }

  check(): Promise<void> {
    return this.#kept.check()
  }
}
