/**
 * The last push of a project, and taking it back version by version, where the library cannot take it back whole (undo-whole.ts): what can be
 * done about each version that it made current, and doing it.
 */
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import type { EntryDetail } from '../../contract/entries.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Lineage, LineageObject } from '../../contract/lineages.ts'
import { versionName } from '../entries/current-version.ts'
import { type Folders, projectStateFile } from '../folders.ts'
import type { Api } from '../http/api.ts'
import type { LastPush, PushedVersion, PushRun } from '../memory/last-push.ts'
import { ProjectMemory } from '../memory/project-memory.ts'
import { holdsDescriptor } from '../project/unreal-project.ts'

/** `nothing`: it is as before the push already. */
export type UndoStep =
  | { kind: 'restore'; to: LineageObject }
  | { kind: 'delete' }
  | { kind: 'nothing' }
  | { kind: 'refused'; why: ApiError }

export interface Remembered {
  root: string
  memory: ProjectMemory
  push: NonNullable<ReturnType<LastPush['read']>>
}

/** The memory of the project or folder that `folder` lies in; undefined where no push from there is remembered. To be closed. */
export function openLastPush(folder: string, { folders, url }: { folders: Folders; url: string }): Remembered | undefined {
  for (let root = folder; ; root = dirname(root)) {
    const path = projectStateFile(folders, url, root)
    if (existsSync(path)) {
      const memory = new ProjectMemory(path, { address: url, root })
      const push = memory.lastPush.read()
      if (push) return { root, memory, push }
      memory.close()
    }
    if (holdsDescriptor(root) || dirname(root) === root) return undefined
  }
}

export interface PushedFolder {
  root: string
  /** ISO time. */
  begunAt: string
}

/** Folders that are there and whose last push to this workspace is not undone yet, the latest first. Changes no memory. */
export function pushedFolders({ folders, url }: { folders: Folders; url: string }): PushedFolder[] {
  const memories = dirname(projectStateFile(folders, url, ''))
  const files = existsSync(memories) ? readdirSync(memories).filter((name) => name.endsWith('.sqlite')) : []
  return files.flatMap((name) => pushedFolder(join(memories, name), url) ?? []).sort((a, b) => (a.begunAt < b.begunAt ? 1 : -1))
}

/** Undefined too where the memory is damaged, or that of an older ph: a list of what there is does not fail for one of them. */
function pushedFolder(path: string, url: string): PushedFolder | undefined {
  try {
    const db = new Database(path, { readonly: true, fileMustExist: true })
    try {
      const rows = db.prepare<[], [string, string]>('select key, value from remembered').raw().all()
      const { address, root, last_push: run } = Object.fromEntries(rows as unknown as [string, string][])
      const isThere = address === url && root !== undefined && run !== undefined && existsSync(root)
      if (!isThere || db.prepare('select 1 from pushed').get() === undefined) return undefined
      return { root, begunAt: (JSON.parse(run) as PushRun).begunAt }
    } finally {
      db.close()
    }
  } catch (error) {
    if (error instanceof Database.SqliteError || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** What takes a version back. */
export async function stepFor(
  version: PushedVersion,
  entry: EntryDetail,
  { api, isAdmin }: { api: Api; isAdmin: boolean },
): Promise<UndoStep> {
  const { lineageId, objectId, beforeObjectId } = version
  if (entry.lineage_id !== lineageId) return { kind: 'refused', why: setBack(entry.name) }
  if (entry.object_id === beforeObjectId) return { kind: 'nothing' }
  const lineage = await api.lineages.get({ lineage_id: lineageId })
  if (isOthers(lineage, version)) return { kind: 'refused', why: setBack(entry.name) }
  if (entry.object_id === objectId && beforeObjectId === null) return deletion(entry, isAdmin)
  if (lineage.face_object_id !== objectId) return { kind: 'refused', why: overtaken(lineage, entry.name) }
  const to = lineage.objects.find(({ object_id }) => object_id === beforeObjectId)
  if (to) return { kind: 'restore', to }
  const message = `The version of ${entry.name} from before the push is not in the library any more. Choose another with \`ph restore\`.`
  return { kind: 'refused', why: new ApiError('OBJECT_NOT_FOUND', message) }
}

/** A library that was set back to an earlier state has given the number of the version to another one. */
function isOthers({ objects }: Lineage, { objectId, hash }: PushedVersion): boolean {
  const there = objects.find(({ object_id }) => object_id === objectId)
  return there !== undefined && hash !== null && there.content_hash !== hash
}

const setBack = (name: string): ApiError =>
  new ApiError(
    'CONFLICT',
    `${name} is not what was pushed: the library was set back to an earlier state since. It stays as it is.`,
  )

function deletion({ id, name, ever_pulled }: EntryDetail, isAdmin: boolean): UndoStep {
  if (ever_pulled) {
    const message = `${name} was pulled or downloaded since, so it cannot be deleted. An admin can deprecate it instead: \`ph deprecate ${id}\``
    return { kind: 'refused', why: new ApiError('CONFLICT', message) }
  }
  if (isAdmin) return { kind: 'delete' }
  return { kind: 'refused', why: new ApiError('FORBIDDEN', `${name} is new, and only an admin can delete it.`) }
}

function overtaken(lineage: Lineage, name: string): ApiError {
  const current = lineage.objects.find(({ object_id }) => object_id === lineage.face_object_id)
  const by = current?.published_by ? ` by ${current.published_by.name}` : ''
  const what = current ? `${versionName(current)}${by}` : 'another version'
  return new ApiError('STALE_FACE', `${what} of ${name} is current by now, and stays.`, { lineage_id: lineage.id })
}

/** The library is asked to restore the version; what is remembered of files here follows. */
export async function restoreBefore(
  { lineageId, objectId, name, renamedFrom }: PushedVersion,
  { entryId, to, api, memory }: { entryId: number; to: LineageObject; api: Api; memory: ProjectMemory },
): Promise<void> {
  const restored = await api.entries.restore({ entry_id: entryId, object_id: to.object_id, expected_face_object_id: objectId })
  if (renamedFrom && restored.name === name) await api.entries.update({ entry_id: entryId, name: renamedFrom })
  memory.bases.rebase([
    {
      lineageId,
      from: objectId,
      to: { objectId: to.object_id, hash: to.content_hash, assetClass: to.asset_class },
    },
  ])
  memory.lastPush.drop(lineageId)
}

/** Looks once more before: a version that someone else pushed meanwhile would go with the entry. */
export async function deleteEntry(
  version: PushedVersion,
  { entry, api, memory }: { entry: Pick<EntryDetail, 'id' | 'name'>; api: Api; memory: ProjectMemory },
): Promise<void> {
  const { lineageId, objectId } = version
  const lineage = await api.lineages.get({ lineage_id: lineageId })
  if (isOthers(lineage, version)) throw setBack(entry.name)
  if (lineage.face_object_id !== objectId) throw overtaken(lineage, entry.name)
  const other = lineage.objects.find(({ object_id }) => object_id > objectId)
  if (other)
    throw new ApiError('CONFLICT', `${entry.name} has a later version, ${versionName(other)}, which would be deleted with it.`)
  await api.entries.remove({ entry_id: entry.id })
  memory.forgetObjects([objectId], [entry.id])
  memory.lastPush.drop(lineageId)
}
