/** The variant groups of a push: entries that are one prop in several looks (spec 4.9). */
import { ApiError, validationError } from '../../../contract/errors.ts'
import type { Manifest } from '../../../contract/push.ts'
import { recordGroups } from '../../curation/groups.ts'
import { amongIds } from '../../database/among.ts'
import { takeIds } from '../../database/ids.ts'
import type { Context } from '../../handler.ts'

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
  if (chosen.length === 0) return {}
  const fresh = chosen.filter((group) => group.id === undefined)
  const made = await takeIds(sql, 'variant_groups', fresh.length)
  const rows = chosen.map((group) => ({ ref: group.ref, id: group.id ?? Number(made.pop()), label: group.label }))
  const ids = Object.fromEntries(rows.map((row) => [row.ref, row.id]))
  const joining = grouped
    .filter((one) => one.groupId === null)
    .map((one) => ({ entry_id: one.entryId, group_id: ids[one.ref] ?? null }))
  const named = await writeGroups(context, rows)
  if (joining.length > 0)
    await sql`
    update entries e set variant_group_id = r.group_id
      from jsonb_to_recordset(${sql.json(joining)}) as r(entry_id bigint, group_id bigint)
     where e.workspace_id = ${workspace.id} and e.id = r.entry_id`
  await recordGroups(context, [...named, ...joining.flatMap((one) => one.group_id ?? [])])
  return ids
}

/** Makes groups, and names those that have no name yet; several refs may mean one group. Gives the groups that were named now. */
async function writeGroups({ sql, workspace }: Context, rows: { id: number; label: string | null }[]): Promise<number[]> {
  await sql`
    insert into variant_groups (workspace_id, id)
    select ${workspace.id}, unnest(${[...new Set(rows.map((row) => row.id))]}::bigint[])
    on conflict do nothing`
  const labels = new Map(rows.filter((row) => row.label).map((row) => [row.id, row.label]))
  if (labels.size === 0) return []
  const named = await sql<{ id: number }[]>`
    update variant_groups g set label = r.label
      from jsonb_to_recordset(${sql.json([...labels].map(([id, label]) => ({ id, label })))}) as r(id bigint, label text)
     where g.workspace_id = ${workspace.id} and g.id = r.id and g.label is null returning g.id`
  return named.map((row) => row.id)
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
