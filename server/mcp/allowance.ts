/** The monthly allowance of tool calls of a workspace (spec 8; contract-gaps 8): one statement takes calls, whichever server takes them. */
import type { Sql } from '../database/sql.ts'

export interface Allowance {
  used: number
  /** Null: no limit. */
  limit: number | null
}

export interface Taken extends Allowance {
  /** False where fewer were left than asked for: then none was taken. */
  isTaken: boolean
}

/**
 * Takes that many calls of this month. What is over the limit is not counted, so that `used` never passes it by a refusal. No call waits for the
 * disk: a database that dies may forget the calls of its last second, in favour of the workspace.
 */
export async function takeCalls(
  sql: Sql,
  { workspaceId, calls, now }: { workspaceId: number; calls: number; now: Date },
): Promise<Taken> {
  const month = now.toISOString().slice(0, 7)
  const [row] = await sql<{ taken: number | null; used: number | null; allowed: number | null }[]>`
    with allowance as (
      select agent_calls_per_month as allowed, set_config('synchronous_commit', 'off', true)
        from workspaces where id = ${workspaceId}
    ), taken as (
      insert into agent_calls (workspace_id, month, used)
      select ${workspaceId}, ${month}, ${calls} from allowance where allowed is null or allowed >= ${calls}
      on conflict (workspace_id, month) do update set used = agent_calls.used + excluded.used
        where (select allowed is null or agent_calls.used + excluded.used <= allowed from allowance)
      returning used
    )
    select (select used from taken) as taken, allowed,
      (select used from agent_calls where workspace_id = ${workspaceId} and month = ${month}) as used
    from allowance`
  const isTaken = row?.taken !== null && row?.taken !== undefined
  return { isTaken, used: Number(row?.taken ?? row?.used ?? 0), limit: row?.allowed == null ? null : Number(row.allowed) }
}
