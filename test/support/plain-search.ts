/** What the catalog index has to answer, said in plain SQL: slow, and easy to believe. */
import type { Fragment, Sql } from '../../server/database/sql.ts'

/** As GET /entries takes them. */
export interface Question {
  pack?: number[]
  category?: string[]
  uncategorized?: boolean
  exclude_category?: string[]
  exclude_uncategorized?: boolean
  tag?: string[]
  type?: string[]
  variant?: boolean
  variant_group?: number
  preview?: 'none' | 'ready' | 'unavailable'
  review?: 'draft' | 'in_review' | 'changes_requested' | 'approved'
  has_collision?: boolean
  nanite?: boolean
  tri_min?: number
  tri_max?: number
  vert_min?: number
  vert_max?: number
  material_min?: number
  material_max?: number
  lod_min?: number
  lod_max?: number
  bounds_min?: number
  bounds_max?: number
  include_deprecated?: boolean
  name?: string[]
  origin_path?: string[]
  path?: string[]
  pushed_from?: string[]
  /** Of plain words: each begins some words of the name, category, a tag or the pack, written together. */
  q?: string
}

/** Where it is asked: the rows of one workspace, as lists show them. */
export interface Shown {
  sql: Sql
  rows(): Fragment
}

/** As the tables have them now. */
export const shownIn = (sql: Sql, workspaceId: number): Shown => ({ sql, rows: () => shown(sql, [workspaceId]) })

/**
 * Of many workspaces, put down in a table that stands until they are put down again: asking it is faster by far than joining every
 * time. It has one name, as statements have one text whatever they ask: the connection keeps each different one for ever.
 */
export async function putDown(sql: Sql, workspaceIds: readonly number[]): Promise<(workspaceId: number) => Shown> {
  await sql`drop table if exists shown_entries`
  await sql`create unlogged table shown_entries as ${shown(sql, workspaceIds)}`
  await sql`create index shown_entries_workspace on shown_entries (workspace_id)`
  return (workspaceId) => ({ sql, rows: () => sql`select * from shown_entries where workspace_id = ${workspaceId}` })
}

const shown = (sql: Sql, workspaceIds: readonly number[]) => sql`
  select e.workspace_id, e.id, e.name, lower(e.name) collate "C" as name_key, e.entry_type as type, e.category, e.status, o.pack_id, o.path_key, lower(o.pushed_from) as project_key,
         coalesce(e.variant_label, '') <> '' or e.variant_group_id is not null as variant, e.variant_group_id,
         o.preview_status as preview, 'draft' as review, o.blob_size, e.date_indexed, e.date_updated,
         (o.metadata->>'has_collision')::boolean as has_collision, (o.metadata->>'nanite_enabled')::boolean as nanite,
         (o.metadata->>'tri_count')::numeric as tri, (o.metadata->>'vert_count')::numeric as vert,
         (o.metadata->>'material_count')::numeric as material, (o.metadata->>'lod_count')::numeric as lod,
         (select max(edge::numeric) from unnest(array[o.metadata->>'bounds_x', o.metadata->>'bounds_y', o.metadata->>'bounds_z']) edge) as bounds,
         array(select t.name from entry_tags x join tags t on t.workspace_id = x.workspace_id and t.id = x.tag_id
                where x.workspace_id = e.workspace_id and x.entry_id = e.id) as tags,
         (select name from packs p where p.workspace_id = o.workspace_id and p.id = o.pack_id) as pack_name
    from entries e
    join lineages l on l.workspace_id = e.workspace_id and l.id = e.lineage_id
    join objects o on o.workspace_id = l.workspace_id and o.id = l.face_object_id
   where e.workspace_id = any(${[...workspaceIds]}::bigint[])`

/** Whether each word begins what one text of the entry says from some word of it on, written together. */
const saysWords = (sql: Sql, words: readonly string[]) => sql`not exists (
  select 1 from unnest(${[...words]}::text[]) asked where not exists (
    select 1 from unnest(array[name, category, pack_name] || tags) said, regexp_split_to_array(lower(said), '[^a-z0-9]+') split,
           generate_subscripts(split, 1) first
     where starts_with(array_to_string(split[first:], ''), asked)))`

const ranges = ['tri', 'vert', 'material', 'lod', 'bounds'] as const
type Dimension = 'pack' | 'category' | 'tag' | 'type' | 'variant' | 'preview' | 'review' | (typeof ranges)[number] | 'other'

/** What ends in a slash means everything below it; a star any characters. */
const likeOf = (path: string): string =>
  `${path}${path.endsWith('/') ? '*' : ''}`
    .toLowerCase()
    .replaceAll(/[\\%_]/g, '\\$&')
    .replaceAll('*', '%')

/** The rows with `failed`: the dimensions in which each is not what the question asks for, `other` where that is no dimension of facets. */
function judged({ sql, rows }: Shown, question: Question): Fragment {
  const lower = (list: string[] | undefined) => (list ?? []).map((text) => text.toLowerCase())
  const { category = [], exclude_category = [], uncategorized = false } = question
  const included = sql`(category = any(${category}::text[]) or ${uncategorized} and category is null)`
  const clauses: [Dimension, isAsked: boolean, Fragment][] = [
    ['pack', question.pack !== undefined, sql`pack_id = any(${question.pack ?? []}::bigint[])`],
    ['category', category.length > 0 || uncategorized, included],
    ['category', exclude_category.length > 0, sql`(category = any(${exclude_category}::text[])) is not true`],
    ['category', question.exclude_uncategorized === true, sql`category is not null`],
    [
      'tag',
      question.tag !== undefined,
      sql`exists (select 1 from unnest(tags) one where lower(one) = any(${lower(question.tag)}::text[]))`,
    ],
    ['type', question.type !== undefined, sql`type = any(${question.type ?? []}::text[])`],
    ['variant', question.variant !== undefined, sql`variant = ${question.variant ?? false}`],
    ['preview', question.preview !== undefined, sql`preview = ${question.preview ?? ''}`],
    ['review', question.review !== undefined, sql`review = ${question.review ?? ''}`],
    ['other', question.variant_group !== undefined, sql`variant_group_id = ${question.variant_group ?? 0}`],
    ['other', question.has_collision !== undefined, sql`has_collision = ${question.has_collision ?? false}`],
    ['other', question.nanite !== undefined, sql`nanite = ${question.nanite ?? false}`],
    ['other', !question.include_deprecated, sql`status = 'active'`],
    ['other', question.name !== undefined, sql`name_key = any(${lower(question.name)}::text[])`],
    ['other', question.origin_path !== undefined, sql`path_key = any(${lower(question.origin_path)}::text[])`],
    ['other', question.path !== undefined, sql`path_key like any(${(question.path ?? []).map(likeOf)}::text[])`],
    ['other', question.pushed_from !== undefined, sql`project_key = any(${lower(question.pushed_from)}::text[])`],
    ['other', question.q !== undefined, saysWords(sql, question.q?.split(' ') ?? [])],
    ...ranges.flatMap((name): [Dimension, boolean, Fragment][] => {
      const [min, max] = [question[`${name}_min`], question[`${name}_max`]]
      return [
        [name, min !== undefined, sql`${sql(name)} >= ${min ?? 0}::numeric`],
        [name, max !== undefined, sql`${sql(name)} <= ${max ?? 0}::numeric`],
      ]
    }),
  ]
  const failed = clauses.map(
    ([dimension, isAsked, clause]) => sql`case when ${isAsked}::boolean and (${clause}) is not true then ${dimension} end`,
  )
  const all = failed.reduce((some, one) => sql`${some}, ${one}`)
  return sql`select shown.*, array_remove(array[${all}], null) as failed from (${rows()}) as shown`
}

export interface Sorting {
  sort: 'name' | 'date_indexed' | 'date_updated' | 'blob_size' | 'tri_count'
  order: 'asc' | 'desc'
}

/** The ids of all entries that match, in order; those without a value come last, whichever way. */
export async function plainList(shown: Shown, asked: { question: Question } & Sorting): Promise<number[]> {
  const { sql } = shown
  const column = sql({ name: 'name_key', tri_count: 'tri' }[asked.sort as string] ?? asked.sort)
  const order = asked.order === 'asc' ? sql`${column} asc nulls last, id asc` : sql`${column} desc nulls last, id desc`
  const known = sql`${column} is null`
  const found = await sql<{ id: number }[]>`
    select id from (${judged(shown, asked.question)}) as judged where failed = '{}' order by ${known}, ${order}`
  return found.map((row) => row.id)
}

/** Counts by value (packs by id, tags by name), and the range of each number: each dimension by itself, all in one statement. */
export async function plainFacets(shown: Shown, question: Question) {
  const { sql } = shown
  const rest = (dimension: Dimension) => sql`(select * from judged where failed <@ array[${dimension}]) as found`
  const values = (facet: string, from: Fragment, value: Fragment) =>
    sql`select ${facet} as facet, ${value}::text as value, count(*)::float8 as figure from ${from} group by 2`
  const range = (name: (typeof ranges)[number], end: 'min' | 'max') =>
    sql`select ${name}, ${end}, ${sql(end)}(${sql(name)})::float8 from ${rest(name)}`
  const parts = [
    values('packs', rest('pack'), sql`pack_id`),
    values('categories', rest('category'), sql`category`),
    values('tags', sql`${rest('tag')}, unnest(tags) as one`, sql`one`),
    values('types', rest('type'), sql`type`),
    values('variant', rest('variant'), sql`variant`),
    values('preview', rest('preview'), sql`preview`),
    values('review', rest('review'), sql`review`),
    ...ranges.flatMap((name) => [range(name, 'min'), range(name, 'max')]),
  ]
  const figures = await sql<{ facet: string; value: string | null; figure: number | null }[]>`
    with judged as materialized (${judged(shown, question)}) ${parts.reduce((all, part) => sql`${all} union all ${part}`)}`
  const figuresOf = (facet: string): Record<string, number | null> =>
    Object.fromEntries(figures.flatMap((row) => (row.facet === facet ? [[String(row.value), row.figure]] : [])))
  return {
    packs: figuresOf('packs'),
    categories: figuresOf('categories'),
    tags: figuresOf('tags'),
    types: figuresOf('types'),
    variant: figuresOf('variant'),
    preview: figuresOf('preview'),
    review: figuresOf('review'),
    metadata: {
      tri_count: figuresOf('tri'),
      vert_count: figuresOf('vert'),
      material_count: figuresOf('material'),
      lod_count: figuresOf('lod'),
      bounds: figuresOf('bounds'),
    },
  }
}

/** Active entries by category, and from how many packs. */
export async function plainRollup({ sql, rows }: Shown) {
  return sql<{ category: string | null; count: number; pack_count: number }[]>`
    select category, count(*)::int as count, count(distinct pack_id)::int as pack_count
      from (${rows()}) as shown where status = 'active' group by category order by category collate "C" nulls last`
}

/** How many entries show each pack. */
export async function plainPackCounts({ sql, rows }: Shown): Promise<Map<number, number>> {
  const counts = await sql<{ pack_id: number; count: number }[]>`
    select pack_id, count(*)::int as count from (${rows()}) as shown group by pack_id`
  return new Map(counts.map(({ pack_id, count }) => [pack_id, count]))
}
