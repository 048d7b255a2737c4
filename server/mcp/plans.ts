/** Plans of assistants on the hosted endpoint: what signs them, and which were carried out, the same for all servers of a database. */
import type { SpendPlan } from '../../mcp/tools/plan-token.ts'
import type { Sql } from '../database/sql.ts'

/** What signs plans. */
export async function planSecret(sql: Sql): Promise<string> {
  const [row] = await sql<{ secret: string }[]>`select secret from plan_signature`
  if (!row) throw new Error('the table plan_signature is empty')
  return row.secret
}

/** Of calls that come at once with one plan, the primary key lets one through: the others wait for it, and find the plan spent. */
export const spendPlanIn =
  (sql: Sql, workspaceId: number): SpendPlan =>
  async ({ id, expiresAt }) => {
    const spent = await sql`
      insert into spent_plans (workspace_id, plan_id, expires_at) values (${workspaceId}, ${id}, ${expiresAt})
      on conflict do nothing returning plan_id`
    return spent.length === 1
  }
