/** The staging folder of a pull: files lie there whole and synced, on the disk of the project, until all of them can be placed. */
import { constants } from 'node:fs'
import { chmod, copyFile, link, mkdir, open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
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
  #made: Promise<unknown> | undefined
  #unsynced: string[] = []

  /** `isLinking`: files shall be hard links to those of the cache, where both lie on one disk. */
  constructor(folder: string, cache: ContentCache, isLinking: boolean) {
    this.folder = folder
    this.#cache = cache
    this.#isLinking = isLinking
  }

  pathOf = (hash: string): string => join(this.folder, hash)

  /** Puts a file of the cache here: a clone where the disk knows clones, a copy elsewhere. */
  add(content: Content): Promise<void> {
    this.#made ??= mkdir(this.folder, { recursive: true })
    return this.#limit(async () => {
      try {
        await this.#made
        await rm(this.pathOf(content.hash), { force: true })
        if (!(this.#isLinking && (await this.#link(content)))) await this.#copy(content)
      } catch (error) {
        throw this.#naming(error)
      }
    })
  }

  /** The system names what is copied, or nothing; what is full is the disk that it is copied to. */
  #naming = (error: unknown): unknown => (isDiskFull(error) ? Object.assign(error, { path: this.folder }) : error)

  /** Puts on the disk what is not there yet; afterwards all that was added is. */
  async sync(): Promise<void> {
    await this.#limit.map(this.#unsynced.splice(0), async (path) => {
      const file = await open(path, 'r')
      try {
        await file.datasync()
      } catch (error) {
        throw this.#naming(error)
      } finally {
        await file.close()
      }
    })
  }

  async #copy(content: Content): Promise<void> {
    const path = this.pathOf(content.hash)
    await copyFile(this.#cache.pathOf(content.hash), path, constants.COPYFILE_FICLONE)
    const file = await open(path, 'r+').catch(async (error) => {
      // The cached file was linked to before, and so is read-only.
      if (systemCode(error) !== 'EACCES') throw error
      await chmod(path, 0o644)
      return open(path, 'r+')
    })
    try {
      const { size, mode } = await file.stat()
      if (size !== content.size) throw changedInCache(content.hash)
      if ((mode & writable) === 0) await file.chmod(0o644)
      if (size >= largeBytes) await file.datasync()
      else this.#unsynced.push(path)
    } finally {
      await file.close()
    }
  }

  /** False where there can be no link. What is linked is read-only: an editor that saves in place would change every copy. */
  async #link(content: Content): Promise<boolean> {
    const cached = this.#cache.pathOf(content.hash)
    try {
      await chmod(cached, readOnly)
      await link(cached, this.pathOf(content.hash))
    } catch (error) {
      const code = systemCode(error)
      if (code === 'EXDEV' || code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS' || code === 'EMLINK') return false
      throw error
    }
    if ((await stat(cached)).size !== content.size) throw changedInCache(content.hash)
    this.#unsynced.push(cached)
    this.#cache.touched(content)
    return true
  }
}

const changedInCache = (hash: string): ClientError =>
  new ClientError('CACHE_UNUSABLE', `The file ${hash} changed in the content cache while it was used.`, {
    next: 'Run it again: it is read anew.',
  })
