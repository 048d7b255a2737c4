/** Looks at the files of a project, each of them a `ph status`: with the library, or beside what was last heard of it. Run in a process of their own. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Folders, projectStateFile } from '../../client/folders.ts'
import { createApi } from '../../client/http/api.ts'
import { openWire } from '../../client/http/open-http.ts'
import { ProjectMemory } from '../../client/memory/project-memory.ts'
import { locksOfFiles, readLocks } from '../../client/status/file-locks.ts'
import type { FileLock } from '../../client/status/report.ts'
import { type StatusOptions, status } from '../../client/status/status.ts'

/** What goes from process to process: no functions. */
export interface LookWire {
  url: string
  key: string
  folders: Folders
}

export interface Look {
  /** Absolute paths that are there; undefined: the whole project. */
  paths?: readonly string[] | undefined
  all?: boolean
  /** Ask the library nothing. */
  remembered?: boolean
  /** Keep the walk under this name. */
  keepWalk?: string | undefined
}

interface Place {
  wire: LookWire
  root: string
  signal: AbortSignal
}

/** By name; the process is given a name and what stands behind it. */
export const lookOrders = {
  status: ({ wire, root, signal }: Place, { paths = [], ...look }: Look) =>
    status({ ...wire, ...look, paths: [...paths], cwd: root, signal } satisfies StatusOptions),

  /** How far this project followed the change feed. */
  cursor: async (place: Place) => remember(place, (memory) => memory.faces.position()?.cursor),

  /** Files of these lineages that are there. */
  async filesOf(place: Place, lineageIds: ReadonlySet<string>): Promise<string[]> {
    const rows = remember(place, (memory) => memory.faces.rows())
    return rows.flatMap(([file, , , id]) => (id !== null && lineageIds.has(id) && existsSync(join(place.root, file)) ? file : []))
  },

  /** Who has which file of the project. `differing`: files whose lineage is known by something else than memory. */
  async locks(place: Place, differing: readonly (readonly [file: string, lineageId: string | null])[]): Promise<FileLock[]> {
    const http = openWire({ ...place.wire, signal: place.signal }, () => {})
    const found = await readLocks(createApi(http)).finally(() => http.close('destroy'))
    if (found.locks.length === 0) return []
    const rows = remember(place, (memory) => memory.faces.rows())
    const lineages = new Map<string, string | null>()
    for (const [file, , , lineageId] of rows) if (existsSync(join(place.root, file))) lineages.set(file, lineageId)
    for (const [file, lineageId] of differing) lineages.set(file, lineageId)
    return locksOfFiles(lineages, found)
  },

  /** The file of a package, as this machine remembers it. */
  async fileOfPackage(place: Place, name: string): Promise<string | undefined> {
    const known = remember(place, (memory) => memory.findByPackage(name.toLowerCase()))
    return known.find(({ file }) => existsSync(join(place.root, file)))?.file
  },
}

function remember<T>({ wire: { folders, url }, root }: Place, read: (memory: ProjectMemory) => T): T {
  const memory = new ProjectMemory(projectStateFile(folders, url, root), { address: url, root })
  try {
    return read(memory)
  } finally {
    memory.close()
  }
}
