/** What goes along with an entry: each part as the route answers it that answers it alone (contract/entry-parts.ts). */
import type { DependencyMode } from '../../contract/dependency-modes.ts'
import type { EntryDetail } from '../../contract/entries.ts'
import type { EntryClosure, EntryDependents, EntryPart, EntryParts, LevelActors } from '../../contract/entry-parts.ts'
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Sql } from '../database/sql.ts'
import type { Context } from '../handler.ts'
import { selectSetParts } from '../rows/levels/set-parts.ts'
import { selectLevelSets, selectSets } from '../rows/levels/sets.ts'
import { selectLineages } from '../rows/lineage.ts'
import { withLocks } from '../rows/lock.ts'
import { readClosure, readDependents } from './closure.ts'

interface ClosureQuestion {
  entry_id: number
  object_id?: number | undefined
  dependencies?: DependencyMode | undefined
  project?: string | undefined
}

export async function closureOf(context: Context, asked: ClosureQuestion): Promise<EntryClosure> {
  const { entry_id: entryId, object_id: objectId, dependencies, project } = asked
  const { sql, workspace } = context
  const { face, rootId, members } = await readClosure(sql, workspace.id, { entryId, objectId, versions: dependencies, project })
  return {
    entry_id: face.entry_id,
    root_object_id: rootId,
    ...(dependencies && { dependencies }),
    total_objects: members.length,
    total_bytes: members.reduce((sum, member) => sum + member.blob_size, 0),
    members: await withLocks(context, members),
  }
}

export async function dependentsOf(
  sql: Sql,
  workspaceId: number,
  { entry_id: entryId, dependencies }: Pick<ClosureQuestion, 'entry_id' | 'dependencies'>,
): Promise<EntryDependents> {
  const { face, members } = await readDependents(sql, workspaceId, { entryId, versions: dependencies })
  return {
    entry_id: face.entry_id,
    root_object_id: face.object_id,
    ...(dependencies && { dependencies }),
    total_objects: members.length,
    used_by_entries: new Set(members.flatMap((member) => member.entry_id ?? [])).size,
    members,
  }
}

/** Sets of a level that go along with its entry, and changes of the newest one. */
const shown = { sets: 5, changes: limits.page.max }

/** Undefined for what has no sets. */
async function actorsOf(sql: Sql, workspaceId: number, lineageId: string): Promise<LevelActors | undefined> {
  const sets = await selectLevelSets(sql, workspaceId, { lineageId, limit: shown.sets })
  const [newest] = sets
  if (!newest) return undefined
  const before = sets.find((one) => one !== newest && one.project === newest.project)
  const known = await selectSets(sql, workspaceId, before ? [newest.id, before.id] : [])
  const [set, since] = [known.get(newest.id), known.get(before?.id ?? 0)]
  if (!set || !since) return { sets, changes: [], more: false }
  const changes = await selectSetParts(sql, workspaceId, { set, since, after: '', limit: shown.changes + 1 })
  return { sets, changes: changes.slice(0, shown.changes), more: changes.length > shown.changes }
}

type Asked = Pick<ClosureQuestion, 'dependencies' | 'project'>

/** A part that is refused is named, and the others are answered. */
export async function partsOf(
  context: Context & { input: Asked },
  entry: EntryDetail,
  include: readonly EntryPart[],
): Promise<EntryParts> {
  const { sql, workspace, input } = context
  const { id: entry_id, lineage_id: lineageId } = entry
  const { dependencies, project } = input
  const read = {
    lineage: async () => (await selectLineages(context, [lineageId]))[0],
    closure: () => closureOf(context, { entry_id, dependencies, project }),
    dependents: () => dependentsOf(sql, workspace.id, { entry_id, dependencies }),
    actors: () => actorsOf(sql, workspace.id, lineageId),
  }
  const parts: EntryParts = {}
  const refused: NonNullable<EntryParts['refused']> = []
  for (const part of new Set(include))
    try {
      Object.assign(parts, { [part]: await read[part]() })
    } catch (error) {
      if (!(error instanceof ApiError) || !isOfPart.has(error.code)) throw error
      refused.push({ part, code: error.code, message: error.message })
    }
  return { ...parts, ...(refused.length > 0 && { refused }) }
}

const isOfPart: ReadonlySet<string> = new Set(['VALIDATION', 'LINEAGE_CONFLICT'])
