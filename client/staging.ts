/** The staging folder of a pull: files lie there whole and synced, on the disk of the project, until all of them can be placed. */
import { chmodSync, closeSync, constants, fdatasync, mkdirSync, openSync, statSync, writeFileSync } from 'node:fs'
import { chmod, copyFile, link, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pLimit from 'p-limit'
import { ClientError, isDiskFull, systemCode } from './client-error.ts'
import type { Content, ContentCache } from './content-cache.ts'

/** As many as there are threads that do the work of the disk. */
const atOnce = 4
const writable = 0o200
/**
 * Files from this size on are synced as soon as they lie here, while others still arrive; smaller ones when all do: each sync
 * ends a transaction of the file system, and whoever makes a file meanwhile waits for that.
 */
const largeBytes = 4 * 1024 * 1024
const readOnly = 0o444

export class Staging {
  readonly folder: string
  readonly #cache: ContentCache
  readonly #isLinking: boolean
  readonly #limit = pLimit(atOnce)
  /** Undefined until the first file has shown it. */
  #isCloning: boolean | undefined
  #isThere = false
  readonly #unsynced: string[] = []

  /** `isLinking`: files shall be hard links to those of the cache, where both lie on one disk. */
  constructor(folder: string, cache: ContentCache, isLinking: boolean) {
    this.folder = folder
    this.#cache = cache
    this.#isLinking = isLinking
  }

  pathOf = (hash: string): string => join(this.folder, hash)

  /**
   * Puts a file of the cache here: a clone where the disk knows clones, a copy elsewhere. `bytes`, where they are in memory,
   * are not read again from the disk; they are used before this returns.
   */
  async add(content: Content, bytes?: Uint8Array): Promise<void> {
    try {
      if (!this.#isThere) mkdirSync(this.folder, { recursive: true })
      this.#isThere = true
      if (bytes === undefined || this.#isLinking || this.#isCloning !== false)
        return await this.#limit(() => this.#addFrom(content))
      writeFileSync(this.pathOf(content.hash), bytes)
      this.#unsynced.push(this.pathOf(content.hash))
    } catch (error) {
      throw this.#naming(error)
    }
  }

  /** The system names what is copied, or nothing; what is full is the disk that it is copied to. */
  #naming = (error: unknown): unknown => (isDiskFull(error) ? Object.assign(error, { path: this.folder }) : error)

  /** Puts on the disk what is not there yet; afterwards all that was added is. */
  async sync(): Promise<void> {
    await this.#limit.map(this.#unsynced.splice(0), syncPath).catch((error: unknown) => {
      throw this.#naming(error)
    })
  }

  async #addFrom(content: Content): Promise<void> {
    if (this.#isLinking && (await this.#link(content))) return
    const cached = this.#cache.pathOf(content.hash)
    const path = this.pathOf(content.hash)
    // Whether the disk knows clones shows with the first file.
    this.#isCloning = this.#isCloning !== false && (await isCloned(cached, path))
    if (!this.#isCloning) await copyFile(cached, path)
    const { size, mode } = statSync(path)
    if (size !== content.size) throw changedInCache(content.hash)
    // The cached file was linked to before, and so is read-only.
    if ((mode & writable) === 0) chmodSync(path, 0o644)
    if (size >= largeBytes) await syncPath(path)
    else this.#unsynced.push(path)
  }

  /** False where there can be no link. What is linked is read-only: an editor that saves in place would change every copy. */
  async #link(content: Content): Promise<boolean> {
    const cached = this.#cache.pathOf(content.hash)
    const { size, mode } = statSync(cached)
    if (size !== content.size) throw changedInCache(content.hash)
    try {
      // One that is read-only already was linked, and synced, before.
      if ((mode & writable) !== 0) await syncPath(cached)
      await chmod(cached, readOnly)
      await link(cached, this.pathOf(content.hash))
    } catch (error) {
      const code = systemCode(error)
      if (code === 'EXDEV' || code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS' || code === 'EMLINK') return false
      throw error
    }
    this.#cache.touched(content)
    return true
  }
}

const changedInCache = (hash: string): ClientError =>
  new ClientError('CACHE_UNUSABLE', `The file ${hash} changed in the content cache while it was used.`, {
    next: 'Run it again: it is read anew.',
  })

const syncOpened = promisify(fdatasync)

async function syncPath(path: string): Promise<void> {
  const fd = openSync(path, 'r+')
  try {
    await syncOpened(fd)
  } finally {
    closeSync(fd)
  }
}

async function isCloned(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE_FORCE)
    return true
  } catch (error) {
    await rm(to, { force: true })
    if (systemCode(error) === 'ENOENT') throw error
    return false
  }
}
