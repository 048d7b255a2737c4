/** The one way in which a person moves a current version: restoring one, or naming it in a PATCH (spec 4.12; contract-gaps 4). */
import { ApiError } from '../../contract/errors.ts'
import { moveBases } from '../check-out/bases.ts'
import { requireUnlocked } from '../check-out/locked.ts'
import type { Context } from '../handler.ts'
import { updateWants } from '../media/awaited-media.ts'
import { completeAwaitedBy } from '../rows/awaited.ts'
import { type EntryFace, requireEntryFace } from '../rows/entry.ts'
import { noteFileNames } from '../rows/former/entry-names.ts'
import { lockWorkspace } from '../rows/hold.ts'
import { placeAgain } from '../rows/places.ts'
import { upgradeBefore } from '../rows/upgrade/references.ts'
import { findVersion, requireVersionOf, type Version } from '../rows/version.ts'
import { restoreSetsOf } from './restored-set.ts'

interface Move {
  entryId: number
  objectId: number
  /** The current version as last seen; any when left out. */
  expectedId?: number | null | undefined
}

/** Who may move it is decided here, while the lineage is held. The version that is current already: nothing is recorded. */
export async function moveFace(context: Context, { entryId, objectId, expectedId }: Move): Promise<void> {
  const { sql, workspace, actor, now, feed } = context
  await lockForSets(context, objectId)
  await holdPackOf(context, objectId)
  const face = await requireEntryFace(sql, workspace.id, { entryId, hold: true })
  const version = await requireVersionOf(sql, workspace.id, { objectId, lineageId: face.lineage_id })
  if (version.object_id === face.object_id) return
  await requireUnlocked(context, face.lineage_id)
  if (expectedId && expectedId !== face.object_id) throw staleFace(face, { version, expectedId })
  await sql`
    update lineages
       set face_object_id = ${version.object_id}, face_how = 'restore', face_since = ${now.toISOString()}, face_by = ${actor.id}
     where workspace_id = ${workspace.id} and id = ${face.lineage_id}`
  await moveBases(context, new Map([[face.lineage_id, version.object_id]]))
  await updateWants(sql, workspace.id, [face.entry_id])
  await noteFileNames(context, [face.entry_id])
  await sql`update entries set date_updated = ${now.toISOString()} where workspace_id = ${workspace.id} and id = ${face.entry_id}`
  feed.entriesChanged([{ id: face.entry_id, lineage_id: face.lineage_id }])
  feed.changed({ entity: 'object', entityId: version.object_id, lineageId: face.lineage_id, op: 'upsert' })
  await placeAgain(sql, workspace.id, [version.object_id])
  await completeAwaitedBy(context, [version.object_id])
  if (version.asset_class === 'World') await restoreSetsOf(context, { face, objectId: version.object_id })
  feed.happened({
    type: 'entry.restore',
    entryId: face.entry_id,
    lineageId: face.lineage_id,
    objectId: version.object_id,
    payload: { from_object_id: face.object_id, to_object_id: version.object_id },
  })
}

/** Sets are made one after the other, as commits are. */
async function lockForSets(context: Context, objectId: number): Promise<void> {
  const { sql, workspace } = context
  const version = await findVersion(sql, workspace.id, objectId)
  if (version?.asset_class !== 'World') return
  await lockWorkspace(sql, workspace.id)
  await upgradeBefore(context, [version.lineage_id])
}

const staleFace = (face: EntryFace, { version, expectedId }: { version: Version; expectedId: number }): ApiError =>
  new ApiError('STALE_FACE', `${face.name}: another version is current by now. Look at it, then restore again.`, {
    lineage_id: face.lineage_id,
    expected_face_object_id: expectedId,
    actual_face_object_id: face.object_id,
    content_hash: version.content_hash,
  })

/**
 * The entry comes to show the version's pack: who renames or deletes that one waits, and then knows of the entry. A pack that is
 * deleted while this waits for it leaves the version to another one, which is held then.
 */
async function holdPackOf({ sql, workspace }: Context, objectId: number): Promise<void> {
  for (;;) {
    const [held] = await sql`
      select p.id from objects o join packs p on p.workspace_id = o.workspace_id and p.id = o.pack_id
       where o.workspace_id = ${workspace.id} and o.id = ${objectId} for key share of p`
    if (held || !(await findVersion(sql, workspace.id, objectId))) return
  }
}
