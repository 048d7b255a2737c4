/** Entries: list, detail, closure, dependents, download, restore (spec 4.2, 4.13; contract-gaps 4). */
import type { entries as contract } from '../../contract/entries.ts'
import { ApiError, validationError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { InputOf } from '../../contract/route.ts'
import { fromCursor, toCursor } from '../cursor.ts'
import { amongIds, amongTexts } from '../database/among.ts'
import type { Fragment, Sql } from '../database/open.ts'
import type { Handlers } from '../handler.ts'
import { weighWants } from '../media/wants.ts'
import { pathKey } from '../push/manifest.ts'
import { selectClosure, selectDependents } from '../rows/closure.ts'
import { requireEntryDetail, requireEntryFace, selectEntries } from '../rows/entry.ts'
import { fileNameOf, findVersion, requireVersionOf } from '../rows/version.ts'
import { withAddresses } from '../storage/file-addresses.ts'
import { blobKey, presignedUntil } from '../storage/storage.ts'

type ListInput = InputOf<(typeof contract)['list']>

export const entries: Handlers<typeof contract> = {
  async list({ sql, workspace, input }) {
    refuseUnbuilt(input)
    const { order = 'asc', limit = limits.page.default, cursor } = input
    const asked = ['entries', 'name', order]
    const after = cursor === undefined ? undefined : fromCursor(asked, cursor, ['text', 'id'])
    const where = [sql`e.workspace_id = ${workspace.id}`, ...filters(sql, input), ...(after ? [beyond(sql, order, after)] : [])]
    const found = await selectEntries(sql, allOf(sql, where), sql`order by ${byName(sql, order)} limit ${limit + 1}`)
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    return { entries: page, next_cursor: last ? toCursor(asked, [last.name, last.id]) : null }
  },

  async get({ sql, workspace, input }) {
    return requireEntryDetail(sql, workspace.id, input.entry_id)
  },

  async closure(request) {
    const { sql, workspace, input } = request
    const face = await requireEntryFace(sql, workspace.id, { entryId: input.entry_id, hold: false })
    const members = await selectClosure(sql, workspace.id, face.object_id)
    return {
      entry_id: face.entry_id,
      root_object_id: face.object_id,
      total_objects: members.length,
      total_bytes: members.reduce((sum, member) => sum + member.blob_size, 0),
      members: input.urls ? await withAddresses(request, members) : members,
    }
  },

  async dependents({ sql, workspace, input }) {
    const face = await requireEntryFace(sql, workspace.id, { entryId: input.entry_id, hold: false })
    const members = await selectDependents(sql, workspace.id, face.object_id)
    return {
      entry_id: face.entry_id,
      root_object_id: face.object_id,
      total_objects: members.length,
      used_by_entries: new Set(members.flatMap((member) => member.entry_id ?? [])).size,
      members,
    }
  },

  async download({ sql, workspace, storage, now, origin, feed, input }) {
    const face = await requireEntryFace(sql, workspace.id, { entryId: input.entry_id, hold: false })
    const version = await requireVersionOf(sql, workspace.id, {
      objectId: input.object_id ?? face.object_id,
      lineageId: face.lineage_id,
    })
    const location = await storage.downloadUrl(blobKey(workspace.id, version.content_hash), {
      contentType: 'application/octet-stream',
      fileName: fileNameOf(version, face.name),
      expiresAt: presignedUntil(now),
      origin,
    })
    await sql`update entries set ever_pulled = true where workspace_id = ${workspace.id} and id = ${face.entry_id} and not ever_pulled`
    feed.happened({ type: 'download.pull', entryId: face.entry_id, lineageId: face.lineage_id, objectId: version.object_id })
    return { location }
  },

  async restore({ sql, workspace, now, feed, input }) {
    const face = await requireEntryFace(sql, workspace.id, { entryId: input.entry_id, hold: true })
    const version = await findVersion(sql, workspace.id, input.object_id)
    if (!version) throw new ApiError('OBJECT_NOT_FOUND', `There is no version ${input.object_id} in this workspace.`)
    if (version.lineage_id !== face.lineage_id)
      throw new ApiError('LINEAGE_CONFLICT', `Version ${input.object_id} belongs to another prop than entry ${face.entry_id}.`)
    if (version.object_id !== face.object_id) {
      await sql`
        update lineages set face_object_id = ${version.object_id} where workspace_id = ${workspace.id} and id = ${face.lineage_id}`
      await weighWants(sql, workspace.id, [face.entry_id])
      await sql`update entries set date_updated = ${now.toISOString()} where workspace_id = ${workspace.id} and id = ${face.entry_id}`
      feed.changed({ entity: 'entry', entityId: face.entry_id, lineageId: face.lineage_id, op: 'upsert' })
      feed.changed({ entity: 'object', entityId: version.object_id, lineageId: face.lineage_id, op: 'upsert' })
      feed.happened({
        type: 'entry.restore',
        entryId: face.entry_id,
        lineageId: face.lineage_id,
        objectId: version.object_id,
        payload: { from_object_id: face.object_id, to_object_id: version.object_id },
      })
    }
    return requireEntryDetail(sql, workspace.id, face.entry_id)
  },
}

/** What GET /entries can be asked today; everything else of the contract is refused by name, never ignored. */
const built = new Set(['limit', 'cursor', 'order', 'pack', 'type', 'origin_path', 'name', 'include_deprecated'])

function refuseUnbuilt(input: ListInput): void {
  const unbuilt = Object.keys(input).filter((key) => !built.has(key) && !(key === 'sort' && input.sort === 'name'))
  if (unbuilt.length > 0)
    throw validationError(unbuilt.map((key) => ({ path: key, message: 'is not available on this server yet; leave it out' })))
}

function filters(sql: Sql, input: ListInput): Fragment[] {
  const list: Fragment[] = []
  if (input.pack) list.push(sql`p.id ${amongIds(sql, input.pack)}`)
  if (input.type) list.push(sql`e.entry_type ${amongTexts(sql, input.type)}`)
  if (input.origin_path) list.push(sql`o.path_key ${amongTexts(sql, input.origin_path.map(pathKey))}`)
  if (input.name) list.push(sql`lower(e.name) collate "C" in (select lower(unnest(${input.name}::text[])) collate "C")`)
  if (!input.include_deprecated) list.push(sql`e.status = 'active'`)
  return list
}

const allOf = (sql: Sql, list: Fragment[]): Fragment => list.reduce((all, one) => sql`${all} and ${one}`)

const byName = (sql: Sql, order: 'asc' | 'desc') =>
  order === 'asc' ? sql`lower(e.name) collate "C", e.id` : sql`lower(e.name) collate "C" desc, e.id desc`

/** The database lowers the name in the cursor as it lowers those it sorts by; nobody else's rules are quite the same. */
const beyond = (sql: Sql, order: 'asc' | 'desc', [name, id]: [name: string, id: number]) =>
  order === 'asc'
    ? sql`(lower(e.name) collate "C", e.id) > (lower(${name}) collate "C", ${id})`
    : sql`(lower(e.name) collate "C", e.id) < (lower(${name}) collate "C", ${id})`
