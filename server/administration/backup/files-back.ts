/** The files of a backup on their way back, below the data folder or into a bucket: each is hashed, and gets its name when it is whole. */
import { createReadStream, rmSync } from 'node:fs'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { ApiError } from '../../../contract/errors.ts'
import { type Hashed, HashThreads } from '../../../system/hash-threads.ts'
import { systemClock } from '../../clock.ts'
import type { Settings } from '../../config.ts'
import { openLog } from '../../monitoring/log.ts'
import type { Damage } from '../../storage/damaged-files.ts'
import type { Storage } from '../../storage/storage.ts'
import { damageOf } from '../files/check.ts'
import { storageOf } from '../files/stored-files.ts'
import type { BackupFolder } from './backup-folder.ts'
import { Arrivals, type Arrived, partsOf, requireWritten, sizeOf } from './copied-files.ts'
import type { BackedUpFile, Manifest } from './manifest.ts'
import type { FilesTold } from './take-backup.ts'

/** A backup of the folder. */
export interface Chosen {
  name: string
  manifest: Manifest
}

interface BringBack {
  settings: Settings
  folder: BackupFolder
  chosen: Chosen
  /** Whether what lies there already was brought by this restore, before it was interrupted. */
  goesOn: boolean
  tell(event: FilesTold): void
  signal: AbortSignal
}

/** Of a bucket. */
const atOnce = 8

export class FilesBack {
  readonly #options: BringBack
  readonly #damaged: { key: string; damage: Damage }[] = []
  #files = 0
  #bytes = 0
  #read = { files: 0, bytes: 0 }

  constructor(options: BringBack) {
    this.#options = options
  }

  async bring(): Promise<{ files: number; bytes: number; damaged: { key: string; damage: Damage }[] }> {
    const { settings } = this.#options
    if (settings.storageUrl === undefined) await this.#bringToFolder(settings.dataDir)
    else await this.#bringToBucket(settings.storageUrl)
    return { files: this.#files, bytes: this.#bytes, damaged: this.#damaged }
  }

  async #bringToFolder(dataDir: string): Promise<void> {
    const { signal, folder, chosen } = this.#options
    const coming = join(dataDir, 'restoring')
    rmSync(coming, { recursive: true, force: true })
    const arrivals = new Arrivals(coming)
    const threads = new HashThreads()
    const abort = () => void threads.close()
    signal.addEventListener('abort', abort, { once: true })
    try {
      for await (const files of folder.filesOf(chosen.name))
        for (const part of partsOf(files)) await this.#bringPart(part, { dataDir, arrivals, threads })
      await arrivals.settled()
    } catch (error) {
      signal.throwIfAborted()
      throw error
    } finally {
      signal.removeEventListener('abort', abort)
      await threads.close()
      await arrivals.close()
    }
  }

  async #bringPart(
    files: readonly BackedUpFile[],
    { dataDir, arrivals, threads }: { dataDir: string; arrivals: Arrivals; threads: HashThreads },
  ): Promise<void> {
    const pathOf = ({ key }: BackedUpFile) => join(storageOf(dataDir), key)
    const wanted: BackedUpFile[] = []
    for (const file of files) {
      if (sizeOf(pathOf(file)) === file.size) this.#took(file, undefined)
      else if (this.#isSound(file)) wanted.push(file)
    }
    const jobs = wanted.map((file) => ({ path: this.#sourceOf(file), size: file.size, copyTo: arrivals.next() }))
    const found = await threads.run(jobs, (bytes) => this.#tell({ files: 0, bytes }))
    const arrived: Arrived[] = []
    for (const [index, file] of wanted.entries()) {
      const damage = damageOf(file, requireWritten(found[index], dataDir))
      const from = jobs[index]?.copyTo ?? ''
      if (damage) await arrivals.discard(from)
      else arrived.push({ from, to: pathOf(file) })
      this.#took(file, damage)
    }
    await arrivals.settle(arrived)
    this.#tell({ files: files.length, bytes: 0 })
  }

  async #bringToBucket(url: string): Promise<void> {
    const { openBucket } = await import('../../storage/s3/open-bucket.ts')
    const { settings, signal, folder, chosen, goesOn } = this.#options
    const libraryId = chosen.manifest.library
    const storage = await openBucket(url, { settings, clock: systemClock, log: openLog('none'), libraryId })
    const limit = pLimit(atOnce)
    try {
      for await (const files of folder.filesOf(chosen.name)) {
        const there = goesOn ? await storage.sizes(files.map(({ key }) => key)) : []
        await limit.map(files, async (file, index) => {
          signal.throwIfAborted()
          if (there[index] === file.size) this.#took(file, undefined)
          else if (this.#isSound(file)) this.#took(file, damageOf(file, await this.#send(storage, file)))
          this.#tell({ files: 1, bytes: file.size })
        })
      }
    } finally {
      storage.close()
    }
  }

  /** The store takes bytes only that have the hash. */
  async #send(storage: Storage, file: BackedUpFile): Promise<Hashed> {
    const { key, sha256, size } = file
    try {
      await storage.receive(key, createReadStream(this.#sourceOf(file)), { sha256, maxBytes: size, replaces: true })
      return { sha256, size }
    } catch (error) {
      if (error instanceof ApiError && error.code === 'HASH_MISMATCH') return { sha256: '', size }
      throw error
    }
  }

  /** A file of another length is no file of the backup, and takes no room before that is found out. */
  #isSound(file: BackedUpFile): boolean {
    const size = sizeOf(this.#sourceOf(file))
    if (size === file.size) return true
    this.#took(file, size === undefined ? 'missing' : 'size')
    return false
  }

  #sourceOf({ sha256 }: BackedUpFile): string {
    return this.#options.folder.fileOf(sha256)
  }

  #took({ key, size }: BackedUpFile, damage: Damage | undefined): void {
    if (damage) return void this.#damaged.push({ key, damage })
    this.#files += 1
    this.#bytes += size
  }

  #tell(more: { files: number; bytes: number }): void {
    this.#read = { files: this.#read.files + more.files, bytes: this.#read.bytes + more.bytes }
    const { files, file_bytes } = this.#options.chosen.manifest
    this.#options.tell({ kind: 'files', ...this.#read, totalFiles: files.lines, totalBytes: file_bytes })
  }
}
