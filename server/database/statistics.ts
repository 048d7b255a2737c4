/** Keeps the planner's statistics true while tables grow fast: the embedded database does not do so by itself, and PostgreSQL only after a minute. */
import type { Sql } from './sql.ts'

/** Growth since the last look, as a share of the workspace's versions, that makes a new look worth it. */
const share = 0.2
/** Fewer rows than these are quick to read without statistics. */
const fewRows = 500

/** Of a workspace: its versions at the last look, and those that came since. */
interface Grown {
  rows: number
  added: number
}

/**
 * By workspace: of one that is new beside large ones the statistics say nothing, and neither would PostgreSQL look again for it. It then
 * expects a single row of that workspace, and may read all of them to find one.
 */
export class Statistics {
  readonly #sql: () => Sql
  readonly #grown = new Map<number, Grown>()

  /** Asked for anew by every look. */
  constructor(sql: () => Sql) {
    this.#sql = sql
  }

  /** Told after the commit that added `rows` versions; without statistics a batch of 500 may be compared with every row of the library. */
  async grew(workspaceId: number, rows: number): Promise<void> {
    const { rows: known, added: before } = this.#grown.get(workspaceId) ?? { rows: 0, added: 0 }
    const added = before + rows
    const isDue = added >= Math.max(fewRows, known * share)
    this.#grown.set(workspaceId, isDue ? { rows: known + added, added: 0 } : { rows: known, added })
    if (isDue) await this.#look(workspaceId)
  }

  async #look(workspaceId: number): Promise<void> {
    const sql = this.#sql()
    await sql`analyze objects, lineages, entries, dependencies, placings, package_guids, awaited_imports, payload_ids, level_parts`
    const [counted] = await sql<{ rows: number }[]>`select count(*)::int as rows from objects where workspace_id = ${workspaceId}`
    const added = this.#grown.get(workspaceId)?.added ?? 0
    this.#grown.set(workspaceId, { rows: counted?.rows ?? 0, added })
  }
}
