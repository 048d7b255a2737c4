/** Session ids of the agent's own: one for each project, the same after every start. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { ClientError } from '../../client/client-error.ts'
import { StateFile } from '../../client/memory/state-file.ts'
import { agentSessionId } from '../../contract/agent-sessions.ts'

const layout = { version: 1, schema: new URL('./sessions.sql', import.meta.url), tables: ['session'] } as const

const unusable = (reason: string, cause: unknown): ClientError =>
  new ClientError('STATE_UNUSABLE', `What the agent remembers of its sessions cannot be used: ${reason}.`, { cause })

export class OwnSessions {
  readonly #file: StateFile

  constructor(dir: string) {
    this.#file = new StateFile(join(dir, 'sessions.sqlite'), { layout, unusable })
  }

  idOf(root: string, projectKey: string): string {
    const { db } = this.#file
    const find = () =>
      db.prepare('select session_id from session where root = ? and project_key = ?').pluck().get(root, projectKey)
    return (this.#file.guard(find) as string | undefined) ?? this.renew(root, projectKey)
  }

  /** The other one belongs to another person, as where a state folder was copied. */
  renew(root: string, projectKey: string): string {
    const id = agentSessionId(randomUUID())
    this.#file.write(() => this.#file.db.prepare('insert or replace into session values (?, ?, ?)').run(root, projectKey, id))
    return id
  }

  close(): void {
    this.#file.close()
  }
}
