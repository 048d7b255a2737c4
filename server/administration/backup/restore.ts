/**
 * `ph server restore`: a backup into an empty data folder and an empty database. Files come first, each of them hashed, the database last and
 * all at once: before that there is no library. A restore that was interrupted is taken up by the same command.
 */
import { existsSync, readdirSync } from 'node:fs'
import { ApiError } from '../../../contract/errors.ts'
import { type DamagedFile, mostKeys } from '../../../contract/operator-files.ts'
import { FolderSync } from '../../../system/folder-sync.ts'
import { systemClock } from '../../clock.ts'
import type { Settings } from '../../config.ts'
import { migrate, newestMigration, schemaState } from '../../database/migrate.ts'
import { type Database, openDatabase } from '../../database/open.ts'
import type { Sql } from '../../database/sql.ts'
import { atOneMoment, inTransaction } from '../../database/transaction.ts'
import { beginEpoch } from '../../epoch.ts'
import type { Damage } from '../../storage/damaged-files.ts'
import { eachNamedFile } from '../../storage/named-files.ts'
import { judge } from '../files/judge.ts'
import { embeddedFolder } from '../take-database.ts'
import { BackupFolder, sha256Of } from './backup-folder.ts'
import { sizeOf } from './copied-files.ts'
import { piecesOf } from './dump-pieces.ts'
import { type Chosen, FilesBack } from './files-back.ts'
import { load } from './load.ts'
import { damagedBackup } from './manifest.ts'
import { endRestoring, isOf, markRestoring, newRestoring, type Restoring, restoringIn } from './restore-mark.ts'
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

export async function restoreBackup(options: RestoreOptions): Promise<RestoreReport> {
  const folder = new BackupFolder(options.folder)
  const lock = await folder.lockToRead()
  try {
    return await restoreFrom(folder, options)
  } finally {
    lock?.release()
  }
}

async function restoreFrom(folder: BackupFolder, options: RestoreOptions): Promise<RestoreReport> {
  const { settings, tell, signal } = options
  const { dataDir, storageUrl } = settings
  const chosen = await choose(folder, options.backup)
  const begun = requireEmptyFolder(dataDir, chosen)
  // An embedded one is made at the end only: before that there is none to be empty.
  if (settings.databaseUrl !== undefined || existsSync(embeddedFolder(settings)))
    await withDatabase(settings, (database) => requireEmptyDatabase(database, begun))
  tell({ kind: 'step', says: 'Looking at the backup' })
  await requireParts(folder, chosen)
  const goesOn = begun?.bucket === (storageUrl ?? null)
  if (storageUrl !== undefined && !goesOn) await requireEmptyBucket(storageUrl, settings)
  const restoring = { ...newRestoring(chosen, storageUrl), ...(begun && { id: begun.id }) }
  await markRestoring(dataDir, restoring)
  const { files, bytes, damaged } = await new FilesBack({ settings, tell, signal, folder, chosen, goesOn }).bring()
  await new FolderSync().settleAbove(dataDir)
  tell({ kind: 'step', says: 'Bringing the database back' })
  signal.throwIfAborted()
  const lacking = chosen.manifest.lacks.map((key) => ({ key, damage: 'missing' as const }))
  const { rows, named } = await withDatabase(settings, (database) =>
    bringDatabase(database, { folder, chosen, restoring, damaged: [...damaged, ...lacking] }),
  ).catch((error: unknown) => {
    throw leaving(error, dataDir)
  })
  endRestoring(dataDir)
  return { backup: chosen.name, taken_at: chosen.manifest.taken_at, rows, files, bytes, damaged: named }
}

/** A backup that turns out to be damaged at its end has brought files, which no other backup is restored onto. */
function leaving(error: unknown, dataDir: string): unknown {
  if (!(error instanceof ApiError && error.details.reason === 'damaged_backup')) return error
  const left = `Nothing of its database was kept; ${dataDir} holds files of it: remove that folder before you restore another one into it.`
  return new ApiError('CONFLICT', `${error.message} ${left}`, error.details)
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

/** The restore that was begun there, and is taken up. */
function requireEmptyFolder(dataDir: string, chosen: Chosen): Restoring | undefined {
  const begun = restoringIn(dataDir)
  if (isOf(begun, chosen)) return begun
  const [found] = existsSync(dataDir) ? readdirSync(dataDir).filter((one) => one !== 'lost+found') : []
  if (found === undefined) return undefined
  const what = begun === undefined ? `is not empty: there is ${found}` : 'holds a part of another backup'
  throw notEmpty(`${dataDir} ${what}. A backup is restored into an empty data folder only.`)
}

/** Or one that the restore under way has brought its rows to. */
async function requireEmptyDatabase({ sql, location }: Database, begun: Restoring | undefined): Promise<void> {
  if ((await schemaState(sql)).isEmpty || (begun && (await rowsBroughtBy(sql, begun)) !== undefined)) return
  throw notEmpty(`The database (${location}) is not empty. A backup is restored into an empty one only.`)
}

const notEmpty = (message: string): ApiError => new ApiError('CONFLICT', message, { reason: 'not_empty' })

/** Files of workspaces begin with a number. */
async function requireEmptyBucket(url: string, { storageKey }: Settings): Promise<void> {
  const [{ Bucket }, { readBucketAddress }] = await Promise.all([
    import('../../storage/s3/bucket.ts'),
    import('../../storage/s3/bucket-address.ts'),
  ])
  const bucket = new Bucket({ address: readBucketAddress(url), key: storageKey, clock: systemClock })
  try {
    for await (const page of bucket.list(''))
      for (const { key } of page)
        if (/^[0-9]/.test(key))
          throw notEmpty(`${bucket.where} is not empty: there is ${key}. Name an empty folder of it in PH_STORAGE_URL.`)
  } finally {
    bucket.close()
  }
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

/** A database or a list that is damaged, or that no backup writes, is found before anything is made. */
async function requireParts(folder: BackupFolder, { name, manifest }: Chosen): Promise<void> {
  for (const part of ['database', 'files'] as const) {
    const path = folder.partOf(name, part)
    const found = sizeOf(path) === undefined ? undefined : await sha256Of(path)
    if (found === manifest[part].sha256) continue
    const others = folder.list().filter((one) => one !== name)
    const rest = others.length > 0 ? ` The folder also holds ${others.slice(0, 5).join(', ')}.` : ''
    throw damagedBackup(
      `${path} is ${found === undefined ? 'missing' : 'damaged: it holds other bytes than were written'}.${rest}`,
    )
  }
  await requireLines(folder, { name, manifest })
}

async function requireLines(folder: BackupFolder, { name, manifest }: Chosen): Promise<void> {
  let lines = 0
  const keys = new Set<string>()
  for await (const files of folder.filesOf(name))
    for (const { key } of files) {
      lines += 1
      if (keys.has(key))
        throw damagedBackup(`${folder.partOf(name, 'files')}, line ${lines}: names ${key}, which stands above already.`)
      keys.add(key)
    }
  if (lines !== manifest.files.lines)
    throw damagedBackup(`${folder.partOf(name, 'files')} has ${lines} of ${manifest.files.lines} lines.`)
  const path = folder.partOf(name, 'database')
  let last = 0
  for await (const piece of piecesOf(path)) last = typeof piece.at === 'number' ? piece.at : (piece.at.at(-1) ?? 0)
  if (last !== manifest.database.lines) throw damagedBackup(`${path} has ${last} of ${manifest.database.lines} lines.`)
}

interface Brought {
  folder: BackupFolder
  chosen: Chosen
  restoring: Restoring
  damaged: readonly { key: string; damage: Damage }[]
}

async function bringDatabase(database: Database, { folder, chosen, restoring, damaged }: Brought) {
  await requireEmptyDatabase(database, restoring)
  const now = systemClock.now()
  const rows = (await rowsBroughtBy(database.sql, restoring)) ?? (await loadInto(database, { folder, chosen, restoring, now }))
  await migrate(database, now)
  await inTransaction(database.sql, (sql) => beginRestored(sql, { id: restoring.id, now }))
  await database.longSql`analyze`
  const all = [...damaged, ...(await lackingIn(database, { folder, chosen, damaged }))]
  const named: DamagedFile[] = []
  for (let at = 0; at < all.length; at += mostKeys) {
    const some = { damaged: all.slice(at, at + mostKeys), whole: [], sums: [] }
    named.push(...(await judge({ sql: database.sql, now }, some)).damaged)
  }
  return { rows, named }
}

/** Once for each restore, also where it is taken up. What the library gave out since the backup is never given out again. */
async function beginRestored(sql: Sql, epoch: { id: string; now: Date }): Promise<void> {
  const [begun] = await sql`select 1 from feed_heads where epoch_id = ${epoch.id} limit 1`
  if (!begun) await beginEpoch(sql, epoch)
}

/** Files that rows name, and that are neither in the list of the backup nor known to be missing: nobody brought them. */
async function lackingIn({ sql }: Database, { folder, chosen, damaged }: Omit<Brought, 'restoring'>) {
  const known = new Set(damaged.map(({ key }) => key))
  for await (const files of folder.filesOf(chosen.name)) for (const { key } of files) known.add(key)
  const lacking: { key: string; damage: Damage }[] = []
  await atOneMoment(sql, async (inside) => {
    for await (const files of eachNamedFile(inside, false))
      for (const { key } of files) if (!known.has(key)) lacking.push({ key, damage: 'missing' })
  })
  return lacking
}

/** With the rows comes the name of the restore that has brought them: one that ends before its last step is taken up behind them. */
function loadInto(
  database: Database,
  { folder, chosen, restoring, now }: Omit<Brought, 'damaged'> & { now: Date },
): Promise<number> {
  const { migration } = chosen.manifest
  return inTransaction(database.sql, async (sql) => {
    const rows = await load({ sql, kind: database.kind, now, migration, path: folder.partOf(chosen.name, 'database') })
    await sql`
      insert into settings (name, value) values (${restoredName}, ${JSON.stringify({ id: restoring.id, rows })})
      on conflict (name) do update set value = excluded.value`
    await requireLibrary(sql, chosen)
    return rows
  })
}

/** A database that was put in from another library's backup would take its bucket, and its backups. */
async function requireLibrary(sql: Sql, { name, manifest }: Chosen): Promise<void> {
  const [row] = await sql<{ value: string }[]>`select value from settings where name = 'library_id'`
  if (row?.value !== manifest.library) throw damagedBackup(`The database of the backup ${name} is that of another library.`)
}

const restoredName = 'restored'

/** How many; undefined where another restore has, or none. */
async function rowsBroughtBy(sql: Sql, { id }: Restoring): Promise<number | undefined> {
  if ((await schemaState(sql)).isEmpty) return undefined
  const [row] = await sql<{ value: string }[]>`select value from settings where name = ${restoredName}`
  const brought = row && JSON.parse(row.value)
  return brought?.id === id ? brought.rows : undefined
}
