/** Deletes entries and versions for good: what nothing else needs goes, the rest stays where it is needed (spec 4.12). */

import { ApiError } from '../../contract/errors.ts'
import { forgetLocks } from '../check-out/bases.ts'
import { amongIds, amongTexts } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import type { Writing } from '../database/transaction.ts'
import { deleteDiscussions } from '../discussion/comments.ts'
import type { Context } from '../handler.ts'
import { forgetEntries } from '../notifications/watching.ts'
import { deleteReviews } from '../reviews/deletion.ts'
import { completeAwaitedBy } from '../rows/awaited.ts'
import { recordDeletions } from '../rows/former/deleted-lineages.ts'
import { forgetNames } from '../rows/former/entry-names.ts'
import { holdLineages } from '../rows/hold.ts'
import { forgetSets } from '../rows/levels/set-changes.ts'
import { selectEntriesOfPack } from '../rows/pack.ts'
import { forgetPlacings } from '../rows/places.ts'
import { countGone } from '../storage/counting/stored-bytes.ts'
import { artifactKey, blobKey } from '../storage/storage.ts'
import { tellOfDeletion } from './deletion-notices.ts'
import { type Candidate, type Reach, selectCandidates, selectLineageIds } from './deletion-reach.ts'
import { recordGroups, removeEmptyGroups } from './groups.ts'

/** What is to go: one entry with its history; or a pack, with the entries that show it, their histories, and every version that came from it. */
export type Doomed = { entryId: number } | { packId: number }

export interface Deleted {
  entries: number
  objects: number
  /** Versions that would have gone if nothing else needed them. */
  kept: number
  unusedFiles: number
  unusedBytes: number
}

export interface DoomedEntry {
  id: number
  lineage_id: string
  name: string
  ever_pulled: boolean
  variant_group_id: number | null
}

/** What goes, as it is decided; the caller holds all of it. */
export interface Going {
  entries: readonly DoomedEntry[]
  versions: readonly GoneVersion[]
  /** Of those, and of what was considered with them. */
  lineageIds: ReadonlySet<string>
  /**
   * Of a push that is taken back: who does it, and the version that becomes current where the current one goes. Else, or where that one is
   * not there, it is the newest.
   */
  undone?: { by: number; currentOf: ReadonlyMap<string, number> }
}

export type GoneVersion = Pick<Candidate, 'id' | 'lineage_id' | 'content_hash' | 'blob_size'>

/**
 * The caller has the lock of the workspace, and holds the pack where one is to go. CONFLICT when one of the entries was ever pulled;
 * then nothing is deleted.
 */
export async function deleteForGood(context: Context, doomed: Doomed): Promise<Deleted> {
  const { sql, workspace } = context
  const reach = await holdReach(context, doomed)
  const entries = await holdDoomed(sql, workspace.id, reach.entryIds)
  requireUnpulled(entries)
  const candidates = await selectCandidates(sql, workspace.id, reach)
  const gone = candidates.filter((version) => version.home === null)
  const entryIds = entries.map(({ id }) => id)
  const lineageIds = new Set([...entries, ...gone].map(({ lineage_id }) => lineage_id))
  await recordDeletions(context, { entryIds, lineageIds: [...lineageIds], objectIds: gone.map((version) => version.id) })
  await moveToHomes(sql, workspace.id, { packId: reach.packId, candidates })
  const media = await removeFromLibrary(context, {
    ...{ entries, versions: gone },
    lineageIds: new Set(candidates.map((version) => version.lineage_id)),
  })
  return {
    entries: entries.length,
    objects: gone.length,
    kept: candidates.length - gone.length,
    unusedFiles: gone.length + media.length,
    unusedBytes: [...gone.map((version) => version.blob_size), ...media.map((file) => file.size)].reduce((a, b) => a + b, 0),
  }
}

/** Gives the media files that nothing refers to any more. */
export async function removeFromLibrary(context: Context, going: Going): Promise<{ key: string; size: number }[]> {
  const { sql, workspace, now } = context
  const { entries, versions } = going
  const entryIds = entries.map(({ id }) => id)
  await tellOfDeletion(context, entryIds)
  const reviewed = await deleteReviews(context, { entryIds, objectIds: versions.map(({ id }) => id) })
  await deleteEntryRows(context, entries)
  const discussed = await deleteDiscussions(sql, workspace.id, entryIds)
  const media = [...reviewed, ...discussed, ...(await deleteVersions(context, versions))]
  await settleLineages(context, going)
  await countGone(sql, workspace.id, { files: [...blobsOf(workspace.id, versions), ...media], now })
  return media
}

/**
 * Holds every lineage that the deletion may reach, and looks only then which entries are to go: until it was held, the current version of
 * an entry could be moved into the pack or out of it. Which versions came from a pack is settled by the lock.
 */
async function holdReach({ sql, workspace }: Context, doomed: Doomed): Promise<Reach> {
  const isPack = 'packId' in doomed
  const reach = isPack ? { entryIds: [], packId: doomed.packId } : { entryIds: [doomed.entryId] }
  await holdLineages(sql, workspace.id, await selectLineageIds(sql, workspace.id, reach))
  if (!isPack) return reach
  const shown = await selectEntriesOfPack(sql, workspace.id, doomed.packId)
  return { entryIds: shown.map((entry) => entry.id), packId: doomed.packId }
}

/** Holds the rows against downloads, which hold them too: of the two, one comes first and the other hears of it. */
export const holdDoomed = (sql: Sql, workspaceId: number, entryIds: readonly number[]): PromiseLike<DoomedEntry[]> => sql<
  DoomedEntry[]
>`
  select id, lineage_id, name, ever_pulled, variant_group_id from entries
   where workspace_id = ${workspaceId} and id ${amongIds(sql, entryIds)} order by id for update`

function requireUnpulled(entries: readonly DoomedEntry[]): void {
  const pulled = entries.filter((entry) => entry.ever_pulled)
  const [first] = pulled
  if (!first) return
  const more = pulled.length > 1 ? ` (and ${pulled.length - 1} more)` : ''
  throw new ApiError(
    'CONFLICT',
    `${first.name} was pulled or downloaded before${more}, so it cannot be deleted. Deprecate it instead.`,
    {
      pulled_entry_ids: pulled.slice(0, 1000).map((entry) => entry.id),
    },
  )
}

async function deleteEntryRows({ sql, workspace, feed }: Context, entries: readonly DoomedEntry[]): Promise<void> {
  const ids = entries.map((entry) => entry.id)
  await sql`delete from entry_tags where workspace_id = ${workspace.id} and entry_id ${amongIds(sql, ids)}`
  const smaller = await sql<{ id: number }[]>`
    with gone as (
      delete from collection_entries where workspace_id = ${workspace.id} and entry_id ${amongIds(sql, ids)} returning collection_id)
    select distinct collection_id as id from gone order by id`
  for (const { id } of smaller) feed.changed({ entity: 'collection', entityId: id, lineageId: null, op: 'upsert' })
  await forgetEntries(sql, workspace.id, ids)
  await forgetNames(sql, workspace.id, ids)
  await sql`delete from entries where workspace_id = ${workspace.id} and id ${amongIds(sql, ids)}`
  for (const { id, lineage_id } of entries) feed.changed({ entity: 'entry', entityId: id, lineageId: lineage_id, op: 'delete' })
  const groupIds = [...new Set(entries.flatMap((entry) => entry.variant_group_id ?? []))]
  await removeEmptyGroups(sql, workspace.id, groupIds)
  await recordGroups({ sql, workspace, feed }, groupIds)
}

const blobsOf = (workspaceId: number, versions: readonly GoneVersion[]) =>
  versions.map(({ content_hash, blob_size: size }) => ({ key: blobKey(workspaceId, content_hash), size }))

/** Gives the media files that nothing refers to any more. */
async function deleteVersions(
  { sql, workspace, feed }: Writing,
  gone: readonly GoneVersion[],
): Promise<{ key: string; size: number }[]> {
  const ids = gone.map((version) => version.id)
  await sql`delete from dependencies where workspace_id = ${workspace.id} and object_id ${amongIds(sql, ids)}`
  await sql`delete from awaited_imports where workspace_id = ${workspace.id} and object_id ${amongIds(sql, ids)}`
  await forgetPlacings(sql, workspace.id, gone)
  await sql`delete from payload_ids where workspace_id = ${workspace.id} and object_id ${amongIds(sql, ids)}`
  const media = await sql<{ id: number; size: number; finished_at: Date | null }[]>`
    delete from artifacts where workspace_id = ${workspace.id} and object_id ${amongIds(sql, ids)}
    returning id, coalesce(size, 0) as size, finished_at`
  await sql`delete from looks where workspace_id = ${workspace.id} and object_id ${amongIds(sql, ids)}`
  await sql`
    update objects set parent_object_id = null
     where workspace_id = ${workspace.id} and lineage_id ${amongTexts(sql, new Set(gone.map((version) => version.lineage_id)))}
       and parent_object_id ${amongIds(sql, ids)}`
  await sql`delete from objects where workspace_id = ${workspace.id} and id ${amongIds(sql, ids)}`
  for (const { id, lineage_id } of gone) feed.changed({ entity: 'object', entityId: id, lineageId: lineage_id, op: 'delete' })
  return media.filter((file) => file.finished_at !== null).map(({ id, size }) => ({ key: artifactKey(workspace.id, id), size }))
}

/** What stays of a pack that goes belongs to the pack of what needs it. */
async function moveToHomes(
  sql: Sql,
  workspaceId: number,
  { packId, candidates }: { packId: number | undefined; candidates: readonly Candidate[] },
): Promise<void> {
  const moving = candidates.filter((version) => version.home !== null && version.pack_id === packId)
  if (moving.length === 0) return
  await sql`
    update objects o set pack_id = r.home
      from unnest(${moving.map((version) => version.id)}::bigint[], ${moving.map((version) => version.home ?? 0)}::bigint[]) as r (id, home)
     where o.workspace_id = ${workspaceId} and o.id = r.id`
}

/** Versions that nothing names, and that are no entry's. The caller has the lock of the workspace. */
export async function deleteUnnamed(writing: Writing, versions: readonly Candidate[]): Promise<void> {
  const { sql, workspace, now } = writing
  const lineageIds = new Set(versions.map(({ lineage_id }) => lineage_id))
  await holdLineages(sql, workspace.id, [...lineageIds])
  const media = await deleteVersions(writing, versions)
  await settleLineages(writing, { entries: [], versions, lineageIds })
  await countGone(sql, workspace.id, { files: [...blobsOf(workspace.id, versions), ...media], now })
}

/** Lineages without a version go, with their GUIDs; those that lost their entry or current version have another one as current. */
async function settleLineages(context: Writing, { entries, versions: gone, lineageIds: ids, undone }: Going): Promise<void> {
  const { sql, workspace, feed, now } = context
  const currentOf = undone?.currentOf ?? new Map<string, number>()
  const emptied = await sql<{ id: string }[]>`
    delete from lineages l where l.workspace_id = ${workspace.id} and l.id ${amongTexts(sql, ids)}
       and not exists (select 1 from objects o where o.workspace_id = l.workspace_id and o.lineage_id = l.id) returning l.id`
  await sql`
    delete from package_guids where workspace_id = ${workspace.id} and lineage_id ${amongTexts(
      sql,
      emptied.map((lineage) => lineage.id),
    )}`
  await forgetSets(sql, workspace.id, { lineageIds: emptied.map(({ id }) => id), objectIds: [] })
  await forgetLocks(context, { lineageIds: emptied.map(({ id }) => id), versions: gone })
  const left = await sql<{ id: string; face_object_id: number }[]>`
    update lineages l
       set face_object_id = (
         select coalesce(max(o.id) filter (where o.id ${amongIds(sql, currentOf.values())}), max(o.id))
           from objects o where o.workspace_id = l.workspace_id and o.lineage_id = l.id),
           (face_how, face_since, face_by) = (
         select 'undo', ${now.toISOString()}::timestamptz, ${undone?.by ?? null}::bigint where l.id ${amongTexts(sql, currentOf.keys())})
     where l.workspace_id = ${workspace.id}
       and (l.id ${amongTexts(
         sql,
         entries.map((entry) => entry.lineage_id),
       )} or l.id ${amongTexts(sql, ids)} and l.face_object_id ${amongIds(
         sql,
         gone.map((version) => version.id),
       )})
    returning l.id, l.face_object_id`
  await forgetSets(sql, workspace.id, { lineageIds: [], objectIds: gone.map(({ id }) => id) })
  for (const { id, face_object_id } of left)
    feed.changed({ entity: 'object', entityId: face_object_id, lineageId: id, op: 'upsert' })
  await completeAwaitedBy(
    context,
    left.map((lineage) => lineage.face_object_id),
  )
}
