/** Projects that people linked, kept in a file. Damaged, it is begun anew, and they have to be linked again. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ClientError } from '../client-error.ts'
import { agentFolder, type Folders } from '../folders.ts'
import { StateFile } from '../memory/state-file.ts'

const fileName = 'projects.sqlite'

const added = (column: string): string => `alter table project add column ${column} integer not null default 0;`

const layout = {
  version: 4,
  schema: new URL('./linked-projects.sql', import.meta.url),
  tables: ['project'],
  upgrades: {
    2: { before: '', after: added('has_descriptor') + added('takes_away') },
    3: { before: '', after: added('takes_away') },
  },
} as const

const unusable = (reason: string, cause: unknown): ClientError =>
  new ClientError('STATE_UNUSABLE', `What the agent remembers of projects cannot be used: ${reason}.`, { cause })

export interface LinkedProject {
  /** Absolute, links resolved. */
  root: string
  key: string
  acceptsImports: boolean
  /** Imports may move files that have no place in it any more into its backups. */
  takesAway: boolean
  autoCheckout: boolean
  engineVersion: string | null
  /** A .uproject of that name lay there when it was linked. */
  hasDescriptor: boolean
}

interface Row {
  root: string
  project_key: string
  accepts_imports: number
  auto_checkout: number
  engine_version: string | null
  has_descriptor: number
  takes_away: number
}

export class LinkedProjects {
  readonly #file: StateFile
  readonly #server: string

  /** `server`: address of the workspace; what was linked in others is kept for their agents. */
  constructor(dir: string, server: string) {
    this.#server = server
    this.#file = new StateFile(join(dir, fileName), { layout, unusable })
  }

  get wasDamaged(): boolean {
    return this.#file.wasDamaged
  }

  list(): LinkedProject[] {
    const select = 'select * from project where server = ? order by root'
    const rows = this.#file.guard(() => this.#file.db.prepare<[string], Row>(select).all(this.#server))
    return rows.map(({ root, project_key, accepts_imports, auto_checkout, engine_version, has_descriptor, takes_away }) => ({
      root,
      key: project_key,
      acceptsImports: accepts_imports === 1,
      takesAway: takes_away === 1,
      autoCheckout: auto_checkout === 1,
      engineVersion: engine_version,
      hasDescriptor: has_descriptor === 1,
    }))
  }

  save({ root, key, acceptsImports, takesAway, autoCheckout, engineVersion, hasDescriptor }: LinkedProject, now: Date): void {
    const choices = [Number(acceptsImports), Number(autoCheckout), engineVersion]
    const values = [this.#server, root, key, ...choices, now.toISOString(), Number(hasDescriptor), Number(takesAway)]
    this.#file.write(() =>
      this.#file.db.prepare('insert or replace into project values (?, ?, ?, ?, ?, ?, ?, ?, ?)').run(...values),
    )
  }

  /** Whether there was one. */
  remove(root: string): boolean {
    const remove = 'delete from project where server = ? and root = ?'
    return this.#file.write(() => this.#file.db.prepare(remove).run(this.#server, root).changes > 0)
  }

  close(): void {
    this.#file.close()
  }
}

/** What people linked on this machine, whether the agent runs or not. `server`: address of the workspace. */
export function linkedProjects(folders: Folders, server: string): LinkedProject[] {
  const dir = agentFolder(folders)
  if (!existsSync(join(dir, fileName))) return []
  const linked = new LinkedProjects(dir, server)
  try {
    return linked.list()
  } finally {
    linked.close()
  }
}
