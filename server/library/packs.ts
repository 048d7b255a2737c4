/** Packs: where entries came from (spec 2, 4.12). An entry shows the name of its pack. */

import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { packs as contract, Pack } from '../../contract/packs.ts'
import { deleteForGood } from '../curation/deletion.ts'
import { sentFields } from '../curation/sent-fields.ts'
import { fromCursor, toCursor } from '../cursor.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import type { Handlers } from '../handler.ts'
import { composed, knownPackFields } from '../push/unknowns.ts'
import { lockWorkspace } from '../rows/hold.ts'
import { countEntriesOfPack, selectEntriesOfPack } from '../rows/pack.ts'
import { entriesByPack } from '../search/rollups.ts'

export const packs: Handlers<typeof contract> = {
  async list({ sql, workspace, catalogs, input }) {
    const { limit = limits.page.default, cursor } = input
    const [name, id] = cursor === undefined ? [] : fromCursor(['packs', workspace.id], cursor, ['text', 'id'])
    const after = name === undefined || id === undefined ? sql`` : sql`and (p.name collate "C", p.id) > (${name}, ${id})`
    const counts = entriesByPack(await catalogs.at(workspace.id))
    const found = await selectPacks(sql, workspace.id, sql`${after} order by p.name collate "C", p.id limit ${limit + 1}`)
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    return {
      packs: page.map((pack) => ({ ...pack, entry_count: counts.get(pack.id) ?? 0 })),
      next_cursor: last ? toCursor(['packs', workspace.id], [last.name, last.id]) : null,
    }
  },

  async get({ sql, workspace, catalogs, input }) {
    const counts = entriesByPack(await catalogs.at(workspace.id))
    const pack = await requirePack(sql, workspace.id, input.pack_id)
    return { ...pack, entry_count: counts.get(pack.id) ?? 0 }
  },

  async create({ sql, workspace, actor, now, input }) {
    const { source_path = null, engine_version = null, product_url = null, notes = null } = knownPackFields(input)
    const name = composed(input.name)
    const at = now.toISOString()
    await lockWorkspace(sql, workspace.id)
    await requireFreeName(sql, workspace.id, { name })
    const by = { created_by: actor.id, date_added: at, updated_by: actor.id, date_updated: at }
    const said = { name, source_path, source_type: input.source_type ?? 'uasset', engine_version, product_url, notes }
    const [made] = await sql<{ id: number }[]>`
      insert into packs ${sql({ workspace_id: workspace.id, ...said, ...by })} returning id`
    if (!made) throw new Error('the pack was not recorded')
    return { ...(await requirePack(sql, workspace.id, made.id)), entry_count: 0 }
  },

  async update({ sql, workspace, actor, now, feed, input }) {
    const known = knownPackFields({ ...input, ...(input.name !== undefined && { name: composed(input.name) }) })
    const sent = sentFields(known, ['name', 'source_path', 'source_type', 'engine_version', 'product_url', 'notes'])
    if (input.name !== undefined) await lockWorkspace(sql, workspace.id)
    const pack = await holdPack(sql, workspace.id, input.pack_id)
    if (input.name !== undefined) await requireFreeName(sql, workspace.id, { name: composed(input.name), except: pack.id })
    const changes = { ...sent, updated_by: actor.id, date_updated: now.toISOString() }
    await sql`update packs set ${sql(changes)} where workspace_id = ${workspace.id} and id = ${pack.id}`
    if (input.name !== undefined && input.name !== pack.name)
      feed.entriesChanged(await selectEntriesOfPack(sql, workspace.id, pack.id))
    const entry_count = await countEntriesOfPack(sql, workspace.id, pack.id)
    return { ...(await requirePack(sql, workspace.id, pack.id)), entry_count }
  },

  async remove(request) {
    const { sql, workspace, input } = request
    await lockWorkspace(sql, workspace.id)
    const pack = await holdPack(sql, workspace.id, input.pack_id)
    const deleted = await deleteForGood(request, { packId: pack.id })
    await sql`delete from packs where workspace_id = ${workspace.id} and id = ${pack.id}`
    return {
      pack_id: pack.id,
      name: pack.name,
      deleted_entries: deleted.entries,
      deleted_objects: deleted.objects,
      kept_shared_objects: deleted.kept,
      storage: { unused_files: deleted.unusedFiles, unused_bytes: deleted.unusedBytes },
    }
  },
}

const packNotFound = (id: number) => new ApiError('PACK_NOT_FOUND', `There is no pack ${id} in this workspace.`)

type PackRow = Omit<Pack, 'entry_count'>

async function requirePack(sql: Sql, workspaceId: number, id: number): Promise<PackRow> {
  const [pack] = await selectPacks(sql, workspaceId, sql`and p.id = ${id}`)
  if (!pack) throw packNotFound(id)
  return pack
}

/** Until the transaction ends. Who makes a version of it current waits. */
async function holdPack(sql: Sql, workspaceId: number, id: number): Promise<{ id: number; name: string }> {
  const [pack] = await sql<{ id: number; name: string }[]>`
    select id, name from packs where workspace_id = ${workspaceId} and id = ${id} for update`
  if (!pack) throw packNotFound(id)
  return pack
}

/** Whatever its letters, one pack has a name: CONFLICT with `details.existing_id`. `except`: the pack that gets it. Under the lock of the workspace. */
async function requireFreeName(
  sql: Sql,
  workspaceId: number,
  { name, except = 0 }: { name: string; except?: number },
): Promise<void> {
  const [existing] = await sql<{ id: number; name: string }[]>`
    select id, name from packs where workspace_id = ${workspaceId} and lower(name) = lower(${name}) and id <> ${except} order by id limit 1`
  if (existing) throw new ApiError('CONFLICT', `There is a pack named "${existing.name}" already.`, { existing_id: existing.id })
}

/**
 * `object_count`: all versions that came from the pack. How many entries show it is for the catalog to say: the database would go to each
 * of these versions, seconds for a large pack.
 */
const selectPacks = (sql: Sql, workspaceId: number, tail: Fragment) => sql<PackRow[]>`
  select p.id, p.name, p.source_path, p.source_type, p.engine_version, p.product_url, p.notes, p.created_by, p.date_added, p.updated_by, p.date_updated,
         (select count(*)::int from objects o where o.workspace_id = p.workspace_id and o.pack_id = p.id) as object_count
    from packs p where p.workspace_id = ${workspaceId} ${tail}`
