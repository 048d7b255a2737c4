/** Projects that people linked, kept in a file. Damaged, it is begun anew, and they have to be linked again. */
import { join } from 'node:path'
import { ClientError } from '../../client/client-error.ts'
import { StateFile } from '../../client/memory/state-file.ts'

const layout = { version: 1, schema: new URL('./projects.sql', import.meta.url), tables: ['project'] } as const

const unusable = (reason: string, cause: unknown): ClientError =>
  new ClientError('STATE_UNUSABLE', `What the agent remembers of projects cannot be used: ${reason}.`, { cause })

export interface LinkedProject {
  /** Absolute, links resolved. */
  root: string
  key: string
  acceptsImports: boolean
  autoCheckout: boolean
  engineVersion: string | null
}

interface Row {
  root: string
  project_key: string
  accepts_imports: number
  auto_checkout: number
  engine_version: string | null
}

export class LinkedProjects {
  readonly #file: StateFile

  constructor(dir: string) {
    this.#file = new StateFile(join(dir, 'projects.sqlite'), { layout, unusable })
  }

  get wasDamaged(): boolean {
    return this.#file.wasDamaged
  }

  list(): LinkedProject[] {
    const rows = this.#file.guard(() => this.#file.db.prepare<[], Row>('select * from project order by root').all())
    return rows.map(({ root, project_key, accepts_imports, auto_checkout, engine_version }) => ({
      root,
      key: project_key,
      acceptsImports: accepts_imports === 1,
      autoCheckout: auto_checkout === 1,
      engineVersion: engine_version,
    }))
  }

  save({ root, key, acceptsImports, autoCheckout, engineVersion }: LinkedProject, now: Date): void {
    const values = [root, key, Number(acceptsImports), Number(autoCheckout), engineVersion, now.toISOString()]
    this.#file.write(() => this.#file.db.prepare('insert or replace into project values (?, ?, ?, ?, ?, ?)').run(...values))
  }

  /** Whether there was one. */
  remove(root: string): boolean {
    return this.#file.write(() => this.#file.db.prepare('delete from project where root = ?').run(root).changes > 0)
  }

  close(): void {
    this.#file.close()
  }
}
