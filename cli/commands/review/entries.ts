/** Props with what is decided of their current versions, and the rounds that are open on these. */
import pLimit from 'p-limit'
import { readEntryDetails } from '../../../client/entries/details.ts'
import { requireEntryIds } from '../../../client/entries/reference.ts'
import type { Api } from '../../../client/http/api.ts'
import type { EntryDetail } from '../../../contract/entries.ts'
import { ApiError } from '../../../contract/errors.ts'
import type { ReviewRequest } from '../../../contract/review-requests.ts'

const requestsAtOnce = 8

/** In order, each once. Throws as `requireEntryIds` does, and ApiError `ENTRY_NOT_FOUND`. */
export async function readEntries(api: Api, references: readonly string[]): Promise<EntryDetail[]> {
  const ids = await requireEntryIds(api, references)
  const entries = await readEntryDetails(api, ids)
  const missing = ids.find((id) => !entries.has(id))
  if (missing !== undefined) throw new ApiError('ENTRY_NOT_FOUND', `There is no entry ${missing} in this workspace.`)
  return [...entries.values()]
}

export interface ReviewedEntry {
  entry: EntryDetail
  /** The round that is open on its current version. */
  open: ReviewRequest | undefined
}

export async function readReviewed(api: Api, references: readonly string[]): Promise<ReviewedEntry[]> {
  const atOnce = pLimit(requestsAtOnce)
  const withRound = async (entry: EntryDetail): Promise<ReviewedEntry> => {
    // Most versions have no round, and their record says so.
    if (!entry.review?.request_id) return { entry, open: undefined }
    const { requests } = await api.reviewRequests.ofEntry({ entry_id: entry.id, status: 'open' })
    return { entry, open: requests.find(({ object_id }) => object_id === entry.object_id) }
  }
  return Promise.all((await readEntries(api, references)).map((entry) => atOnce(() => withRound(entry))))
}
