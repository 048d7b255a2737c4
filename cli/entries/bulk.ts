/** Commands that do one thing to many entries at once: all of a part of them or none, and what a dry run says. */

import { readEntryDetails } from '../../client/entries/details.ts'
import type { Api } from '../../client/http/api.ts'
import type { EntryDetail } from '../../contract/entries.ts'
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Context } from '../context.ts'
import { count, number } from '../terminal/amounts.ts'
import { table } from '../terminal/table.ts'

export interface Bulk {
  ids: readonly number[]
  dryRun: boolean
  /** What would become of an entry, such as `gets the tag oak`; undefined when nothing would. */
  change(entry: EntryDetail): string | undefined
  /** Does it, for so many as one request takes; gives how many were named. */
  send(entryIds: number[]): Promise<{ affected: number }>
  /** The line for people, such as `Tagged 2 props with oak.` */
  done: (props: string) => string
  /** What else belongs into the answer, known once it was done. */
  more?: () => Record<string, unknown>
}

/** Unknown entries end it before their part is changed; a dry run looks at each entry, and names them too. */
export async function changeAll(context: Context, api: Api, bulk: Bulk): Promise<void> {
  if (bulk.dryRun) return showChanges(context, api, bulk)
  let affected = 0
  for (let at = 0; at < bulk.ids.length; at += limits.bulk) {
    try {
      affected += (await bulk.send(bulk.ids.slice(at, at + limits.bulk))).affected
    } catch (error) {
      if (affected > 0) context.out.note(`${number(affected)} of ${number(bulk.ids.length)} props were done before that.`)
      throw error
    }
  }
  context.out.result({ dry_run: false, affected, ...bulk.more?.() }, bulk.done(count(affected, 'prop')))
}

async function showChanges(context: Context, api: Api, { ids, change }: Bulk): Promise<void> {
  const entries = await readEntryDetails(api, ids)
  const missing = ids.filter((id) => !entries.has(id))
  if (missing.length > 0) throw unknownEntries(missing)
  const rows = [...entries.values()].map((entry) => ({ entry_id: entry.id, name: entry.name, change: change(entry) ?? null }))
  const affected = rows.filter((row) => row.change !== null).length
  context.out.result({ dry_run: true, affected, entries: rows }, () => [
    ...table(
      rows,
      [
        { title: 'ID', value: (row) => row.entry_id, right: true },
        { title: 'NAME', value: (row) => row.name, cut: 'middle' },
        { title: 'CHANGE', value: (row) => row.change ?? 'is so already', cut: 'end' },
      ],
      context.out,
    ),
    '',
    'Nothing was changed.',
  ])
}

/** As the library says it where something is to be changed (spec 4.12). */
function unknownEntries(missing: readonly number[]): ApiError {
  const more = missing.length === 1 ? '' : `, nor ${count(missing.length - 1, 'other')} that were named`
  return new ApiError('ENTRY_NOT_FOUND', `There is no entry ${missing[0]} in this workspace${more}.`, { missing })
}
