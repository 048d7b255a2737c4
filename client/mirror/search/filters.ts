/** The filters of GET /entries as conditions on the rows of a mirror, meaning what they mean to the server (spec 4.2). */
import type Database from 'better-sqlite3'
import { nameKey } from '../../../contract/names.ts'
import { ClientError } from '../../client-error.ts'
import type { EntryQuestion } from '../../entries/pages.ts'
import { pathKey } from '../rows.ts'
import { tagQuery } from '../tokens.ts'

/** Each facet ignores the conditions of its own dimension. */
export type Dimension =
  | 'pack'
  | 'category'
  | 'tag'
  | 'type'
  | 'variant'
  | 'preview'
  | 'review'
  | 'tri'
  | 'vert'
  | 'material'
  | 'lod'
  | 'bounds'

export interface Condition {
  sql: string
  dimension?: Dimension
  values: (string | number | null)[]
}

/** What is not in a mirror, and how it is called. */
const notThere = { similar_to: 'How entries look', pushed_from: 'Which project a version was pushed from' } as const

/** Every condition but that an entry is not deprecated. Throws ClientError `NOT_OFFLINE`. */
export function conditionsOf(db: Database.Database, question: EntryQuestion): Condition[] {
  for (const [name, what] of Object.entries(notThere))
    if (question[name as keyof typeof notThere] !== undefined)
      throw new ClientError('NOT_OFFLINE', `${what} is not known offline.`)
  const { variant, variant_group, preview, review, has_collision, nanite } = question
  return [
    ...of('pack', among('pack_id', question.pack)),
    ...of('category', categories(question)),
    ...of('tag', tags(db, question.tag)),
    ...of('type', among('entry_type', question.type)),
    ...among('variant_group_id', variant_group === undefined ? undefined : [variant_group]),
    ...of('variant', flag('is_variant', variant)),
    ...of('preview', among('preview', preview === undefined ? undefined : [preview])),
    ...of('review', among('review', review === undefined ? undefined : [review])),
    ...flag('has_collision', has_collision),
    ...flag('nanite', nanite),
    ...among('name_key', question.name?.map(nameKey)),
    ...knownAs(question.known_as?.map(nameKey)),
    ...among('path_key', question.origin_path?.map(pathKey)),
    ...paths(question.path),
    ...range('tri', question.tri_min, question.tri_max),
    ...range('vert', question.vert_min, question.vert_max),
    ...range('material', question.material_min, question.material_max),
    ...range('lod', question.lod_min, question.lod_max),
    ...range('bounds', question.bounds_min, question.bounds_max),
  ]
}

export const notDeprecated: Condition = { sql: 'not is_deprecated', values: [] }

export const whereOf = (conditions: readonly Condition[]): Condition => ({
  sql: conditions.length === 0 ? 'true' : conditions.map(({ sql }) => sql).join(' and '),
  values: conditions.flatMap(({ values }) => values),
})

const of = (dimension: Dimension, conditions: readonly Condition[]): Condition[] =>
  conditions.map((condition) => ({ ...condition, dimension }))

function among(column: string, keys: readonly (string | number)[] | undefined): Condition[] {
  return keys ? [{ sql: `${column} in (${keys.map(() => '?')})`, values: [...keys] }] : []
}

const flag = (column: string, value: boolean | undefined): Condition[] =>
  value === undefined ? [] : [{ sql: `${column} = ?`, values: [Number(value)] }]

/** Few entries have other names: the text is looked at before it is read as JSON. */
function knownAs(keys: readonly string[] | undefined): Condition[] {
  if (!keys) return []
  const marks = keys.map(() => '?')
  const others = `select r.id from records r, json_each(r.summary, '$.other_names') n
    where instr(r.summary, '"other_names":["') > 0 and lower(n.value) in (${marks})`
  return [{ sql: `(name_key in (${marks}) or id in (${others}))`, values: [...keys, ...keys] }]
}

/** Wanted ones first, where there are any; then those to drop. */
function categories({ category, uncategorized, exclude_category, exclude_uncategorized }: EntryQuestion): Condition[] {
  const wanted = [...among('category', category), ...(uncategorized ? [{ sql: 'category is null', values: [] }] : [])]
  const either = wanted.length > 0 ? [{ ...whereOf(wanted), sql: `(${wanted.map(({ sql }) => sql).join(' or ')})` }] : []
  const dropped = among('category', exclude_category).map(({ sql, values }) => ({ sql: `(${sql}) is not true`, values }))
  return [...either, ...dropped, ...(exclude_uncategorized ? [{ sql: 'category is not null', values: [] }] : [])]
}

function tags(db: Database.Database, names: readonly string[] | undefined): Condition[] {
  if (!names) return []
  const keys = [...new Set(names.map(nameKey))]
  const find = db.prepare(`select id from tags where name_key in (${keys.map(() => '?')})`).pluck()
  const ids = find.all(keys) as number[]
  if (ids.length === 0) return [{ sql: 'false', values: [] }]
  return [{ sql: 'id in (select rowid from words where words match ?)', values: [tagQuery(ids)] }]
}

/** `*` stands for any characters, slashes too; what ends in a slash, for everything below it. */
function paths(patterns: readonly string[] | undefined): Condition[] {
  if (!patterns) return []
  const globs = patterns.map((path) => {
    const key = pathKey(path)
    return (key.endsWith('/') ? `${key}*` : key).replaceAll(/[?[]/g, '[$&]')
  })
  return [{ sql: `(${globs.map(() => 'path_key glob ?').join(' or ')})`, values: globs }]
}

function range(column: Dimension, min: number | undefined, max: number | undefined): Condition[] {
  if (min === undefined && max === undefined) return []
  const upTo = max === undefined ? [] : [{ sql: `${column} <= ?`, values: [max] }]
  return of(column, [{ sql: `${column} >= ?`, values: [min ?? 0] }, ...upTo])
}
