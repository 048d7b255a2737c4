/** The permissions of senders, for each project, in a file of the agent. A damaged file is replaced by an empty one: the agent then asks about each sender again. */
import { join } from 'node:path'
import { ClientError } from '../../client/client-error.ts'
import { StateFile } from '../../client/memory/state-file.ts'
import type { AgentSender, senderAnswers } from '../../contract/agent-senders.ts'

const layout = { version: 1, schema: new URL('./senders.sql', import.meta.url), tables: ['sender'] } as const

const unusable = (reason: string, cause: unknown): ClientError =>
  new ClientError('STATE_UNUSABLE', `What the agent remembers of senders cannot be used: ${reason}.`, { cause })

export type SenderAnswer = (typeof senderAnswers)[number]
export type KnownSender = Omit<AgentSender, 'jobs'>

interface Row {
  project_key: string
  sender_id: number
  name: string
  display_name: string
  answer: SenderAnswer | null
  at: string
}

export class SenderFile {
  readonly #file: StateFile
  readonly #server: string

  /** `server`: address of the workspace. */
  constructor(dir: string, server: string) {
    this.#server = server
    this.#file = new StateFile(join(dir, 'senders.sqlite'), { layout, unusable })
  }

  get wasDamaged(): boolean {
    return this.#file.wasDamaged
  }

  list(): KnownSender[] {
    const select = 'select * from sender where server = ? order by project_key, at'
    const rows = this.#file.guard(() => this.#file.db.prepare<[string], Row>(select).all(this.#server))
    return rows.map(({ project_key, sender_id: id, name, display_name, answer, at }) => ({
      ...{ project_key, sender: { id, name, display_name }, answer, at },
    }))
  }

  save({ project_key, sender: { id, name, display_name }, answer, at }: KnownSender): void {
    const values = [this.#server, project_key, id, name, display_name, answer, at]
    this.#file.write(() => this.#file.db.prepare('insert or replace into sender values (?, ?, ?, ?, ?, ?, ?)').run(...values))
  }

  forget({ project_key, sender: { id } }: KnownSender): void {
    const remove = 'delete from sender where server = ? and project_key = ? and sender_id = ?'
    this.#file.write(() => this.#file.db.prepare(remove).run(this.#server, project_key, id))
  }

  close(): void {
    this.#file.close()
  }
}
