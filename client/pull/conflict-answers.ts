/** Conflicts of a pull: which files are asked about, what is told about each, and who decides. */
import { versionName } from '../entries/current-version.ts'
import type { Decision } from './compare.ts'
import type { Conflict, ConflictAnswer, PullParts } from './options.ts'

interface Asking extends Pick<PullParts, 'options' | 'api'> {
  jobId: number
  signal: AbortSignal
}

/** What is open in an editor is asked about too: what it saves next would be an edit of a version that is gone. */
export const needsAnswer = (decision: Decision, options: Pick<PullParts['options'], 'isOpen'>): boolean =>
  decision.action === 'conflict' || (decision.action === 'safe_overwrite' && isOpen(decision, options))

export const isOpen = ({ pullFile }: Decision, options: Pick<PullParts['options'], 'isOpen'>): boolean =>
  options.isOpen?.(pullFile.destination) === true

/** Answers by file; none where the local file is to be kept without a word. */
export async function answerConflicts(
  conflicts: readonly Decision[],
  asking: Asking,
): Promise<ReadonlyMap<string, ConflictAnswer>> {
  // Another prop gives way only where its own file was named.
  const isTheirs = ({ pullFile, file, other }: Decision) => {
    const named = asking.options.theirs?.get(pullFile.object.lineage_id)
    return named !== undefined && (!other || named.includes(file))
  }
  const theirs = conflicts.filter(isTheirs).map(({ file }) => [file, 'overwrite'] as const)
  const others = conflicts.filter((one) => !isTheirs(one))
  return new Map([...(await answerOthers(others, asking)), ...theirs])
}

async function answerOthers(conflicts: readonly Decision[], asking: Asking): Promise<ReadonlyMap<string, ConflictAnswer>> {
  const { onConflict = 'keep' } = asking.options
  if (conflicts.length === 0) return new Map()
  if (typeof onConflict === 'function')
    return onConflict(
      conflicts.flatMap((one) => toldOf(one, asking)),
      asking.signal,
    )
  return new Map(conflicts.map(({ file }) => [file, onConflict]))
}

function toldOf(decision: Decision, { api, jobId, options }: Asking): Conflict[] {
  const { file, path, stats, known, localHash, action, pullFile, other } = decision
  const { object, name, destination } = pullFile
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
      ...{ lineageId: lineage_id, jobId, name, destination },
      ...{ localHash, hash: object.content_hash, pulledSize: object.blob_size },
      ...(other ? { other } : {}),
      isChanged: action === 'conflict',
      isOpen: isOpen(decision, options),
      async versionNames() {
        const { objects } = await api.lineages.get({ lineage_id: lineage_id })
        // A version that the library lost has no name there, and its number may be another one's by now.
        const base = objects.find(
          ({ object_id, content_hash }) => object_id === baseObjectId && content_hash === known?.base?.hash,
        )
        const pulled = objects.find(({ object_id }) => object_id === objectId) ?? { object_id: objectId }
        return { base: base ? versionName(base) : null, pulled: versionName(pulled) }
      },
    },
  ]
}
