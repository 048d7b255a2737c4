/** Makes sets of merged changes, and says what became of them (contract-gaps 9). */

import type { PartsOutcome } from '../../../contract/level-sets.ts'
import type { Manifest } from '../../../contract/push.ts'
import { takeIds } from '../../database/ids.ts'
import { type NewSet, writeSets } from '../../rows/levels/set-changes.ts'
import { selectVersionsWithSet } from '../../rows/levels/sets.ts'
import type { Facts, Pushing } from '../facts.ts'
import type { Outcome } from '../outcome.ts'
import type { LevelMerge, PartsPlan } from './merge.ts'

/** By content hash of the level: the sets that a commit makes. A new version of a level has a set of its own, whether its parts changed or not. */
export async function makeSets(
  pushing: Pushing,
  {
    plan: { merges, projectId },
    outcome,
    facts,
    manifest,
    pushId,
  }: { plan: PartsPlan; outcome: Outcome; facts: Facts; manifest: Manifest; pushId: number | undefined },
): Promise<Map<string, NewSet>> {
  const idOf = (hash: string) => outcome.versions.get(hash)?.objectId ?? facts.objects.get(hash)?.id
  const levels = [...merges.values()].flatMap((merge) => {
    const hash = merge.item.content_hash
    const lineageId = merge.lineageId ?? outcome.byHash.get(hash)?.id
    const objectId = idOf(hash) ?? facts.lineages.get(merge.lineageId ?? '')?.face_object_id
    return lineageId === undefined || objectId === undefined ? [] : [{ hash, merge, lineageId, objectId }]
  })
  if (levels.length === 0) return new Map()
  const known = await selectVersionsWithSet(pushing.sql, pushing.workspace.id, {
    objectIds: levels.map(({ objectId }) => objectId),
    projectId,
  })
  const changed = levels.filter(({ merge: { put, remove, newest, base }, objectId }) => {
    const isFirst = !known.has(objectId) && (newest ?? base)?.parts
    return put.length + remove.length > 0 || isFirst
  })
  const ids = await takeIds(pushing.sql, 'level_sets', changed.length)
  const sets = changed.map(({ hash, merge, lineageId, objectId }, at): [string, NewSet] => {
    const { newest, base, added, remove } = merge
    const put = merge.put.flatMap(({ path_key, hash }) => {
      const object_id = idOf(hash)
      return object_id === undefined ? [] : [{ path_key, object_id }]
    })
    const before = (newest ?? base)?.parts ?? 0
    return [
      hash,
      {
        ...{
          id: Number(ids[at]),
          lineage_id: lineageId,
          project_id: projectId,
          number: (newest?.number ?? 0) + 1,
          object_id: objectId,
        },
        ...{ parts: before + added - remove.length, added, changed: put.length - added, removed: remove.length },
        ...{ copyOf: newest ? undefined : base, put, remove },
      },
    ]
  })
  await writeSets(
    { ...pushing, pushId },
    sets.map(([, set]) => set),
    manifest.note,
  )
  return new Map(sets)
}

/** What is answered of a level's parts; `made` is the set that the commit made of them. */
export function partsOutcome(merge: LevelMerge | undefined, made?: NewSet): { parts?: PartsOutcome } {
  if (!merge) return {}
  const { newest, base, kept, put, remove, added } = merge
  const [set, number] = made ? [made.id, made.number] : [newest?.id ?? null, newest?.number ?? null]
  const before = newest?.id ?? base?.id ?? null
  const total = ((newest ?? base)?.parts ?? 0) + added - remove.length
  const counts = { added, changed: put.length - added, removed: remove.length, parts: total, stale: merge.stale }
  return { parts: { set, number, base: base?.id ?? null, before, ...counts, kept } }
}
