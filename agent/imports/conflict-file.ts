/** Conflicts on the disk of the agent: what was asked, and what waits, is known after a restart too. */
import { join } from 'node:path'
import { ClientError } from '../../client/client-error.ts'
import { StateFile } from '../../client/memory/state-file.ts'
import type { AgentConflict } from '../../contract/agent-imports.ts'

const layout = { version: 1, schema: new URL('./conflicts.sql', import.meta.url), tables: ['conflict'] } as const

const unusable = (reason: string, cause: unknown): ClientError =>
  new ClientError('STATE_UNUSABLE', `What the agent remembers of conflicts cannot be used: ${reason}.`, { cause })

/** `root`: of its project. */
export type KeptConflict = AgentConflict & { root: string }
export type NewConflict = Omit<KeptConflict, 'id'>

interface Row {
  id: number
  root: string
  told: string
}

export class ConflictFile {
  readonly #file: StateFile

  constructor(dir: string) {
    this.#file = new StateFile(join(dir, 'conflicts.sqlite'), { layout, unusable })
  }

  get wasDamaged(): boolean {
    return this.#file.wasDamaged
  }

  list(): KeptConflict[] {
    const rows = this.#file.guard(() => this.#file.db.prepare<[], Row>('select id, root, told from conflict order by id').all())
    return rows.map(({ id, root, told }) => ({ ...(JSON.parse(told) as Omit<AgentConflict, 'id'>), id, root }))
  }

  /** In place of what was kept of the same file. */
  add(conflict: NewConflict): KeptConflict {
    const { root, ...told } = conflict
    return this.#file.write(() => {
      this.#file.db.prepare('delete from conflict where root = ? and file = ?').run(root, told.file)
      const added = this.#file.db.prepare('insert into conflict (root, file, told) values (?, ?, ?)')
      const { lastInsertRowid } = added.run(root, told.file, JSON.stringify(told))
      return { ...conflict, id: Number(lastInsertRowid) }
    })
  }

  /** What is new of it. */
  save({ id, root: _root, ...told }: KeptConflict): void {
    this.#file.write(() => this.#file.db.prepare('update conflict set told = ? where id = ?').run(JSON.stringify(told), id))
  }

  remove(id: number): void {
    this.#file.write(() => this.#file.db.prepare('delete from conflict where id = ?').run(id))
  }

  close(): void {
    this.#file.close()
  }
}
