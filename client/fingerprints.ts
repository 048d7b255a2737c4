/** What is remembered of a project between pushes: one SQLite file, safe against crashes and against two pushes at once. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { ClientError } from './client-error.ts'
import type { FileFacts } from './file-facts.ts'
import type { ReadFile } from './file-reader.ts'
import { factsVersion, gone, neverTrusted } from './fingerprint.ts'

/** The version in the library that a file is, when its hash is the file's, or was edited from. */
export interface Base {
  hash: string
  guid: string | null
  assetClass: string | null
  lineageId: string
  objectId: number
  entryId: number | null
}

export interface KnownFile {
  file: string
  stat: string
  hash: string
  size: number
  settled: boolean
  packageName: string | null
  guid: string | null
  base: Base | undefined
  edges: string | null
  facts: FileFacts
}

/** What a walk is compared with: enough to see that nothing changed, quick to load for 100,000 files. */
export type Mark = [file: string, stat: string, settled: number]

export interface FileRead extends ReadFile {
  file: string
  packageName: string | null
  guid: string | null
}

/** What the library now knows of a file. Written only while the file still has that hash. */
export interface FileBased {
  file: string
  hash: string
  base: Base
  edges: string | null
}

const schemaVersion = 1
const unknown =
  'settled = 0, edges = null, base_hash = null, base_guid = null, base_class = null, lineage_id = null, object_id = null, entry_id = null'
const busyMs = 10_000
/** From here on one pass over everything is quicker than a question per file. */
const manyFiles = 1000
const schemaFile = new URL('./fingerprints.sql', import.meta.url)

interface Row {
  file: string
  stat: string
  hash: string
  size: number
  settled: number
  package: string | null
  guid: string | null
  base_hash: string | null
  base_guid: string | null
  base_class: string | null
  lineage_id: string | null
  object_id: number | null
  entry_id: number | null
  edges: string | null
  facts: string
}

/** The memory of one project for one workspace. Throws ClientError `STATE_UNUSABLE` when its folder cannot be used. */
export class Fingerprints {
  readonly #db: Database.Database
  readonly #path: string
  readonly #queries = new Map<string, Database.Statement<string[], Row>>()

  /** Opens or makes it. A damaged file is replaced by an empty one: everything in it can be learnt again. */
  constructor(path: string, about: { address: string; root: string }) {
    this.#path = path
    this.#db = this.#guard(() => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      return openOrReplace(path)
    })
    this.#guard(() => this.#prepare(about))
  }

  close(): void {
    this.#db.close()
  }

  marks(): Mark[] {
    return this.#guard(() => this.#db.prepare<[], Mark>('select file, stat, settled from file').raw().all() as unknown as Mark[])
  }

  /** How many files were ever read here. */
  count(): number {
    return this.#guard(() => Number(this.#db.prepare('select count(*) from file').pluck().get()))
  }

  find(file: string): KnownFile | undefined {
    return this.#all('file = ?', file)[0]
  }

  /** The version that came into the library last, of all that are known. */
  newestBase(): Base | undefined {
    return this.#all('object_id is not null order by object_id desc limit 1')[0]?.base
  }

  /** Files under this package name, in lower case; those that the library has first. */
  findByPackage(packageName: string): KnownFile[] {
    return this.#all('package = ? order by object_id is null, file', packageName)
  }

  findByGuid(guid: string): KnownFile[] {
    return this.#all('guid = ?', guid)
  }

  /** What is known of these files. Many are read in one go. */
  findAll(files: readonly string[]): KnownFile[] {
    return files.length > manyFiles ? this.#all('true') : files.flatMap((file) => this.find(file) ?? [])
  }

  /** Remembers what was read. What is known of the library stays; whether that still is the same follows from the hashes. */
  saveRead(files: readonly FileRead[]): void {
    const statement = this.#db.prepare(`
      insert into file (file, stat, hash, size, package, guid, facts)
      values (@file, @stat, @hash, @size, @packageName, @guid, @facts)
      on conflict (file) do update set stat = excluded.stat, size = excluded.size, package = excluded.package,
        guid = excluded.guid, facts = excluded.facts, settled = file.settled and file.hash = excluded.hash, hash = excluded.hash`)
    this.#write(() => {
      for (const file of files) statement.run({ ...file, facts: JSON.stringify(file.facts) })
    })
  }

  saveBased(files: readonly FileBased[]): void {
    const statement = this.#db.prepare(`
      update file set edges = @edges, base_hash = @baseHash, base_guid = @baseGuid, base_class = @baseClass,
        lineage_id = @lineageId, object_id = @objectId, entry_id = @entryId
      where file = @file and hash = @hash`)
    this.#write(() => {
      for (const { file, hash, edges, base } of files) statement.run({ file, hash, edges, ...columnsOf(base) })
    })
  }

  /** These files need nothing more as long as neither they nor the library change. */
  settle(files: readonly { file: string; hash: string }[]): void {
    const settle = this.#db.prepare('update file set settled = 1 where file = @file and hash = @hash')
    this.#write(() => {
      for (const file of files) settle.run(file)
    })
  }

  /** Files that are not there any more. Who they were stays known: they may come back. */
  markGone(files: readonly string[]): void {
    const mark = this.#db.prepare('update file set stat = ?, settled = 0 where file = ?')
    this.#write(() => {
      for (const file of files) mark.run(gone, file)
    })
  }

  remember(key: 'feed' | 'problems', value: unknown): void {
    this.#write(() =>
      this.#db.prepare('insert or replace into remembered (key, value) values (?, ?)').run(key, JSON.stringify(value)),
    )
  }

  /** Versions that the library no longer has: their files are to be pushed anew. */
  forgetObjects(objectIds: readonly number[], entryIds: readonly number[]): void {
    const byObject = this.#db.prepare(`update file set ${unknown} where object_id = ?`)
    const byEntry = this.#db.prepare(`update file set ${unknown} where entry_id = ?`)
    this.#write(() => {
      for (const id of objectIds) byObject.run(id)
      for (const id of entryIds) byEntry.run(id)
    })
  }

  /** Versions that the library turned out not to have, by content hash. */
  forgetVersions(hashes: readonly string[]): void {
    const byHash = this.#db.prepare(`update file set ${unknown} where base_hash = ?`)
    this.#write(() => {
      for (const hash of hashes) byHash.run(hash)
    })
  }

  /** Nothing is taken for known any more; lineages stay as something to be confirmed. */
  unsettleAll(): void {
    this.#write(() => this.#db.prepare('update file set settled = 0 where settled = 1').run())
  }

  recall(key: 'feed' | 'problems'): unknown {
    const value = this.#guard(() => this.#db.prepare('select value from remembered where key = ?').pluck().get(key))
    return typeof value === 'string' ? JSON.parse(value) : undefined
  }

  #all(where: string, ...values: string[]): KnownFile[] {
    return this.#guard(() => {
      const known = this.#queries.get(where) ?? this.#db.prepare<string[], Row>(`select * from file where ${where}`)
      this.#queries.set(where, known)
      return known.all(...values)
    }).map(toKnown)
  }

  /** One transaction that takes its lock at once, so that two processes wait for each other instead of failing in the middle. */
  #write(work: () => unknown): void {
    this.#guard(() => this.#db.transaction(work).immediate())
  }

  #guard<T>(work: () => T): T {
    try {
      return work()
    } catch (cause) {
      if (cause instanceof ClientError) throw cause
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new ClientError('STATE_UNUSABLE', `What ph remembers of this project cannot be kept in ${this.#path}: ${reason}.`, {
        cause,
      })
    }
  }

  #prepare(about: { address: string; root: string }): void {
    if (this.#db.pragma('user_version', { simple: true }) !== schemaVersion) this.#create()
    const set = this.#db.prepare('insert or replace into remembered (key, value) values (?, ?)')
    const read = this.#db.prepare('select value from remembered where key = ?').pluck()
    const isNew = read.get('root') !== about.root
    const isOlder = read.get('facts_version') !== String(factsVersion)
    if (!isNew && !isOlder) return
    this.#write(() => {
      set.run('address', about.address)
      set.run('root', about.root)
      set.run('facts_version', String(factsVersion))
      if (isOlder) this.#db.prepare('update file set stat = ?').run(neverTrusted)
    })
  }

  /** Two processes may come here at once: the second finds the work done. A layout of another time is made anew. */
  #create(): void {
    this.#write(() => {
      if (this.#db.pragma('user_version', { simple: true }) === schemaVersion) return
      for (const table of ['file', 'remembered']) this.#db.exec(`drop table if exists ${table}`)
      this.#db.exec(readFileSync(schemaFile, 'utf8'))
      this.#db.pragma(`user_version = ${schemaVersion}`)
    })
  }
}

function openOrReplace(path: string): Database.Database {
  try {
    return open(path)
  } catch (error) {
    if (!(error instanceof Database.SqliteError) || !/^SQLITE_(NOTADB|CORRUPT)/.test(error.code)) throw error
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
    return open(path)
  }
}

function open(path: string): Database.Database {
  const db = new Database(path, { timeout: busyMs })
  db.pragma('journal_mode = wal')
  db.pragma('synchronous = normal')
  return db
}

const columnsOf = (base: Base) => ({
  baseHash: base.hash,
  baseGuid: base.guid,
  baseClass: base.assetClass,
  lineageId: base.lineageId,
  objectId: base.objectId,
  entryId: base.entryId,
})

function toKnown(row: Row): KnownFile {
  const { base_hash: hash, base_guid: guid, base_class: assetClass, lineage_id: lineageId, object_id: objectId } = row
  const base =
    hash !== null && lineageId !== null && objectId !== null
      ? { hash, guid, assetClass, lineageId, objectId, entryId: row.entry_id }
      : undefined
  return {
    file: row.file,
    stat: row.stat,
    hash: row.hash,
    size: row.size,
    settled: row.settled === 1,
    packageName: row.package,
    guid: row.guid,
    base,
    edges: row.edges,
    facts: JSON.parse(row.facts) as FileFacts,
  }
}
