/** Downloads one file to its place: resumed where an earlier try stopped, checked by hash, never over somebody's changes. */
import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { aboutFile, ClientError, systemCode } from './client-error.ts'
import type { Http } from './http.ts'
import { isNetworkError } from './network-error.ts'

export interface Download {
  /** Gives a fresh presigned address; asked again when one has expired or the connection was cut. */
  locate(): Promise<string>
  /** Lowercase hex SHA-256, and size in bytes, that the file must have. */
  contentHash: string
  sizeBytes: number
  /** Where the file goes; its folder exists. */
  path: string
  /** Replace a file that holds something else. */
  force?: boolean
  onProgress?: (bytesDone: number) => void
  signal?: AbortSignal
}

export interface Downloaded {
  path: string
  /** `present`: the file was there already, byte for byte. */
  outcome: 'downloaded' | 'present'
  /** Bytes that an earlier try had left. */
  resumedBytes: number
}

/** Cut connections that are taken up again while each of them brought something. */
const mostFruitlessTries = 3

/**
 * Fetches the bytes beside `path` (`.<name>.<hash>.part`), checks them, and renames them into place. Throws ClientError
 * `FILE_DIFFERS` when another file is there and `force` is not set, `WRONG_BYTES`, `UNREACHABLE`, and what the system says.
 */
export async function downloadFile(http: Http, download: Download): Promise<Downloaded> {
  const { path, contentHash, force } = download
  const there = await hashOfFile(path)
  if (there === contentHash) return { path, outcome: 'present', resumedBytes: 0 }
  if (there !== undefined && !force) throw differs(path)
  const partPath = join(dirname(path), `.${basename(path)}.${contentHash.slice(0, 16)}.part`)
  const file = await open(partPath, 'a+')
  let resumedBytes = 0
  try {
    const part = await takeUp(file, download.sizeBytes)
    resumedBytes = part.size
    await fill(http, download, part)
    await file.sync().catch((error: unknown) => {
      throw aboutFile(error, path)
    })
    if (part.hash.digest('hex') !== contentHash) await refuseBytes(partPath, download)
  } finally {
    await file.close()
  }
  await (force ? rename(partPath, path) : renameToFree(partPath, path))
  return { path, outcome: 'downloaded', resumedBytes }
}

const differs = (path: string): ClientError =>
  new ClientError('FILE_DIFFERS', `${path} is there already and holds something else.`)

async function refuseBytes(partPath: string, { path, contentHash }: Download): Promise<never> {
  await rm(partPath, { force: true })
  throw new ClientError('WRONG_BYTES', `What arrived for ${path} is not the file with the hash ${contentHash}.`)
}

async function hashOfFile(path: string): Promise<string | undefined> {
  const hash = createHash('sha256')
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk)
    return hash.digest('hex')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** The part of a file that is there: what was hashed is what was written. */
interface Part {
  file: FileHandle
  hash: Hash
  size: number
}

/** Hashes what an earlier try left. More than the whole file cannot be a part of it. */
async function takeUp(file: FileHandle, sizeBytes: number): Promise<Part> {
  const part = { file, hash: createHash('sha256'), size: 0 }
  if ((await file.stat()).size > sizeBytes) await file.truncate(0)
  for await (const chunk of file.createReadStream({ start: 0, autoClose: false, highWaterMark: 1024 * 1024 })) {
    part.hash.update(chunk)
    part.size += chunk.length
  }
  return part
}

async function fill(http: Http, download: Download, part: Part): Promise<void> {
  let fruitless = 0
  while (part.size < download.sizeBytes) {
    const before = part.size
    try {
      await receive(http, download, part)
    } catch (error) {
      download.signal?.throwIfAborted()
      if (!isNetworkError(error)) throw error
      fruitless = part.size > before ? 0 : fruitless + 1
      if (fruitless < mostFruitlessTries) continue
      throw new ClientError('UNREACHABLE', `The connection was cut again and again while ${download.path} was downloaded.`, {
        cause: error,
      })
    }
    if (part.size === before) throw new ClientError('WRONG_BYTES', `Nothing more arrives for ${download.path}.`)
  }
}

/** One answer's bytes. A server that ignores Range sends the file from its beginning, and then so does the part. */
async function receive(http: Http, { locate, sizeBytes, path, onProgress, signal }: Download, part: Part): Promise<void> {
  const headers: Record<string, string> = part.size > 0 ? { range: `bytes=${part.size}-` } : {}
  const answer = await http.open({ url: await locate(), headers, signal })
  if (part.size > 0 && !String(answer.headers['content-range'] ?? '').startsWith(`bytes ${part.size}-`)) {
    await part.file.truncate(0)
    part.hash = createHash('sha256')
    part.size = 0
  }
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    if (part.size + chunk.length > sizeBytes) throw new ClientError('WRONG_BYTES', `More arrives for ${path} than the file has.`)
    await part.file.appendFile(chunk).catch((error: unknown) => {
      throw aboutFile(error, path)
    })
    part.hash.update(chunk)
    part.size += chunk.length
    onProgress?.(part.size)
  }
}

/** A rename that does not replace what somebody put there meanwhile; where the disk knows no links, the check is all there is. */
async function renameToFree(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
    await rm(from)
  } catch (error) {
    const code = systemCode(error)
    if (code === 'EEXIST') throw differs(to)
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS' && code !== 'EMLINK') throw error
    if (await stat(to).catch(() => undefined)) throw differs(to)
    await rename(from, to)
  }
}
