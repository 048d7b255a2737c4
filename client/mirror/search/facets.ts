/** GET /entries/facets as a mirror answers it: each dimension counts as if its own filter were not there (spec 4.2). */
import type Database from 'better-sqlite3'
import type { EntrySummary } from '../../../contract/entries.ts'
import type { Facets } from '../../../contract/facets.ts'
import { toQuestion } from '../../../words/query-words.ts'
import type { EntryQuestion } from '../../entries/pages.ts'
import type { Mirror } from '../mirror.ts'
import { type Condition, conditionsOf, type Dimension, notDeprecated, whereOf } from './filters.ts'
import { wordCondition } from './search.ts'

export function facetsOf(mirror: Mirror, question: EntryQuestion): Facets {
  return mirror.guard(() => {
    const db = mirror.loaded
    const asked = question.q === undefined ? undefined : toQuestion(question.q)
    const conditions = [
      ...conditionsOf(db, question),
      ...(question.include_deprecated ? [] : [notDeprecated]),
      ...(asked ? [wordCondition(db, asked)] : []),
    ]
    const counts = new Counting(db, conditions)
    return {
      packs: counts.packs(),
      categories: counts.values<string | null>('category', 'category'),
      tags: counts.tags(),
      types: counts.values<string>('type', 'entry_type'),
      variant: counts.values<number>('variant', 'is_variant').map(({ value, count }) => ({ value: value === 1, count })),
      preview: counts.values<EntrySummary['preview_status']>('preview', 'preview'),
      review: counts.values<EntrySummary['review_status']>('review', 'review'),
      metadata: {
        tri_count: counts.range('tri'),
        vert_count: counts.range('vert'),
        material_count: counts.range('material'),
        lod_count: counts.range('lod'),
        bounds: counts.range('bounds'),
      },
    }
  })
}

/** The most frequent first, then by name. */
const byCount = <T extends { count: number }>(rows: T[], nameOf: (row: T) => string): T[] =>
  rows.sort((a, b) => b.count - a.count || (nameOf(a) < nameOf(b) ? -1 : 1))

class Counting {
  readonly #db: Database.Database
  readonly #conditions: readonly Condition[]

  constructor(db: Database.Database, conditions: readonly Condition[]) {
    this.#db = db
    this.#conditions = conditions
  }

  #where(own: Dimension): Condition {
    return whereOf(this.#conditions.filter(({ dimension }) => dimension !== own))
  }

  values<V>(dimension: Dimension, column: string): { value: V; count: number }[] {
    const { sql, values } = this.#where(dimension)
    const grouped = `select ${column} as value, count(*) as count from entries where ${sql} group by ${column}`
    return byCount(this.#db.prepare(grouped).all(...values) as { value: V; count: number }[], ({ value }) => String(value ?? ''))
  }

  /** By the name that the newest of its entries says. */
  packs(): Facets['packs'] {
    const { sql, values } = this.#where('pack')
    const grouped = `select max(id) as id, count(*) as count from entries where ${sql} group by pack_id`
    const rows = this.#db.prepare(grouped).all(...values) as { id: number; count: number }[]
    const read = this.#db.prepare('select summary from records where id = ?').pluck()
    const packs = rows.map(({ id, count }) => ({ ...(JSON.parse(read.get(id) as string) as EntrySummary).pack, count }))
    return byCount(packs, ({ name }) => name)
  }

  tags(): Facets['tags'] {
    const { sql, values } = this.#where('tag')
    const grouped = `
      select t.id, t.name, t.color, c.count
        from (select value ->> 'id' as id, count(*) as count from records r, json_each(r.tags)
               where r.tags <> '[]' and r.id in (select id from entries where ${sql}) group by 1) c
        join tags t on t.id = c.id`
    return byCount(this.#db.prepare(grouped).all(...values) as Facets['tags'], ({ name }) => name)
  }

  range(column: Dimension): { min: number | null; max: number | null } {
    const { sql, values } = this.#where(column)
    const found = `select min(${column}) as min, max(${column}) as max from entries where ${sql}`
    return this.#db.prepare(found).get(...values) as { min: number | null; max: number | null }
  }
}
