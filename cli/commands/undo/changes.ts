/** What `ph undo` does with changes other than pushes: choosing one of the list, showing the list, taking one back. */
import { existsSync } from 'node:fs'
import type { Api } from '../../../client/http/api.ts'
import { openLastPush, type Remembered } from '../../../client/push/undo.ts'
import type { Change, Journal } from '../../../client/undo/journal.ts'
import { carryOut, type Planned, planUndo, type UndonePart } from '../../../client/undo/undo-change.ts'
import { exits } from '../../../contract/errors.ts'
import { printable } from '../../../system/printable.ts'
import { foldersOf } from '../../connection.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refusal.ts'
import { age, count } from '../../terminal/amounts.ts'
import { confirmHarm } from '../../terminal/confirmation.ts'
import type { Output } from '../../terminal/output.ts'
import { table } from '../../terminal/table.ts'
import { wrap, wrapAfter } from '../../terminal/wrap.ts'

/** Parts that a terminal names one by one. */
const mostShown = 30

/** The change of that number, or the last that stands; undefined where nothing is remembered. Throws Refusal `NOTHING_TO_UNDO`. */
export function chooseChange(
  context: Context,
  changes: readonly Change[],
  { folder: number, url }: { folder: string | undefined; url: string },
): Change | undefined {
  if (number === undefined) return changes.find(({ undoneAt }) => undoneAt === null)
  const change = changes.find((one) => one.number === Number(number))
  if (!change)
    throw nothing(
      `There is no change ${number} on the list.`,
      'See the list: `ph undo --list`. A folder of that name is `./<name>`.',
    )
  if (change.undoneAt !== null)
    throw nothing(
      `Change ${number} was taken back ${age(change.undoneAt, context.now())}: ${printable(change.what)}.`,
      'See what can be taken back: `ph undo --list`.',
    )
  const why = change.push && whyNotPush(context, change.push, url)
  if (why) throw notUndoable(change, why)
  return change
}

const nothing = (message: string, next: string) =>
  new Refusal({ code: 'NOTHING_TO_UNDO', exit: exits.failed, message, next, details: {} })

const notUndoable = ({ number, what }: Change, why: string) =>
  new Refusal({
    code: 'NOT_UNDOABLE',
    exit: exits.failed,
    message: `Change ${number} cannot be taken back: ${printable(what)}. ${printable(why)}`,
    next: 'See what can be taken back with `ph undo --list`, and name its number.',
    details: { number, why },
  })

/** Undefined where it can be taken back. Only the last push of a project is remembered with it. */
function whyNotPush(context: Context, { root, begunAt }: NonNullable<Change['push']>, url: string): string | undefined {
  if (!existsSync(root)) return `${root} is not there any more.`
  const last = openLastPush(root, { folders: foldersOf(context), url })
  last?.memory.close()
  if (last?.push.run.begunAt !== begunAt) return `A later push from ${root} took its place. Only the last one is remembered.`
  return last.push.versions.length > 0 ? undefined : 'It is taken back already.'
}

function whyNot(context: Context, { calls, stays, push, undoneAt }: Change, url: string): string | undefined {
  if (undoneAt !== null) return `Taken back ${age(undoneAt, context.now())}.`
  if (push) return whyNotPush(context, push, url)
  return calls.length > 0 ? undefined : (stays[0] ?? 'It is not remembered how it was before.')
}

/** The push is taken back, whichever way it was named. */
export async function markPush(context: Context, journal: Journal, { root, push }: Remembered): Promise<void> {
  await mark(context, journal, { root, begunAt: push.run.begunAt })
}

/** That it is done is true even where it cannot be written down: that is told. */
async function mark(context: Context, journal: Journal, which: Parameters<Journal['markUndone']>[0]): Promise<void> {
  try {
    await journal.markUndone(which, context.now().toISOString())
  } catch (error) {
    context.out.note(`The list of changes could not be brought up to date: ${(error as Error).message}`)
  }
}

export async function listChanges(context: Context, { journal, url }: { journal: Journal; url: string }): Promise<number> {
  const { out } = context
  const changes = (await journal.read()).map((change) => {
    const why = whyNot(context, change, url) ?? null
    return {
      number: change.number,
      at: change.at,
      what: change.what,
      root: change.push?.root ?? null,
      can_be_taken_back: why === null,
      why,
      undone_at: change.undoneAt,
    }
  })
  out.result({ changes }, () =>
    changes.length === 0
      ? 'No change from this machine is remembered.'
      : table(
          changes,
          [
            { title: 'NO', value: ({ number }) => number, right: true },
            { title: 'WHEN', value: ({ at }) => (out.terminal ? age(at, context.now()) : at) },
            { title: 'WHAT', value: ({ what }) => printable(what), cut: 'end' },
            { title: 'TAKE BACK', value: ({ number, why }) => why ?? `ph undo ${number}`, cut: 'end' },
          ],
          out,
        ),
  )
  return exits.done
}

interface Undoing {
  api: Api
  journal: Journal
  dryRun: boolean
  yes: boolean
}

export async function undoChange(context: Context, change: Change, { api, journal, dryRun, yes }: Undoing): Promise<number> {
  const { number, at, what, calls, stays } = change
  if (calls.length === 0) throw notUndoable(change, stays[0] ?? 'It is not remembered how it was before.')
  const { out } = context
  const head = `Change ${number}, ${age(at, context.now())}: ${printable(what)}.`
  const planned = await planUndo(change, api)
  const told = (parts: readonly UndonePart[]) => ({ dry_run: dryRun, number, at, what, ...sums(parts), parts: [...parts] })
  const plan = planned.map(({ part }) => part)
  const acting = planned.filter(({ act }) => act)
  if (!dryRun && acting.length > 0)
    await confirmHarm(context, {
      yes,
      plan: [head, ...linesOf(plan, out)],
      details: told(plan),
      question: 'Take it back?',
    })
  const parts = dryRun ? plan : await carryOutAll(context, planned)
  const { changed, failed } = sums(parts)
  if (!dryRun && (changed > 0 || failed === 0)) await mark(context, journal, number)
  out.result(told(parts), () => [head, ...linesOf(parts, out), '', ...wrap(closing(parts, dryRun), out.width)])
  return failed === 0 ? exits.done : changed > 0 ? exits.partly : exits.conflict
}

async function carryOutAll(context: Context, planned: readonly Planned[]): Promise<UndonePart[]> {
  try {
    return await carryOut(planned)
  } catch (error) {
    context.out.note('It was stopped on the way. Run the same command again: what is taken back already stays so.')
    throw error
  }
}

function sums(parts: readonly UndonePart[]) {
  const having = (...statuses: UndonePart['status'][]) => parts.filter(({ status }) => statuses.includes(status)).length
  return { changed: having('done', 'would'), unchanged: having('unchanged'), failed: having('failed') }
}

const marks: Record<UndonePart['status'], string> = { done: 'done', would: 'would be', unchanged: 'as it is', failed: 'stays' }

function linesOf(parts: readonly UndonePart[], out: Output): string[] {
  const hidden = parts.length - mostShown
  const lines = parts.slice(0, mostShown).flatMap(({ what, status, why }) => {
    const words = why === null ? what : `${what}. ${why}`
    return wrapAfter(`  ${marks[status].padEnd(8)}  `, printable(words), out.width)
  })
  return hidden > 0 ? [...lines, `  and ${hidden} more (--json tells all)`] : lines
}

function closing(parts: readonly UndonePart[], dryRun: boolean): string {
  const { changed, failed } = sums(parts)
  if (changed === 0 && failed === 0) return 'There is nothing to take back any more.'
  if (changed === 0) return 'Nothing was taken back.'
  const rest =
    failed > 0 ? `; ${count(failed, 'thing')} ${failed === 1 ? 'stays' : 'stay'} as ${failed === 1 ? 'it is' : 'they are'}` : ''
  return dryRun ? `It can be taken back${rest}.` : `Taken back${rest}.`
}
