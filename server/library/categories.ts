/** Categories: how many entries have which, and giving many the same (spec 4.2, 4.12; contract-gaps 5). */
import type { categories as contract } from '../../contract/categories.ts'
import { spelledCategory } from '../curation/spellings.ts'
import { amongIds } from '../database/among.ts'
import type { Handlers } from '../handler.ts'
import { holdKnownEntries } from '../rows/entry.ts'
import { lockWorkspace } from '../rows/hold.ts'
import { rollupOf } from '../search/rollups.ts'

export const categories: Handlers<typeof contract> = {
  async rollup({ workspace, catalogs }) {
    return { categories: rollupOf(await catalogs.at(workspace.id)) }
  },

  /** By hand means locked; nothing by hand means that the next push says (contract-gaps 5). */
  async bulk({ sql, workspace, now, feed, input }) {
    const locked = input.category !== null
    if (locked) await lockWorkspace(sql, workspace.id)
    const entries = await holdKnownEntries(sql, workspace.id, input.entry_ids)
    const category = await spelledCategory(sql, workspace.id, { category: input.category, entries })
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
