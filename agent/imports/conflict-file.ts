/** Conflicts on the disk of the agent: what was asked, and what waits, is known after a restart too. */
import { join } from 'node:path'
import { ClientError } from '../../client/client-error.ts'
import { StateFile } from '../../client/memory/state-file.ts'
import type { AgentConflict } from '../../contract/agent-imports.ts'

const layout = { version: 2, schema: new URL('./conflicts.sql', import.meta.url), tables: ['conflict'] } as const

const unusable = (reason: string, cause: unknown): ClientError =>
  new ClientError('STATE_UNUSABLE', `What the agent remembers of conflicts cannot be used: ${reason}.`, { cause })

/** `root`: of its project. `base`: the version that the file here was made from then; absent where an older agent asked. */
export type KeptConflict = AgentConflict & { root: string; base?: number | null }
export type NewConflict = Omit<KeptConflict, 'id'>

interface Row {
  id: number
  root: string
  told: string
}

const placeOf = ({ root, file }: Pick<KeptConflict, 'root' | 'file'>): string => `${root}\0${file}`

/** Read once: nobody else writes there. An import of thousands of files may have as many conflicts, so whatever is done is done to many. */
export class ConflictFile {
  readonly #file: StateFile
  readonly #server: string
  readonly #byId = new Map<number, KeptConflict>()
  readonly #byPlace = new Map<string, KeptConflict>()

  /** `server`: address of the workspace, whose jobs they are about; those of others are kept for their agents. */
  constructor(dir: string, server: string) {
    this.#server = server
    this.#file = new StateFile(join(dir, 'conflicts.sqlite'), { layout, unusable })
    const select = 'select id, root, told from conflict where server = ? order by id'
    const rows = this.#file.guard(() => this.#file.db.prepare<[string], Row>(select).all(server))
    for (const { id, root, told } of rows) this.#remember({ ...(JSON.parse(told) as Omit<AgentConflict, 'id'>), id, root })
  }

  get wasDamaged(): boolean {
    return this.#file.wasDamaged
  }

  /** The oldest first. */
  list(): KeptConflict[] {
    return [...this.#byId.values()]
  }

  get(id: number): KeptConflict | undefined {
    return this.#byId.get(id)
  }

  at(root: string, file: string): KeptConflict | undefined {
    return this.#byPlace.get(placeOf({ root, file }))
  }

  /** Each in place of what was kept of the same file. */
  add(conflicts: readonly NewConflict[]): KeptConflict[] {
    if (conflicts.length === 0) return []
    const before = conflicts.flatMap(({ root, file }) => this.at(root, file) ?? [])
    const rows = conflicts.map(({ root, ...told }) => ({ root, file: told.file, told: JSON.stringify(told) }))
    const insert = `insert into conflict (server, root, file, told)
      select ?, value ->> 'root', value ->> 'file', value ->> 'told' from json_each(?) order by key returning id, root, file`
    const added = this.#file.write(() => {
      this.#delete(before)
      const statement = this.#file.db.prepare<[string, string], { id: number; root: string; file: string }>(insert)
      return statement.all(this.#server, JSON.stringify(rows))
    })
    this.#forget(before)
    const ids = new Map(added.map((row) => [placeOf(row), row.id]))
    return conflicts.map((one) => this.#remember({ ...one, id: ids.get(placeOf(one)) ?? 0 }))
  }

  /** What is new of them. */
  save(conflicts: readonly KeptConflict[]): void {
    const rows = conflicts.map(({ id, root: _root, ...told }) => ({ id, told: JSON.stringify(told) }))
    const update =
      "update conflict set told = new.value ->> 'told' from json_each(?) as new where conflict.id = new.value ->> 'id'"
    if (rows.length > 0) this.#file.write(() => this.#file.db.prepare(update).run(JSON.stringify(rows)))
    for (const one of conflicts) if (this.#byId.has(one.id)) this.#remember(one)
  }

  remove(conflicts: readonly KeptConflict[]): void {
    if (conflicts.length === 0) return
    this.#file.write(() => this.#delete(conflicts))
    this.#forget(conflicts)
  }

  /** Files of all pictures, those of other workspaces too: pictures of the same bytes share a file. */
  pictures(): Set<string> {
    const select = `select told ->> '$.local.picture' from conflict union select told ->> '$.incoming.picture' from conflict`
    return new Set(this.#file.guard(() => this.#file.db.prepare(select).pluck().all() as string[]))
  }

  close(): void {
    this.#file.close()
  }

  #delete(conflicts: readonly KeptConflict[]): void {
    const remove = 'delete from conflict where id in (select value from json_each(?))'
    this.#file.db.prepare(remove).run(JSON.stringify(conflicts.map(({ id }) => id)))
  }

  #forget(conflicts: readonly KeptConflict[]): void {
    for (const one of conflicts) {
      this.#byId.delete(one.id)
      this.#byPlace.delete(placeOf(one))
    }
  }

  #remember(one: KeptConflict): KeptConflict {
    this.#byId.set(one.id, one)
    this.#byPlace.set(placeOf(one), one)
    return one
  }
}
