/** Packs: where entries came from (spec 2). */
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { packs as contract, Pack } from '../../contract/packs.ts'
import { fromCursor, toCursor } from '../cursor.ts'
import type { Fragment, Sql } from '../database/open.ts'
import type { Handlers } from '../handler.ts'

export const packs: Handlers<typeof contract> = {
  async list({ sql, workspace, input }) {
    const { limit = limits.page.default, cursor } = input
    const [name, id] = cursor === undefined ? [] : fromCursor('packs', cursor, ['text', 'id'])
    const after = name === undefined || id === undefined ? sql`` : sql`and (p.name collate "C", p.id) > (${name}, ${id})`
    const found = await selectPacks(sql, workspace.id, sql`${after} order by p.name collate "C", p.id limit ${limit + 1}`)
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    return { packs: page, next_cursor: last ? toCursor('packs', [last.name, last.id]) : null }
  },

  async get({ sql, workspace, input }) {
    const [pack] = await selectPacks(sql, workspace.id, sql`and p.id = ${input.pack_id}`)
    if (!pack) throw new ApiError('PACK_NOT_FOUND', `There is no pack ${input.pack_id} in this workspace.`)
    return pack
  },
}

/** `entry_count`: entries whose current version came from the pack; `object_count`: all versions that did. */
const selectPacks = (sql: Sql, workspaceId: number, tail: Fragment) => sql<Pack[]>`
  select p.id, p.name, p.source_path, p.source_type, p.engine_version, p.product_url, p.notes, p.created_by, p.date_added, p.updated_by, p.date_updated,
         (select count(*)::int from objects o where o.workspace_id = p.workspace_id and o.pack_id = p.id) as object_count,
         (select count(*)::int from objects o
            join lineages l on l.workspace_id = o.workspace_id and l.id = o.lineage_id and l.face_object_id = o.id
            join entries e on e.workspace_id = l.workspace_id and e.lineage_id = l.id
           where o.workspace_id = p.workspace_id and o.pack_id = p.id) as entry_count
    from packs p where p.workspace_id = ${workspaceId} ${tail}`
