/** Administration: the denylist, and asking for previews anew (contract-gaps 7). */

import type { admin as contract, DenylistRecord } from '../../contract/admin.ts'
import { ApiError, validationError } from '../../contract/errors.ts'
import { amongIds } from '../database/among.ts'
import type { Context, Handlers } from '../handler.ts'
import { guidKey } from '../push/manifest.ts'

export const admin: Handlers<typeof contract> = {
  async denylist({ sql, workspace }) {
    const denylist = await sql<DenylistRecord[]>`
      select id, kind, value, note, created_by, created_at from denylist where workspace_id = ${workspace.id} order by id`
    return { denylist }
  },

  async deny({ sql, workspace, actor, now, input }) {
    const value = checkedValue(input)
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

  async refreshPreviews(request) {
    const { input, feed } = request
    if ((input.entry_ids === undefined) === (input.all === undefined))
      throw validationError([{ path: 'entry_ids', message: 'or `all: true` must be given, one of the two' }])
    const affected = await requestRefresh(request, input.entry_ids && [...new Set(input.entry_ids)])
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
  if (entryIds) {
    const known = await sql<
      { id: number }[]
    >`select id from entries where workspace_id = ${workspace.id} and id ${amongIds(sql, entryIds)}`
    const missing = entryIds.filter((id) => !known.some((row) => row.id === id))
    if (missing.length > 0)
      throw new ApiError('ENTRY_NOT_FOUND', `There is no entry ${missing[0]} in this workspace.`, { missing })
  }
  const marked = await sql`
    update objects o set refresh_requested_at = ${now.toISOString()}
      from lineages l join entries e on e.workspace_id = l.workspace_id and e.lineage_id = l.id
     where o.workspace_id = ${workspace.id} and l.workspace_id = o.workspace_id and l.id = o.lineage_id and l.face_object_id = o.id
       ${entryIds ? sql`and e.id ${amongIds(sql, entryIds)}` : sql``}
     returning o.id`
  return marked.length
}
