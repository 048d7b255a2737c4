/** Time for request windows: where the database counts them, by its own time, what it counted is moved back instead (request-count.ts). */
import type { Database } from '../../server/database/open.ts'

/** As if so many milliseconds had passed since the requests that were counted; fewer than none: as if the clock had gone back. */
export async function passTime({ kind, sql }: Pick<Database, 'kind' | 'sql'>, ms: number): Promise<void> {
  if (kind === 'embedded') return
  for (const table of [sql`request_windows`, sql`member_windows`])
    await sql`
      update ${table}
         set seen_at = seen_at - ${ms}::bigint,
             runs = array(select (((run >> 21) - ${ms}::bigint) << 21) | (run & 2097151)
                            from unnest(runs) with ordinality as r(run, place) order by place)`
}
