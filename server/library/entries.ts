/** Entries: list, facets, detail, closure, dependents, download, restore, changes by hand, deletion (spec 4.2, 4.12, 4.13; contract-gaps 4). */

import type { entries as contract } from '../../contract/entries.ts'
import { moveFace } from '../curation/current-version.ts'
import { deleteForGood } from '../curation/deletion.ts'
import { patchEntry } from '../curation/entry-patch.ts'
import { readClosure, readDependents } from '../dependencies/closure.ts'
import type { Handlers } from '../handler.ts'
import { viewOf } from '../rows/comment.ts'
import { requireEntryDetail, requireEntryFace, selectEntryDetails } from '../rows/entry.ts'
import { notePull } from '../rows/first-steps.ts'
import { lockWorkspace } from '../rows/hold.ts'
import { withLocks } from '../rows/lock.ts'
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
    return requireEntryDetail(request.sql, viewOf(request), request.input.entry_id)
  },

  async find(request) {
    return { entries: await selectEntryDetails(request.sql, viewOf(request), [...new Set(request.input.entry_ids)]) }
  },

  async closure(request) {
    const { sql, workspace, input } = request
    const { entry_id: entryId, object_id: objectId, dependencies, project } = input
    const { face, rootId, members } = await readClosure(sql, workspace.id, { entryId, objectId, versions: dependencies, project })
    return {
      entry_id: face.entry_id,
      root_object_id: rootId,
      ...(dependencies && { dependencies }),
      total_objects: members.length,
      total_bytes: members.reduce((sum, member) => sum + member.blob_size, 0),
      members: await withLocks(request, input.urls ? await withAddresses(request, members) : members),
    }
  },

  async dependents({ sql, workspace, input }) {
    const { face, members } = await readDependents(sql, workspace.id, input.entry_id)
    return {
      entry_id: face.entry_id,
      root_object_id: face.object_id,
      total_objects: members.length,
      used_by_entries: new Set(members.flatMap((member) => member.entry_id ?? [])).size,
      members,
    }
  },

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

  async restore(request) {
    const { entry_id: entryId, object_id: objectId, expected_face_object_id: expectedId } = request.input
    await moveFace(request, { entryId, objectId, expectedId })
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
