/** Reads one file once: its SHA-256, and from its first bytes, or as many as that takes, what it is. Used by the hash workers and, for few files, without them. */
import { createHash, hash as hashAtOnce } from 'node:crypto'
import { type BigIntStats, closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { entryTypeOf, sourceKinds } from '../../formats/entry-types.ts'
import { FormatError, refuseGitLfsPointer } from '../../formats/format-error.ts'
import { describeSource, findSourceKind, sourceHeadBytes } from '../../formats/source-file.ts'
import { firstReadBytes, headerSize, type PackageFacts, readPackage } from '../../formats/uasset/uasset.ts'
import { payloadIds } from '../../formats/uasset-data/payload-ids.ts'
import { systemCode } from '../client-error.ts'
import { type FileFacts, keepPackage, keepSource, keepUnreadablePackage } from './file-facts.ts'
import { isRacy, neverTrusted, packageExtensions, statKey } from './fingerprint.ts'

/** What was read of a file. `stat` is its fingerprint, or `neverTrusted` when it was touched too shortly before. */
export interface ReadFile {
  hash: string
  size: number
  stat: string
  facts: FileFacts
}

/** Why a file could not be read to its end. `code` is the system's, for example `EACCES`. */
export interface UnreadFile {
  unread: 'unreadable' | 'changed' | 'vanished'
  code: string
}

/** Bytes of one read: as fast as larger ones, and every worker keeps one such buffer. */
export const chunkBytes = 1024 * 1024

/** A reader with a buffer of its own; reads one file at a time. */
export class FileReader {
  readonly #buffer = Buffer.allocUnsafeSlow(chunkBytes)

  /** Reads a file; `onBytes` is told of every chunk. A file that is touched meanwhile counts as changed. */
  async read(path: string, onBytes: (bytes: number) => void = () => {}): Promise<ReadFile | UnreadFile> {
    let fd: number | undefined
    try {
      const startedMs = Date.now()
      fd = openSync(path, 'r')
      const before = fstatSync(fd, { bigint: true })
      const read = await this.#readOpen(fd, { path, size: Number(before.size), onBytes })
      const after = fstatSync(fd, { bigint: true })
      if (read.bytesRead !== Number(after.size) || statKey(before) !== statKey(after))
        return { unread: 'changed', code: 'CHANGED' }
      return { hash: read.hash, size: read.bytesRead, stat: trustedKey(after, startedMs), facts: read.facts }
    } catch (error) {
      const code = systemCode(error)
      if (code === undefined || error instanceof FormatError) throw error
      return { unread: code === 'ENOENT' ? 'vanished' : 'unreadable', code }
    } finally {
      if (fd !== undefined) closeSync(fd)
    }
  }

  /** Small files are hashed in one call; what a file is, is read off its first bytes while they are in the buffer. */
  async #readOpen(fd: number, file: { path: string; size: number; onBytes: (bytes: number) => void }) {
    const first = readSync(fd, this.#buffer, 0, chunkBytes, 0)
    file.onBytes(first)
    const facts = await describe(this.#buffer.subarray(0, first), { fd, ...file })
    if (first < chunkBytes) return { hash: hashAtOnce('sha256', this.#buffer.subarray(0, first), 'hex'), bytesRead: first, facts }
    const hash = createHash('sha256').update(this.#buffer)
    let bytesRead = first
    for (let got = readSync(fd, this.#buffer, 0, chunkBytes, bytesRead); got > 0; ) {
      hash.update(this.#buffer.subarray(0, got))
      bytesRead += got
      file.onBytes(got)
      got = readSync(fd, this.#buffer, 0, chunkBytes, bytesRead)
    }
    return { hash: hash.digest('hex'), bytesRead, facts }
  }
}

const trustedKey = (stats: BigIntStats, startedMs: number): string => (isRacy(stats, startedMs) ? neverTrusted : statKey(stats))

interface OpenFile {
  fd: number
  path: string
  size: number
}

/** What a file is. `beginning` is its first MiB or all of it; more is read only where a header is longer. */
async function describe(beginning: Buffer, file: OpenFile): Promise<FileFacts> {
  const ext = extname(file.path).slice(1).toLowerCase()
  if (file.size === 0) return { kind: 'refused', reason: 'truncated', message: 'The file is empty.' }
  if (packageExtensions.has(ext)) return describePackage(beginning, file, ext)
  return describeOther(beginning, file, ext)
}

async function describePackage(beginning: Buffer, { fd, path, size }: OpenFile, ext: string): Promise<FileFacts> {
  try {
    const headerBytes = headerSize(beginning.subarray(0, firstReadBytes))
    const header =
      headerBytes > beginning.length && size > beginning.length ? readBeginning(fd, Math.min(headerBytes, size)) : beginning
    const stem = basename(path, extname(path))
    const facts = readPackage(header, { stem, fileSize: size })
    const readAt = (into: Uint8Array, offset: number) => readInto(fd, into, offset)
    const ids = holdsSource(facts) ? await payloadIds(header, { stem, file: { sizeBytes: size, readAt }, hashBytes }) : []
    return keepPackage(facts, ids)
  } catch (error) {
    if (error instanceof FormatError) return keepUnreadablePackage(error, ext)
    throw error
  }
}

/** Of payloads without an id in the package: hashing them takes several times as long as hashing the file that holds them. */
const hashBytes = 128 * 1024
const sourceTypes: ReadonlySet<string | null> = new Set(Object.values(sourceKinds).flat())

/** Whether it is a mesh, a picture or a sound. Payloads of other assets, such as textures within a level, are not asked for. */
const holdsSource = ({ complete, cooked, assetClass }: PackageFacts): boolean =>
  complete && !cooked && assetClass !== null && sourceTypes.has(entryTypeOf(assetClass))

/** A file that is not what its name says is kept as one of which nothing is known; a Git LFS pointer is refused. */
async function describeOther(beginning: Buffer, { fd, size }: OpenFile, ext: string): Promise<FileFacts> {
  try {
    const headBytes = Math.min(sourceHeadBytes(ext), size)
    const head = headBytes > beginning.length ? readBeginning(fd, headBytes) : beginning.subarray(0, headBytes)
    refuseGitLfsPointer(head)
    const readAt = (into: Uint8Array, offset: number) => readInto(fd, into, offset)
    const facts = await describeSource(ext, head, { sizeBytes: size, readAt })
    return facts ? keepSource(facts) : { kind: 'opaque', ext, isPackage: false, undescribed: null }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    if (error.reason === 'git-lfs-pointer') return { kind: 'refused', reason: error.reason, message: error.message }
    const { assetClass = 'SourceFile', entryType = null } = findSourceKind(ext) ?? {}
    const blank = { ext, assetClass, entryType, format: ext, metadata: {}, companions: [], pictured: false, details: null }
    return keepSource(blank, error.message)
  }
}

function readBeginning(fd: number, bytes: number): Buffer {
  const buffer = Buffer.allocUnsafeSlow(bytes)
  return buffer.subarray(0, readInto(fd, buffer, 0))
}

/** Fills a buffer with what the file holds from `offset` on; less where it ends. Says how much. */
function readInto(fd: number, into: Uint8Array, offset: number): number {
  let filled = 0
  for (let got = -1; got !== 0 && filled < into.length; filled += got)
    got = readSync(fd, into, filled, into.length - filled, offset + filled)
  return filled
}
