/** Writes what the library says of entries, versions, locks and the like into the tables of a mirror. */
import type Database from 'better-sqlite3'
import type { Collection } from '../../contract/collections.ts'
import type { EntryWithTags } from '../../contract/entries.ts'
import type { Lineage } from '../../contract/lineages.ts'
import type { Lock } from '../../contract/locks.ts'
import { nameKey } from '../../contract/names.ts'
import { nameTokens, tagTokens, tokensOf } from './tokens.ts'

export const pathKey = (path: string): string => path.toLowerCase()

type Tag = EntryWithTags['tags'][number]

const columns = [
  'id',
  'name_key',
  'entry_type',
  'category',
  'pack_id',
  'is_deprecated',
  'is_variant',
  'variant_group_id',
  'preview',
  'review',
  'has_collision',
  'nanite',
  'tri',
  'vert',
  'material',
  'lod',
  'bounds',
  'blob_size',
  'date_indexed',
  'date_updated',
  'path_key',
  'lineage_id',
] as const

const flag = (value: boolean | null | undefined): number | null => (value === null || value === undefined ? null : Number(value))
const moment = (time: string): number => Date.parse(time) || 0

/** In the order of `columns`. Whatever a server leaves out is unknown. */
function rowOf(entry: EntryWithTags): (string | number | null)[] {
  const { metadata } = entry
  const edges = [metadata?.bounds?.x, metadata?.bounds?.y, metadata?.bounds?.z].flatMap((edge) => edge ?? [])
  return [
    entry.id,
    nameKey(entry.name),
    entry.entry_type,
    entry.category ?? null,
    entry.pack?.id ?? 0,
    Number(entry.status === 'deprecated'),
    Number(entry.is_variant === true),
    entry.variant_group?.id ?? null,
    entry.preview_status ?? 'none',
    entry.review_status ?? 'draft',
    flag(metadata?.has_collision),
    flag(metadata?.nanite_enabled),
    metadata?.tri_count ?? null,
    metadata?.vert_count ?? null,
    metadata?.material_count ?? null,
    metadata?.lod_count ?? null,
    edges.length > 0 ? Math.max(...edges) : null,
    entry.blob_size ?? 0,
    moment(entry.date_indexed),
    moment(entry.date_updated),
    entry.origin_path ? pathKey(entry.origin_path) : null,
    entry.lineage_id,
  ]
}

const knownTokens = 20_000

/** Categories, tags and packs are said again and again. */
class TokenCache {
  readonly #known = new Map<string, string>()

  of(text: string): string {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    if (this.#known.size >= knownTokens) this.#known.clear()
    const tokens = tokensOf(text)
    this.#known.set(text, tokens)
    return tokens
  }
}

/** The statements that write, prepared once. The caller holds the transaction. */
export class MirrorRows {
  readonly #entry: Database.Statement
  readonly #record: Database.Statement
  readonly #words: Database.Statement
  readonly #tag: Database.Statement
  readonly #lock: Database.Statement
  readonly #lineage: Database.Statement
  readonly #collection: Database.Statement
  readonly #deletions: Record<'entries' | 'records' | 'words' | 'locks' | 'lineages' | 'collections', Database.Statement>
  readonly #byLineage: Database.Statement
  readonly #lineageOf: Database.Statement
  readonly #tags = new Map<number, Tag>()
  readonly #tokens = new TokenCache()

  constructor(db: Database.Database) {
    this.#entry = db.prepare(`insert or replace into entries (${columns}) values (${columns.map(() => '?')})`)
    this.#record = db.prepare('insert or replace into records (id, summary, tags) values (?, ?, ?)')
    this.#words = db.prepare('insert or replace into words (rowid, name, category, tags, pack) values (?, ?, ?, ?, ?)')
    this.#tag = db.prepare('insert or replace into tags (id, name, name_key, color) values (?, ?, ?, ?)')
    this.#lock = db.prepare('insert or replace into locks (id, lineage_id, record) values (?, ?, ?)')
    this.#lineage = db.prepare('insert or replace into lineages (id, record) values (?, ?)')
    this.#collection = db.prepare('insert or replace into collections (id, record) values (?, ?)')
    const deletion = (table: string, key = 'id') => db.prepare(`delete from ${table} where ${key} = ?`)
    this.#deletions = {
      entries: deletion('entries'),
      records: deletion('records'),
      words: deletion('words', 'rowid'),
      locks: deletion('locks'),
      lineages: deletion('lineages'),
      collections: deletion('collections'),
    }
    this.#byLineage = db.prepare('select id from entries where lineage_id = ?').pluck()
    this.#lineageOf = db.prepare('select record from lineages where id = ?').pluck()
  }

  putEntry({ tags = [], ...summary }: EntryWithTags): void {
    const entry = { ...summary, tags }
    this.#entry.run(rowOf(entry))
    this.#record.run(entry.id, JSON.stringify(summary), tags.length === 0 ? '[]' : JSON.stringify(tags))
    const words = tags.length === 0 ? '' : this.#tagTokens(tags)
    this.#words.run(
      entry.id,
      nameTokens(entry.name),
      this.#tokens.of(entry.category ?? ''),
      words,
      this.#tokens.of(entry.pack?.name ?? ''),
    )
  }

  #tagTokens(tags: readonly Tag[]): string {
    for (const tag of tags) {
      const known = this.#tags.get(tag.id)
      if (!known || known.name !== tag.name || known.color !== tag.color) this.putTag(tag)
    }
    return tagTokens(tags)
  }

  putTag({ id, name, color }: Tag): void {
    this.#tag.run(id, name, nameKey(name), color ?? null)
    this.#tags.set(id, { id, name, color })
  }

  deleteEntry(id: number): void {
    for (const table of ['entries', 'records', 'words'] as const) this.#deletions[table].run(id)
  }

  entryOfLineage(lineageId: string): number | undefined {
    return this.#byLineage.get(lineageId) as number | undefined
  }

  /** One that was given back is no lock any more. */
  putLock(lock: Lock): void {
    if (lock.released_at !== null) this.deleteLock(lock.id)
    else this.#lock.run(lock.id, lock.lineage_id, JSON.stringify(lock))
  }

  deleteLock(id: number): void {
    this.#deletions.locks.run(id)
  }

  /** As lists show it: without its entries. */
  putCollection({ entries: _entries, ...collection }: Collection & { entries?: unknown }): void {
    this.#collection.run(collection.id, JSON.stringify(collection))
  }

  deleteCollection(id: number): void {
    this.#deletions.collections.run(id)
  }

  putLineage(lineage: Lineage): void {
    this.#lineage.run(lineage.id, JSON.stringify(lineage))
  }

  deleteLineage(id: string): void {
    this.#deletions.lineages.run(id)
  }

  /** One version is gone; with the last one its lineage. */
  deleteObject(lineageId: string, objectId: number): void {
    const record = this.#lineageOf.get(lineageId) as string | undefined
    if (record === undefined) return
    const lineage = JSON.parse(record) as Lineage
    const objects = lineage.objects.filter(({ object_id }) => object_id !== objectId)
    if (objects.length === 0) this.deleteLineage(lineageId)
    else this.putLineage({ ...lineage, objects })
  }
}
