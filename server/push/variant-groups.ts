/** The variant groups of a push: entries that are one prop in several looks (spec 4.9). */
import { ApiError, validationError } from '../../contract/errors.ts'
import type { Manifest } from '../../contract/push.ts'
import { amongIds } from '../database/among.ts'
import { takeIds } from '../database/ids.ts'
import type { Context } from '../handler.ts'

/** Fails with VALIDATION when a group is named by an id that is nobody's. */
export async function requireGroups({ sql, workspace }: Pick<Context, 'sql' | 'workspace'>, manifest: Manifest): Promise<void> {
  const named = (manifest.variant_groups ?? []).flatMap((group, index) => (group.id ? [{ index, id: group.id }] : []))
  if (named.length === 0) return
  const known = await sql<{ id: number }[]>`
    select id from variant_groups where workspace_id = ${workspace.id} and id ${amongIds(
      sql,
      named.map((group) => group.id),
    )}`
  const ids = new Set(known.map((row) => row.id))
  const unknown = named.filter((group) => !ids.has(group.id))
  if (unknown.length > 0)
    throw validationError(
      unknown.map(({ index, id }) => ({ path: `variant_groups.${index}.id`, message: `there is no variant group ${id}` })),
    )
}

/** An entry that a ref puts into a group; `groupId` is the one it is in already. */
export interface Grouped {
  ref: string
  entryId: number
  groupId: number | null
}

/** Puts entries into their groups, made where none of them has one. Gives group ids by ref. */
export async function joinGroups(context: Context, manifest: Manifest, grouped: Grouped[]): Promise<Record<string, number>> {
  const { sql, workspace } = context
  const chosen = chooseGroups(manifest, grouped)
  const fresh = chosen.filter((group) => group.id === undefined)
  const made = await takeIds(sql, 'variant_groups', fresh.length)
  const rows = chosen.map((group) => ({ ref: group.ref, id: group.id ?? Number(made.pop()), label: group.label }))
  if (rows.length === 0) return {}
  const ids = Object.fromEntries(rows.map((row) => [row.ref, row.id]))
  await sql`
    insert into variant_groups (workspace_id, id, label)
    select ${workspace.id}, r.id, r.label from jsonb_to_recordset(${sql.json(rows)}) as r(id bigint, label text)
    on conflict (workspace_id, id) do update set label = coalesce(variant_groups.label, excluded.label)`
  const joining = grouped
    .filter((one) => one.groupId === null)
    .map((one) => ({ entry_id: one.entryId, group_id: ids[one.ref] ?? null }))
  if (joining.length > 0)
    await sql`
    update entries e set variant_group_id = r.group_id
      from jsonb_to_recordset(${sql.json(joining)}) as r(entry_id bigint, group_id bigint)
     where e.workspace_id = ${workspace.id} and e.id = r.entry_id`
  return ids
}

/** The group of each ref that is used or named by id; `id` is undefined for one still to be made. */
function chooseGroups(manifest: Manifest, grouped: Grouped[]): { ref: string; id: number | undefined; label: string | null }[] {
  const members = Map.groupBy(grouped, (one) => one.ref)
  return (manifest.variant_groups ?? []).flatMap((group) => {
    const inGroups = (members.get(group.ref) ?? []).map((one) => one.groupId)
    if (!members.has(group.ref) && !group.id) return []
    const existing = [...new Set([group.id, ...inGroups].filter((id) => id !== null && id !== undefined))]
    if (existing.length > 1)
      throw new ApiError(
        'CONFLICT',
        `The entries of variant group "${group.ref}" are in ${existing.length} groups already; join those first.`,
        {
          existing_group_ids: existing.sort((a, b) => a - b),
        },
      )
    return [{ ref: group.ref, id: existing[0], label: group.label ?? null }]
  })
}
