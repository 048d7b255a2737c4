/** What is checked out, as people list it: with names, and whether the holder works from the current version. */
import { partWords } from '../../contract/level-parts.ts'
import type { Lock } from '../../contract/locks.ts'
import { ClientError } from '../client-error.ts'
import { activeLocks } from '../entries/active-locks.ts'
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
  const me = (await api.members.me()).id
  const all = await activeLocks(api, mine ? me : undefined)
  const locks = all.filter(({ lineage_id }) => lineageIds === undefined || lineageIds.has(lineage_id))
  if (locks.length === 0) return []
  const { lineages } = await findFaces(api, { lineageIds: locks.map(({ lineage_id }) => lineage_id), hashes: [], paths: [] })
  const faces = new Map(lineages.map((lineage) => [lineage.id, lineage]))
  const entries = await readEntryDetails(
    api,
    lineages.flatMap(({ entry_id }) => entry_id ?? []),
  )
  const listed = locks.map((lock): ListedLock => {
    const face = faces.get(lock.lineage_id)
    const entry_id = face?.entry_id ?? null
    const name =
      entries.get(entry_id ?? 0)?.name ??
      (face?.part ? partWords(face.part) : face?.origin_path?.split('/').at(-1)) ??
      lock.lineage_id
    return { lock, entry_id, name, base: baseOf(lock, face?.face_object_id), mine: lock.holder.id === me }
  })
  return listed.sort((a, b) => Date.parse(a.lock.expires_at) - Date.parse(b.lock.expires_at) || a.lock.id - b.lock.id)
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
