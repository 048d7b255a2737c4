/** Taking back the last push of a project by one question to the library: all of it, entries that it made included, or nothing. */
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { PushUndoAnswer, PushUse, UndoneLineage } from '../../contract/push-undo.ts'
import type { Api } from '../http/api.ts'
import type { PushedVersion } from '../memory/last-push.ts'
import type { Remembered } from './undo.ts'

/** A version that goes, and what its lineage is without it. */
export interface UndoneVersion {
  version: PushedVersion
  now: UndoneLineage
}

/** `unknown`: an older library, or one that does not know the push. `late`: only for a day is a push taken back whole. */
export type WholeUndo = UndoneVersion[] | 'unknown' | 'late'

/** What it would come to. Throws the CONFLICT of what others use, which `usesIn` reads. */
export async function planWhole({ push }: Remembered, api: Api): Promise<WholeUndo> {
  const { batchKeys, versions } = push
  if (batchKeys.length === 0 || batchKeys.length > limits.pushUndo.batches) return 'unknown'
  try {
    const answer = await api.push.undo({ batch_keys: batchKeys, dry_run: true })
    return pair(versions, answer) ?? 'unknown'
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.status === 404 || error.status === 405) return 'unknown'
    if (error.code === 'CONFLICT' && error.details.pushed_at !== undefined) return 'late'
    throw error
  }
}

/** Repeated after it was cut, it says the same. What is remembered of files here follows; the files stay. */
export async function undoWhole({ push, memory }: Remembered, api: Api): Promise<UndoneVersion[]> {
  const undone = pair(push.versions, await api.push.undo({ batch_keys: push.batchKeys })) ?? []
  for (const { version, now } of undone) await renameBack(version, now, api)
  const gone = undone.filter(({ now }) => now.current === null).map(({ version }) => version)
  memory.forgetObjects(
    gone.map(({ objectId }) => objectId),
    gone.flatMap(({ entryId }) => entryId ?? []),
  )
  memory.bases.rebase(
    undone.flatMap(({ version: { lineageId, objectId: from }, now: { current } }) => {
      if (current === null) return []
      const { object_id: objectId, content_hash: hash, asset_class: assetClass } = current
      return [{ lineageId, from, to: { objectId, hash, assetClass } }]
    }),
  )
  memory.lastPush.clear()
  return undone
}

/** Undefined where a version of the push is of a commit whose key is not remembered. */
function pair(versions: readonly PushedVersion[], { lineages }: PushUndoAnswer): UndoneVersion[] | undefined {
  const byId = new Map(lineages.map((lineage) => [lineage.lineage_id, lineage]))
  const pairs = versions.flatMap((version) => {
    const now = byId.get(version.lineageId)
    return now ? [{ version, now }] : []
  })
  return pairs.length === versions.length ? pairs : undefined
}

async function renameBack({ name, renamedFrom }: PushedVersion, now: UndoneLineage, api: Api): Promise<void> {
  if (renamedFrom && now.entry_id !== null && now.name === name)
    await api.entries.update({ entry_id: now.entry_id, name: renamedFrom })
}

/** What others did with what the push brought; undefined for any other error. */
export function usesIn(error: unknown): PushUse[] | undefined {
  if (!(error instanceof ApiError) || error.code !== 'CONFLICT' || !Array.isArray(error.details.used)) return undefined
  return error.details.used as PushUse[]
}
