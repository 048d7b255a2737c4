/** Variant groups: putting entries together that are one prop in several looks, and apart again (spec 4.12). */
import { ApiError } from '../../contract/errors.ts'
import type { InputOf } from '../../contract/route.ts'
import type { variants as contract } from '../../contract/variants.ts'
import { noteCurator } from '../curation/curators.ts'
import { recordGroups, removeEmptyGroups } from '../curation/groups.ts'
import { amongIds } from '../database/among.ts'
import { takeIds } from '../database/ids.ts'
import type { Context, Handlers } from '../handler.ts'
import { holdKnownEntries, type KnownEntry } from '../rows/entry.ts'
import { lockWorkspace } from '../rows/hold.ts'

type BulkRequest = Context & { input: InputOf<(typeof contract)['bulk']> }

export const variants: Handlers<typeof contract> = {
  async bulk(request) {
    const { sql, workspace, input } = request
    await lockWorkspace(sql, workspace.id)
    const entries = await holdKnownEntries(sql, workspace.id, input.entry_ids)
    const variant_group_id = input.action === 'group' ? await group(request, entries) : await ungroup(request, entries)
    return { variant_group_id, affected: entries.length }
  },
}

/** Into the one group that some of them are in, which takes the label if there is one; else into a new group. */
async function group(request: BulkRequest, entries: readonly KnownEntry[]): Promise<number> {
  const { sql, workspace, input } = request
  const existing = groupsOf(entries)
  if (existing.length > 1)
    throw new ApiError(
      'CONFLICT',
      `The entries are in ${existing.length} variant groups already; take them out of those first.`,
      {
        existing_group_ids: existing,
      },
    )
  const [id] = existing.length > 0 ? existing : await makeGroup(request)
  if (id === undefined) throw new Error('the database gave no id')
  const label = input.label ?? null
  const renamed = await sql`
    update variant_groups set label = ${label}
     where workspace_id = ${workspace.id} and id = ${id} and ${label}::text is not null and label is distinct from ${label} returning id`
  const joining = entries.filter((entry) => entry.variant_group_id !== id)
  await moveTo(request, { entries: joining, groupId: id })
  if (joining.length + renamed.length > 0) await recordGroups(request, [id])
  return id
}

async function makeGroup({ sql, workspace }: BulkRequest): Promise<number[]> {
  const ids = await takeIds(sql, 'variant_groups', 1)
  await sql`insert into variant_groups (workspace_id, id) select ${workspace.id}, unnest(${ids}::bigint[])`
  return ids
}

async function ungroup(request: BulkRequest, entries: readonly KnownEntry[]): Promise<null> {
  const { sql, workspace, feed } = request
  const leaving = entries.filter((entry) => entry.variant_group_id !== null)
  const groupIds = groupsOf(leaving)
  await moveTo(request, { entries: leaving, groupId: null })
  await removeEmptyGroups(sql, workspace.id, groupIds)
  await recordGroups(request, groupIds)
  feed.entriesChanged(leaving)
  return null
}

const groupsOf = (entries: readonly KnownEntry[]): number[] =>
  [...new Set(entries.flatMap((entry) => entry.variant_group_id ?? []))].sort((a, b) => a - b)

async function moveTo(
  request: BulkRequest,
  { entries, groupId }: { entries: readonly KnownEntry[]; groupId: number | null },
): Promise<void> {
  const { sql, workspace, now } = request
  await noteCurator(
    request,
    entries.map((entry) => entry.id),
  )
  await sql`
    update entries set variant_group_id = ${groupId}, date_updated = ${now.toISOString()}
     where workspace_id = ${workspace.id} and id ${amongIds(
       sql,
       entries.map((entry) => entry.id),
     )}`
}
