/** Whole files as bytes, out of the content cache or fetched into it: previews by their artifact, files by their hash. */
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError } from '../../contract/errors.ts'
import { writeWhole } from '../../system/whole-file.ts'
import { ClientError } from '../client-error.ts'
import { type Folders, previewFolder } from '../folders.ts'
import type { Api } from '../http/api.ts'
import type { Http } from '../http/http.ts'
import { type Content, ContentCache } from './cache.ts'

export interface Bounds {
  mostBytes: number
  signal?: AbortSignal
}

export interface CachedBytesParts {
  api: Pick<Api, 'media' | 'blobs'>
  http: Pick<Http, 'open' | 'url'>
  folders: Folders
  /** What the cache keeps in all. */
  cacheBytes?: number
}

/** Where the cache cannot be used it fetches all the same. */
export class CachedBytes {
  readonly #parts: CachedBytesParts
  readonly #cache: ContentCache | undefined

  constructor(parts: CachedBytesParts) {
    this.#parts = parts
    this.#cache = openCache(parts)
  }

  close(): void {
    this.#cache?.close()
  }

  /** A preview or thumbnail of a version; undefined where it is gone, or larger. It never changes: another one has another id. */
  async artifact(artifact_id: number, { mostBytes, signal }: Bounds): Promise<Uint8Array | undefined> {
    const { api, folders, http } = this.#parts
    const note = join(previewFolder(folders, http.url), String(artifact_id))
    const known = this.#cache && (await readNote(note))
    if (known && known.size > mostBytes) return undefined
    const kept = known && (await this.#kept(known, signal))
    if (kept) return kept
    const found = await api.media.artifact({ artifact_id }, { signal }).catch(undefinedWhereGone)
    const bytes = found && (await this.#fetch(found.location, { mostBytes, signal }))
    if (!bytes) return undefined
    const content = { hash: hashOf(bytes), size: bytes.length }
    if (await this.#keep(content, bytes)) await writeNote(note, content)
    return bytes
  }

  /** The file of a version; undefined where it is gone, larger, or not what it should be. */
  async file(content: Content, { mostBytes, signal }: Bounds): Promise<Uint8Array | undefined> {
    if (content.size > mostBytes) return undefined
    const kept = await this.#kept(content, signal)
    if (kept) return kept
    const found = await this.#parts.api.blobs.get({ content_hash: content.hash }, { signal }).catch(undefinedWhereGone)
    const bytes = found && (await this.#fetch(found.location, { mostBytes: content.size, signal }))
    if (!bytes || hashOf(bytes) !== content.hash) return undefined
    await this.#keep(content, bytes)
    return bytes
  }

  async #kept(content: Content, signal: AbortSignal | undefined): Promise<Uint8Array | undefined> {
    const cache = this.#cache
    if (!cache) return undefined
    cache.hold([content])
    const { present } = await cache.find([content], signal)
    // Between the two looks someone may clear the cache.
    return present.has(content.hash) ? readFile(cache.pathOf(content.hash)).catch(() => undefined) : undefined
  }

  async #keep(content: Content, bytes: Uint8Array): Promise<boolean> {
    const cache = this.#cache
    if (!cache) return false
    cache.hold([content])
    const part = cache.newPart(content.hash)
    try {
      await writeFile(part, bytes)
      cache.put(content, part)
      return true
    } catch {
      // A full disk keeps nobody from looking.
      return false
    } finally {
      cache.leavePart(part)
    }
  }

  async #fetch(url: string, { mostBytes, signal }: Bounds): Promise<Uint8Array | undefined> {
    const { headers, body } = await this.#parts.http.open({ url, signal })
    const chunks: Buffer[] = []
    let size = Number(headers['content-length'] ?? 0) > mostBytes ? Number.POSITIVE_INFINITY : 0
    if (size === 0)
      for await (const chunk of body as AsyncIterable<Buffer>) {
        size += chunk.length
        if (size > mostBytes) break
        chunks.push(chunk)
      }
    if (size <= mostBytes) return Buffer.concat(chunks)
    body.destroy()
    return undefined
  }
}

function openCache({ folders, cacheBytes }: CachedBytesParts): ContentCache | undefined {
  try {
    return new ContentCache(folders.cache, cacheBytes === undefined ? {} : { limitBytes: cacheBytes })
  } catch (error) {
    if (error instanceof ClientError && error.code === 'CACHE_UNUSABLE') return undefined
    throw error
  }
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

async function readNote(path: string): Promise<Content | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '')
  const [, hash, size] = /^([0-9a-f]{64}) (\d{1,12})\n$/.exec(text) ?? []
  return hash === undefined ? undefined : { hash, size: Number(size) }
}

const writeNote = (path: string, { hash, size }: Content): Promise<void> =>
  writeWhole(path, (file) => file.writeFile(`${hash} ${size}\n`), { folderMode: 0o700 }).catch(() => undefined)

function undefinedWhereGone(error: unknown): undefined {
  if (!(error instanceof ApiError && error.status === 404)) throw error
}
