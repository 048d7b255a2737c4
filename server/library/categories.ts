/** Categories: how many entries have which, and giving many the same (spec 4.2, 4.12; contract-gaps 5). */
import type { categories as contract } from '../../contract/categories.ts'
import type { OutputOf } from '../../contract/route.ts'
import { amongIds } from '../database/among.ts'
import type { Handlers } from '../handler.ts'
import { holdKnownEntries } from '../rows/entry.ts'

type Rollup = OutputOf<(typeof contract)['rollup']>['categories']

export const categories: Handlers<typeof contract> = {
  async rollup({ sql, workspace }) {
    const rows = await sql<Rollup>`
      select e.category, count(*)::int as count, count(distinct found.pack_id)::int as pack_count
        from entries e cross join lateral (
          select o.pack_id
            from lineages l join objects o on o.workspace_id = l.workspace_id and o.id = l.face_object_id
           where l.workspace_id = ${workspace.id} and l.id = e.lineage_id offset 0) found
       where e.workspace_id = ${workspace.id} and e.status = 'active'
       group by e.category order by e.category collate "C" nulls last`
    return { categories: rows }
  },

  /** By hand means locked; nothing by hand means that the next push says (contract-gaps 5). */
  async bulk({ sql, workspace, now, feed, input }) {
    const { category } = input
    const locked = category !== null
    const entries = await holdKnownEntries(sql, workspace.id, input.entry_ids)
    const changing = entries.filter((entry) => entry.category !== category || entry.category_locked !== locked)
    await sql`
      update entries set category = ${category}, category_locked = ${locked}, date_updated = ${now.toISOString()}
       where workspace_id = ${workspace.id} and id ${amongIds(
         sql,
         changing.map((entry) => entry.id),
       )}`
    feed.entriesChanged(changing)
    return { category, affected: entries.length }
  },
}
