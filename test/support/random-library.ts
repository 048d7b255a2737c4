/** Random libraries, written straight into the tables as another process would write them, with the records of the change feed. */
import type { Sql } from '../../server/database/sql.ts'
import { inTransaction } from '../../server/database/transaction.ts'

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
const folders = ['Props', 'Props/Old', 'PropsOld', 'Sets/Props', 'a_b']
export const projects = ['Tavern', 'tavern', 'Castle 2']
/** Paths to ask for: of one package, of a folder, with stars at every place. */
export const paths = [
  '/Game/P1',
  '/GAME/props/',
  '/Game/Props',
  '/Game/*',
  '*',
  '*/P?',
  '/Game/Props*',
  '/Game/*Props/*',
  '*/Props/P*',
  '*barrel*',
  '*a_b*',
  '/Game/*o*p*_*',
  '/Game/Props/*/P2',
  '*old/sm_*1',
  '**/Props/*Bar**rel*',
  '/Game/Props/Old/P3',
  '/Nowhere/',
]
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
  'smbarrel',
  'smbarrel0',
  'oldst',
  'pack1',
  'barrelwood',
]
export const types = ['mesh', 'texture', 'audio', 'material']
export const tagNames = ['wood', 'Metal', 'old stuff', 'é', 'T']
export const counts = [null, 0, 1, 9, 10, 1000]
const edges = [null, 0, 1, 2.5, 100]
const flags = [null, false, true]

export interface Library {
  sql: Sql
  workspaceId: number
  random: Random
  packIds: number[]
  tagIds: number[]
  groupIds: number[]
  entryIds: number[]
}

interface Wanted {
  random: Random
  most: number
}

/** A library of up to `most` entries. */
export async function writeLibrary(sql: Sql, { workspaceId, ...wanted }: Wanted & { workspaceId: number }): Promise<Library> {
  const [library] = await writeLibraries(sql, [workspaceId], wanted)
  if (!library) throw new Error('no library was written')
  return library
}

/** A library in each of the workspaces. However many there are: one statement per table. */
export async function writeLibraries(sql: Sql, workspaceIds: readonly number[], { random, most }: Wanted): Promise<Library[]> {
  const each = sql`unnest(${[...workspaceIds]}::bigint[]) as w (id)`
  type Row = { workspace_id: number; id: number }
  const packs = await sql<Row[]>`
    insert into packs (workspace_id, name, date_added, date_updated)
    select w.id, 'Pack ' || n, '2026-01-01', '2026-01-01' from ${each}, generate_series(1, 4) n returning workspace_id, id`
  const tags = await sql<Row[]>`
    insert into tags (workspace_id, name, name_key, created_at)
    select w.id, r.name, lower(r.name), '2026-01-01' from ${each}, unnest(${tagNames}::text[]) as r (name) returning workspace_id, id`
  const groups = await sql<Row[]>`
    insert into variant_groups (workspace_id) select w.id from ${each}, generate_series(1, 3) returning workspace_id, id`
  const idsIn = (rows: Row[], workspaceId: number) => rows.flatMap((row) => (row.workspace_id === workspaceId ? row.id : []))
  const libraries = workspaceIds.map((workspaceId) => ({
    sql,
    workspaceId,
    random,
    packIds: idsIn(packs, workspaceId),
    tagIds: idsIn(tags, workspaceId),
    groupIds: idsIn(groups, workspaceId),
    entryIds: [],
  }))
  await changeLibraries(libraries, () => random(most + 1))
  return libraries
}

/** Adds, changes and deletes entries in one transaction, with the records that tell of it. */
export const changeLibrary = (library: Library, additions: number): Promise<void> => changeLibraries([library], () => additions)

/** A record of the change feed. */
interface Change {
  workspace_id: number
  entity_id: number
  op: 'upsert' | 'delete'
}

/** The same in each of them, all in one transaction. */
export async function changeLibraries(libraries: readonly Library[], additions: () => number): Promise<void> {
  const [first] = libraries
  if (!first) return
  await inTransaction(first.sql, async (sql) => {
    const wanted = libraries.map(() => additions())
    const newIds = await drawIds(
      sql,
      'entries',
      wanted.reduce((sum, count) => sum + count, 0),
    )
    const changed = libraries.flatMap((library, at) => changesOf(library, newIds.splice(0, wanted[at])))
    const gone = new Set(changed.flatMap(({ op, entity_id }) => (op === 'delete' ? entity_id : [])))
    await deleteEntries(sql, changed)
    const kept = changed.filter(({ entity_id }) => !gone.has(entity_id))
    await writeEntries(sql, new Map(libraries.map((library) => [library.workspaceId, library])), kept)
    await tell(sql, libraries, changed)
  })
}

/** What becomes of a library's entries: the new ones come, some others change, some go, also of those that changed. */
function changesOf({ workspaceId, random, entryIds }: Library, newIds: readonly number[]): Change[] {
  const again = entryIds.filter(() => random(4) === 0)
  const gone = entryIds.filter(() => random(8) === 0)
  for (const id of gone) entryIds.splice(entryIds.indexOf(id), 1)
  entryIds.push(...newIds)
  const toChange = (op: Change['op']) => (id: number) => ({ workspace_id: workspaceId, entity_id: id, op })
  return [...[...newIds, ...again].map(toChange('upsert')), ...gone.map(toChange('delete'))]
}

async function drawIds(sql: Sql, table: string, count: number): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select nextval(pg_get_serial_sequence(${table}, 'id')) as id from generate_series(1, ${count})`
  return rows.map((row) => row.id)
}

const deleteEntries = async (sql: Sql, changed: readonly Change[]): Promise<void> => {
  const which = sql`select c.workspace_id, c.entity_id from jsonb_to_recordset(${sql.json(changed.map((one) => ({ ...one })))}) as c (workspace_id bigint, entity_id bigint)`
  await sql`delete from entry_tags where (workspace_id, entry_id) in (${which})`
  await sql`delete from entries where (workspace_id, id) in (${which})`
}

/** What is to be written of each, all of it anew; where it was before, it is deleted by now. */
async function writeEntries(sql: Sql, libraries: ReadonlyMap<number, Library>, which: readonly Change[]): Promise<void> {
  const objectIds = await drawIds(sql, 'objects', which.length)
  const rows = which.flatMap(({ workspace_id, entity_id }, at) => {
    const library = libraries.get(workspace_id)
    return library ? { workspace_id, id: entity_id, object_id: objectIds[at] ?? 0, ...randomEntry(library) } : []
  })
  await sql`
    insert into objects (workspace_id, id, content_hash, blob_size, lineage_id, lineage_anchor, pack_id, asset_class, origin_path, path_key,
                         pushed_from, date_ingested, metadata, preview_status)
    select workspace_id, object_id, lineage_id, blob_size, lineage_id, 'minted', pack_id, 'StaticMesh', origin_path, path_key,
           pushed_from, '2026-01-01', metadata, preview_status
      from jsonb_to_recordset(${sql.json(rows)}) as r (workspace_id bigint, object_id bigint, lineage_id text, blob_size bigint,
           pack_id bigint, origin_path text, path_key text, pushed_from text, metadata jsonb, preview_status text)`
  await sql`
    insert into lineages (workspace_id, id, anchor, face_object_id, created_at)
    select workspace_id, lineage_id, 'minted', object_id, '2026-01-01'
      from jsonb_to_recordset(${sql.json(rows)}) as r (workspace_id bigint, object_id bigint, lineage_id text)`
  await sql`
    insert into entries (workspace_id, id, lineage_id, name, entry_type, category, status, variant_label, variant_group_id,
                         date_indexed, date_updated)
    select * from jsonb_to_recordset(${sql.json(rows)}) as r (workspace_id bigint, id bigint, lineage_id text, name text, entry_type text,
           category text, status text, variant_label text, variant_group_id bigint, date_indexed timestamptz, date_updated timestamptz)`
  await sql`
    insert into entry_tags (workspace_id, tag_id, entry_id)
    select r.workspace_id, tag_id::bigint, r.id
      from jsonb_to_recordset(${sql.json(rows)}) as r (workspace_id bigint, id bigint, tag_ids jsonb),
           jsonb_array_elements_text(r.tag_ids) as tag_id`
}

/** An entry with its current version, which nobody else has. */
function randomEntry({ random, packIds, groupIds, tagIds }: Library) {
  const name = pick(random, names)
  const leaf = pick(random, [name.replaceAll(/[^A-Za-z0-9_-]/g, ''), `P${random(9)}`])
  const origin_path =
    random(9) === 0 ? null : pick(random, [`/Game/P${random(9)}`, `/Game/${pick(random, folders)}/${leaf || 'X'}`])
  const day = () => `2026-01-0${random(9) + 1}T10:00:00.${random(10)}00Z`
  return {
    lineage_id: `lin_${random(2 ** 31)}_${random(2 ** 31)}`,
    blob_size: random(5) * 100,
    pack_id: pick(random, packIds),
    origin_path,
    path_key: origin_path?.toLowerCase() ?? null,
    pushed_from: pick(random, [null, ...projects]),
    metadata: randomMetadata(random),
    preview_status: pick(random, ['none', 'ready', 'unavailable']),
    name,
    entry_type: pick(random, types),
    category: pick(random, categories),
    status: random(6) === 0 ? 'deprecated' : 'active',
    variant_label: random(5) === 0 ? 'Red' : null,
    variant_group_id: random(4) === 0 ? pick(random, groupIds) : null,
    date_indexed: day(),
    date_updated: day(),
    tag_ids: tagIds.filter(() => random(3) === 0),
  }
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

/** As the feed does it: numbered without a gap, by each workspace's head. Of today: what is older than a month, the server forgets. */
async function tell(sql: Sql, libraries: readonly Library[], changed: readonly Change[]): Promise<void> {
  const ids = libraries.map(({ workspaceId }) => workspaceId)
  await sql`
    with told as (
      select c.*, row_number() over (partition by c.workspace_id order by at) as number
        from jsonb_to_recordset(${sql.json(changed.map((one, at) => ({ ...one, at })))})
          as c (workspace_id bigint, entity_id bigint, op text, at int)),
    heads as (
      update feed_heads h set change_seq = change_seq + (select count(*) from told where told.workspace_id = h.workspace_id)
       where workspace_id = any(${ids}::bigint[]) returning workspace_id, change_seq)
    insert into changes (workspace_id, seq, entity, entity_id, op, created_at)
    select t.workspace_id, h.change_seq - (select count(*) from told o where o.workspace_id = t.workspace_id) + t.number, 'entry',
           t.entity_id, t.op, now()
      from told t join heads h on h.workspace_id = t.workspace_id`
}
