/** Conflicts of a pull: what is told about each, and who decides. */
import type { Decision } from './pull-decision.ts'
import type { Conflict, ConflictAnswer, PullOptions } from './pull-options.ts'

/** Answers by file; none where the local file is to be kept without a word. */
export async function answerConflicts(
  conflicts: readonly Decision[],
  onConflict: PullOptions['onConflict'] = 'keep',
): Promise<ReadonlyMap<string, ConflictAnswer>> {
  if (conflicts.length === 0) return new Map()
  if (typeof onConflict === 'function') return onConflict(conflicts.flatMap(toldOf))
  return new Map(conflicts.map(({ file }) => [file, onConflict]))
}

const toldOf = ({ file, path, stats, known, landing: { object } }: Decision): Conflict[] =>
  stats
    ? [
        {
          file,
          path,
          size: Number(stats.size),
          modifiedAt: new Date(Number(stats.mtimeNs / 1_000_000n)),
          baseObjectId: known?.base?.lineageId === object.lineage_id ? known.base.objectId : null,
          objectId: object.object_id,
        },
      ]
    : []
