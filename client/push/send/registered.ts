/** What is remembered of an item that the library has by now. Pure. */
import type { CommitResult } from '../../../contract/push.ts'
import type { ClientError } from '../../client-error.ts'
import type { PushedVersion } from '../../memory/last-push.ts'
import type { FileBased } from '../../memory/project-memory.ts'
import type { ProblemKind } from '../../project/problem.ts'
import { type PushFile, pathOf } from '../../project/project-file.ts'
import { assetClassOf, lastingGuid, nameOf } from '../plan/manifest-item.ts'
import type { PlannedItem } from '../plan/plan.ts'

/** What `ph undo` would have to take back. `faces`: by content hash, what was current before. */
export function pushedOf(
  { item, files: [file] }: PlannedItem,
  result: CommitResult,
  faces: ReadonlyMap<string, number>,
): PushedVersion[] {
  const { status, object_id: objectId, lineage_id: lineageId, parent_object_id: parent, entry_id: entryId } = result
  if (status !== 'new' || objectId === null || lineageId === null) return []
  const beforeObjectId = parent === null ? null : (faces.get(item.content_hash) ?? parent)
  const hash = item.content_hash
  return [{ lineageId, objectId, hash, beforeObjectId, entryId, file: pathOf(file), name: item.entry?.name ?? nameOf(file) }]
}

/** What is remembered of each file with these bytes. `isLoose`: something of its needs is to be told next time. */
export function basesOf({ files, edges }: PlannedItem, result: CommitResult, { isLoose }: { isLoose: boolean }): FileBased[] {
  const { object_id: objectId, lineage_id: lineageId, content_hash: hash } = result
  if (objectId === null || lineageId === null) return []
  return files.map((file) => ({
    file: pathOf(file),
    hash,
    edges: isLoose ? null : edges,
    base: {
      ...{ hash, guid: lastingGuid(file), assetClass: assetClassOf(file), lineageId, objectId },
      entryId: entryOf(file, result),
    },
  }))
}

/** Servers may leave it out of `dedup` (contract-gaps 9): then it is the one that was remembered with the same version. */
export function entryOf({ known }: PushFile, { entry_id, object_id }: CommitResult): number | null {
  const base = known?.base
  return entry_id ?? (base && base.objectId === object_id ? base.entryId : null)
}

export function kindOfFailure({ code }: ClientError): ProblemKind {
  if (code === 'FILE_CHANGED') return 'changed-while-read'
  if (code === 'PROXY_ANSWERED') return 'stopped-on-the-way'
  return code === 'FILE_UNREADABLE' ? 'unreadable-file' : 'upload-failed'
}

export const isRegistered = ({ status }: CommitResult): boolean => status === 'new' || status === 'dedup'
