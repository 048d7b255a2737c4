/** Entries: list, facets, detail, closure, dependents, download, restore, changes by hand, deletion (spec 4.2, 4.12, 4.13; contract-gaps 4). */

import type { entries as contract } from '../../contract/entries.ts'
import { ApiError, validationError } from '../../contract/errors.ts'
import type { InputOf } from '../../contract/route.ts'
import { moveFace } from '../curation/current-version.ts'
import { deleteForGood } from '../curation/deletion.ts'
import { patchEntry } from '../curation/entry-patch.ts'
import { restoreSet } from '../curation/restored-set.ts'
import { amongIds } from '../database/among.ts'
import { closureOf, dependentsOf, partsOf } from '../dependencies/entry-parts.ts'
import type { Context, Handlers } from '../handler.ts'
import { viewOf } from '../rows/comment.ts'
import { requireEntryDetail, requireEntryFace, selectEntryDetails } from '../rows/entry.ts'
import { notePull } from '../rows/first-steps.ts'
import { holdEntries, lockWorkspace } from '../rows/hold.ts'
import { fileNameOf, requireVersionOf } from '../rows/version.ts'
import { searchByImage } from '../search/likeness.ts'
import { countFacets, listEntries } from '../search/list.ts'
import { withAddresses } from '../storage/file-addresses.ts'
import { blobKey, presignedUntil } from '../storage/storage.ts'

export const entries: Handlers<typeof contract> = {
  list: listEntries,

  facets: countFacets,

  searchByImage,

  async get(request) {
    const entry = await requireEntryDetail(request.sql, viewOf(request), request.input.entry_id)
    const { include } = request.input
    return include ? { ...entry, parts: await partsOf(request, entry, include) } : entry
  },

  async find(request) {
    return { entries: await selectEntryDetails(request.sql, viewOf(request), [...new Set(request.input.entry_ids)]) }
  },

  async closure(request) {
    const closure = await closureOf(request, request.input)
    return request.input.urls ? { ...closure, members: await withAddresses(request, closure.members) } : closure
  },

  dependents: ({ sql, workspace, input }) => dependentsOf(sql, workspace.id, input),

  async download({ sql, workspace, actor, storage, now, origin, feed, input }) {
    // Who deletes the entry waits, and then knows that it was downloaded; or has been faster, and there is none.
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
    await notePull({ sql, workspace, actor, now })
    return { location }
  },

  async downloads(request) {
    const { sql, workspace, feed, input } = request
    // As in `download`, for all of them in one order.
    await holdEntries(
      sql,
      workspace.id,
      input.entries.map(({ entry_id }) => entry_id),
    )
    const files = await requireAsked(request)
    const ids = files.map(({ entry_id }) => entry_id)
    await sql`update entries set ever_pulled = true where workspace_id = ${workspace.id} and id ${amongIds(sql, ids)} and not ever_pulled`
    for (const { entry_id, lineage_id, object_id } of files)
      feed.happened({ type: 'download.pull', entryId: entry_id, lineageId: lineage_id, objectId: object_id })
    await notePull(request)
    return { files: (await withAddresses(request, files)).map(({ lineage_id: _lineage, ...file }) => file) }
  },

  async restore(request) {
    const { entry_id: entryId, object_id: objectId, set: setId, expected_face_object_id: expectedId } = request.input
    if ((objectId === undefined) === (setId === undefined))
      throw validationError([{ path: 'object_id', message: 'or `set` must be given, one of the two' }])
    if (objectId !== undefined) await moveFace(request, { entryId, objectId, expectedId })
    if (setId !== undefined) await restoreSet(request, { entryId, setId })
    return requireEntryDetail(request.sql, viewOf(request), entryId)
  },

  update: patchEntry,

  async remove(request) {
    const { sql, workspace, input } = request
    await lockWorkspace(sql, workspace.id)
    const { entry_id } = await requireEntryFace(sql, workspace.id, { entryId: input.entry_id, hold: false })
    await deleteForGood(request, { entryId: entry_id })
  },
}

interface AskedFile {
  entry_id: number
  lineage_id: string
  object_id: number
  content_hash: string
}

/** In the order of the request; a version of another prop is one that the entry does not have. */
async function requireAsked({ sql, workspace, input }: Context & { input: InputOf<(typeof contract)['downloads']> }) {
  const found = await sql<(Omit<AskedFile, 'content_hash'> & { lineage_id: string | null; content_hash: string | null })[]>`
    select asked.entry_id, asked.object_id, e.lineage_id, o.content_hash
      from unnest(${input.entries.map(({ entry_id }) => entry_id)}::bigint[], ${input.entries.map(({ object_id }) => object_id)}::bigint[])
           with ordinality as asked (entry_id, object_id, position)
      left join entries e on e.workspace_id = ${workspace.id} and e.id = asked.entry_id
      left join objects o on o.workspace_id = ${workspace.id} and o.id = asked.object_id and o.lineage_id = e.lineage_id
     order by asked.position`
  const [missing, unknown] = [found.filter((one) => one.lineage_id === null), found.filter((one) => one.content_hash === null)]
  const [entry] = missing
  if (entry)
    throw new ApiError('ENTRY_NOT_FOUND', `There is no entry ${entry.entry_id} in this workspace.`, {
      missing: missing.map(({ entry_id }) => entry_id),
    })
  const [version] = unknown
  if (version)
    throw new ApiError('OBJECT_NOT_FOUND', `Entry ${version.entry_id} has no version ${version.object_id}.`, {
      missing: unknown.map(({ object_id }) => object_id),
    })
  return found as AskedFile[]
}
