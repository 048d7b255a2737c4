/** Duplicates: entries whose current versions hold the same source data, by payload id (contract-gaps 9). */
import { type duplicates as contract, type DuplicateGroup, type PayloadKind, payloadKinds } from '../../contract/duplicates.ts'
import { limits } from '../../contract/limits.ts'
import type { InputOf } from '../../contract/route.ts'
import { sourceKinds } from '../../formats/entry-types.ts'
import { fromCursor, toCursor } from '../cursor.ts'
import { amongIds } from '../database/among.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import type { Context, Handlers } from '../handler.ts'
import { entryNotFound } from '../rows/entry.ts'

export const duplicates: Handlers<typeof contract> = {
  async list(request) {
    const { workspace, input } = request
    const { kind, entry_id, pack, limit = limits.page.default, cursor } = input
    const asked = ['duplicates', workspace.id, kind ?? null, entry_id ?? null, pack ?? null]
    const after = cursor === undefined ? undefined : fromCursor(asked, cursor, ['id', 'text', 'text'])
    if (entry_id !== undefined) await requireEntry(request, entry_id)
    const found = await selectGroups(request, { after, limit: limit + 1 })
    const groups = found.slice(0, limit)
    const last = found.length > limit ? groups.at(-1) : undefined
    return { groups, next_cursor: last ? toCursor(asked, [last.bytes, last.payload_id, last.kind]) : null }
  },
}

async function requireEntry({ sql, workspace }: Context, id: number): Promise<void> {
  const [entry] = await sql`select id from entries where workspace_id = ${workspace.id} and id = ${id}`
  if (!entry) throw entryNotFound(id)
}

type Request = Context & { input: InputOf<(typeof contract)['list']> }
/** Bytes, payload id and kind of the last group of the page before; as many groups as are wanted. */
type Page = { after: readonly [number, string, string] | undefined; limit: number }

/**
 * Payloads that several versions hold are found in the order of the index; only for those the versions are looked up one by one, for
 * most hold what no other does. Entries that have several payloads in common, such as the LODs of a mesh, count once.
 */
const selectGroups = ({ sql, workspace, input }: Request, { after, limit }: Page) => sql<DuplicateGroup[]>`
  with kinds (kind, entry_type) as materialized (${kindsOf(sql, input.kind)}), copies as materialized (
    select encode(shared.payload_id, 'hex') collate "C" as payload_id, current.*
      from (${sharedPayloads(sql, workspace.id, input.entry_id)}) shared
     cross join lateral (
       select kinds.kind collate "C" as kind, e.id, e.name, o.blob_size, o.pack_id
         from payload_ids p
         join objects o on o.workspace_id = p.workspace_id and o.id = p.object_id
         join lineages l on l.workspace_id = o.workspace_id and l.id = o.lineage_id and l.face_object_id = o.id
         join entries e on e.workspace_id = l.workspace_id and e.lineage_id = l.id and e.status = 'active'
         join kinds on kinds.entry_type = e.entry_type
        where p.workspace_id = ${workspace.id} and p.payload_id = shared.payload_id offset 0) current
  ), groups as (
    select payload_id, kind, count(*) as total_entries, (sum(blob_size) - max(blob_size))::bigint as bytes,
           array_agg(id order by id) as ids, array_agg(name order by id) as names
      from copies group by payload_id, kind having count(*) > 1 ${holding(sql, input)}
  ), distinct_groups as (
    select distinct on (kind, ids) * from groups order by kind, ids, payload_id
  )
  select payload_id, kind, bytes, total_entries,
         (select jsonb_agg(jsonb_build_object('id', one.id, 'name', one.name) order by one.id)
            from unnest(ids[1:${limits.duplicates.entries}::int], names[1:${limits.duplicates.entries}::int]) as one (id, name)) as entries
    from distinct_groups
   where ${after ? sql`(bytes, payload_id, kind) < (${after[0]}::bigint, ${after[1]}::text, ${after[2]}::text)` : sql`true`}
   order by bytes desc, payload_id desc, kind desc limit ${limit}`

function kindsOf(sql: Sql, wanted: PayloadKind | undefined): Fragment {
  const rows = payloadKinds
    .filter((kind) => wanted === undefined || kind === wanted)
    .flatMap((kind) => sourceKinds[kind].map((type) => [kind, type] as const))
  return sql`select * from unnest(${rows.map(([kind]) => kind)}::text[], ${rows.map(([, type]) => type)}::text[])`
}

/** Of one entry: what its current version holds. */
const sharedPayloads = (sql: Sql, workspaceId: number, entryId: number | undefined): Fragment =>
  entryId === undefined
    ? sql`select payload_id from payload_ids where workspace_id = ${workspaceId} group by payload_id having count(*) > 1`
    : sql`
      select p.payload_id
        from entries e
        join lineages l on l.workspace_id = e.workspace_id and l.id = e.lineage_id
        join payload_ids p on p.workspace_id = l.workspace_id and p.object_id = l.face_object_id
       where e.workspace_id = ${workspaceId} and e.id = ${entryId}`

const holding = (sql: Sql, { entry_id, pack }: Request['input']): Fragment => sql`
  ${entry_id === undefined ? sql`` : sql`and bool_or(id = ${entry_id})`}
  ${pack === undefined ? sql`` : sql`and bool_or(pack_id ${amongIds(sql, pack)})`}`
