/** Entries: list, detail, closure, dependents, download, restore, changes by hand, deletion (spec 4.2, 4.12, 4.13; contract-gaps 4). */
import type { entries as contract } from '../../contract/entries.ts'
import { validationError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { InputOf } from '../../contract/route.ts'
import { deleteForGood } from '../curation/deletion.ts'
import { patchEntry } from '../curation/entry-patch.ts'
import { moveFace } from '../curation/face.ts'
import { fromCursor, toCursor } from '../cursor.ts'
import { amongIds, amongTexts } from '../database/among.ts'
import type { Fragment, Sql } from '../database/open.ts'
import type { Handlers } from '../handler.ts'
import { pathKey } from '../push/manifest.ts'
import { selectClosure, selectDependents } from '../rows/closure.ts'
import { requireEntryDetail, requireEntryFace, selectEntries, selectEntryDetails } from '../rows/entry.ts'
import { takeTurn } from '../rows/hold.ts'
import { fileNameOf, requireVersionOf } from '../rows/version.ts'
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

  async find({ sql, workspace, input }) {
    return { entries: await selectEntryDetails(sql, workspace.id, [...new Set(input.entry_ids)]) }
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
    // Whoever deletes the entry waits, and then knows that it was downloaded; or has been faster, and there is none.
    await sql`select id from entries where workspace_id = ${workspace.id} and id = ${input.entry_id} for key share`
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

  async restore(request) {
    const { entry_id: entryId, object_id: objectId } = request.input
    await moveFace(request, { entryId, objectId })
    return requireEntryDetail(request.sql, request.workspace.id, entryId)
  },

  update: patchEntry,

  async remove(request) {
    const { sql, workspace, input } = request
    await takeTurn(sql, workspace.id)
    const { entry_id } = await requireEntryFace(sql, workspace.id, { entryId: input.entry_id, hold: false })
    await deleteForGood(request, { entryIds: [entry_id] })
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
