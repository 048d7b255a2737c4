/** The built-in store: files below one folder. A file has its name only when it is whole and on the disk. */

import type { KeyObject } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { open, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { IncomingMessage } from 'node:http'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { ApiError } from '../../contract/errors.ts'
import { FolderSync } from '../../system/folder-sync.ts'
import { explainDisk } from '../disk/failure.ts'
import { requireRoom } from '../disk/reserve.ts'
import { IncomingFile, IncomingFolder, releaseChunk } from './incoming-file.ts'
import { nameFile } from './naming.ts'
import { FileNote, type Note } from './note.ts'
import { downloadPath, uploadTarget } from './presigned.ts'
import type { Beginning, DownloadAs, Expected, Lent, Received, Storage, StoredFile, UploadFile, UploadTarget } from './storage.ts'

/** No dots and no empty segments: a key cannot lead out of the folder. `incoming` begins with a letter, keys with a workspace's number. */
const keyPattern = /^[0-9]+(\/[A-Za-z0-9_-]+)+$/

/** Files looked at without letting other requests in between: about a millisecond. */
const glanceCount = 256

export class FileStorage implements Storage {
  readonly directUploads = 'seen'
  readonly #root: string
  readonly #secret: KeyObject
  readonly #incoming: IncomingFolder
  readonly #folders = new FolderSync()
  /** Folders that this process knows to be there. */
  readonly #made = new Set<string>()
  /** Folders whose own names it knows to be on the disk: it has seen them there, and synced the folder above since. */
  readonly #kept = new Set<string>()

  /** `secret` signs presigned addresses. Removes what a killed process left half received. */
  constructor(root: string, secret: KeyObject) {
    this.#root = root
    this.#secret = secret
    this.#incoming = new IncomingFolder(join(root, 'incoming'))
  }

  /** A short text beside the files. */
  note(name: string): Note {
    return new FileNote(join(this.#root, name))
  }

  async receive(key: string, bytes: Readable, expected: Expected): Promise<Received> {
    const target = this.#pathOf(key)
    const kept = expected.replaces ? undefined : this.find(key)
    if (kept) return { size: kept.size, created: false }
    requireRoom(this.#root)
    const file = new IncomingFile(this.#incoming.newPath(), expected, bytes instanceof IncomingMessage ? releaseChunk : () => {})
    try {
      await file.take(bytes)
      await file.sync()
      this.#makeFolder(dirname(target))
      if (!expected.replaces) return { size: file.size, created: nameFile(file.path, target, this.#root) }
      renameSync(file.path, target)
      return { size: file.size, created: true }
    } catch (error) {
      file.discard()
      throw explainDisk(error, this.#root)
    }
  }

  async sizes(keys: readonly string[]): Promise<(number | undefined)[]> {
    const sizes: (number | undefined)[] = []
    for (const key of keys) {
      if (sizes.length % glanceCount === glanceCount - 1) await setImmediate()
      sizes.push(this.find(key)?.size)
    }
    return sizes
  }

  async settle(keys: readonly string[]): Promise<void> {
    const folders = new Set(keys.map((key) => dirname(this.#pathOf(key))))
    const unsure = this.#unsureOf(folders)
    try {
      await this.#folders.settle(new Set([...folders, ...unsure.map((folder) => dirname(folder))]))
      if (unsure.includes(this.#root)) await this.#folders.settleAbove(dirname(this.#root))
    } catch (error) {
      throw explainDisk(error, this.#root)
    }
    for (const folder of unsure) this.#kept.add(folder)
  }

  async beginning(key: string, mostBytes: number): Promise<Beginning | undefined> {
    const found = this.find(key)
    return found && { size: found.size, bytes: await readPart(found, 0, mostBytes) }
  }

  async read(key: string, start: number, end: number): Promise<Buffer> {
    const found = this.find(key)
    if (!found) throw new ApiError('NOT_FOUND', `The store holds no ${key}.`)
    return readPart(found, start, end)
  }

  async lend(key: string, mostBytes: number): Promise<Lent | undefined> {
    const found = this.find(key)
    return found && found.size <= mostBytes ? { path: found.path, release: () => {} } : undefined
  }

  async *list(prefix: string): AsyncGenerator<StoredFile[]> {
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1)
    const within = await readdir(join(this.#root, folder), { withFileTypes: true }).catch(goneIsEmpty)
    const named = within.map((one) => ({ one, key: folder + one.name })).filter(({ key }) => key.startsWith(prefix))
    const files = named.filter(({ one, key }) => one.isFile() && keyPattern.test(key))
    for (let at = 0; at < files.length; at += glanceCount) yield await statsOf(this.#root, files.slice(at, at + glanceCount))
    for (const { one, key } of named) if (one.isDirectory() && /^\d/.test(key)) yield* this.list(`${key}/`)
  }

  async downloadUrl(key: string, as: DownloadAs): Promise<string> {
    return `${as.origin}${downloadPath(this.#secret, { key, ...as })}`
  }

  async uploadTargets(files: readonly UploadFile[], expiresAt: Date): Promise<UploadTarget[]> {
    return files.map((file) => uploadTarget(this.#secret, file, expiresAt))
  }

  async remove(keys: readonly string[]): Promise<void> {
    const paths = keys.map((key) => this.#pathOf(key))
    try {
      for (const path of paths) await rm(path, { force: true })
      await this.#folders.settle(new Set(paths.map((path) => dirname(path)).filter((folder) => existsSync(folder))))
    } catch (error) {
      throw explainDisk(error, this.#root)
    }
  }

  async check(): Promise<void> {
    const probe = this.#incoming.newPath()
    try {
      await writeFile(probe, 'x')
      await rm(probe)
      requireRoom(this.#root)
    } catch (error) {
      throw explainDisk(error, this.#root)
    }
  }

  /** Where the bytes of a key lie; undefined where nothing is kept. */
  find(key: string): { path: string; size: number } | undefined {
    const path = this.#pathOf(key)
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat && { path, size: stat.size }
  }

  /** Ends the use of the folder by this process. */
  close(): void {
    this.#incoming.close()
  }

  #pathOf(key: string): string {
    if (!keyPattern.test(key) || key.length > 200) throw new Error(`"${key}" is no key of the store`)
    return join(this.#root, key)
  }

  /** Those among the folders and the ones above them, up to the root, whose names may not be on the disk yet. */
  #unsureOf(folders: Iterable<string>): string[] {
    const unsure = new Set<string>()
    for (const folder of folders)
      for (let at = folder; at.startsWith(this.#root) && !this.#kept.has(at) && !unsure.has(at); at = dirname(at)) unsure.add(at)
    return [...unsure]
  }

  #makeFolder(folder: string): void {
    if (this.#made.has(folder)) return
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.#made.add(folder)
  }
}

async function readPart({ path, size }: { path: string; size: number }, start: number, end: number): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    const length = Math.max(0, Math.min(end, size) - start)
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, start)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

function goneIsEmpty(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
  throw error
}

/** Of those that are still there. */
async function statsOf(root: string, files: readonly { key: string }[]): Promise<StoredFile[]> {
  const stats = await Promise.all(files.map(({ key }) => stat(join(root, key)).catch(goneIsNone)))
  return files.flatMap(({ key }, index) => {
    const found = stats[index]
    return found ? [{ key, size: found.size, storedAt: found.mtime }] : []
  })
}

function goneIsNone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
