/** Any storage, with every file that comes in written down in the ledger until something takes it over. */
import type { Readable } from 'node:stream'
import type { Clock } from '../clock.ts'
import type { Ledger } from './ledger.ts'
import {
  type DownloadAs,
  type Expected,
  type Received,
  readKey,
  type Storage,
  type UploadFile,
  type UploadTarget,
} from './storage.ts'

export class CountedStorage implements Storage {
  readonly #kept: Storage
  readonly #ledger: Ledger
  readonly #clock: Clock

  constructor(kept: Storage, ledger: Ledger, clock: Clock) {
    this.#kept = kept
    this.#ledger = ledger
    this.#clock = clock
  }

  async receive(key: string, bytes: Readable, expected: Expected): Promise<Received> {
    const received = await this.#kept.receive(key, bytes, expected)
    if (received.created) this.#ledger.note({ key, size: received.size, storedAt: this.#clock.now() })
    if (expected.isLimited) await this.#ledger.written(readKey(key).workspaceId)
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

  read(key: string, start: number, end: number): Promise<Buffer> {
    return this.#kept.read(key, start, end)
  }

  downloadUrl(key: string, as: DownloadAs): Promise<string> {
    return this.#kept.downloadUrl(key, as)
  }

  uploadTargets(files: readonly UploadFile[], expiresAt: Date): Promise<UploadTarget[]> {
    return this.#kept.uploadTargets(files, expiresAt)
  }

  check(): Promise<void> {
    return this.#kept.check()
  }
}
