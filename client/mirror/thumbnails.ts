/**
 * Thumbnails of entries, kept as they were asked for: files of the cache folder, named by entry and by when it changed last. Those that
 * nobody looked at for longest go first when there are too many bytes.
 */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { EntrySummary } from '../../contract/entries.ts'
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { pictureBounds } from '../../contract/picture-bounds.ts'
import { isPictureWithin } from '../../formats/pictures/decoding.ts'
import { ClientError } from '../client-error.ts'
import { type Folders, thumbnailFolder } from '../folders.ts'
import type { Api } from '../http/api.ts'
import type { Http } from '../http/http.ts'
import type { Mirror } from './mirror.ts'

export interface ThumbnailOptions {
  /** Where they are fetched; left out offline. */
  source?: { api: Api; http: Http }
  /** The most bytes that are kept. */
  mostBytes?: number
  signal?: AbortSignal
}

const usualBytes = 256 * 1024 * 1024

export class Thumbnails {
  readonly #mirror: Mirror
  readonly #folder: string

  constructor(mirror: Mirror, folders: Folders) {
    this.#mirror = mirror
    this.#folder = thumbnailFolder(folders, mirror.address)
  }

  /**
   * The file of an entry's picture, fetched where it is not there or older than the entry. An older one has to do where the server is not
   * reached; undefined where the entry has none that may be shown. Throws ApiError `ENTRY_NOT_FOUND`; ClientError `NOT_OFFLINE`.
   */
  async of(entryId: number, { source, mostBytes = usualBytes, signal }: ThumbnailOptions = {}): Promise<string | undefined> {
    const entry = this.#entry(entryId)
    if (!entry.has_thumbnail) return undefined
    const file = join(this.#folder, `${entryId}-${Date.parse(entry.date_updated)}.png`)
    if (existsSync(file)) return shownAgain(file)
    const older = this.#olderOf(entryId)
    try {
      const bytes = source && (await fetchThumbnail(source, entryId, signal))
      if (bytes && isPictureWithin(bytes, pictureBounds.thumbnail)) return this.#keep(file, bytes, { older, mostBytes })
      if (source) return undefined
    } catch (error) {
      if (!older || !isAway(error)) throw error
    }
    if (older) return shownAgain(older)
    throw new ClientError('NOT_OFFLINE', `The picture of entry ${entryId} was not looked at before.`)
  }

  #entry(id: number): EntrySummary {
    const read = () =>
      this.#mirror.loaded.prepare('select summary from records where id = ?').pluck().get(id) as string | undefined
    const text = this.#mirror.guard(read)
    if (text === undefined) throw new ApiError('ENTRY_NOT_FOUND', `There is no entry ${id} in the mirror.`)
    return JSON.parse(text) as EntrySummary
  }

  #olderOf(id: number): string | undefined {
    const name = this.#names().find((one) => one.startsWith(`${id}-`))
    return name && join(this.#folder, name)
  }

  #names = (): string[] => (existsSync(this.#folder) ? readdirSync(this.#folder).filter((name) => name.endsWith('.png')) : [])

  #keep(file: string, bytes: Uint8Array, { older, mostBytes }: { older: string | undefined; mostBytes: number }): string {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    writeFileSync(`${file}.${process.pid}`, bytes)
    renameSync(`${file}.${process.pid}`, file)
    if (older) rmSync(older, { force: true })
    this.#shrink(mostBytes, file)
    return file
  }

  #shrink(mostBytes: number, kept: string): void {
    const files = this.#names().flatMap((name) => {
      const path = join(this.#folder, name)
      const stat = statSync(path, { throwIfNoEntry: false })
      return stat ? [{ path, bytes: stat.size, usedMs: stat.mtimeMs }] : []
    })
    let bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    for (const file of files.sort((a, b) => a.usedMs - b.usedMs)) {
      if (bytes <= mostBytes) return
      if (file.path === kept) continue
      rmSync(file.path, { force: true })
      bytes -= file.bytes
    }
  }
}

/** Undefined for one that was kept although it is beyond what a thumbnail may be. */
function shownAgain(file: string): string | undefined {
  if (!isPictureWithin(headOf(file), pictureBounds.thumbnail)) return undefined
  const now = new Date()
  utimesSync(file, now, now)
  return file
}

/** The first bytes of a PNG, which tell its size. */
function headOf(path: string): Buffer {
  const file = openSync(path, 'r')
  try {
    const head = Buffer.alloc(64)
    return head.subarray(0, readSync(file, head))
  } finally {
    closeSync(file)
  }
}

const isAway = (error: unknown): boolean => error instanceof ClientError && error.code === 'UNREACHABLE'

/** Undefined where it has none any more, or one of more bytes than any should be. */
export async function fetchThumbnail(
  { api, http }: { api: Api; http: Http },
  entryId: number,
  signal?: AbortSignal,
): Promise<Uint8Array | undefined> {
  const answer = await api.media.thumbnail({ entry_id: entryId }, { signal }).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 404)) throw error
  })
  if (!answer) return undefined
  const { body } = await http.open({ url: answer.location, signal })
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limits.thumbnail.bytes) {
      body.destroy()
      return undefined
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
