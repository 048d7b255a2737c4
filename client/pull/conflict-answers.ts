/** Conflicts of a pull: what is told about each, and who decides. */
import { versionName } from '../entries/current-version.ts'
import type { Api } from '../http/api.ts'
import type { Decision } from './compare.ts'
import type { Conflict, ConflictAnswer, PullParts } from './options.ts'

/** Answers by file; none where the local file is to be kept without a word. */
export async function answerConflicts(
  conflicts: readonly Decision[],
  { options: { onConflict = 'keep' }, api }: Pick<PullParts, 'options' | 'api'>,
): Promise<ReadonlyMap<string, ConflictAnswer>> {
  if (conflicts.length === 0) return new Map()
  if (typeof onConflict === 'function') return onConflict(conflicts.flatMap((one) => toldOf(one, api)))
  return new Map(conflicts.map(({ file }) => [file, onConflict]))
}

function toldOf({ file, path, stats, known, pullFile: { object } }: Decision, api: Api): Conflict[] {
  if (!stats) return []
  const { lineage_id, object_id: objectId } = object
  const baseObjectId = known?.base?.lineageId === lineage_id ? known.base.objectId : null
  return [
    {
      file,
      path,
      size: Number(stats.size),
      modifiedAt: new Date(Number(stats.mtimeNs / 1_000_000n)),
      baseObjectId,
      objectId,
      async versionNames() {
        const { objects } = await api.lineages.get({ lineage_id: lineage_id })
        const nameOf = (id: number) => versionName(objects.find(({ object_id }) => object_id === id) ?? { object_id: id })
        return { base: baseObjectId === null ? null : nameOf(baseObjectId), pulled: nameOf(objectId) }
      },
    },
  ]
}
