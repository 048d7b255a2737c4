/** Everything about many entries: in bulk where the library offers that, else one by one. */
import pLimit from 'p-limit'
import type { EntryDetail } from '../../contract/entries.ts'
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Api } from '../http/api.ts'

/** The calls that it takes. */
export interface DetailCalls {
  entries: Pick<Api['entries'], 'get' | 'find'>
}

const requestsAtOnce = 8
/** What servers say of a route that they do not have; a read key on one that does not look like reading is refused first. */
const noSuchRoute = [403, 404, 405]

/**
 * The entries that there are, by id, in the order asked for; unknown ids are left out. One request for 200 entries, or one for each
 * on servers that do not know the question (contract-gaps 9). Throws what the calls throw.
 */
export async function readEntryDetails(calls: DetailCalls, ids: readonly number[]): Promise<Map<number, EntryDetail>> {
  const requested = [...new Set(ids)]
  const found: EntryDetail[] = []
  for (let at = 0; at < requested.length; at += limits.page.max) {
    const part = requested.slice(at, at + limits.page.max)
    const answer = await calls.entries.find({ entry_ids: part }).catch(undefinedWhere(noSuchRoute))
    if (!answer) return ordered(requested, [...found, ...(await readEach(calls, requested.slice(at)))])
    found.push(...answer.entries)
  }
  return ordered(requested, found)
}

function ordered(ids: readonly number[], entries: readonly EntryDetail[]): Map<number, EntryDetail> {
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  const known = ids.flatMap((id) => byId.get(id) ?? [])
  return new Map(known.map((entry) => [entry.id, entry]))
}

async function readEach({ entries }: DetailCalls, ids: readonly number[]): Promise<EntryDetail[]> {
  const atOnce = pLimit(requestsAtOnce)
  const readOne = (entry_id: number) => entries.get({ entry_id }).catch(undefinedWhere([404]))
  return (await Promise.all(ids.map((id) => atOnce(readOne, id)))).flatMap((entry) => entry ?? [])
}

const undefinedWhere =
  (statuses: readonly number[]) =>
  (error: unknown): undefined => {
    if (!(error instanceof ApiError && statuses.includes(error.status))) throw error
  }
