/**
 * `ph server restore`: a backup into an empty data folder and an empty database. Files come first, each of them hashed, the database last and
 * all at once: before that there is no library. A restore that was interrupted is taken up by the same command.
 */
import { createReadStream, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { ApiError } from '../../../contract/errors.ts'
import { type DamagedFile, mostKeys } from '../../../contract/operator-files.ts'
import { type Hashed, HashThreads } from '../../../system/hash-threads.ts'
import { systemClock } from '../../clock.ts'
import type { Settings } from '../../config.ts'
import { migrate, newestMigration, schemaState } from '../../database/migrate.ts'
import { type Database, openDatabase } from '../../database/open.ts'
import { inTransaction } from '../../database/transaction.ts'
import { openLog } from '../../monitoring/log.ts'
import type { Damage } from '../../storage/damaged-files.ts'
import type { Storage } from '../../storage/storage.ts'
import { damageOf } from '../files/check.ts'
import { judge } from '../files/judge.ts'
import { storageOf } from '../files/stored-files.ts'
import { embeddedFolder } from '../take-database.ts'
import { type BackedUpFile, BackupFolder, damagedBackup, linesOf, type Manifest, sha256Of } from './backup-folder.ts'
import { Arrivals, type Arrived, requireWritten, sizeOf } from './copied-files.ts'
import { load } from './load.ts'
import { endRestoring, markRestoring, restoringIn } from './restore-mark.ts'
import type { FilesTold } from './take-backup.ts'

export interface RestoreOptions {
  settings: Settings
  folder: string
  /** Its name; without one the newest. */
  backup: string | undefined
  tell(event: FilesTold): void
  signal: AbortSignal
}

export interface RestoreReport {
  backup: string
  taken_at: string
  rows: number
  files: number
  bytes: number
  /** Files that the backup lacks or that are damaged in it: the library asks pushes for them. */
  damaged: DamagedFile[]
}

interface Chosen {
  name: string
  manifest: Manifest
}

export async function restoreBackup(options: RestoreOptions): Promise<RestoreReport> {
  const { settings, tell, signal } = options
  const folder = new BackupFolder(options.folder)
  const chosen = await choose(folder, options.backup)
  requireEmptyFolder(settings.dataDir, chosen.name)
  // An embedded one is made at the end only: before that there is none to be empty.
  if (settings.databaseUrl !== undefined || existsSync(embeddedFolder(settings)))
    await withDatabase(settings, requireEmptyDatabase)
  tell({ kind: 'step', says: 'Looking at the backup' })
  await requireParts(folder, chosen)
  await markRestoring(settings.dataDir, chosen.name)
  const { files, bytes, damaged } = await new FilesBack(options, folder, chosen).bring()
  signal.throwIfAborted()
  tell({ kind: 'step', says: 'Bringing the database back' })
  const lacking = chosen.manifest.lacks.map((key) => ({ key, damage: 'missing' as const }))
  const { rows, named } = await withDatabase(settings, (database) =>
    bringDatabase(database, { folder, chosen, damaged: [...damaged, ...lacking] }),
  )
  endRestoring(settings.dataDir)
  return { backup: chosen.name, taken_at: chosen.manifest.taken_at, rows, files, bytes, damaged: named }
}

async function choose(folder: BackupFolder, wanted: string | undefined): Promise<Chosen> {
  const all = folder.list()
  const [newest] = all
  if (newest === undefined) throw new ApiError('NOT_FOUND', `${folder.dir} holds no backup.`, { reason: 'no_backup' })
  const name = wanted ?? newest
  if (!all.includes(name))
    throw new ApiError('NOT_FOUND', `${folder.dir} holds no backup ${name}. There are ${all.slice(0, 10).join(', ')}.`, {
      reason: 'no_backup',
    })
  const manifest = await folder.manifestOf(name)
  if (manifest.migration <= newestMigration()) return { name, manifest }
  throw new ApiError('CONFLICT', `The backup ${name} was taken by a newer Prop House (${manifest.version}). Update this one.`, {
    reason: 'newer_backup',
  })
}

function requireEmptyFolder(dataDir: string, backup: string): void {
  if (!existsSync(dataDir) || restoringIn(dataDir) === backup) return
  const [found] = readdirSync(dataDir).filter((name) => name !== 'lost+found')
  if (found === undefined) return
  const what = restoringIn(dataDir) === undefined ? `is not empty: there is ${found}` : 'holds a part of another backup'
  throw new ApiError('CONFLICT', `${dataDir} ${what}. A backup is restored into an empty data folder only.`, {
    reason: 'not_empty',
  })
}

async function requireEmptyDatabase(database: Database): Promise<void> {
  const { isEmpty } = await schemaState(database.sql)
  if (isEmpty) return
  throw new ApiError(
    'CONFLICT',
    `The database (${database.location}) is not empty. A backup is restored into an empty one only.`,
    {
      reason: 'not_empty',
    },
  )
}

async function withDatabase<T>(settings: Settings, work: (database: Database) => Promise<T>): Promise<T> {
  const { databaseUrl, databaseCacheMiB: cacheMiB, networkDisk } = settings
  const database = await openDatabase({ databaseUrl, embeddedDir: embeddedFolder(settings), cacheMiB, networkDisk })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** A database that is damaged is found before anything is made. */
async function requireParts(folder: BackupFolder, { name, manifest }: Chosen): Promise<void> {
  for (const part of ['database', 'files'] as const) {
    const path = folder.partOf(name, part)
    const found = existsSync(path) ? await sha256Of(path) : undefined
    if (found === manifest[part].sha256) continue
    const others = folder.list().filter((one) => one !== name)
    const rest = others.length > 0 ? ` The folder also holds ${others.slice(0, 5).join(', ')}.` : ''
    throw damagedBackup(
      `${path} is ${found === undefined ? 'missing' : 'damaged: it holds other bytes than were written'}.${rest}`,
    )
  }
}

interface Brought {
  folder: BackupFolder
  chosen: Chosen
  damaged: readonly { key: string; damage: Damage }[]
}

async function bringDatabase(database: Database, { folder, chosen, damaged }: Brought) {
  await requireEmptyDatabase(database)
  const now = systemClock.now()
  const { migration } = chosen.manifest
  const lines = linesOf(folder.partOf(chosen.name, 'database'))
  const rows = await inTransaction(database.sql, (sql) => load({ sql, kind: database.kind, now, migration, lines }))
  await migrate(database, now)
  await database.longSql`analyze`
  const named: DamagedFile[] = []
  for (let at = 0; at < damaged.length; at += mostKeys) {
    const some = { damaged: damaged.slice(at, at + mostKeys), whole: [], sums: [] }
    named.push(...(await judge({ sql: database.sql, now }, some)).damaged)
  }
  return { rows, named }
}

const atOnce = 8

class FilesBack {
  readonly #options: RestoreOptions
  readonly #folder: BackupFolder
  readonly #chosen: Chosen
  readonly #damaged: { key: string; damage: Damage }[] = []
  #files = 0
  #bytes = 0
  #read = { files: 0, bytes: 0 }

  constructor(options: RestoreOptions, folder: BackupFolder, chosen: Chosen) {
    this.#options = options
    this.#folder = folder
    this.#chosen = chosen
  }

  async bring(): Promise<{ files: number; bytes: number; damaged: { key: string; damage: Damage }[] }> {
    const { settings } = this.#options
    if (settings.storageUrl === undefined) await this.#bringToFolder(settings.dataDir)
    else await this.#bringToBucket(settings.storageUrl)
    return { files: this.#files, bytes: this.#bytes, damaged: this.#damaged }
  }

  async #bringToFolder(dataDir: string): Promise<void> {
    const { signal } = this.#options
    const coming = join(dataDir, 'restoring')
    rmSync(coming, { recursive: true, force: true })
    const arrivals = new Arrivals(coming)
    const threads = new HashThreads()
    const abort = () => void threads.close()
    signal.addEventListener('abort', abort, { once: true })
    try {
      for await (const files of this.#folder.filesOf(this.#chosen.name))
        await this.#bringPage(files, { dataDir, arrivals, threads })
    } catch (error) {
      signal.throwIfAborted()
      throw error
    } finally {
      signal.removeEventListener('abort', abort)
      await threads.close()
      rmSync(coming, { recursive: true, force: true })
    }
  }

  async #bringPage(
    files: readonly BackedUpFile[],
    { dataDir, arrivals, threads }: { dataDir: string; arrivals: Arrivals; threads: HashThreads },
  ): Promise<void> {
    const pathOf = ({ key }: BackedUpFile) => join(storageOf(dataDir), key)
    const isThere = (file: BackedUpFile) => sizeOf(pathOf(file)) === file.size
    const { there = [], wanted = [] } = Object.groupBy(files, (file) => (isThere(file) ? 'there' : 'wanted'))
    for (const file of there) this.#took(file, undefined)
    const jobs = wanted.map(({ sha256, size }) => ({ path: this.#folder.fileOf(sha256), size, copyTo: arrivals.next() }))
    const found = await threads.run(jobs, (bytes) => this.#tell({ files: 0, bytes }))
    const arrived: Arrived[] = []
    for (const [index, file] of wanted.entries()) {
      const damage = damageOf(file, requireWritten(found[index], dataDir))
      const from = jobs[index]?.copyTo ?? ''
      if (damage) await arrivals.discard(from)
      else arrived.push({ from, to: pathOf(file) })
      this.#took(file, damage)
    }
    await arrivals.settle(arrived)
    this.#tell({ files: files.length, bytes: 0 })
  }

  async #bringToBucket(url: string): Promise<void> {
    const { openBucket } = await import('../../storage/s3/open-bucket.ts')
    const { settings, signal } = this.#options
    const libraryId = this.#chosen.manifest.library
    const storage = await openBucket(url, { settings, clock: systemClock, log: openLog('none'), libraryId })
    const limit = pLimit(atOnce)
    try {
      for await (const files of this.#folder.filesOf(this.#chosen.name))
        await limit.map(files, async (file) => {
          signal.throwIfAborted()
          this.#took(file, damageOf(file, await this.#send(storage, file)))
          this.#tell({ files: 1, bytes: file.size })
        })
    } finally {
      storage.close()
    }
  }

  /** The store takes bytes only that have the hash. */
  async #send(storage: Storage, { key, sha256, size }: BackedUpFile): Promise<Hashed> {
    const path = this.#folder.fileOf(sha256)
    const found = sizeOf(path)
    if (found === undefined) return { failed: 'ENOENT', at: 'read' }
    if (found !== size) return { sha256, size: found }
    try {
      await storage.receive(key, createReadStream(path), { sha256, maxBytes: size })
      return { sha256, size }
    } catch (error) {
      if (error instanceof ApiError && error.code === 'HASH_MISMATCH') return { sha256: '', size }
      throw error
    }
  }

  #took({ key, size }: BackedUpFile, damage: Damage | undefined): void {
    if (damage) return void this.#damaged.push({ key, damage })
    this.#files += 1
    this.#bytes += size
  }

  #tell(more: { files: number; bytes: number }): void {
    this.#read = { files: this.#read.files + more.files, bytes: this.#read.bytes + more.bytes }
    const { files, file_bytes } = this.#chosen.manifest
    this.#options.tell({ kind: 'files', ...this.#read, totalFiles: files.lines, totalBytes: file_bytes })
  }
}
