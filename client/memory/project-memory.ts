/** What is remembered of a project between pushes: one SQLite file, safe against crashes and against two pushes at once. */
import type Database from 'better-sqlite3'
import { ClientError } from '../client-error.ts'
import type { ReadFile } from '../project/file-reader.ts'
import { factsVersion, gone, neverTrusted } from '../project/fingerprint.ts'
import { type Base, columnsOf, type KnownFile, type KnownRow, toKnown } from '../project/known-file.ts'
import { Bases, unknownBase } from './bases.ts'
import { Faces } from './current-versions.ts'
import { LastPush } from './last-push.ts'
import { LevelParts } from './level-parts.ts'
import { OpenPulls } from './open-pulls.ts'
import { projectLayout } from './schema/project-layout.ts'
import { StateFile } from './state-file.ts'

/** What a walk is compared with: enough to see that nothing changed, quick to load for 100,000 files. */
export type SeenFile = [file: string, stat: string, settled: number]

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

/**
 * `held`: of files that were held, the current version that was named to a person (push/held/answers.ts). `previews`: null where nothing
 * is wanted any more, else a word that is new with each push that sends something (previews/project-previews.ts).
 */
type RememberedKey = 'feed' | 'problems' | 'held' | 'previews' | 'other_projects'

/** A file that is a version of the library, byte for byte. `stat` as in KnownFile. */
export interface FilePlaced {
  file: string
  stat: string
  hash: string
  size: number
  packageName: string | null
  base: Base
  /** Placed as a read-only link into the content cache. */
  linked: boolean
}

/** A file that is the version of an entry, with its kind of facts and its entry type, as far as that is known. */
export interface PushedFile {
  file: string
  hash: string
  size: number
  objectId: number
  entryId: number
  kind: string | null
  what: string | null
}

/** From here on one pass over everything is quicker than a question per file. */
const manyFiles = 1000

/** The memory of one project for one workspace. Throws ClientError `STATE_UNUSABLE` when its folder cannot be used. */
export class ProjectMemory {
  /** Pulls that began and did not end. */
  readonly pulls: OpenPulls
  /** Which versions are current in the library. */
  readonly faces: Faces
  /** Versions that files here are, or were edited from. */
  readonly bases: Bases
  /** The parts of levels that are known here. */
  readonly levels: LevelParts
  /** What `ph undo` takes back. */
  readonly lastPush: LastPush
  readonly #state: StateFile
  readonly #db: Database.Database
  readonly #queries = new Map<string, Database.Statement<string[], KnownRow>>()

  /** Opens or makes it. A damaged file is replaced by an empty one: everything in it can be learnt again. */
  constructor(path: string, about: { address: string; root: string }) {
    const unusable = (reason: string, cause: unknown) =>
      new ClientError('STATE_UNUSABLE', `What ph remembers of this project cannot be kept in ${path}: ${reason}.`, { cause })
    this.#state = new StateFile(path, { layout: projectLayout, unusable })
    this.#db = this.#state.db
    this.pulls = new OpenPulls(this.#state)
    this.faces = new Faces(this.#state)
    this.bases = new Bases(this.#state)
    this.levels = new LevelParts(this.#state)
    this.lastPush = new LastPush(this.#state)
    this.#guard(() => this.#prepare(about))
  }

  close(): void {
    this.#state.close()
  }

  seenFiles(): SeenFile[] {
    return this.#guard(
      () => this.#db.prepare<[], SeenFile>('select file, stat, settled from file').raw().all() as unknown as SeenFile[],
    )
  }

  /** How many files were ever read here. */
  count(): number {
    return this.#guard(() => Number(this.#db.prepare('select count(*) from file').pluck().get()))
  }

  find(file: string): KnownFile | undefined {
    return this.#all('file = ?', file)[0]
  }

  /** Whether a file here is, or was made from, this version; also one that is not there any more. */
  hasVersion({ lineageId, objectId }: { lineageId: string; objectId: number }): boolean {
    const query = 'select 1 from file where object_id = ? and lineage_id = ? limit 1'
    return this.#guard(() => this.#db.prepare(query).pluck().get(objectId, lineageId) === 1)
  }

  /** Reads the fingerprint (`stat`) of each file whose bytes are a version of the library. */
  pushedStats(): Map<string, string> {
    const query = 'select file, stat from file where hash = base_hash'
    return this.#guard(() => new Map(this.#db.prepare<[], [string, string]>(query).raw().all() as unknown as [string, string][]))
  }

  /** Files that are entries of the library as they are here. */
  findPushed(): PushedFile[] {
    const query = `
      select file, hash, size, object_id as objectId, entry_id as entryId, facts ->> '$.kind' as kind,
             coalesce(facts ->> '$.entryType', facts ->> '$.assetClass') as what
        from file where hash = base_hash and entry_id is not null and object_id is not null and stat <> ?`
    return this.#guard(() => this.#db.prepare<[string], PushedFile>(query).all(gone))
  }

  /** The version that came into the library last, of all that are known. */
  newestBase(): Base | undefined {
    return this.#all('object_id is not null order by object_id desc limit 1')[0]?.base
  }

  /** Files under this package name, in lower case; those that the library has first. */
  findByPackage(packageName: string): KnownFile[] {
    return this.#all('package = ? order by object_id is null, file', packageName)
  }

  /** Files here that are, or were made from, versions of these lineages; those that are not there any more too. */
  findByLineages(lineageIds: readonly string[]): KnownFile[] {
    return this.#all('lineage_id in (select value from json_each(?))', JSON.stringify(lineageIds))
  }

  findByGuid(guid: string): KnownFile[] {
    return this.#all('guid = ?', guid)
  }

  /** Nothing is known of these files any more. */
  forgetFiles(files: readonly string[]): void {
    const remove = this.#db.prepare('delete from file where file = ?')
    this.#write(() => {
      for (const file of files) remove.run(file)
    })
  }

  /** What is known of these files. Many are read in one go. */
  findAll(files: readonly string[]): KnownFile[] {
    return files.length > manyFiles && files.length * 10 > this.count()
      ? this.#all('true')
      : files.flatMap((file) => this.find(file) ?? [])
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

  /** Remembers files whose bytes came from the library. What was found in the same bytes before stays. */
  savePlaced(files: readonly FilePlaced[]): void {
    const statement = this.#db.prepare(`
      insert into file (file, stat, hash, size, package, base_hash, base_class, lineage_id, object_id, entry_id, linked)
      values (@file, @stat, @hash, @size, @packageName, @baseHash, @baseClass, @lineageId, @objectId, @entryId, @linked)
      on conflict (file) do update set stat = excluded.stat, size = excluded.size, hash = excluded.hash, linked = excluded.linked,
        package = case when file.hash = excluded.hash then coalesce(file.package, excluded.package) else excluded.package end,
        guid = case when file.hash = excluded.hash then file.guid end,
        facts = case when file.hash = excluded.hash then file.facts end,
        settled = file.settled and file.hash = excluded.hash,
        edges = case when file.base_hash = excluded.base_hash then file.edges end,
        base_guid = case when file.base_hash = excluded.base_hash then file.base_guid end,
        base_hash = excluded.base_hash, base_class = excluded.base_class, lineage_id = excluded.lineage_id,
        object_id = excluded.object_id, entry_id = coalesce(excluded.entry_id, file.entry_id)`)
    this.#write(() => {
      for (const { base, linked, ...file } of files) statement.run({ ...file, ...columnsOf(base), linked: linked ? 1 : 0 })
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
  setGone(files: readonly string[]): void {
    const update = this.#db.prepare('update file set stat = ?, settled = 0 where file = ?')
    this.#write(() => {
      for (const file of files) update.run(gone, file)
    })
  }

  remember(key: RememberedKey, value: unknown): void {
    this.#write(() =>
      this.#db.prepare('insert or replace into remembered (key, value) values (?, ?)').run(key, JSON.stringify(value)),
    )
  }

  /** Versions that the library no longer has: their files are to be pushed anew. */
  forgetObjects(objectIds: readonly number[], entryIds: readonly number[]): void {
    const byObject = this.#db.prepare(`update file set ${unknownBase} where object_id = ?`)
    const byEntry = this.#db.prepare(`update file set ${unknownBase} where entry_id = ?`)
    this.#write(() => {
      for (const id of objectIds) byObject.run(id)
      for (const id of entryIds) byEntry.run(id)
    })
  }

  /** Versions that the library turned out not to have, by content hash. */
  forgetVersions(hashes: readonly string[]): void {
    const byHash = this.#db.prepare(`update file set ${unknownBase} where base_hash = ?`)
    this.#write(() => {
      for (const hash of hashes) byHash.run(hash)
    })
  }

  /** Nothing is taken for known any more; lineages stay as something to be confirmed. */
  unsettleAll(): void {
    this.#write(() => this.#db.prepare('update file set settled = 0 where settled = 1').run())
  }

  /** The next push asks the library about the files of these versions. */
  unsettle(objectIds: readonly number[]): void {
    const among = 'object_id in (select value from json_each(?))'
    const update = this.#db.prepare(`update file set settled = 0 where settled = 1 and ${among}`)
    this.#write(() => update.run(JSON.stringify(objectIds)))
  }

  recall(key: RememberedKey): unknown {
    const value = this.#guard(() => this.#db.prepare('select value from remembered where key = ?').pluck().get(key))
    return typeof value === 'string' ? JSON.parse(value) : undefined
  }

  #all(where: string, ...values: string[]): KnownFile[] {
    return this.#guard(() => {
      const known = this.#queries.get(where) ?? this.#db.prepare<string[], KnownRow>(`select * from file where ${where}`)
      this.#queries.set(where, known)
      return known.all(...values)
    }).map(toKnown)
  }

  #write = (work: () => unknown): unknown => this.#state.write(work)

  #guard = <T>(work: () => T): T => this.#state.guard(work)

  #prepare(about: { address: string; root: string }): void {
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
}
