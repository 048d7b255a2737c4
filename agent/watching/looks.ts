/** Looks at the files of a project, each of them a `ph status`: with the library, or beside what was last heard of it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { projectStateFile } from '../../client/folders.ts'
import { type Api, createApi } from '../../client/http/api.ts'
import { openWire } from '../../client/http/open-http.ts'
import { ProjectMemory } from '../../client/memory/project-memory.ts'
import { locksOfFiles, readLocks } from '../../client/status/file-locks.ts'
import type { FileLock, StatusReport } from '../../client/status/report.ts'
import { status } from '../../client/status/status.ts'
import type { Surroundings } from '../surroundings.ts'

export interface Look {
  /** Absolute paths that are there; undefined: the whole project. */
  paths?: readonly string[] | undefined
  all?: boolean
  signal?: AbortSignal
  /** Ask the library nothing. */
  remembered?: boolean
}

export class Looks {
  readonly #wire: Surroundings['wire']
  readonly #root: string

  constructor({ wire }: Pick<Surroundings, 'wire'>, root: string) {
    this.#wire = wire
    this.#root = root
  }

  take({ paths = [], all = false, signal, remembered = false }: Look): Promise<StatusReport> {
    return status({ ...this.#wire, paths: [...paths], cwd: this.#root, all, remembered, ...(signal ? { signal } : {}) })
  }

  /** A connection for one question: one that is kept would go on trying for minutes while the server is away. */
  async ask<T>(question: (api: Api) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const http = openWire({ ...this.#wire, ...(signal ? { signal } : {}) }, () => {})
    try {
      return await question(createApi(http))
    } finally {
      await http.close('destroy')
    }
  }

  /** How far this project followed the change feed. */
  cursor = (): number | undefined => this.#remember((memory) => memory.faces.position()?.cursor)

  /** Files of these lineages that are there. */
  filesOf(lineageIds: ReadonlySet<string>): string[] {
    const rows = this.#remember((memory) => memory.faces.rows())
    return rows.flatMap(([file, , , id]) => (id !== null && lineageIds.has(id) && existsSync(join(this.#root, file)) ? file : []))
  }

  /** Who has which file of the project. `differing`: files whose lineage is known by something else than memory. */
  async locks(differing: Iterable<readonly [file: string, lineageId: string | null]>, signal: AbortSignal): Promise<FileLock[]> {
    const found = await this.ask(readLocks, signal)
    if (found.locks.length === 0) return []
    const rows = this.#remember((memory) => memory.faces.rows())
    const lineages = new Map<string, string | null>()
    for (const [file, , , lineageId] of rows) if (existsSync(join(this.#root, file))) lineages.set(file, lineageId)
    for (const [file, lineageId] of differing) lineages.set(file, lineageId)
    return locksOfFiles(lineages, found)
  }

  /** The file of a package, as this machine remembers it. */
  fileOfPackage = (name: string): string | undefined =>
    this.#remember((memory) => memory.findByPackage(name.toLowerCase()).find(({ file }) => existsSync(join(this.#root, file))))
      ?.file

  #remember<T>(read: (memory: ProjectMemory) => T): T {
    const { folders, url } = this.#wire
    const memory = new ProjectMemory(projectStateFile(folders, url, this.#root), { address: url, root: this.#root })
    try {
      return read(memory)
    } finally {
      memory.close()
    }
  }
}
