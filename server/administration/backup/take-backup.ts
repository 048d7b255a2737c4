/**
 * `ph server backup`: the database as of one moment, then the files that it names, which nobody removes meanwhile. What the folder holds
 * already is not copied again. The backup counts from the moment its description is on the disk.
 */
import { existsSync, realpathSync } from 'node:fs'
import { copyFile, rm } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { ApiError } from '../../../contract/errors.ts'
import type { Operator } from '../../../contract/operator.ts'
import { type DamagedFile, mostKeys } from '../../../contract/operator-files.ts'
import type { OutputOf } from '../../../contract/route.ts'
import { FileSync } from '../../../system/file-sync.ts'
import { holdMs } from '../../storage/backup-hold.ts'
import type { Damage } from '../../storage/damaged-files.ts'
import { damageOf } from '../files/check.ts'
import { nothingThere, openStoredFiles, type StoredFiles, storageOf } from '../files/stored-files.ts'
import type { OperatorApi } from '../operator-api.ts'
import { BackupFolder, partNames, sha256Of } from './backup-folder.ts'
import { Arrivals, type Arrived, partsOf, requireWritten, sizeOf } from './copied-files.ts'
import { linesOf } from './lines.ts'
import { type BackedUpFile, format } from './manifest.ts'
import { SpooledFile } from './spooled-file.ts'

export type FilesTold =
  | { kind: 'files'; files: number; bytes: number; totalFiles: number; totalBytes: number }
  | { kind: 'step'; says: string }

export interface BackupOptions {
  api: OperatorApi
  dataDir: string
  folder: string
  /** So many backups stay; none: all of them. */
  keep: number | undefined
  /** Of the program. */
  version: string
  tell(event: FilesTold): void
  signal: AbortSignal
}

export interface BackupReport {
  /** Its name in the folder. */
  backup: string
  files: number
  bytes: number
  /** The rest was there. */
  copied_files: number
  copied_bytes: number
  database_bytes: number
  /** Files that were damaged or missing already: they are in no backup that is taken now. */
  lacks: DamagedFile[]
  /** Backups that were removed. */
  removed: string[]
}

export async function takeBackup(options: BackupOptions): Promise<BackupReport> {
  const folder = new BackupFolder(options.folder)
  if (isInside(folder.dir, options.dataDir))
    throw new ApiError('CONFLICT', `${folder.dir} lies in the data folder, and would be lost with it.`, { reason: 'not_backups' })
  folder.requireBackups()
  const lock = await folder.lock()
  try {
    options.tell({ kind: 'step', says: 'Writing down the database' })
    const begun = await options.api.backup.begin()
    const report = await held(options, begun.id, (signal) => new Backup({ ...options, signal }, folder, begun).take())
    return { ...report, removed: options.keep === undefined ? [] : await folder.prune(options.keep, report.backup) }
  } finally {
    lock.release()
  }
}

/** Wherever links lead to. */
function isInside(folder: string, dataDir: string): boolean {
  const within = relative(realPathOf(dataDir), realPathOf(folder))
  return within === '' || !(within.split(sep)[0] === '..' || isAbsolute(within))
}

/** Also of a folder that is not there yet. */
function realPathOf(path: string): string {
  if (existsSync(path)) return realpathSync(path)
  const above = dirname(path)
  return above === path ? path : join(realPathOf(above), basename(path))
}

/** Between two words that it goes on. One may be lost; the server waits for five. */
const everyMs = holdMs / 5

async function held<T>({ api, signal }: BackupOptions, id: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const lost = new AbortController()
  let heardMs = performance.now()
  const keep = () =>
    api.backup.keep({ id }).then(
      () => {
        heardMs = performance.now()
      },
      (error: unknown) => {
        const isGivenUp = error instanceof ApiError && error.code === 'NOT_FOUND'
        if (isGivenUp || performance.now() - heardMs > holdMs) lost.abort(error)
      },
    )
  const timer = setInterval(() => void keep(), everyMs)
  const either = AbortSignal.any([signal, lost.signal])
  try {
    return await work(either)
  } catch (error) {
    either.throwIfAborted()
    throw error
  } finally {
    clearInterval(timer)
    await api.backup.end({ id }).catch(() => {})
  }
}

/** What the server wrote down. */
type Begun = OutputOf<Operator['backup']['begin']>
/** A line of its list: of pictures and previews the SHA-256 is not known. */
type Named = Omit<BackedUpFile, 'sha256'> & { sha256: string | null }

interface Bringing {
  stored: StoredFiles
  arrivals: Arrivals
}

class Backup {
  readonly #options: BackupOptions
  readonly #folder: BackupFolder
  readonly #begun: Begun
  readonly #lacks: { key: string; damage: Damage }[] = []
  #total = { totalFiles: 0, totalBytes: 0 }
  #done = { files: 0, bytes: 0 }
  #held = { files: 0, bytes: 0 }
  #copied = { files: 0, bytes: 0 }

  constructor(options: BackupOptions, folder: BackupFolder, begun: Begun) {
    this.#options = options
    this.#folder = folder
    this.#begun = begun
  }

  async take(): Promise<Omit<BackupReport, 'removed'>> {
    const { dataDir, signal } = this.#options
    await this.#folder.prepare(this.#begun.library)
    await this.#folder.removePartial()
    const target = await this.#folder.begin(this.#begun.taken_at)
    const arrivals = new Arrivals(this.#folder.coming)
    const stored = this.#begun.files.lines === 0 ? undefined : openStoredFiles({ ...this.#options, place: this.#begun.place })
    const abort = () => void stored?.close()
    signal.addEventListener('abort', abort, { once: true })
    try {
      const database = await this.#copyDatabase(target.dir)
      const list = new SpooledFile(join(target.dir, partNames.files))
      if (stored) await this.#copyFiles(list, { stored, arrivals })
      const { path: _, ...files } = await list.close()
      if (this.#isNothingThere) throw nothingThere(this.#begun.place === 'bucket' ? 'the bucket' : storageOf(dataDir))
      // Had the server given it up, files could be gone that are not copied: then this says so.
      await this.#options.api.backup.keep({ id: this.#begun.id })
      await this.#folder.finish(target, this.#manifest({ database, files }))
      return await this.#report(target.name, database.bytes)
    } catch (error) {
      await rm(target.dir, { recursive: true, force: true })
      throw error
    } finally {
      signal.removeEventListener('abort', abort)
      await stored?.close()
      await arrivals.close()
    }
  }

  async #copyDatabase(dir: string) {
    const { path, ...database } = this.#begun.database
    const copy = join(dir, partNames.database)
    await copyFile(join(this.#options.dataDir, path), copy)
    await new FileSync(dir).settle([copy])
    if ((await sha256Of(copy)) === database.sha256) return database
    throw new ApiError('UNAVAILABLE', `${copy} holds other bytes than were written there. Its disk cannot be trusted.`, {
      reason: 'disk_failed',
    })
  }

  async #copyFiles(list: SpooledFile, by: Bringing): Promise<void> {
    const spooled = join(this.#options.dataDir, this.#begun.files.path)
    const known = await this.#knownMedia()
    for await (const lines of linesOf(spooled)) {
      this.#total.totalFiles += lines.length
      for (const line of lines) this.#total.totalBytes += (JSON.parse(line) as Named).size
    }
    for await (const lines of linesOf(spooled)) {
      const named = lines.map((line) => JSON.parse(line) as Named)
      const files = named.map((file) => ({ ...file, sha256: file.sha256 ?? known(file) }))
      for (const part of partsOf(files)) {
        this.#options.signal.throwIfAborted()
        const backedUp = await this.#bring(part, by)
        await list.write(backedUp.map((file) => JSON.stringify(file)))
      }
    }
    await by.arrivals.settled()
  }

  /** Those of a part that the folder holds once the arrivals are settled. */
  async #bring(files: readonly Named[], by: Bringing): Promise<BackedUpFile[]> {
    const [wanted, there]: [Named[], BackedUpFile[]] = [[], []]
    for (const file of files) {
      const { sha256, size } = file
      if (sha256 !== null && sizeOf(this.#folder.fileOf(sha256)) === size) there.push({ ...file, sha256 })
      else wanted.push(file)
    }
    this.#tell({ files: there.length, bytes: there.reduce((sum, { size }) => sum + size, 0) })
    const jobs = wanted.map(({ key, size }) => ({ key, size, copyTo: by.arrivals.next() }))
    const found = await by.stored.read(jobs, (bytes) => this.#tell({ files: 0, bytes }))
    const arrived: Arrived[] = []
    const brought: BackedUpFile[] = []
    for (const [index, file] of wanted.entries()) {
      const hashed = requireWritten(found[index], this.#folder.dir)
      const from = jobs[index]?.copyTo ?? ''
      const damage = damageOf(file, hashed)
      if (damage) this.#lacks.push({ key: file.key, damage })
      if (damage || 'failed' in hashed) await by.arrivals.discard(from)
      else {
        arrived.push({ from, to: this.#folder.fileOf(hashed.sha256) })
        brought.push({ ...file, sha256: hashed.sha256 })
      }
    }
    await by.arrivals.settle(arrived)
    for (const { size } of brought) this.#count(this.#copied, size)
    for (const { size } of [...there, ...brought]) this.#count(this.#held, size)
    this.#tell({ files: wanted.length, bytes: 0 })
    return [...there, ...brought]
  }

  /** Pictures and previews do not say by their names what they hold: the backup before says it of those that were there. */
  async #knownMedia(): Promise<(file: Named) => string | null> {
    const known = new Map<string, BackedUpFile>()
    const [newest] = this.#folder.list()
    if (newest !== undefined)
      for await (const files of this.#folder.filesOf(newest))
        for (const file of files) if (!file.key.includes('/blobs/')) known.set(file.key, file)
    return ({ key, size, madeAt }) => {
      const before = known.get(key)
      return before && before.size === size && before.madeAt === madeAt ? before.sha256 : null
    }
  }

  get #isNothingThere(): boolean {
    return this.#held.files === 0 && this.#lacks.length > 0 && this.#lacks.every(({ damage }) => damage === 'missing')
  }

  #manifest(parts: { database: Omit<Begun['database'], 'path'>; files: Omit<Begun['files'], 'path'> }) {
    const { library, migration, taken_at } = this.#begun
    const lacks = this.#lacks.map(({ key }) => key)
    return { format, library, taken_at, version: this.#options.version, migration, ...parts, file_bytes: this.#held.bytes, lacks }
  }

  /** A backup looks once, and while people work: it only says what it saw. `ph server check` looks twice, and writes it down. */
  async #report(backup: string, databaseBytes: number): Promise<Omit<BackupReport, 'removed'>> {
    const lacks: DamagedFile[] = []
    for (let at = 0; at < this.#lacks.length; at += mostKeys) {
      const damaged = this.#lacks.slice(at, at + mostKeys)
      lacks.push(...(await this.#options.api.file.name({ damaged })).damaged)
    }
    return {
      backup,
      ...this.#held,
      copied_files: this.#copied.files,
      copied_bytes: this.#copied.bytes,
      database_bytes: databaseBytes,
      lacks,
    }
  }

  #count(sum: { files: number; bytes: number }, size: number): void {
    sum.files += 1
    sum.bytes += size
  }

  #tell(more: { files: number; bytes: number }): void {
    this.#done = { files: this.#done.files + more.files, bytes: this.#done.bytes + more.bytes }
    this.#options.tell({ kind: 'files', ...this.#done, ...this.#total })
  }
}
