/** What the inbox does in the library for one key each. */

import type { Api } from '../../../client/http/api.ts'
import type { InboxItem } from '../../../client/inbox/inbox.ts'
import type { ItemDetail } from '../../../client/inbox/item.ts'
import type { Action } from './state.ts'

/** Does it, and gives what to say of it. `detail`: what is known of the item. Throws what the calls throw. */
export async function perform(api: Api, action: Action, detail: ItemDetail | undefined): Promise<string> {
  const { item } = action
  if (action.kind === 'comment') return comment(api, action, threadOf(item, detail))
  if (action.kind === 'answer') await answer(api, action)
  await markRead(api, item)
  if (action.kind === 'read') return 'Marked as read.'
  return `${item.name}: ${action.response === 'approved' ? 'approved' : 'changes requested'}.`
}

type Of<K extends Action['kind']> = Extract<Action, { kind: K }>

async function comment(api: Api, { item, body }: Of<'comment'>, parent_id: number | undefined): Promise<string> {
  const { entry_id, object_id } = item
  await api.comments.create({ entry_id: entry_id ?? 0, body, ...(parent_id === undefined ? { object_id } : { parent_id }) })
  await markRead(api, { notification_ids: parent_id === undefined ? [] : item.notification_ids })
  return parent_id === undefined ? 'Commented.' : 'Replied.'
}

const answer = (api: Api, { item, response, note }: Of<'answer'>) =>
  api.reviewRequests.respond({ request_id: item.request_id ?? 0, response, ...(note === '' ? {} : { note }) })

async function markRead(api: Api, { notification_ids: ids }: Pick<InboxItem, 'notification_ids'>): Promise<void> {
  if (ids.length > 0) await api.notifications.read({ ids })
}

/** The top of the thread that a mention or a reply is in. */
function threadOf({ comment_id }: InboxItem, detail: ItemDetail | undefined): number | undefined {
  const own = detail?.thread.find(({ id }) => id === comment_id)
  return own && (own.parent_id ?? own.id)
}
