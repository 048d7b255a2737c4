/** Copies files to where they are kept by their SHA-256: each gets its name only when its bytes are right and on the disk. */
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ApiError } from '../../../contract/errors.ts'
import { FileSync } from '../../../system/file-sync.ts'
import { FolderSync } from '../../../system/folder-sync.ts'
import type { Hashed } from '../../../system/hash-threads.ts'
import { explainDisk } from '../../disk/failure.ts'

/** A file whose bytes are under this name now. */
export interface Arrived {
  /** Where they were copied to. */
  from: string
  to: string
}

/** A file that has its name is whole: names are given after the bytes are on the disk. While some files are synced, the next are copied. */
export class Arrivals {
  readonly #coming: string
  readonly #files: FileSync
  readonly #folders = new FolderSync()
  #count = 0
  #underWay = Promise.resolve()

  /** `coming`: a folder on the same disk. */
  constructor(coming: string) {
    this.#coming = coming
    this.#files = new FileSync(coming)
    mkdirSync(coming, { recursive: true, mode: 0o700 })
  }

  /** Where the next file may be copied to. */
  next(): string {
    this.#count += 1
    return join(this.#coming, String(this.#count))
  }

  /** Waits for the files given before, then returns while these are synced and named; `settled` waits for these. Throws what failed before. */
  async settle(arrived: readonly Arrived[]): Promise<void> {
    await this.#underWay
    this.#underWay = this.#name(arrived)
    // The next call throws it.
    this.#underWay.catch(() => {})
  }

  settled(): Promise<void> {
    return this.#underWay
  }

  async discard(path: string): Promise<void> {
    await rm(path, { force: true })
  }

  /** Waits for what is under way, then removes the copies that have no name. */
  async close(): Promise<void> {
    await this.#underWay.catch(() => {})
    await rm(this.#coming, { recursive: true, force: true })
  }

  async #name(arrived: readonly Arrived[]): Promise<void> {
    await this.#files.settle(arrived.map(({ from }) => from))
    const folders = new Set(arrived.map(({ to }) => dirname(to)))
    const above = new Set<string>()
    for (const folder of folders) for (let at = folder; !existsSync(at); at = dirname(at)) above.add(dirname(at))
    for (const folder of folders) mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const { from, to } of arrived) await rename(from, to)
    await this.#folders.settle([...folders, ...above])
  }
}

/** Throws where the folder takes no bytes. */
export function requireWritten(hashed: Hashed | undefined, folder: string): Hashed {
  if (hashed === undefined) throw new Error('a file was not copied')
  if (!('failed' in hashed) || hashed.at === 'read') return hashed
  const error = Object.assign(new Error(hashed.failed), { code: hashed.failed })
  const explained = explainDisk(error, folder)
  throw explained instanceof ApiError
    ? new ApiError(
        'UNAVAILABLE',
        explained.message.replace('The disk of the server that holds', 'The disk that holds'),
        explained.details,
      )
    : explained
}

/** Undefined where no file lies. */
export function sizeOf(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.isFile() ? found.size : undefined
}

const partBytes = 512 * 1024 ** 2

/** Files that get their names together. An interruption costs at most two parts: the one being synced and the one being copied. */
export function* partsOf<T extends { size: number }>(files: readonly T[]): Generator<T[]> {
  let part: T[] = []
  let bytes = 0
  for (const file of files) {
    part.push(file)
    bytes += file.size
    if (bytes < partBytes) continue
    yield part
    part = []
    bytes = 0
  }
  if (part.length > 0) yield part
}
