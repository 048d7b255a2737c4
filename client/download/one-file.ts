/** Downloads one file to its place: resumed where an earlier try stopped, checked by hash, never over someone's changes. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { link, mkdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isNoLinkCode } from '../../system/disk-codes.ts'
import { ClientError, systemCode } from '../client-error.ts'
import { PartFile } from '../content/part-file.ts'
import { fillPart } from '../content/part-fill.ts'
import type { Http } from '../http/http.ts'
import { requirePlaceable } from '../project/places/project-places.ts'

export interface Download {
  /** Gives a fresh presigned address; asked again when one has expired or the connection was cut. */
  locate(): Promise<string>
  /** Lowercase hex SHA-256, and size in bytes, that the file must have. */
  contentHash: string
  sizeBytes: number
  /** Where the file goes; its folder is made. */
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

/**
 * Fetches the bytes beside `path` (`.<name>.<hash>.part`), checks them, and renames them into place. Throws ClientError
 * `FILE_DIFFERS` when another file is there and `force` is not set, `NOT_PLACED` for what no project gets, `WRONG_BYTES`, `UNREACHABLE`,
 * and what the system says.
 */
export async function downloadFile(http: Http, download: Download): Promise<Downloaded> {
  const { path, contentHash, force } = download
  requirePlaceable(path)
  await mkdir(dirname(path), { recursive: true })
  const there = await hashOfFile(path)
  if (there === contentHash) return { path, outcome: 'present', resumedBytes: 0 }
  if (there !== undefined && !force) throw differs(path)
  const partPath = join(dirname(path), `.${basename(path)}.${contentHash.slice(0, 16)}.part`)
  const part = new PartFile(partPath, path)
  let resumedBytes = 0
  try {
    await part.takeUp(download.sizeBytes)
    resumedBytes = part.size
    await fillPart(http, part, { ...download, title: path })
    part.sync()
    if (part.digest() !== contentHash) await refuseBytes(partPath, download)
  } finally {
    part.close()
  }
  await (force ? rename(partPath, path) : renameToFree(partPath, path))
  return { path, outcome: 'downloaded', resumedBytes }
}

export const differs = (path: string): ClientError =>
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

/** A rename that does not replace what someone put there meanwhile; where the disk knows no links, the check is all there is. */
export async function renameToFree(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
    await rm(from)
  } catch (error) {
    const code = systemCode(error)
    if (code === 'EEXIST') throw differs(to)
    if (!isNoLinkCode(code ?? '')) throw error
    if (await stat(to).catch(() => undefined)) throw differs(to)
    await rename(from, to)
  }
}
