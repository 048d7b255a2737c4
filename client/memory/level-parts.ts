/** Which parts of levels this machine knows, and of which set of theirs: what was pushed or pulled here last. A push sends what changed since; kept with the fingerprints. */
import { partFolders } from '../../contract/level-parts.ts'
import { gone } from '../project/fingerprint.ts'
import type { StateFile } from './state-file.ts'

/** An external actor or object of a level. */
export interface KnownPart {
  /** Its package path. */
  path: string
  /** Below the project's root. */
  file: string
  hash: string
}

export interface KnownParts {
  /** Undefined where no set is known as a whole. */
  set: number | undefined
  parts: KnownPart[]
}

/** A file that a pull or push of this machine placed where parts of a level lie. `path` in lower case. */
export interface PlacedPart {
  path: string
  file: string
  /** The version that it was, and of what. */
  baseHash: string
  lineageId: string
  /** It was placed as a read-only link into the content cache. */
  linked: number
}

/** A level in this project. */
export interface KnownLevel {
  file: string
  entryId: number | null
  lineageId: string
  /** The set of its parts that was pushed or pulled here last. Null where none is known as a whole, as of a level that had no parts then. */
  set: number | null
  /** The newest one, of which it is remembered what it changed. */
  newsSet: number | null
}

/** What the newest set of a level changed of the one that is known here. */
export interface PartNews {
  /** Its package path. */
  path: string
  change: 'added' | 'changed' | 'removed'
  /** Null for one that left. */
  objectId: number | null
  hash: string | null
  label: string | null
  class: string
}

export class LevelParts {
  readonly #state: StateFile

  constructor(state: StateFile) {
    this.#state = state
  }

  find(lineageId: string): KnownParts {
    const { db } = this.#state
    return this.#state.guard(() => {
      const query = 'select path, file, hash from level_part where lineage_id = ?'
      return { set: this.setOf(lineageId), parts: db.prepare<[string], KnownPart>(query).all(lineageId) }
    })
  }

  /** The set that is known here as a whole. */
  setOf(lineageId: string): number | undefined {
    const query = 'select set_id from level where lineage_id = ?'
    return this.#state.guard(() => this.#state.db.prepare<[string], number | null>(query).pluck().get(lineageId)) ?? undefined
  }

  /** Levels that lie here, with the file of each. */
  list(): KnownLevel[] {
    const query = `
      select f.file, f.entry_id as entryId, f.lineage_id as lineageId, l.set_id as "set",
             l.news_set as newsSet
        from file f left join level l on l.lineage_id = f.lineage_id
       where f.lineage_id is not null and f.stat <> ? and (l.set_id is not null or f.file like '%.umap') order by f.file`
    return this.#state.guard(() => this.#state.db.prepare<[string], KnownLevel>(query).all(gone))
  }

  /** Files that were placed as parts of a level, by its package path. */
  placedOf(level: string): PlacedPart[] {
    const query = `
      select package as path, file, base_hash as baseHash, lineage_id as lineageId, linked from file
       where package >= ? and package < ? and base_hash is not null and lineage_id is not null and stat <> ?`
    const statement = this.#state.guard(() => this.#state.db.prepare<[string, string, string], PlacedPart>(query))
    const behind = (folder: string) => `${folder.slice(0, -1)}0`
    return this.#state.guard(() => partFolders(level).flatMap((folder) => statement.all(folder, behind(folder), gone)))
  }

  /** Files that were placed as parts of a level that has moved to this package path since. */
  leftBehind(lineageId: string, level: string): PlacedPart[] {
    const ranges = partFolders(level).flatMap((folder) => [folder, `${folder.slice(0, -1)}0`])
    const query = `
      select p.path, f.file, f.base_hash as baseHash, f.lineage_id as lineageId, f.linked from level_part p join file f on f.file = p.file
       where p.lineage_id = ? and not (p.path >= ? and p.path < ?) and not (p.path >= ? and p.path < ?)
         and f.base_hash is not null and f.lineage_id is not null and f.stat <> ?`
    return this.#state.guard(() => this.#state.db.prepare<string[], PlacedPart>(query).all(lineageId, ...ranges, gone))
  }

  /** A set as it lies here now. `staying`: what left it, and is here all the same. */
  save(lineageId: string, set: number, { parts, staying }: { parts: readonly KnownPart[]; staying: readonly KnownPart[] }): void {
    this.#state.write(() => {
      this.#forget(lineageId)
      this.#change(lineageId, set, parts)
      this.#stay(lineageId, staying)
    })
  }

  /** What the newest set of a level changed of the one that is known; undefined: there is no newer one. */
  saveNews(lineageId: string, newest: { set: number; news: readonly PartNews[] } | undefined): void {
    const { db } = this.#state
    const put = db.prepare(`
      insert or replace into level_news (path, lineage_id, object_id, hash, label, class, change)
      values (@path, @lineageId, @objectId, @hash, @label, @class, @change)`)
    this.#state.write(() => {
      this.#forgetNews(lineageId)
      if (!newest) return
      db.prepare(`
        insert into level (lineage_id, news_set) values (?, ?)
        on conflict (lineage_id) do update set news_set = excluded.news_set`).run(lineageId, newest.set)
      for (const one of newest.news) put.run({ ...one, path: one.path.toLowerCase(), lineageId })
    })
  }

  /** How many parts of a level came, changed and left with its newest set. */
  countNews(lineageId: string): Record<PartNews['change'], number> {
    const query = 'select change, count(*) as n from level_news where lineage_id = ? group by change'
    const rows = this.#state.guard(() =>
      this.#state.db.prepare<[string], { change: PartNews['change']; n: number }>(query).all(lineageId),
    )
    return { added: 0, changed: 0, removed: 0, ...Object.fromEntries(rows.map(({ change, n }) => [change, n])) }
  }

  /** What a push has changed. `set`: the set that is known from now on. Files that left with it are missing no longer. */
  change(
    lineageId: string,
    { set, put, remove }: { set: number | undefined; put: readonly KnownPart[]; remove: readonly KnownPart[] },
  ): void {
    const { db } = this.#state
    const part = db.prepare('delete from level_part where lineage_id = ? and path = ?')
    const missing = db.prepare('delete from file where file = ? and stat = ?')
    this.#state.write(() => {
      for (const { path, file } of remove) {
        part.run(lineageId, path.toLowerCase())
        missing.run(file, gone)
      }
      this.#change(lineageId, set, put)
    })
  }

  /** From a set that is known as a whole to a newer one. `staying`: what left it, and is here all the same. */
  advance(
    lineageId: string,
    {
      set,
      put,
      remove,
      staying,
    }: { set: number; put: readonly KnownPart[]; remove: readonly string[]; staying: readonly KnownPart[] },
  ): void {
    const part = this.#state.db.prepare('delete from level_part where lineage_id = ? and path = ?')
    this.#state.write(() => {
      for (const path of remove) part.run(lineageId, path)
      this.#change(lineageId, set, put)
      this.#stay(lineageId, staying)
    })
  }

  /** The library does not know the set: everything is told anew. */
  forget(lineageId: string): void {
    this.#state.write(() => this.#forget(lineageId))
  }

  #forget(lineageId: string): void {
    this.#forgetNews(lineageId)
    for (const table of ['level', 'level_part'])
      this.#state.db.prepare(`delete from ${table} where lineage_id = ?`).run(lineageId)
  }

  #forgetNews(lineageId: string): void {
    this.#state.db.prepare('delete from level_news where lineage_id = ?').run(lineageId)
    this.#state.db.prepare('update level set news_set = null where lineage_id = ?').run(lineageId)
  }

  #stay(lineageId: string, parts: readonly KnownPart[]): void {
    const stay = this.#state.db.prepare(
      'insert or replace into level_part (lineage_id, path, file, hash, stays) values (?, ?, ?, ?, 1)',
    )
    for (const { path, file, hash } of parts) stay.run(lineageId, path.toLowerCase(), file, hash)
  }

  /** Parts that left with an earlier set, and lie here still. */
  stayingOf(lineageId: string): string[] {
    const query = 'select path from level_part where lineage_id = ? and stays'
    return this.#state.guard(() => this.#state.db.prepare<[string], string>(query).pluck().all(lineageId))
  }

  /** What was heard of newer sets was beside what was known before. */
  #change(lineageId: string, set: number | undefined, parts: readonly KnownPart[]): void {
    const put = this.#state.db.prepare('insert or replace into level_part (lineage_id, path, file, hash) values (?, ?, ?, ?)')
    this.#forgetNews(lineageId)
    for (const { path, file, hash } of parts) put.run(lineageId, path.toLowerCase(), file, hash)
    this.#state.db.prepare('insert or replace into level (lineage_id, set_id) values (?, ?)').run(lineageId, set ?? null)
  }
}
