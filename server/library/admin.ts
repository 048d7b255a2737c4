/** Administration: the denylist, sweeps, and asking for previews anew (contract-gaps 7). */

import type { admin as contract, DenylistRecord } from '../../contract/admin.ts'
import { ApiError, validationError } from '../../contract/errors.ts'
import { amongTexts } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import type { Context, Handlers } from '../handler.ts'
import { updateWants } from '../media/awaited-media.ts'
import { guidKey } from '../push/manifest.ts'
import { holdKnownEntries } from '../rows/entry.ts'
import { holdLineages, lockWorkspace } from '../rows/hold.ts'
import { sweep } from '../work/sweep.ts'

export const admin: Handlers<typeof contract> = {
  async denylist({ sql, workspace }) {
    const denylist = await sql<DenylistRecord[]>`
      select id, kind, value, note, created_by, created_at from denylist where workspace_id = ${workspace.id} order by id`
    return { denylist }
  },

  /** Takes the lock: commits that have read the denylist are through by then, and none that comes later registers what is on it. */
  async deny({ sql, workspace, actor, now, input }) {
    const value = checkedValue(input)
    await lockWorkspace(sql, workspace.id)
    const [made] = await sql<DenylistRecord[]>`
      insert into denylist (workspace_id, kind, value, note, created_by, created_at)
      values (${workspace.id}, ${input.kind}, ${value}, ${input.note ?? null}, ${actor.id}, ${now.toISOString()})
      on conflict on constraint denylist_value do nothing
      returning id, kind, value, note, created_by, created_at`
    if (made) return made
    const [existing] = await sql<{ id: number }[]>`
      select id from denylist where workspace_id = ${workspace.id} and kind = ${input.kind} and value = ${value}`
    throw new ApiError('CONFLICT', `${value} is on the denylist already.`, { existing_id: existing?.id })
  },

  async allow({ sql, workspace, input }) {
    const [gone] = await sql`delete from denylist where workspace_id = ${workspace.id} and id = ${input.denylist_id} returning id`
    if (!gone) throw new ApiError('NOT_FOUND', `There is nothing with the id ${input.denylist_id} on the denylist.`)
  },

  sweep: ({ sql, workspace, now, storage, input }) =>
    sweep({ sql, workspaceId: workspace.id, now, files: storage.uncounted }, input),

  async refreshPreviews(request) {
    const { input, feed } = request
    if ((input.entry_ids === undefined) === (input.all === undefined))
      throw validationError([{ path: 'entry_ids', message: 'or `all: true` must be given, one of the two' }])
    const affected = await requestRefresh(request, input.entry_ids)
    feed.happened({ type: 'previews.refresh_requested', payload: { affected } })
    return { affected }
  },
}

function checkedValue({ kind, value }: { kind: DenylistRecord['kind']; value: string }): string {
  if (kind === 'package_guid') return guidKey(value) ?? value
  if (/^[0-9a-f]{64}$/.test(value)) return value
  throw validationError([{ path: 'value', message: 'must be the SHA-256 of a file, 64 lowercase hex digits' }])
}

/** Marks current versions, of the given entries or of all; unknown ids change nothing at all. */
async function requestRefresh({ sql, workspace, now }: Context, entryIds: number[] | undefined): Promise<number> {
  const known = await (entryIds ? holdKnownEntries(sql, workspace.id, entryIds) : holdAllEntries(sql, workspace.id))
  const lineageIds = known.map((entry) => entry.lineage_id)
  await sql`
    update objects o set refresh_requested_at = ${now.toISOString()}
      from lineages l
     where l.workspace_id = ${workspace.id} and l.id ${amongTexts(sql, lineageIds)}
       and o.workspace_id = l.workspace_id and o.id = l.face_object_id`
  await updateWants(
    sql,
    workspace.id,
    known.map((entry) => entry.id),
  )
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
