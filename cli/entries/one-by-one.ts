/** Commands that do something to each of many entries, one after the other: what each came to, and what a dry run says. */

import { readEntryDetails } from '../../client/entries/details.ts'
import type { Api } from '../../client/http/api.ts'
import type { EntryDetail } from '../../contract/entries.ts'
import { ApiError, errors, exits } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { printable } from '../../system/printable.ts'
import type { Context } from '../context.ts'
import { type ErrorDocument, errorDocument, failureOf } from '../exit.ts'
import { count, number } from '../terminal/amounts.ts'
import { confirmHarm } from '../terminal/confirmation.ts'
import type { Output } from '../terminal/output.ts'
import { table } from '../terminal/table.ts'
import { wrapAfter } from '../terminal/wrap.ts'

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
  /** Asks first, about so many entries as would be changed, unless `--yes` was given. */
  confirm?: { yes: boolean; question(entries: string): string }
  plan(entry: EntryDetail): Act | Promise<Act>
  /** Of entries that are not there: what is said of them instead of a failure. */
  gone?: (entryId: number) => { name: string; outcome: string }
  /** What the answer holds besides. */
  more?: Record<string, unknown>
  /** Lines below the table. */
  closing?: (rows: readonly Row[]) => string[]
}

/** `status`: a dry run says `would`; `unchanged` was so already. */
export interface Row {
  entry_id: number
  name: string | null
  status: 'done' | 'would' | 'unchanged' | 'failed'
  outcome: string
  error?: ErrorDocument
}

/** Failures that are told in full. */
const mostReasons = 10

/** Gives the exit code: partly done when some failed, that of the first failure when all did. */
export async function actOnEach(context: Context, api: Api, acts: Acts): Promise<number> {
  const rows: Row[] = []
  try {
    if (acts.confirm && !acts.confirm.yes && !acts.dryRun) {
      const planned: Planned[] = []
      for await (const one of planEach(api, acts)) planned.push(one)
      await confirm(context, planned, acts.confirm)
      for (const one of planned) rows.push(await perform(one))
    } else for await (const one of planEach(api, acts)) rows.push(acts.dryRun ? one.row : await perform(one))
  } catch (error) {
    const done = rows.filter(({ status }) => status === 'done').length
    if (done > 0) context.out.note(`${number(done)} of ${number(acts.ids.length)} entries were done before that.`)
    throw error
  }
  const summary = sumsOf(rows)
  context.out.result({ dry_run: acts.dryRun, ...acts.more, ...summary, entries: rows }, () => [
    ...rowLines(rows, context.out),
    ...(acts.closing?.(rows) ?? []),
    ...(acts.dryRun ? ['', 'Nothing was changed.'] : []),
  ])
  return exitOf(rows)
}

/** What has nothing to change needs no yes. */
async function confirm(context: Context, planned: readonly Planned[], { yes, question }: NonNullable<Acts['confirm']>) {
  const rows = planned.map(({ row }) => row)
  const changed = planned.filter(({ act }) => act).length
  if (changed === 0) return
  const details = { ...sumsOf(rows), entries: rows }
  const plan = rowLines(rows, context.out)
  await confirmHarm(context, { yes, plan, details, question: question(count(changed, 'entry', 'entries')) })
}

/** A table, and below it why some failed. */
export const rowLines = (rows: readonly Row[], out: Output): string[] => [
  ...table(
    rows,
    [
      { title: 'ID', value: (row) => row.entry_id, right: true },
      { title: 'NAME', value: (row) => row.name ?? '-', cut: 'middle' },
      { title: 'OUTCOME', value: (row) => outcomeOf(row, out), cut: 'end' },
    ],
    out,
  ),
  ...reasons(rows, out),
]

function outcomeOf({ status, outcome }: Row, { terminal }: Output): string {
  if (status === 'failed' && terminal) return 'not possible'
  return status === 'would' ? `would be ${outcome}` : outcome
}

/** Why some failed, below the table, as a terminal has no room for sentences in it. */
function reasons(rows: readonly Row[], { terminal, width }: Output): string[] {
  const failed = rows.filter(({ status }) => status === 'failed')
  if (!terminal || failed.length === 0) return []
  const hidden = failed.length - mostReasons
  return [
    '',
    ...failed.slice(0, mostReasons).flatMap((row) => wrapAfter(reasonLabel(row), row.outcome, width)),
    ...(hidden > 0 ? [`and ${number(hidden)} more (--json tells all)`] : []),
  ]
}

/** Most reasons name the entry themselves. */
const reasonLabel = ({ entry_id, name, outcome }: Row): string =>
  outcome.includes(name ?? String(entry_id)) ? '- ' : `- ${printable(name ?? `entry ${entry_id}`)}: `

export const sumsOf = (rows: readonly Row[]) => {
  const having = (...statuses: Row['status'][]) => rows.filter(({ status }) => statuses.includes(status)).length
  return { changed: having('done', 'would'), unchanged: having('unchanged'), failed: having('failed') }
}

/** A row as a dry run says it, and what makes it true. */
interface Planned {
  row: Row
  act?: (() => Promise<unknown>) | undefined
}

async function* planEach(api: Api, { ids, plan, gone }: Acts): AsyncGenerator<Planned> {
  for (let at = 0; at < ids.length; at += limits.page.max) {
    const part = ids.slice(at, at + limits.page.max)
    const entries = await readEntryDetails(api, part)
    for (const id of part) {
      const entry = entries.get(id)
      yield !entry && gone ? { row: { entry_id: id, status: 'unchanged', ...gone(id) } } : planOne(id, entry, plan)
    }
  }
}

async function planOne(entry_id: number, entry: EntryDetail | undefined, plan: Acts['plan']): Promise<Planned> {
  const named = { entry_id, name: entry?.name ?? null }
  try {
    if (!entry) throw new ApiError('ENTRY_NOT_FOUND', `There is no entry ${entry_id} in this workspace.`)
    const { outcome, act, refused } = await plan(entry)
    if (refused) return { row: refusedRow(named, refused) }
    return { row: { ...named, status: act ? 'would' : 'unchanged', outcome }, act }
  } catch (error) {
    return { row: failedRow(named, error) }
  }
}

async function perform({ row, act }: Planned): Promise<Row> {
  if (!act) return row
  try {
    await act()
    return { ...row, status: 'done' }
  } catch (error) {
    return failedRow(row, error)
  }
}

/** What concerns this entry alone is its row; what would concern every other one too ends the command. */
function failedRow({ entry_id, name }: Pick<Row, 'entry_id' | 'name'>, error: unknown): Row {
  if (!(error instanceof ApiError) || ![404, 409, 422].includes(error.status)) throw error
  return refusedRow({ entry_id, name }, error)
}

const refusedRow = ({ entry_id, name }: Pick<Row, 'entry_id' | 'name'>, refused: ApiError): Row => ({
  entry_id,
  name,
  status: 'failed',
  outcome: printable(refused.message),
  error: errorDocument(failureOf(refused)),
})

function exitOf(rows: readonly Row[]): number {
  const failures = rows.flatMap(({ error }) => error ?? [])
  const [first] = failures
  if (!first) return exits.done
  if (failures.length < rows.length) return exits.partly
  const row = errors[first.code as keyof typeof errors]
  return row ? row[1] : exits.failed
}
