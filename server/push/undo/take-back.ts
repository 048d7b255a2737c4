/** Takes pushes back that nobody else uses: their versions, entries, rows and packs go, and what they found is as it was (contract-gaps 5 and 9). */
import { moveBases } from '../../check-out/bases.ts'
import { randomId } from '../../clock.ts'
import { removeFromLibrary } from '../../curation/deletion.ts'
import { recordGroups, removeEmptyGroups } from '../../curation/groups.ts'
import { amongIds, amongTexts } from '../../database/among.ts'
import type { Context } from '../../handler.ts'
import { updateWants } from '../../media/awaited-media.ts'
import { noteFileNames } from '../../rows/former/entry-names.ts'
import type { KeptPush } from './kept-push.ts'
import { takeRowsBack } from './references.ts'
import { takeSetsBack } from './sets.ts'
import type { Taken } from './taken.ts'

/** The caller has the lock of the workspace, and holds all of it. What a push brought is no deletion to remember: the same files may come again. */
export async function takeBack(context: Context, taken: Taken): Promise<void> {
  const { versions, entries, lineageIds, before } = taken
  await takeRowsBack(context, taken)
  await takeSetsBack(context, taken)
  await endOwnPulls(context, taken)
  await joinParents(context, taken)
  await loosenWords(context, taken)
  const currentOf = new Map([...before].map(([id, { object_id }]) => [id, object_id]))
  const isMoved = new Set(versions.flatMap(({ lineage_id, is_current }) => (is_current ? [lineage_id] : [])))
  await removeFromLibrary(context, {
    entries,
    versions,
    lineageIds: new Set(lineageIds),
    undone: { by: context.actor.id, currentOf },
  })
  await forgetGuids(context, taken)
  await restoreEntries(context, { taken, isMoved })
  await removePacks(context, taken.pushes)
  tellOfUndo(context, taken)
}

/** Orders of one's own for what goes: those that wait or run cannot be carried out, and in none of them is it shown any more. */
async function endOwnPulls({ sql, workspace, now, feed }: Context, { versions }: Taken): Promise<void> {
  const goneIds = versions.map(({ id }) => id)
  const touched = await sql<{ job_id: number }[]>`
    with files as (
      delete from pull_job_objects where workspace_id = ${workspace.id} and object_id ${amongIds(sql, goneIds)} returning job_id)
    select distinct job_id from files`
  const jobIds = touched.map(({ job_id }) => job_id)
  await sql`
    delete from pull_job_entries
     where workspace_id = ${workspace.id} and job_id ${amongIds(sql, jobIds)} and object_id ${amongIds(sql, goneIds)}`
  const ended = await sql<{ id: number }[]>`
    update pull_jobs
       set status = 'failed', failure_reason = 'The push of some of its files was taken back. Order it again.', updated_at = ${now.toISOString()}
     where workspace_id = ${workspace.id} and id ${amongIds(sql, jobIds)} and status in ('queued', 'claimed', 'running') returning id`
  for (const { id } of ended) feed.jobChanged(id)
}

/** Own later versions that stay continue what the versions between had continued. */
async function joinParents({ sql, workspace }: Context, { versions }: Taken): Promise<void> {
  const parentOf = new Map(versions.map(({ id, parent_object_id }) => [id, parent_object_id]))
  const kept = (id: number | null): number | null => {
    let at = id
    for (
      let next = at === null ? undefined : parentOf.get(at);
      next !== undefined;
      next = at === null ? undefined : parentOf.get(at)
    )
      at = next
    return at
  }
  const ids = versions.map(({ id }) => id)
  await sql`
    update objects o set parent_object_id = nullif(r.kept, 0)
      from unnest(${ids}::bigint[], ${ids.map((id) => kept(id) ?? 0)}::bigint[]) as r (id, kept)
     where o.workspace_id = ${workspace.id} and o.lineage_id ${amongTexts(
       sql,
       versions.map(({ lineage_id }) => lineage_id),
     )} and o.parent_object_id = r.id and o.id not ${amongIds(sql, ids)}`
}

/** What one said of a version under an entry that stays is said of the entry; what one drew on it goes with its pictures. */
async function loosenWords({ sql, workspace, feed }: Context, { versions }: Taken): Promise<void> {
  const goneIds = versions.map(({ id }) => id)
  const ofEntries = sql`
    workspace_id = ${workspace.id} and object_id ${amongIds(sql, goneIds)} and entry_id in (
      select e.id from entries e where e.workspace_id = ${workspace.id} and e.lineage_id ${amongTexts(
        sql,
        versions.map(({ lineage_id }) => lineage_id),
      )})`
  const said = await sql<{ entry_id: number }[]>`update comments set object_id = null where ${ofEntries} returning entry_id`
  await sql`delete from annotations where ${ofEntries}`
  for (const { entry_id } of said) feed.commentsChanged(entry_id)
}

/** A lineage that stays is known by the GUIDs of the versions that it has. */
async function forgetGuids({ sql, workspace }: Context, { lineageIds, versions }: Taken): Promise<void> {
  await sql`
    delete from package_guids g
     where g.workspace_id = ${workspace.id} and g.lineage_id ${amongTexts(sql, lineageIds)}
       and g.guid ${amongTexts(
         sql,
         versions.flatMap(({ package_guid }) => package_guid ?? []),
       )}
       and not exists (select 1 from objects o
                        where o.workspace_id = g.workspace_id and o.lineage_id = g.lineage_id and o.package_guid = g.guid)`
}

/** Entries that stay have the category and the variant of before, unless someone has set the category since; a check-out works from the version of before. */
async function restoreEntries(
  context: Context,
  { taken, isMoved }: { taken: Taken; isMoved: ReadonlySet<string> },
): Promise<void> {
  const { sql, workspace, now, feed } = context
  const gone = new Set(taken.entries.map(({ id }) => id))
  const found = [...taken.before.values()].filter(({ entry_id }) => entry_id !== null && !gone.has(entry_id))
  const rows = found.map((one) => ({ ...one, moved: isMoved.has(one.lineage_id) }))
  const lineages = await sql<{ id: string; face_object_id: number }[]>`
    select id, face_object_id from lineages where workspace_id = ${workspace.id} and id ${amongTexts(sql, isMoved)}`
  await moveBases(context, new Map(lineages.map(({ id, face_object_id }) => [id, face_object_id])))
  const groups = await sql<{ id: number }[]>`
    select distinct variant_group_id as id from entries
     where workspace_id = ${workspace.id} and variant_group_id is not null and id ${amongIds(
       sql,
       rows.flatMap(({ entry_id, joins_group }) => (joins_group && entry_id !== null ? [entry_id] : [])),
     )}`
  const restored = await sql<{ id: number; lineage_id: string }[]>`
    update entries e
       set category = case when r.moved and not e.category_locked then r.category else e.category end,
           variant_label = case when not r.sets_label then e.variant_label end,
           variant_group_id = case when not r.joins_group then e.variant_group_id end,
           date_updated = ${now.toISOString()}
      from jsonb_to_recordset(${sql.json(rows)})
           as r(entry_id bigint, moved boolean, category text, joins_group boolean, sets_label boolean)
     where e.workspace_id = ${workspace.id} and e.id = r.entry_id returning e.id, e.lineage_id`
  const groupIds = groups.map(({ id }) => id)
  await removeEmptyGroups(sql, workspace.id, groupIds)
  await recordGroups(context, groupIds)
  feed.entriesChanged(restored)
  await nameAsBefore(
    context,
    rows.flatMap(({ entry_id, moved }) => (moved && entry_id !== null ? [entry_id] : [])),
  )
}

/** The name of a file that went is not one by which its prop was known. */
async function nameAsBefore(context: Context, entryIds: readonly number[]): Promise<void> {
  const { sql, workspace } = context
  await sql`
    delete from entry_names where workspace_id = ${workspace.id} and entry_id ${amongIds(sql, entryIds)} and until is null`
  await noteFileNames(context, entryIds)
  await updateWants(sql, workspace.id, entryIds)
}

/** Those that the pushes made, that nobody changed and that nothing came from otherwise. */
async function removePacks({ sql, workspace, actor }: Context, pushes: readonly KeptPush[]): Promise<void> {
  await sql`
    delete from packs p
     where p.workspace_id = ${workspace.id} and p.created_by = ${actor.id} and p.updated_by = ${actor.id} and p.date_added = p.date_updated
       and p.date_added in (select u.pushed_at from pushes u where u.workspace_id = ${workspace.id} and u.id ${amongIds(
         sql,
         pushes.map(({ id }) => id),
       )})
       and not exists (select 1 from objects o where o.workspace_id = p.workspace_id and o.pack_id = p.id)`
}

/** One event for each version that went; where only rows went, one. */
function tellOfUndo({ feed }: Context, { pushes, versions, entries, before }: Taken): void {
  const batchKey = randomId('undo')
  const entryOf = new Map(entries.map(({ lineage_id, id, name }) => [lineage_id, { id, name }]))
  const told = { type: 'push.undo', batchKey } as const
  for (const { id, lineage_id, asset_name, version } of versions) {
    const entry = entryOf.get(lineage_id)
    feed.happened({
      ...told,
      ...{ entryId: entry?.id ?? before.get(lineage_id)?.entry_id ?? null, lineageId: lineage_id, objectId: id },
      payload: { name: entry?.name ?? asset_name, version, deleted: entry !== undefined },
    })
  }
  if (versions.length === 0) feed.happened({ ...told, payload: { name: null, pushes: pushes.length } })
}
