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
  /** The set of its parts that was pushed or pulled here last. */
  set: number
}

export class LevelParts {
  readonly #state: StateFile

  constructor(state: StateFile) {
    this.#state = state
  }

  find(lineageId: string): KnownParts {
    const { db } = this.#state
    return this.#state.guard(() => {
      const set = db.prepare<[string], number>('select set_id from level where lineage_id = ?').pluck().get(lineageId)
      const query = 'select path, file, hash from level_part where lineage_id = ?'
      return { set: set ?? undefined, parts: db.prepare<[string], KnownPart>(query).all(lineageId) }
    })
  }

  /** Levels of which a set is known here, with the file of each. */
  list(): KnownLevel[] {
    const query = `
      select f.file, f.entry_id as entryId, l.lineage_id as lineageId, l.set_id as "set"
        from level l join file f on f.lineage_id = l.lineage_id where l.set_id is not null and f.stat <> ? order by f.file`
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

  /** A set as it lies here now. */
  save(lineageId: string, set: number, parts: readonly KnownPart[]): void {
    this.#state.write(() => {
      this.#forget(lineageId)
      this.#change(lineageId, set, parts)
    })
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

  /** The library does not know the set: everything is told anew. */
  forget(lineageId: string): void {
    this.#state.write(() => this.#forget(lineageId))
  }

  #forget(lineageId: string): void {
    for (const table of ['level', 'level_part'])
      this.#state.db.prepare(`delete from ${table} where lineage_id = ?`).run(lineageId)
  }

  #change(lineageId: string, set: number | undefined, parts: readonly KnownPart[]): void {
    const put = this.#state.db.prepare('insert or replace into level_part (lineage_id, path, file, hash) values (?, ?, ?, ?)')
    for (const { path, file, hash } of parts) put.run(lineageId, path.toLowerCase(), file, hash)
    this.#state.db.prepare('insert or replace into level (lineage_id, set_id) values (?, ?)').run(lineageId, set ?? null)
  }
}
