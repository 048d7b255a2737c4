/** `ph server check`: every file that the library names is read and hashed, every reference looked up, and what is wrong written down. */
import { ApiError } from '../../../contract/errors.ts'
import {
  type BrokenReference,
  type DamagedFile,
  type ExecutableVersion,
  mostKeys,
  type ReferenceUpgrade,
  type StoredFileRow,
} from '../../../contract/operator-files.ts'
import type { Hashed } from '../../../system/hash-threads.ts'
import type { Damage } from '../../storage/damaged-files.ts'
import type { OperatorApi } from '../operator-api.ts'
import { nothingThere, openStoredFiles, type StoredFiles, storageOf } from './stored-files.ts'

export type CheckEvent =
  | { kind: 'files'; files: number; bytes: number; totalFiles: number; totalBytes: number }
  | { kind: 'references' }

export interface CheckOptions {
  api: OperatorApi
  dataDir: string
  /** The most that is read; none: as fast as it goes. */
  bytesPerSecond?: number | undefined
  tell(event: CheckEvent): void
  signal: AbortSignal
}

export interface CheckReport {
  /** That were read. */
  files: number
  bytes: number
  damaged: DamagedFile[]
  /** Files that an earlier check found damaged, and that are whole again. */
  repaired: number
  /** `failed`: why they could not be looked up. */
  references: { checked: number; broken: BrokenReference[]; upgrade?: ReferenceUpgrade | null; failed?: string }
  /** Versions that no push would bring any more and no project gets. They are no damage. */
  executables: { total: number; listed: ExecutableVersion[] }
}

export async function checkLibrary(options: CheckOptions): Promise<CheckReport> {
  const { api, tell, signal } = options
  const { place, ...total } = await api.file.count()
  if (total.files === 0)
    return {
      files: 0,
      bytes: 0,
      damaged: [],
      repaired: 0,
      references: await api.file.references(),
      executables: { total: 0, listed: [] },
    }
  const stored = openStoredFiles({ ...options, place })
  const abort = () => void stored.close()
  signal.addEventListener('abort', abort, { once: true })
  try {
    const check = new Check(options, stored, { totalFiles: total.files, totalBytes: total.bytes })
    const files = await check.run()
    if (check.isNothingThere) throw nothingThere(place === 'bucket' ? 'the bucket' : storageOf(options.dataDir))
    const damaged = await check.writeDown()
    tell({ kind: 'references' })
    const references = await lookUp(options)
    return { ...files, damaged, repaired: check.repaired, references, executables: await api.file.executables() }
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
    await stored.close()
  }
}

/** What was found out about files is told, whatever becomes of this. */
async function lookUp({ api, signal }: CheckOptions): Promise<CheckReport['references']> {
  try {
    return await api.file.references()
  } catch (error) {
    signal.throwIfAborted()
    return { checked: 0, broken: [], failed: error instanceof Error ? error.message : String(error) }
  }
}

class Check {
  readonly #options: CheckOptions
  readonly #stored: StoredFiles
  readonly #total: { totalFiles: number; totalBytes: number }
  readonly #suspects: StoredFileRow[] = []
  #files = 0
  #bytes = 0
  #missing = 0
  repaired = 0

  constructor(options: CheckOptions, stored: StoredFiles, total: { totalFiles: number; totalBytes: number }) {
    this.#options = options
    this.#stored = stored
    this.#total = total
  }

  /** Then a disk is not there, most likely: that is no damage of each file. */
  get isNothingThere(): boolean {
    return this.#files > 0 && this.#missing === this.#files
  }

  async run(): Promise<{ files: number; bytes: number }> {
    const { api, signal } = this.#options
    for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
      signal.throwIfAborted()
      const page: Awaited<ReturnType<OperatorApi['file']['list']>> = await api.file.list(after === undefined ? {} : { after })
      await this.#look(page.files)
      after = page.next ?? undefined
    }
    return { files: this.#files, bytes: this.#bytes }
  }

  async #look(files: readonly StoredFileRow[]): Promise<void> {
    if (files.length === 0) return
    const found = await this.#stored.read(files, (bytes) => {
      this.#bytes += bytes
      this.#tell()
    })
    this.#files += files.length
    this.#tell()
    const judged = files.map((file, index) => ({ file, hashed: found[index], damage: damageOf(file, found[index]) }))
    this.#missing += judged.filter(({ damage }) => damage === 'missing').length
    this.#suspects.push(...judged.flatMap(({ file, damage }) => (damage ? [file] : [])))
    const good = judged.filter(({ damage }) => damage === undefined)
    const whole = good.flatMap(({ file }) => (file.damaged ? [file.key] : []))
    const sums = good.flatMap(({ file, hashed }) =>
      file.sha256 === null && hashed && 'sha256' in hashed ? [{ key: file.key, sha256: hashed.sha256 }] : [],
    )
    this.repaired += whole.length
    const { api } = this.#options
    if (sums.length > 0) await api.file.judge({ damaged: [], whole: [], sums })
    for (const keys of parts(whole)) await api.file.judge({ damaged: [], whole: keys, sums: [] })
  }

  /** After a second look: a push may have repaired some of them meanwhile. */
  async writeDown(): Promise<DamagedFile[]> {
    const named: DamagedFile[] = []
    for (const files of parts(this.#suspects)) {
      const found = await this.#stored.read(files, () => {})
      const damaged = files.flatMap((file, index) => {
        const damage = damageOf(file, found[index])
        return damage ? [{ key: file.key, damage }] : []
      })
      if (damaged.length > 0) named.push(...(await this.#options.api.file.judge({ damaged, whole: [], sums: [] })).damaged)
    }
    return named
  }

  #tell(): void {
    this.#options.tell({ kind: 'files', files: this.#files, bytes: this.#bytes, ...this.#total })
  }
}

/** Of one question. */
function* parts<T>(all: readonly T[]): Generator<T[]> {
  for (let at = 0; at < all.length; at += mostKeys) yield all.slice(at, at + mostKeys)
}

/** Undefined for a file that is whole. Throws where that cannot be found out. */
export function damageOf(
  file: { key: string; size: number; sha256: string | null },
  found: Hashed | undefined,
): Damage | undefined {
  if (found === undefined) throw new Error(`${file.key} was not read`)
  if ('failed' in found) {
    if (found.failed === 'ENOENT' || found.failed === 'ENOTDIR') return 'missing'
    // The disk has lost what was written there.
    if (found.failed === 'EIO' || found.failed === 'EISDIR') return 'content'
    throw new ApiError('UNAVAILABLE', `${file.key} cannot be read (${found.failed}).`, { reason: 'disk_failed' })
  }
  if (found.size !== file.size) return 'size'
  return file.sha256 !== null && found.sha256 !== file.sha256 ? 'content' : undefined
}
