/** The current versions of a project's lineages as they were last heard of, and every file beside them; kept with the fingerprints. */
import type Database from 'better-sqlite3'
import type { Deletion } from '../../contract/lineages.ts'
import type { FeedPosition } from './feed.ts'
import type { StateFile } from './state-file.ts'

/** The version that is current in a lineage. */
export interface Face {
  lineageId: string
  objectId: number
  hash: string
  entryId: number | null
}

/** What a file is beside the library, as bits of a number: quick to load for 100,000 files. */
export const relation = {
  /** It was pushed or pulled here: there is a version that it is or was edited from. */
  based: 1,
  /** The library was asked for its lineage, … */
  looked: 2,
  /** … and has it. */
  there: 4,
  hashIsBase: 8,
  hashIsFace: 16,
  baseIsFace: 32,
  /** It is no prop: a push has settled, or would, that it stays out. */
  leftOut: 64,
  /** Its entry was deleted from the library. */
  deleted: 128,
  /** A rename left it behind in the place of a prop, and it is none itself. */
  redirector: 256,
} as const

export type KnownRow = [file: string, stat: string, relation: number, lineageId: string | null]

/** A file with what it belongs to. */
export interface KnownDetail {
  file: string
  hash: string
  guid: string | null
  package: string | null
  relation: number
  lineageId: string | null
  objectId: number | null
  entryId: number | null
  faceId: number | null
  faceHash: string | null
  /** Who deleted its entry, as JSON. */
  deleted: string | null
  /** Of a redirector: the package that it leads to. */
  redirectsTo: string | null
}

/** A redirector in a project; packages in lower case. */
export interface KnownRedirector {
  file: string
  package: string | null
  target: string
  /** It stands where a prop was that was pushed or pulled here. */
  isFormer: number
}

/** A file that nobody pushed, with the identity of one that was. */
export interface Namesake {
  file: string
  /** Where that identity was when it was pushed. */
  from: string
}

const positionKey = 'faces'
/** From here on one pass over everything is quicker than a question per file. */
const manyFiles = 1000

const isRedirector = "f.facts ->> '$.assetClass' is 'ObjectRedirector'"

/**
 * What a file is held against: its lineage, or of a part of a level the set of the level that is known here and what the newest one changed of
 * it. What is current in the lineage of a part means nothing.
 */
interface Measure {
  from: string
  faceHash: string
  faceId: string
  isThere: string
  baseIsFace: string
  isGone: string
}

const byLineage: Measure = {
  from: 'file f left join face c on c.lineage_id = f.lineage_id',
  faceHash: 'c.content_hash',
  faceId: 'c.object_id',
  isThere: '(c.object_id is not null)',
  baseIsFace: '(f.object_id is c.object_id)',
  isGone: '(c.deleted is not null)',
}

const either = (part: string, other: string): string => `case when p.path is not null then ${part} else ${other} end`
const newestHash = 'case when n.path is not null then n.hash else p.hash end'
const bySets: Measure = {
  from: `${byLineage.from} left join level_part p on p.path = f.package and f.lineage_id is not null left join level_news n on n.path = p.path`,
  faceHash: either(newestHash, byLineage.faceHash),
  faceId: either(
    'case when n.path is not null then n.object_id when p.hash is f.base_hash then f.object_id end',
    byLineage.faceId,
  ),
  isThere: either('1', byLineage.isThere),
  baseIsFace: either(`(f.base_hash is ${newestHash})`, byLineage.baseIsFace),
  isGone: either('case when n.path is not null then n.hash is null else p.stays end', byLineage.isGone),
}

const relationOf = ({ faceHash, isThere, baseIsFace, isGone }: Measure): string => `
  (f.lineage_id is not null) + 2 * (c.lineage_id is not null) + 4 * ${isThere} + 8 * (f.hash is f.base_hash)
  + 16 * (f.hash is ${faceHash}) + 32 * ${baseIsFace}
  + case when f.lineage_id is not null then 0 else
      64 * (f.settled or f.facts ->> '$.kind' is 'refused' or ${isRedirector}) end
  + 128 * ${isGone}
  + case when f.hash is f.base_hash or f.base_class is 'ObjectRedirector' then 0 else
      256 * (${isRedirector}) end`

export class Faces {
  readonly #state: StateFile
  readonly #db: Database.Database

  constructor(state: StateFile) {
    this.#state = state
    this.#db = state.db
  }

  /** How far the change feed was followed; undefined where it must be asked for everything. */
  position(): FeedPosition | undefined {
    const value = this.#guard(() => this.#db.prepare('select value from remembered where key = ?').pluck().get(positionKey))
    return typeof value === 'string' ? (JSON.parse(value) as FeedPosition) : undefined
  }

  /** Every file that was ever read here. */
  rows(): KnownRow[] {
    return this.#guard(() => {
      const measure = this.#measure()
      const query = `select f.file, f.stat, ${relationOf(measure)}, f.lineage_id from ${measure.from}`
      return this.#db.prepare<[], KnownRow>(query).raw().all() as unknown as KnownRow[]
    })
  }

  details(files: ReadonlySet<string>): KnownDetail[] {
    return this.#guard(() => {
      const measure = this.#measure()
      const query = `
        select f.file, f.hash, f.guid, f.package, ${relationOf(measure)} as relation, f.lineage_id as lineageId, f.object_id as objectId,
               coalesce(c.entry_id, f.entry_id) as entryId, ${measure.faceId} as faceId, ${measure.faceHash} as faceHash, c.deleted,
               case when ${isRedirector} then f.facts ->> '$.redirectTarget' end as redirectsTo
          from ${measure.from}`
      if (files.size > manyFiles)
        return this.#db
          .prepare<[], KnownDetail>(query)
          .all()
          .filter(({ file }) => files.has(file))
      const one = this.#db.prepare<[string], KnownDetail>(`${query} where f.file = ?`)
      return [...files].flatMap((file) => one.get(file) ?? [])
    })
  }

  /** Most projects have no levels whose actors are files, and look up none. */
  #measure(): Measure {
    const hasParts = this.#db.prepare('select 1 from level_part limit 1').get() !== undefined
    return hasParts ? bySets : byLineage
  }

  /** Files without a lineage that carry the GUID of one with a lineage: most likely it was moved here and edited. */
  namesakes(): Namesake[] {
    const query = `
      select f.file, b.file as "from" from file f join file b on b.guid = f.guid and b.file <> f.file and b.lineage_id is not null
       where f.lineage_id is null and f.guid is not null`
    return this.#guard(() => this.#db.prepare<[], Namesake>(query).all())
  }

  redirectors(): KnownRedirector[] {
    const query = `
      select f.file, f.package, lower(f.facts ->> '$.redirectTarget') as target, f.lineage_id is not null as isFormer
        from file f where f.hash is not f.base_hash and ${isRedirector} and f.facts ->> '$.redirectTarget' is not null`
    return this.#guard(() => this.#db.prepare<[], KnownRedirector>(query).all())
  }

  /** Takes in news of lineages: the current version, or undefined where that must be asked. Those that nobody asked about do not count. */
  update(news: ReadonlyMap<string, Face | undefined>, position: FeedPosition): void {
    const set = this.#db.prepare(`
      update face set object_id = @objectId, content_hash = @hash, entry_id = @entryId,
        deleted = case when @entryId is null then deleted end where lineage_id = @lineageId`)
    const forget = this.#db.prepare('delete from face where lineage_id = ?')
    this.#write(() => {
      for (const [lineageId, face] of news) face ? set.run(face) : forget.run(lineageId)
      this.#remember(position)
    })
  }

  /** What the library answered about lineages; those of `requested` that are not among the faces are not there. `deleted`: by lineage. */
  save(requested: readonly string[], faces: readonly Face[], deleted: ReadonlyMap<string, Deletion> = new Map()): void {
    const none = this.#db.prepare('insert or replace into face (lineage_id) values (?)')
    const set = this.#db.prepare(`
      insert or replace into face (lineage_id, object_id, content_hash, entry_id) values (@lineageId, @objectId, @hash, @entryId)`)
    const setDeleted = this.#db.prepare('update face set deleted = ? where lineage_id = ?')
    this.#write(() => {
      for (const id of requested) none.run(id)
      for (const face of faces) set.run(face)
      for (const [lineageId, { name, at, by }] of deleted) setDeleted.run(JSON.stringify({ name, at, by }), lineageId)
    })
  }

  remember(position: FeedPosition): void {
    this.#write(() => this.#remember(position))
  }

  /** Nothing counts any more: another library, or too much happened. */
  clear(): void {
    this.#write(() => {
      this.#db.prepare('delete from face').run()
      this.#db.prepare('delete from remembered where key = ?').run(positionKey)
    })
  }

  #remember(position: FeedPosition): void {
    this.#db.prepare('insert or replace into remembered (key, value) values (?, ?)').run(positionKey, JSON.stringify(position))
  }

  #write = (work: () => unknown): unknown => this.#state.write(work)

  #guard = <T>(work: () => T): T => this.#state.guard(work)
}
