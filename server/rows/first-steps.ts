/** When a member first pushed and first brought something from the library: written once, for the ticks of the overview. */

import type { Sql } from '../database/sql.ts'
import type { Actor } from '../principal.ts'

interface Step {
  sql: Sql
  workspace: { id: number }
  actor: Pick<Actor, 'id'>
  now: Date
}

/** Comes late in a transaction: of a first push it holds the row of the member, after that it writes nothing. */
export async function notePush({ sql, workspace, actor, now }: Step): Promise<void> {
  await sql`
    update members set first_push_at = ${now.toISOString()}
     where workspace_id = ${workspace.id} and id = ${actor.id} and first_push_at is null`
}

/** A pull that is done, or a download. Comes late in a transaction, as `notePush` does. */
export async function notePull({ sql, workspace, actor, now }: Step): Promise<void> {
  await sql`
    update members set first_pull_at = ${now.toISOString()}
     where workspace_id = ${workspace.id} and id = ${actor.id} and first_pull_at is null`
}
