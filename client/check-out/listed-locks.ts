/** What is checked out, as people list it: with names, and whether the holder works from the current version. */
import type { Lock, LockedLineage } from '../../contract/locks.ts'
import { ClientError } from '../client-error.ts'
import { activeLocks, type Locks, nameOfLocked, ownLocks } from '../entries/active-locks.ts'
import { readEntryDetails } from '../entries/details.ts'
import type { Folders } from '../folders.ts'
import { projectStateFile } from '../folders.ts'
import type { Api } from '../http/api.ts'
import { findFaces } from '../memory/find-versions.ts'
import { ProjectMemory } from '../memory/project-memory.ts'
import { placeInProject } from '../project/paths.ts'
import { holdsDescriptor, locate } from '../project/unreal-project.ts'

export interface ListedLock {
  lock: Lock
  entry_id: number | null
  name: string
  /** `outdated`: another version became current since. Null: the lock does not say what its holder works from. */
  base: 'current' | 'outdated' | null
  mine: boolean
}

export interface LockQuestion {
  api: Api
  mine: boolean
  /** Only what this project has: the lineages of its files, as far as this machine remembers them. */
  lineageIds?: ReadonlySet<string> | undefined
}

/** Those that end first come first. */
export async function listLocks({ api, mine, lineageIds }: LockQuestion): Promise<ListedLock[]> {
  const { locks: all, lineages, you } = await (mine ? ownLocks(api) : activeLocks(api))
  const locks = all.filter(({ lineage_id }) => lineageIds === undefined || lineageIds.has(lineage_id))
  if (locks.length === 0) return []
  const me = (you ?? (await api.members.me())).id
  const on = await nameLocked(api, { locks, lineages })
  const listed = locks.map((lock): ListedLock => {
    const { entry_id, name, face_object_id } = on(lock)
    return { lock, entry_id, name, base: baseOf(lock, face_object_id), mine: lock.holder.id === me }
  })
  return listed.sort((a, b) => Date.parse(a.lock.expires_at) - Date.parse(b.lock.expires_at) || a.lock.id - b.lock.id)
}

/** What a lock is on. */
interface On {
  entry_id: number | null
  name: string
  face_object_id?: number | undefined
}

/** What locks are on. A server that does not say it beside them is asked for it. */
export async function nameLocked(api: Api, { locks, lineages }: Pick<Locks, 'locks' | 'lineages'>): Promise<(lock: Lock) => On> {
  const unknown = locks.flatMap(({ lineage_id }) => (lineages.has(lineage_id) ? [] : lineage_id))
  const asked = unknown.length > 0 ? await askNames(api, unknown) : new Map<string, LockedLineage>()
  return ({ lineage_id }) => {
    const on = lineages.get(lineage_id) ?? asked.get(lineage_id)
    return { entry_id: on?.entry_id ?? null, name: (on && nameOfLocked(on)) ?? lineage_id, face_object_id: on?.face_object_id }
  }
}

async function askNames(api: Api, lineageIds: readonly string[]): Promise<Map<string, LockedLineage>> {
  const { lineages } = await findFaces(api, { lineageIds: [...lineageIds], hashes: [], paths: [] })
  const entries = await readEntryDetails(
    api,
    lineages.flatMap(({ entry_id }) => entry_id ?? []),
  )
  return new Map(
    lineages.map(({ id, entry_id, face_object_id, origin_path, part }) => {
      const name = entries.get(entry_id ?? 0)?.name ?? origin_path?.split('/').at(-1) ?? null
      return [id, { lineage_id: id, entry_id, face_object_id, name, ...(part && { part }) }]
    }),
  )
}

function baseOf({ base_object_id }: Lock, face: number | undefined): ListedLock['base'] {
  if (base_object_id === null || face === undefined) return null
  return base_object_id === face ? 'current' : 'outdated'
}

/** The lineages of the files of the project around a folder. Throws ClientError `NO_PROJECT`. */
export function lineagesOfProject(cwd: string, { folders, url }: { folders: Folders; url: string }): Set<string> {
  const { root } = locate(placeInProject(cwd))
  if (!holdsDescriptor(root))
    throw new ClientError('NO_PROJECT', `${cwd} lies in no Unreal project or plugin.`, {
      next: 'Go into a project, or leave --project out.',
    })
  const memory = new ProjectMemory(projectStateFile(folders, url, root), { address: url, root })
  try {
    return new Set(memory.faces.rows().flatMap(([, , , lineageId]) => lineageId ?? []))
  } finally {
    memory.close()
  }
}
