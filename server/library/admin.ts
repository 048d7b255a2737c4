/** Administration: the denylist, sweeps, figures of storage, and asking for previews anew (contract-gaps 7, 9). */

import type { admin as contract } from '../../contract/admin.ts'
import { validationError } from '../../contract/errors.ts'
import { amongTexts } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import type { Context, Handlers } from '../handler.ts'
import { updateWants } from '../media/awaited-media.ts'
import { holdKnownEntries } from '../rows/entry.ts'
import { holdLineages, lockWorkspace } from '../rows/hold.ts'
import { selectFigures } from '../storage/counting/figures.ts'
import { allow, deny, selectDenylist } from '../storage/denylist.ts'
import { sweep } from '../work/sweep.ts'

export const admin: Handlers<typeof contract> = {
  async denylist({ sql, workspace }) {
    return { denylist: await selectDenylist(sql, workspace.id) }
  },

  deny: ({ sql, workspace, actor, now, input: { kind, value, note = null } }) =>
    deny(sql, workspace.id, { kind, value, note, created_by: actor.id, now }),

  async allow({ sql, workspace, input }) {
    await allow(sql, workspace.id, input.denylist_id)
  },

  sweep: ({ sql, workspace, now, storage, input }) =>
    sweep({ sql, workspaceId: workspace.id, now, files: storage.uncounted }, input),

  storage: ({ sql, workspace, now }) => selectFigures(sql, { workspaceId: workspace.id, now }),

  async refreshPreviews(request) {
    const { input, feed } = request
    if ((input.entry_ids === undefined) === (input.all === undefined))
      throw validationError([{ path: 'entry_ids', message: 'or `all: true` must be given, one of the two' }])
    const affected = await requestRefresh(request, input.entry_ids)
    feed.happened({ type: 'previews.refresh_requested', payload: { affected } })
    return { affected }
  },
}

/**
 * Marks current versions, of the given entries or of all; unknown ids change nothing at all. A preview that could not be made is looked at
 * again: who makes it may know more by now.
 */
async function requestRefresh({ sql, workspace, now, feed }: Context, entryIds: number[] | undefined): Promise<number> {
  const known = await (entryIds ? holdKnownEntries(sql, workspace.id, entryIds) : holdAllEntries(sql, workspace.id))
  const lineageIds = known.map((entry) => entry.lineage_id)
  const reopened = await sql<{ lineage_id: string }[]>`
    with wished as (
      select o.id, o.lineage_id, o.preview_status = 'unavailable' as is_unavailable
        from lineages l join objects o on o.workspace_id = l.workspace_id and o.id = l.face_object_id
       where l.workspace_id = ${workspace.id} and l.id ${amongTexts(sql, lineageIds)}),
    marked as (
      update objects o
         set refresh_requested_at = ${now.toISOString()},
             preview_status = case when w.is_unavailable then 'none' else o.preview_status end
        from wished w where o.workspace_id = ${workspace.id} and o.id = w.id)
    select lineage_id from wished where is_unavailable`
  await updateWants(
    sql,
    workspace.id,
    known.map((entry) => entry.id),
  )
  const looksDifferent = new Set(reopened.map((one) => one.lineage_id))
  feed.entriesChanged(known.filter((entry) => looksDifferent.has(entry.lineage_id)))
  return known.length
}

/** Under the lock, so that none comes or goes after they were listed. */
async function holdAllEntries(sql: Sql, workspaceId: number): Promise<{ id: number; lineage_id: string }[]> {
  await lockWorkspace(sql, workspaceId)
  const entries = await sql<{ id: number; lineage_id: string }[]>`
    select id, lineage_id from entries where workspace_id = ${workspaceId}`
  await holdLineages(
    sql,
    workspaceId,
    entries.map((entry) => entry.lineage_id),
  )
  return entries
}
