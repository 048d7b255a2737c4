/** Events in words: who did what to which prop, when. */

import type { FollowingState } from '../../../client/activity/follow.ts'
import { readEntryDetails } from '../../../client/entries/details.ts'
import type { Api } from '../../../client/http/api.ts'
import type { ActivityEvent, ActivityType } from '../../../contract/activity.ts'
import { printable } from '../../../system/printable.ts'
import type { Context } from '../../context.ts'
import { shapeWords } from '../../discussion/comment-words.ts'
import { personName } from '../../discussion/people.ts'
import { noteLine } from '../../entries/lock-words.ts'
import { count, moment } from '../../terminal/amounts.ts'
import { wrap } from '../../terminal/wrap.ts'

/** Said beside what is followed. `waiting`: what comes of it that the server is away. */
export function followingWords(state: FollowingState, waiting: string): string {
  if (state === 'back') return 'The server is back.'
  if (state === 'set-back')
    return 'The library was set back to an earlier state, as by a restore from a backup. Some of what was shown may not be in it any more; what happens from now on follows.'
  return `${printable(state.away.message)} ${waiting}`
}

/** Names of entries by id; null: it is gone. */
export type Names = Map<number, string | null>

/** Fills in those that are missing. */
export async function namesFor(api: Api, events: readonly ActivityEvent[], names: Names = new Map()): Promise<Names> {
  const missing = new Set(events.flatMap(({ entry_id }) => (entry_id === null || names.has(entry_id) ? [] : entry_id)))
  if (missing.size === 0) return names
  const found = await readEntryDetails(api, [...missing])
  for (const id of missing) names.set(id, found.get(id)?.name ?? null)
  return names
}

interface Look {
  names: Names
  context: Pick<Context, 'out'>
  when(timestamp: string): string
}

export const eventLines = (events: readonly ActivityEvent[], { names, context: { out }, when }: Look): string[] =>
  events.flatMap((event) => {
    const [first = '', ...more] = wrap(
      `${out.paint('dim', `${when(event.created_at)}:`)} ${sentence(event, names)}`,
      out.width - 2,
    )
    return [first, ...more.map((line) => `  ${line}`)]
  })

interface Payload {
  name?: unknown
  version?: unknown
  note?: unknown
  fields?: unknown
  expires_at?: unknown
  reason?: unknown
  state?: unknown
  response?: unknown
  comment_id?: unknown
  parent_id?: unknown
  resolved?: unknown
  shape?: unknown
  target_project?: unknown
}

/** What a payload holds is the server's word, which may be of a newer one. */
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? noteLine(value) : undefined)
const behind = (value: unknown): string => (text(value) === undefined ? '' : `: ${text(value)}`)
const id = (value: unknown): string => (typeof value === 'number' ? ` (comment ${value})` : '')

const sentences: Record<ActivityType, (who: string, name: string, payload: Payload) => string> = {
  'push.commit': (who, name, { note }) => `${who} pushed ${name}${behind(note)}`,
  'push.undo': (who, name) => `${who} took back a push of ${name}`,
  'push.enrich': (who, name, { fields }) =>
    `${who} filled in ${Array.isArray(fields) ? fields.map((one) => printable(String(one))).join(', ') : 'details'} of ${name}`,
  'entry.restore': (who, name) => `${who} made another version of ${name} current`,
  'lock.acquire': (who, name, { expires_at, note }) =>
    `${who} checked out ${name}${text(expires_at) ? ` until ${moment(String(expires_at))}` : ''}${behind(note)}`,
  'lock.release': (who, name, { reason }) => `${who} released ${name}${behind(reason)}`,
  'lock.expire': (who, name) => `the time of ${who}'s check-out of ${name} is over`,
  'review.change': (who, name, { state }) => `${who} set ${name} to ${text(state)?.replaceAll('_', ' ') ?? 'another state'}`,
  'review.request': (who, name) => `${who} asked for a review of ${name}`,
  'review.response': (who, name, { response }) =>
    response === 'approved' ? `${who} approved ${name}` : `${who} requested changes to ${name}`,
  'review.cancel': (who, name) => `${who} cancelled the review of ${name}`,
  'comment.create': (who, name, { parent_id, comment_id }) =>
    `${who} ${typeof parent_id === 'number' ? 'replied' : 'commented'} on ${name}${id(comment_id)}`,
  'comment.resolve': (who, name, { resolved, comment_id }) =>
    `${who} ${resolved === false ? 'reopened' : 'resolved'} a thread on ${name}${id(comment_id)}`,
  'annotation.create': (who, name, { shape }) => `${who} drew ${text(shape) ? `${shapeWords(String(shape))} ` : ''}on ${name}`,
  'download.pull': (who, name, { target_project: project }) =>
    text(project) ? `${who} ordered ${name} for ${text(project)}` : `${who} downloaded ${name}`,
  'previews.refresh_requested': (who, name) => `${who} asked for new previews of ${name}`,
  'webhook.test': (who) => `${who} tested a webhook`,
}

function sentence(event: ActivityEvent, names: Names): string {
  const { event_type, actor, count: events } = event
  const payload = event.payload as Payload
  const who = personName(actor)
  const others = events > 1 ? ` and ${count(events - 1, 'other')}` : ''
  const isOfVersion = event_type === 'push.commit' || event_type === 'push.undo'
  const version = isOfVersion && typeof payload.version === 'number' ? ` v${payload.version}` : ''
  const name = `${nameOf(event, names)}${others || version}`
  const words = (sentences as Record<string, (typeof sentences)[ActivityType] | undefined>)[event_type]
  return words ? words(who, name, payload) : `${who}: ${printable(event_type)}, ${name}`
}

/** Where names could not be asked for, the id stands. */
function nameOf({ entry_id, payload }: ActivityEvent, names: Names): string {
  const name = entry_id === null ? null : names.get(entry_id)
  if (typeof name === 'string') return printable(name)
  const was = text((payload as Payload).name)
  if (was !== undefined) return name === null ? `${was} (gone)` : was
  if (entry_id === null) return 'the library'
  return name === null ? `entry ${entry_id}, which is gone` : `entry ${entry_id}`
}
