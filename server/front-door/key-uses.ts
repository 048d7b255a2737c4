/** When each key was last used, and by which program: noted in memory, and written down together now and then. */

import type { Database } from '../database/open.ts'
import type { Holder } from '../principal.ts'

interface Use {
  workspaceId: number
  at: Date
  client: string | undefined
}

/** Keys written by one statement. */
const batchKeys = 1000

export class KeyUses {
  readonly #database: Database
  #uses = new Map<number, Use>()
  #writing: Promise<void> = Promise.resolve()

  constructor(database: Database) {
    this.#database = database
  }

  note({ actor, workspace }: Holder, at: Date, client: string | undefined): void {
    const use = this.#uses.get(actor.keyId)
    if (!use) this.#uses.set(actor.keyId, { workspaceId: workspace.id, at, client })
    else {
      use.at = at
      use.client = client ?? use.client
    }
  }

  /** Writes what was noted before this call. What could not be written stays noted. */
  write(): Promise<void> {
    this.#writing = this.#writing.catch(() => {}).then(() => this.#writeNoted())
    return this.#writing
  }

  async #writeNoted(): Promise<void> {
    const noted = [...this.#uses]
    this.#uses = new Map()
    for (let at = 0; at < noted.length; at += batchKeys) {
      try {
        await this.#writeDown(noted.slice(at, at + batchKeys))
      } catch (error) {
        for (const [keyId, use] of noted.slice(at)) if (!this.#uses.has(keyId)) this.#uses.set(keyId, use)
        throw error
      }
    }
  }

  /** Rows are locked in their order: several processes write at once. None of them takes a time back. */
  async #writeDown(uses: readonly (readonly [number, Use])[]): Promise<void> {
    const { sql } = this.#database
    const rows = uses.map(([id, { workspaceId, at, client }]) => ({
      workspace_id: workspaceId,
      id,
      used_at: at.toISOString(),
      client: client ?? null,
    }))
    await sql`
      with used as (select * from jsonb_to_recordset(${sql.json(rows)}) as r(workspace_id bigint, id bigint, used_at timestamptz, client text)),
      held as (
        select k.workspace_id, k.id from api_keys k join used using (workspace_id, id) order by k.workspace_id, k.id for no key update of k)
      update api_keys k
         set last_used_at = greatest(k.last_used_at, used.used_at), last_client = coalesce(used.client, k.last_client)
        from used join held using (workspace_id, id)
       where k.workspace_id = used.workspace_id and k.id = used.id`
  }
}
