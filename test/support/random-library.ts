/** Random libraries, written straight into the tables as another process would write them, with the records of the change feed. */
import type { Sql } from '../../server/database/open.ts'
import { inTransaction } from '../../server/transaction.ts'

/** Whole numbers below `limit`, the same for the same seed. */
export type Random = (limit: number) => number

/** mulberry32. */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
}

export const pick = <T>(random: Random, from: readonly T[]): T => from[random(from.length)] as T

/** So few of each that values meet often. Databases and programs agree on the case of these names. */
export const names = [
  'a',
  'A',
  'aa',
  'ab',
  'Ab',
  'SM_Barrel',
  'sm_barrel',
  'SM_Barrel_01',
  'x y',
  '100%',
  '_',
  '~',
  '木箱',
  '🪑',
  'b',
  'Z',
]
export const categories = ['Props', 'props', 'Walls', 'Doors & Gates', null]
/** What to search for: whole words, beginnings, several, none that is there. */
export const searches = [
  'a',
  'sm',
  'barrel',
  'barr',
  '01',
  'wood',
  'old',
  'props',
  'pack',
  'pack 1',
  'wood barrel',
  'sm 0',
  'zz',
  'm',
  'none',
]
export const types = ['mesh', 'texture', 'audio', 'material']
export const tagNames = ['wood', 'Metal', 'old stuff', 'é', 'T']
export const counts = [null, 0, 1, 9, 10, 1000]
const edges = [null, 0, 1, 2.5, 100]
const flags = [null, false, true]

interface Library {
  sql: Sql
  workspaceId: number
  random: Random
  packIds: number[]
  tagIds: number[]
  groupIds: number[]
  entryIds: number[]
}

/** A library of up to `most` entries. */
export async function writeLibrary(
  sql: Sql,
  { workspaceId, random, most }: { workspaceId: number; random: Random; most: number },
) {
  const packs = await sql<{ id: number }[]>`
    insert into packs (workspace_id, name, date_added, date_updated)
    select ${workspaceId}, 'Pack ' || n, '2026-01-01', '2026-01-01' from generate_series(1, 4) n returning id`
  const tags = await sql<{ id: number }[]>`
    insert into tags (workspace_id, name, name_key, created_at)
    select ${workspaceId}, r.name, r.key, '2026-01-01'
      from jsonb_to_recordset(${sql.json(tagNames.map((name) => ({ name, key: name.toLowerCase() })))}) as r(name text, key text)
    returning id`
  const groups = await sql<{ id: number }[]>`
    insert into variant_groups (workspace_id) select ${workspaceId} from generate_series(1, 3) returning id`
  const idsOf = (rows: { id: number }[]) => rows.map((row) => row.id)
  const [packIds, tagIds, groupIds] = [idsOf(packs), idsOf(tags), idsOf(groups)]
  const library: Library = { sql, workspaceId, random, packIds, tagIds, groupIds, entryIds: [] }
  await changeLibrary(library, random(most + 1))
  return library
}

/** Adds, changes and deletes entries in one transaction, with the records that tell of it. */
export async function changeLibrary(library: Library, additions: number): Promise<void> {
  const { random } = library
  await inTransaction(library.sql, async (sql) => {
    const inside = { ...library, sql }
    const changed: { id: number; op: string }[] = []
    for (const id of await writeEntries(
      inside,
      Array.from({ length: additions }, () => null),
    )) {
      library.entryIds.push(id)
      changed.push({ id, op: 'upsert' })
    }
    const known = library.entryIds.slice(0, library.entryIds.length - additions)
    const again = known.filter(() => random(4) === 0)
    for (const id of await writeEntries(inside, again)) changed.push({ id, op: 'upsert' })
    for (const id of known.filter(() => random(8) === 0)) {
      await deleteEntry(inside, id)
      library.entryIds.splice(library.entryIds.indexOf(id), 1)
      changed.push({ id, op: 'delete' })
    }
    await tell(inside, changed)
  })
}

/** One entry per id, new ones for null; gives their ids. */
async function writeEntries({ sql, workspaceId, random, ...library }: Library, ids: (number | null)[]): Promise<number[]> {
  const written: number[] = []
  for (const id of ids) {
    if (id !== null) await deleteEntry({ sql, workspaceId, random, ...library }, id)
    const lineage = `lin_${random(2 ** 31)}_${random(2 ** 31)}`
    const [object] = await sql<{ id: number }[]>`
      insert into objects (workspace_id, content_hash, blob_size, lineage_id, lineage_anchor, pack_id, asset_class, origin_path, path_key,
                           date_ingested, metadata, preview_status)
      values (${workspaceId}, ${lineage}, ${random(5) * 100}, ${lineage}, 'minted', ${pick(random, library.packIds)}, 'StaticMesh',
              ${`/Game/P${random(9)}`}, ${`/game/p${random(9)}`}, '2026-01-01', ${sql.json(randomMetadata(random))},
              ${pick(random, ['none', 'ready', 'unavailable'])})
      returning id`
    await sql`
      insert into lineages (workspace_id, id, anchor, face_object_id, created_at)
      values (${workspaceId}, ${lineage}, 'minted', ${object?.id ?? 0}, '2026-01-01')`
    const day = () => `2026-01-0${random(9) + 1}T10:00:00.${random(10)}00Z`
    const row = {
      workspace_id: workspaceId,
      ...(id === null ? {} : { id }),
      lineage_id: lineage,
      name: pick(random, names),
      entry_type: pick(random, types),
      category: pick(random, categories),
      status: random(6) === 0 ? 'deprecated' : 'active',
      variant_label: random(5) === 0 ? 'Red' : null,
      variant_group_id: random(4) === 0 ? pick(random, library.groupIds) : null,
      date_indexed: day(),
      date_updated: day(),
    }
    const [entry] = await sql<{ id: number }[]>`insert into entries ${sql(row)} returning id`
    const tagIds = library.tagIds.filter(() => random(3) === 0)
    await sql`
      insert into entry_tags (workspace_id, tag_id, entry_id) select ${workspaceId}, unnest(${tagIds}::bigint[]), ${entry?.id ?? 0}`
    written.push(entry?.id ?? 0)
  }
  return written
}

function randomMetadata(random: Random): Record<string, number | boolean> {
  const fields = {
    tri_count: pick(random, counts),
    vert_count: pick(random, counts),
    material_count: pick(random, counts),
    lod_count: pick(random, counts),
    bounds_x: pick(random, edges),
    bounds_y: pick(random, edges),
    bounds_z: pick(random, edges),
    has_collision: pick(random, flags),
    nanite_enabled: pick(random, flags),
  }
  return Object.fromEntries(Object.entries(fields).filter((pair): pair is [string, number | boolean] => pair[1] !== null))
}

async function deleteEntry({ sql, workspaceId }: Library, id: number): Promise<void> {
  await sql`delete from entry_tags where workspace_id = ${workspaceId} and entry_id = ${id}`
  await sql`delete from entries where workspace_id = ${workspaceId} and id = ${id}`
}

async function tell({ sql, workspaceId }: Library, changed: { id: number; op: string }[]): Promise<void> {
  const [head] = await sql<{ change_seq: number }[]>`
    update feed_heads set change_seq = change_seq + ${changed.length} where workspace_id = ${workspaceId} returning change_seq`
  const first = (head?.change_seq ?? 0) - changed.length
  const rows = changed.map(({ id, op }, index) => ({ seq: first + index + 1, entity_id: id, op }))
  await sql`
    insert into changes (workspace_id, seq, entity, entity_id, op, created_at)
    select ${workspaceId}, r.seq, 'entry', r.entity_id, r.op, '2026-01-01'
      from jsonb_to_recordset(${sql.json(rows)}) as r(seq bigint, entity_id bigint, op text)`
}
