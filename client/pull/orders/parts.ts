/** Orders of more than one pull job may hold: they are asked for in parts, so that what a person orders is never too much. */
import { ApiError } from '../../../contract/errors.ts'
import { limits } from '../../../contract/limits.ts'
import type { PullOrder } from '../../../contract/pull-jobs.ts'
import type { Api } from '../../http/api.ts'

/** An order of entries, however many. */
export type EntriesOrder = PullOrder & { entries: NonNullable<PullOrder['entries']> }

/** Of a library that changes all the time: after so many tries its answer is passed on. */
const mostTries = 5

/**
 * Asks for an order in as few parts as the library takes, one after the other, and gives the answers. A part holds at most 1,000 entries;
 * where these need more files than a job may hold, they are asked for in slices of one list, or by halves where the library knows no
 * slices. Throws what `ask` throws; then `undo` is told what was answered for other parts.
 */
export async function askInParts<Answer>(
  api: Pick<Api, 'pullJobs'>,
  order: EntriesOrder,
  { ask, undo = async () => {} }: { ask: (part: EntriesOrder) => Promise<Answer>; undo?: (answers: Answer[]) => Promise<void> },
): Promise<Answer[]> {
  for (let tries = 1; ; tries++) {
    const answers: Answer[] = []
    try {
      for (const part of chunksOf(order)) await askPart({ api, ask, answers }, part)
      return answers
    } catch (error) {
      if (error instanceof ApiError) await undo(answers)
      if (!isOtherList(error) || tries === mostTries) throw error
    }
  }
}

function chunksOf(order: EntriesOrder): EntriesOrder[] {
  const { entries } = order
  const most = limits.pullJob.entries
  if (entries.length <= most) return [order]
  return Array.from({ length: Math.ceil(entries.length / most) }, (_, at) => ({
    ...order,
    entries: entries.slice(at * most, (at + 1) * most),
  }))
}

interface Asking<Answer> {
  api: Pick<Api, 'pullJobs'>
  ask: (part: EntriesOrder) => Promise<Answer>
  answers: Answer[]
}

async function askPart<Answer>(asking: Asking<Answer>, part: EntriesOrder): Promise<void> {
  const { api, ask, answers } = asking
  try {
    answers.push(await ask(part))
  } catch (error) {
    if (!isTooMuch(error)) throw error
    const smaller = (await slicesOf(api, part)) ?? halvesOf(part)
    if (!smaller) throw error
    for (const one of smaller) await (one.slice ? ask(one).then((answer) => answers.push(answer)) : askPart(asking, one))
  }
}

/** Undefined where the library knows none. */
async function slicesOf(api: Pick<Api, 'pullJobs'>, part: EntriesOrder): Promise<EntriesOrder[] | undefined> {
  const count = limits.pullJob.files
  const { key, planned_files = 0 } = await api.pullJobs.plan({ ...part, slice: { from: 0, count: 1 } }).catch(nothingWhereUnknown)
  if (key === undefined) return undefined
  return Array.from({ length: Math.ceil(planned_files / count) }, (_, at) => ({
    ...part,
    slice: { key, from: at * count, count },
  }))
}

/** An older library says that the field is unknown, that the files are too many, or that it does not plan at all. */
function nothingWhereUnknown(error: unknown): { key?: string; planned_files?: number } {
  if (error instanceof ApiError && (error.code === 'VALIDATION' || error.status === 404 || error.status === 405)) return {}
  throw error
}

export function halvesOf<O extends EntriesOrder>(part: O): O[] | undefined {
  const { entries } = part
  const middle = Math.ceil(entries.length / 2)
  if (entries.length < 2) return undefined
  return [entries.slice(0, middle), entries.slice(middle)].map((half) => ({ ...part, entries: half }))
}

/** What is wrong with single files is said with their ids; of an order that is too much only that. */
function isTooMuch(error: unknown): boolean {
  if (!(error instanceof ApiError && error.code === 'VALIDATION')) return false
  const errors = (Array.isArray(error.details.errors) ? error.details.errors : []) as (Record<string, unknown> | null)[]
  return errors.length > 0 && errors.every((one) => one?.path === 'entries' && !('object_id' in one) && !('object_ids' in one))
}

/** Someone pushed between the plan and the order of its slices. */
const isOtherList = (error: unknown): boolean => error instanceof ApiError && error.code === 'CONFLICT'
