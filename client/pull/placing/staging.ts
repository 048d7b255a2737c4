/** The staging folder of a pull: files lie there whole and synced, on the disk of the project, until all of them can be placed. */
import { chmodSync, closeSync, constants, fdatasync, linkSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs'
import { chmod, copyFile, link, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pLimit from 'p-limit'
import { isNoLinkCode } from '../../../system/disk-codes.ts'
import { isDiskFull, systemCode } from '../../client-error.ts'
import { type Content, type ContentCache, changedInCache } from '../../content/cache.ts'
import { FileReader } from '../../project/file-reader.ts'

/** As many as there are threads that do the work of the disk; half of them may be busy with syncs. */
const atOnce = 4
const syncsAtOnce = 2
const writable = 0o200
/**
 * Files are synced while others still arrive, but not before one of this size is among them: each sync ends a transaction of the
 * file system, who makes a file meanwhile waits for that, and of small files there are many, and they come first.
 */
const largeBytes = 256 * 1024
const readOnly = 0o444
/** There are no links, or none between these two disks. */
const isNoLink = (error: unknown): boolean => systemCode(error) === 'EXDEV' || isNoLinkCode(systemCode(error) ?? '')

export class Staging {
  readonly folder: string
  readonly #cache: ContentCache
  readonly #isLinking: boolean
  readonly #limit = pLimit(atOnce)
  readonly #syncLimit = pLimit(syncsAtOnce)
  /** Undefined until the first file has shown it. */
  #isCloning: boolean | undefined
  /** Until the first file has shown that it cannot be. */
  #isSharing = true
  #unsynced: string[] = []
  readonly #syncs: Promise<unknown>[] = []

  /** `isLinking`: files shall be read-only hard links to those of the cache, where both lie on one disk. */
  constructor(folder: string, cache: ContentCache, isLinking: boolean) {
    this.folder = folder
    this.#cache = cache
    this.#isLinking = isLinking
  }

  pathOf = (hash: string): string => join(this.folder, hash)

  /** Makes the folder. Called once, before the first `add`: if the disk of the project goes away later, no folder is made in its place. */
  make(): void {
    try {
      mkdirSync(this.folder, { recursive: true })
    } catch (error) {
      throw this.#naming(error)
    }
  }

  /**
   * Puts a file of the cache here: a clone where the disk knows clones; else the very file, where no other project has it; else a
   * copy.
   */
  async add(content: Content): Promise<void> {
    try {
      await this.#limit(() => this.#addFrom(content))
    } catch (error) {
      throw this.#naming(error)
    }
  }

  /** The system names what is copied, or nothing; what is full is the disk that it is copied to. */
  #naming = (error: unknown): unknown => (isDiskFull(error) ? Object.assign(error, { path: this.folder }) : error)

  /** Puts on the disk what is not there yet; afterwards all that was added is. */
  async sync(): Promise<void> {
    this.#syncNow()
    await Promise.all(this.#syncs).catch((error: unknown) => {
      throw this.#naming(error)
    })
  }

  #syncLater({ hash, size }: Content): void {
    this.#unsynced.push(this.pathOf(hash))
    if (size >= largeBytes) this.#syncNow()
  }

  #syncNow(): void {
    const synced = this.#syncLimit.map(this.#unsynced, syncPath)
    this.#unsynced = []
    // Met where all of them are awaited.
    synced.catch(() => {})
    this.#syncs.push(synced)
  }

  async #addFrom(content: Content): Promise<void> {
    if (this.#isLinking && (await this.#link(content))) return
    const cached = this.#cache.pathOf(content.hash)
    const path = this.pathOf(content.hash)
    // Whether the disk knows clones shows with the first file.
    this.#isCloning = this.#isCloning !== false && (await isCloned(cached, path))
    if (!this.#isCloning && !this.#share(content)) await copyFile(cached, path)
    await this.#settle(content)
  }

  /** Looks whether what lies here is right, and syncs it or notes that it is to be. */
  async #settle({ hash, size }: Content): Promise<void> {
    const path = this.pathOf(hash)
    const { size: sizeNow, mode } = statSync(path)
    // Who has the cached file too may have written into it while it was read.
    const isSure = sizeNow === size && (this.#cache.isUntouched(hash) || (await isFile(path, hash)))
    if (!isSure) throw changedInCache(hash)
    // The cached file was linked to before, and so is read-only.
    if ((mode & writable) === 0) chmodSync(path, 0o644)
    this.#syncLater({ hash, size })
  }

  /**
   * The very file of the cache, which one project at a time may have: an edit in place is seen in its times and costs the cache
   * that file, and nobody else. Never one that is read-only for the sake of links. False where it has to be a copy.
   */
  #share(content: Content): boolean {
    if (!this.#isSharing) return false
    const cached = this.#cache.pathOf(content.hash)
    const path = this.pathOf(content.hash)
    const { nlink, mode } = statSync(cached)
    if (nlink > 1 || (mode & writable) === 0 || !this.#cache.isUntouched(content.hash)) return false
    try {
      linkSync(cached, path)
    } catch (error) {
      if (!isNoLink(error)) throw error
      this.#isSharing = false
      return false
    }
    // Another pull had the same thought at the same moment.
    if (statSync(path).nlink > 2) {
      rmSync(path)
      return false
    }
    this.#cache.touched(content)
    return true
  }

  /** False where there can be no link. What is linked is read-only: an editor that saves in place would change every copy. */
  async #link(content: Content): Promise<boolean> {
    const cached = this.#cache.pathOf(content.hash)
    const { size, mode, nlink } = statSync(cached)
    if (size !== content.size) throw changedInCache(content.hash)
    // A project may write into it.
    if (nlink > 1 && (mode & writable) !== 0) await this.#cache.part(content)
    try {
      // One that is read-only already was linked, and synced, before.
      if ((mode & writable) !== 0) await syncPath(cached)
      await chmod(cached, readOnly)
      await link(cached, this.pathOf(content.hash))
    } catch (error) {
      if (isNoLink(error)) return false
      throw error
    }
    this.#cache.touched(content)
    return true
  }
}

async function isFile(path: string, hash: string): Promise<boolean> {
  const read = await new FileReader().read(path)
  return 'hash' in read && read.hash === hash
}

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
