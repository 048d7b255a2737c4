/** What the catalog index has to answer, said in plain SQL: slow, and easy to believe. */
import type { Fragment, Sql } from '../../server/database/open.ts'

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
  preview?: string
  review?: string
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
  /** Of plain words: each begins a word of the name, category, a tag or the pack. */
  q?: string
}

const shown = (sql: Sql, workspaceId: number) => sql`
  select e.id, e.name, lower(e.name) collate "C" as name_key, e.entry_type as type, e.category, e.status, o.pack_id, o.path_key,
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
   where e.workspace_id = ${workspaceId}`

const saysWord = (sql: Sql, word: string) => sql`exists (
  select 1 from regexp_split_to_table(concat_ws(' ', name, category, array_to_string(tags, ' '), pack_name), '[^A-Za-z0-9]+') said
   where lower(said) like ${`${word}%`})`

const ranges = ['tri', 'vert', 'material', 'lod', 'bounds'] as const
type Dimension = 'pack' | 'category' | 'tag' | 'type' | 'variant' | 'preview' | 'review' | (typeof ranges)[number]

/** All that the question asks for, but for the filters of one dimension. */
function where(sql: Sql, question: Question, without?: Dimension): Fragment {
  const lower = (list: string[] | undefined) => (list ?? []).map((text) => text.toLowerCase())
  const { category = [], exclude_category = [], uncategorized = false } = question
  const included = sql`(category = any(${category}::text[]) or ${uncategorized} and category is null)`
  const clauses: [Dimension | undefined, unknown, Fragment][] = [
    ['pack', question.pack, sql`pack_id = any(${question.pack ?? []}::bigint[])`],
    ['category', category.length > 0 || uncategorized, included],
    ['category', exclude_category.length > 0, sql`(category = any(${exclude_category}::text[])) is not true`],
    ['category', question.exclude_uncategorized, sql`category is not null`],
    ['tag', question.tag, sql`exists (select 1 from unnest(tags) one where lower(one) = any(${lower(question.tag)}::text[]))`],
    ['type', question.type, sql`type = any(${question.type ?? []}::text[])`],
    ['variant', question.variant !== undefined, sql`variant = ${question.variant ?? false}`],
    ['preview', question.preview, sql`preview = ${question.preview ?? ''}`],
    ['review', question.review, sql`review = ${question.review ?? ''}`],
    [undefined, question.variant_group, sql`variant_group_id = ${question.variant_group ?? 0}`],
    [undefined, question.has_collision !== undefined, sql`has_collision = ${question.has_collision ?? false}`],
    [undefined, question.nanite !== undefined, sql`nanite = ${question.nanite ?? false}`],
    [undefined, !question.include_deprecated, sql`status = 'active'`],
    [undefined, question.name, sql`name_key = any(${lower(question.name)}::text[])`],
    [undefined, question.origin_path, sql`path_key = any(${lower(question.origin_path)}::text[])`],
    ...(question.q?.split(' ') ?? []).map((word): [undefined, unknown, Fragment] => [undefined, true, saysWord(sql, word)]),
    ...ranges.flatMap((name): [Dimension, unknown, Fragment][] => {
      const [min, max] = [question[`${name}_min`], question[`${name}_max`]]
      return [
        [name, min !== undefined, sql`${sql(name)} >= ${min ?? 0}::numeric`],
        [name, max !== undefined, sql`${sql(name)} <= ${max ?? 0}::numeric`],
      ]
    }),
  ]
  const asked = clauses.filter(([dimension, isAsked]) => isAsked && (dimension === undefined || dimension !== without))
  return asked.reduce((all, [, , clause]) => sql`${all} and ${clause}`, sql`true`)
}

export interface Sorting {
  sort: 'name' | 'date_indexed' | 'date_updated' | 'blob_size' | 'tri_count'
  order: 'asc' | 'desc'
}

/** The ids of all entries that match, in order; those without a value come last, whichever way. */
export async function plainList(sql: Sql, workspaceId: number, asked: { question: Question } & Sorting): Promise<number[]> {
  const column = sql({ name: 'name_key', tri_count: 'tri' }[asked.sort as string] ?? asked.sort)
  const order = asked.order === 'asc' ? sql`${column} asc nulls last, id asc` : sql`${column} desc nulls last, id desc`
  const known = sql`${column} is null`
  const rows = await sql<{ id: number }[]>`
    select id from (${shown(sql, workspaceId)}) as shown where ${where(sql, asked.question)} order by ${known}, ${order}`
  return rows.map((row) => row.id)
}

const counted = async (sql: Sql, from: Fragment, value: Fragment) => {
  const rows = await sql<{ value: string | number | boolean | null; count: number }[]>`
    select ${value} as value, count(*)::int as count from ${from} group by 1`
  return Object.fromEntries(rows.map((row) => [String(row.value), row.count]))
}

/** Counts by value (packs by id, tags by name), and the range of each number. */
export async function plainFacets(sql: Sql, workspaceId: number, question: Question) {
  const rest = (dimension: Dimension) =>
    sql`(select * from (${shown(sql, workspaceId)}) as shown where ${where(sql, question, dimension)}) as found`
  const range = async (name: (typeof ranges)[number]) => {
    const [row] = await sql<{ min: number | null; max: number | null }[]>`
      select min(${sql(name)})::float8 as min, max(${sql(name)})::float8 as max from ${rest(name)}`
    return { min: row?.min ?? null, max: row?.max ?? null }
  }
  return {
    packs: await counted(sql, rest('pack'), sql`pack_id`),
    categories: await counted(sql, rest('category'), sql`category`),
    tags: await counted(sql, sql`${rest('tag')}, unnest(tags) as one`, sql`one`),
    types: await counted(sql, rest('type'), sql`type`),
    variant: await counted(sql, rest('variant'), sql`variant`),
    preview: await counted(sql, rest('preview'), sql`preview`),
    review: await counted(sql, rest('review'), sql`review`),
    metadata: {
      tri_count: await range('tri'),
      vert_count: await range('vert'),
      material_count: await range('material'),
      lod_count: await range('lod'),
      bounds: await range('bounds'),
    },
  }
}

/** Active entries by category, and from how many packs. */
export async function plainRollup(sql: Sql, workspaceId: number) {
  return sql<{ category: string | null; count: number; pack_count: number }[]>`
    select category, count(*)::int as count, count(distinct pack_id)::int as pack_count
      from (${shown(sql, workspaceId)}) as shown where status = 'active' group by category order by category collate "C" nulls last`
}
