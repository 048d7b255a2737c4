/** Gives a level the parts of an earlier set again: as a new set, equal to that one (contract-gaps 9). */
import { ApiError } from '../../contract/errors.ts'
import { takeIds } from '../database/ids.ts'
import type { Context } from '../handler.ts'
import { type EntryFace, requireEntryFace } from '../rows/entry.ts'
import { lockWorkspace } from '../rows/hold.ts'
import { type NewSet, selectWayBack, writeSets } from '../rows/levels/set-changes.ts'
import { type KnownSet, selectNewestSets, selectPushedSets, selectSets } from '../rows/levels/sets.ts'

/** In the project whose set it is. OBJECT_NOT_FOUND where there is no such set, LINEAGE_CONFLICT where it is another level's. */
export async function restoreSet(context: Context, { entryId, setId }: { entryId: number; setId: number }): Promise<void> {
  const { sql, workspace } = context
  await lockWorkspace(sql, workspace.id)
  const face = await requireEntryFace(sql, workspace.id, { entryId, hold: true })
  const set = (await selectSets(sql, workspace.id, [setId])).get(setId)
  if (!set) throw new ApiError('OBJECT_NOT_FOUND', `There is no set ${setId} of parts of a level in this workspace.`)
  if (set.lineage_id !== face.lineage_id)
    throw new ApiError('LINEAGE_CONFLICT', `Set ${setId} is one of another level than ${face.name}.`)
  await recordEqual(context, { face, objectId: face.object_id, sets: [set] })
}

/** What every project had of a level when it last pushed this version of it. The caller holds the level and the lock of the workspace. */
export async function restoreSetsOf(context: Context, { face, objectId }: { face: EntryFace; objectId: number }): Promise<void> {
  const sets = await selectPushedSets(context.sql, context.workspace.id, { lineageId: face.lineage_id, objectId })
  await recordEqual(context, { face, objectId, sets })
}

/** A set that is the newest, or equal to it, makes none. */
async function recordEqual(
  context: Context,
  { face, objectId, sets }: { face: EntryFace; objectId: number; sets: readonly KnownSet[] },
): Promise<void> {
  const { sql, workspace, feed } = context
  for (const to of sets) {
    const of = { lineageIds: [face.lineage_id], projectId: to.project_id }
    const newest = (await selectNewestSets(sql, workspace.id, of)).get(face.lineage_id)
    if (!newest || newest.id === to.id) continue
    const way = await selectWayBack(sql, workspace.id, { newest, to })
    if (way.length === 0) continue
    const put = way.flatMap(({ path_key, then }) => (then === null ? [] : [{ path_key, object_id: then }]))
    const remove = way.flatMap(({ path_key, then }) => (then === null ? [path_key] : []))
    const added = way.filter(({ now }) => now === null).length
    const [id] = await takeIds(sql, 'level_sets', 1)
    const made: NewSet = {
      ...{
        id: Number(id),
        lineage_id: face.lineage_id,
        project_id: to.project_id,
        number: newest.number + 1,
        object_id: objectId,
      },
      ...{ parts: to.parts, added, changed: put.length - added, removed: remove.length, copyOf: undefined, put, remove },
    }
    await writeSets(context, [made])
    feed.entriesChanged([{ id: face.entry_id, lineage_id: face.lineage_id }])
    feed.happened({
      type: 'entry.restore',
      entryId: face.entry_id,
      lineageId: face.lineage_id,
      objectId,
      payload: {
        ...{ from_object_id: face.object_id, to_object_id: objectId },
        parts: { set: made.id, number: made.number, equal_to: to.number, added, changed: made.changed, removed: made.removed },
      },
    })
  }
}
