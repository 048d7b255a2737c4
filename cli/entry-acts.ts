/** Commands that do something to each of many entries, one after the other: what each came to, and what a dry run says. */
import type { Api } from '../client/api.ts'
import { readEntryDetails } from '../client/entry-details.ts'
import type { EntryDetail } from '../contract/entries.ts'
import { ApiError, errors, exits } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import { number } from './amounts.ts'
import type { Context } from './context.ts'
import type { Output } from './output.ts'
import { printable } from './printable.ts'
import { table } from './table.ts'
import { wrapAfter } from './wrap.ts'

/** What is to be done with an entry as it is now. Without `act` there is nothing to do, or it cannot be done. */
export interface Act {
  /** As a sentence about the entry goes on: `renamed to SM_Oak`. */
  outcome: string
  act?: () => Promise<unknown>
  /** Why it would be refused; a dry run counts it as failed. */
  refused?: ApiError
}

export interface Acts {
  ids: readonly number[]
  dryRun: boolean
  plan(entry: EntryDetail): Act | Promise<Act>
}

/** `status`: a dry run says `would`; `unchanged` was so already. */
interface Row {
  entry_id: number
  name: string | null
  status: 'done' | 'would' | 'unchanged' | 'failed'
  outcome: string
  error?: { code: string; message: string; details: Record<string, unknown> }
}

/** Failures that are told in full. */
const mostReasons = 10

/** Gives the exit code: partly done when some failed, that of the first failure when all did. */
export async function actOnEach(context: Context, api: Api, acts: Acts): Promise<number> {
  const rows: Row[] = []
  try {
    for (let at = 0; at < acts.ids.length; at += limits.page.max) {
      const part = acts.ids.slice(at, at + limits.page.max)
      const entries = await readEntryDetails(api, part)
      for (const id of part) rows.push(await actOn(id, entries.get(id), acts))
    }
  } catch (error) {
    const done = rows.filter(({ status }) => status === 'done').length
    if (done > 0) context.out.note(`${number(done)} of ${number(acts.ids.length)} entries were done before that.`)
    throw error
  }
  const summary = countOf(rows)
  context.out.result({ dry_run: acts.dryRun, ...summary, entries: rows }, () => [
    ...table(
      rows,
      [
        { title: 'ID', value: (row) => row.entry_id, right: true },
        { title: 'NAME', value: (row) => row.name ?? '-', cut: 'middle' },
        { title: 'OUTCOME', value: (row) => outcomeOf(row, context.out), cut: 'end' },
      ],
      context.out,
    ),
    ...reasons(rows, context.out),
    ...(acts.dryRun ? ['', 'Nothing was changed.'] : []),
  ])
  return exitOf(rows)
}

function outcomeOf({ status, outcome }: Row, { terminal }: Output): string {
  if (status === 'failed' && terminal) return 'failed'
  return status === 'would' ? `would be ${outcome}` : outcome
}

/** Why some failed, below the table, as a terminal has no room for sentences in it. */
function reasons(rows: readonly Row[], { terminal, width }: Output): string[] {
  const failed = rows.filter(({ status }) => status === 'failed')
  if (!terminal || failed.length === 0) return []
  const hidden = failed.length - mostReasons
  return [
    '',
    ...failed.slice(0, mostReasons).flatMap(({ entry_id, outcome }) => wrapAfter(`${entry_id}: `, outcome, width)),
    ...(hidden > 0 ? [`and ${number(hidden)} more (--json tells all)`] : []),
  ]
}

const countOf = (rows: readonly Row[]) => {
  const count = (...statuses: Row['status'][]) => rows.filter(({ status }) => statuses.includes(status)).length
  return { changed: count('done', 'would'), unchanged: count('unchanged'), failed: count('failed') }
}

/** What concerns this entry alone is its row; what would concern every other one too ends the command. */
async function actOn(entry_id: number, entry: EntryDetail | undefined, { dryRun, plan }: Acts): Promise<Row> {
  const name = entry?.name ?? null
  try {
    if (!entry) throw new ApiError('ENTRY_NOT_FOUND', `There is no entry ${entry_id} in this workspace.`)
    const { outcome, act, refused } = await plan(entry)
    if (refused) throw refused
    if (!act) return { entry_id, name, status: 'unchanged', outcome }
    if (!dryRun) await act()
    return { entry_id, name, status: dryRun ? 'would' : 'done', outcome }
  } catch (error) {
    if (!(error instanceof ApiError) || ![404, 409, 422].includes(error.status)) throw error
    const { code, message, details } = error
    return { entry_id, name, status: 'failed', outcome: printable(message), error: { code, message, details } }
  }
}

function exitOf(rows: readonly Row[]): number {
  const failures = rows.flatMap(({ error }) => error ?? [])
  const [first] = failures
  if (!first) return exits.done
  if (failures.length < rows.length) return exits.partly
  const row = errors[first.code as keyof typeof errors]
  return row ? row[1] : exits.failed
}
