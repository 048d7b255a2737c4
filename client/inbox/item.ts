/** Everything that someone wants to see of one thing that waits: its round, its entry with the thread, what differs from the approved version. */
import type { Comment } from '../../contract/comments.ts'
import type { EntryDetail } from '../../contract/entries.ts'
import { ApiError } from '../../contract/errors.ts'
import type { ReviewRequest } from '../../contract/review-requests.ts'
import { type AgainstApproved, compareWithApproved } from '../compare/approved.ts'
import type { Api } from '../http/api.ts'
import type { InboxItem } from './inbox.ts'

export interface ItemDetail {
  entry: EntryDetail | null
  round: ReviewRequest | null
  against: AgainstApproved | null
  /** Of a mention or a reply the thread that it is in; else all of them. Oldest first. */
  thread: Comment[]
}

/** What is gone meanwhile is null. Throws what the calls throw. */
export async function readItem(api: Api, item: InboxItem): Promise<ItemDetail> {
  const { entry_id, request_id, lineage_id, object_id, kind } = item
  const isCompared = kind === 'review' || kind === 'changes'
  const [entry, round, against] = await Promise.all([
    entry_id === null ? null : api.entries.get({ entry_id }).catch(nullWhereGone),
    request_id === null ? null : api.reviewRequests.get({ request_id }).then(({ request }) => request, nullWhereGone),
    isCompared && object_id !== null ? compareWithApproved(api, { lineage_id, object_id }).catch(nullWhereGone) : null,
  ])
  return { entry, round, against: against ?? null, thread: threadOf(item, entry?.comments ?? []) }
}

function threadOf({ comment_id }: InboxItem, comments: Comment[]): Comment[] {
  const own = comments.find(({ id }) => id === comment_id)
  if (!own) return comments
  const top = own.parent_id ?? own.id
  return comments.filter(({ id, parent_id }) => id === top || parent_id === top)
}

function nullWhereGone(error: unknown): null {
  if (error instanceof ApiError && error.status === 404) return null
  throw error
}
