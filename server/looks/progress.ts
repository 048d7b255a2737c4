/** How far the making of looks is in a workspace, and which pictures it needs next: those of new entries, and of what the change feed tells. */
import { amongIds } from '../database/among.ts'
import type { Database } from '../database/open.ts'
import type { Fragment, Sql } from '../database/sql.ts'

/** Which embedder in which workspace. */
export interface Where {
  workspaceId: number
  embedder: string
}

export interface Progress {
  /** The last entry that was looked at; null: all were. */
  scannedTo: number | null
  changeSeq: number
}

/** A thumbnail that has no vector yet. */
export interface DuePicture {
  object_id: number
  artifact_id: number
  size: number
}

/** Pictures to take in, and how far the work is when that is done. */
export interface Due {
  pictures: DuePicture[]
  after: Progress
  /** Something is left behind these. */
  isMore: boolean
}

/** Records and entries that are looked at in one step. */
const windowRows = 2_000

/** Where change records came, or where entries were never looked at. One look for all workspaces. */
export async function selectWhereDue({ sql }: Pick<Database, 'sql'>, embedder: string): Promise<number[]> {
  const rows = await sql<{ workspace_id: number }[]>`
    select h.workspace_id from feed_heads h
      left join look_progress p on p.workspace_id = h.workspace_id and p.embedder = ${embedder}
     where p.workspace_id is null or p.scanned_to is not null or p.change_seq < h.change_seq`
  return rows.map((row) => row.workspace_id)
}

/** Whether there is any thumbnail: else nobody needs an embedder. */
export async function hasThumbnails({ sql }: Pick<Database, 'sql'>): Promise<boolean> {
  const [row] = await sql<{ has: boolean }[]>`select exists (select 1 from artifacts where kind = 'thumbnail') as has`
  return row?.has ?? false
}

/** From the beginning where it is new, or where records that it has not read are gone. */
export async function selectProgress(sql: Sql, { workspaceId, embedder }: Where): Promise<Progress> {
  const [row] = await sql<{ head: number; floor: number; scanned_to: number | null; change_seq: number | null }[]>`
    select h.change_seq as head, h.changes_floor as floor, p.scanned_to, p.change_seq from feed_heads h
      left join look_progress p on p.workspace_id = h.workspace_id and p.embedder = ${embedder}
     where h.workspace_id = ${workspaceId}`
  if (!row) throw new Error(`workspace ${workspaceId} has no feed head`)
  if (row.change_seq === null || row.change_seq < row.floor) return { scannedTo: 0, changeSeq: row.head }
  return { scannedTo: row.scanned_to, changeSeq: row.change_seq }
}

export async function saveProgress(
  sql: Sql,
  { workspaceId, embedder }: Where,
  { progress: { scannedTo, changeSeq }, now }: { progress: Progress; now: Date },
): Promise<void> {
  await sql`
    insert into look_progress (workspace_id, embedder, scanned_to, change_seq, used_at)
    values (${workspaceId}, ${embedder}, ${scannedTo}, ${changeSeq}, ${now.toISOString()})
    on conflict (workspace_id, embedder)
    do update set scanned_to = excluded.scanned_to, change_seq = excluded.change_seq, used_at = excluded.used_at`
}

/**
 * The next pictures, at most so many: first of entries that changed, so that a new thumbnail does not wait for those of a whole library.
 * Progress goes on only past entries whose pictures are all among them.
 */
export async function selectDue(sql: Sql, where: Where, { progress, most }: { progress: Progress; most: number }): Promise<Due> {
  const changed = await selectChanged(sql, where, { progress, most })
  if (changed.isMore || progress.scannedTo === null) return changed
  const left = most - changed.pictures.length
  const scanned = await selectUnscanned(sql, where, { progress: changed.after, most: left })
  // One that changed before the scan came to it is among both.
  const pictures = new Map([...changed.pictures, ...scanned.pictures].map((picture) => [picture.object_id, picture]))
  return { pictures: [...pictures.values()], after: scanned.after, isMore: scanned.isMore }
}

type Step = { progress: Progress; most: number }

async function selectChanged(sql: Sql, where: Where, { progress, most }: Step): Promise<Due> {
  const [news] = await sql<{ read: number; seq: number | null; ids: number[] | null }[]>`
    select count(*)::int as read, max(seq) as seq, array_agg(distinct entity_id) filter (where entity = 'entry' and op = 'upsert') as ids
      from (select seq, entity, entity_id, op from changes
             where workspace_id = ${where.workspaceId} and seq > ${progress.changeSeq} order by seq limit ${windowRows}) as read`
  const ids = news?.ids ?? []
  const pictures =
    ids.length === 0 ? [] : await selectPictures(sql, where, { entries: sql`e.id ${amongIds(sql, ids)}`, most: most + 1 })
  if (pictures.length > most) return { pictures: pictures.slice(0, most), after: progress, isMore: true }
  return {
    pictures,
    after: { ...progress, changeSeq: news?.seq ?? progress.changeSeq },
    isMore: news?.read === windowRows,
  }
}

async function selectUnscanned(sql: Sql, where: Where, { progress, most }: Step): Promise<Due> {
  const after = progress.scannedTo ?? 0
  const [window] = await sql<{ read: number; last: number | null }[]>`
    select count(*)::int as read, max(id) as last
      from (select id from entries where workspace_id = ${where.workspaceId} and id > ${after} order by id limit ${windowRows}) as read`
  if (!window?.last) return { pictures: [], after: { ...progress, scannedTo: null }, isMore: false }
  const entries = sql`e.id > ${after} and e.id <= ${window.last}`
  const pictures = await selectPictures(sql, where, { entries, most: most + 1 })
  if (pictures.length > most) return { pictures: pictures.slice(0, most), after: progress, isMore: true }
  const isMore = window.read === windowRows
  return { pictures, after: { ...progress, scannedTo: isMore ? window.last : null }, isMore }
}

/** Thumbnails in use of current versions, of which no vector was tried yet. */
const selectPictures = (
  sql: Sql,
  { workspaceId, embedder }: Where,
  { entries, most }: { entries: Fragment; most: number },
): Promise<DuePicture[]> => sql<DuePicture[]>`
  select o.id as object_id, a.id as artifact_id, coalesce(a.size, 0) as size
    from entries e
    join lineages l on l.workspace_id = e.workspace_id and l.id = e.lineage_id
    join objects o on o.workspace_id = l.workspace_id and o.id = l.face_object_id
    join artifacts a on a.workspace_id = o.workspace_id and a.id = o.thumbnail_artifact_id
    left join looks k on k.workspace_id = o.workspace_id and k.embedder = ${embedder} and k.object_id = o.id
   where e.workspace_id = ${workspaceId} and ${entries} and k.artifact_id is distinct from a.id
   order by e.id limit ${most}`
