/** What a delivery says: the event as JSON, or a line of text for chat programs (spec 6). */
import type { Webhook, WebhookEvent } from '../../contract/webhooks.ts'
import { chatText } from './chat-text.ts'

/** `entryName`: null where the event is of no entry, or of one that is gone. */
export function bodyOf(format: Webhook['format'], event: WebhookEvent, entryName: string | null): Buffer {
  return Buffer.from(JSON.stringify(format === 'json' ? event : { text: `Prop House: ${sentence(event, entryName)}` }))
}

/** Letters of a name, and of what someone said. */
const longest = { name: 200, said: 1_000 }

const text = (value: unknown, most = longest.name): string => (typeof value === 'string' ? chatText(value, most) : '')
const behind = (value: unknown): string => (text(value) === '' ? '' : `: ${text(value, longest.said)}`)

/** Our own words, in which `who` and `name` are texts for chat programs, as whatever is taken from the payload. */
type Say = (who: string, name: string, payload: Record<string, unknown>) => string

const sentences: Record<string, Say> = {
  'push.commit': (who, name, { note, version }) =>
    `${who} pushed ${name}${typeof version === 'number' ? ` v${version}` : ''}${behind(note)}`,
  'push.undo': (who, name, { version }) =>
    `${who} took back a push of ${name}${typeof version === 'number' ? ` v${version}` : ''}`,
  'push.enrich': (who, name) => `${who} filled in details of ${name}`,
  'entry.restore': (who, name) => `${who} made another version of ${name} current`,
  'lock.acquire': (who, name, { note }) => `${who} checked out ${name}${behind(note)}`,
  'lock.release': (who, name, { reason }) => `${who} released ${name}${behind(reason)}`,
  'lock.expire': (who, name) => `the time of ${who}'s check-out of ${name} is over`,
  'review.change': (who, name, { state }) => `${who} set ${name} to ${text(state).replaceAll('_', ' ') || 'another state'}`,
  'review.request': (who, name) => `${who} asked for a review of ${name}`,
  'review.response': (who, name, { response }) =>
    response === 'approved' ? `${who} approved ${name}` : `${who} requested changes to ${name}`,
  'review.cancel': (who, name) => `${who} cancelled the review of ${name}`,
  'comment.create': (who, name) => `${who} commented on ${name}`,
  'comment.resolve': (who, name, { resolved }) => `${who} ${resolved === false ? 'reopened' : 'resolved'} a thread on ${name}`,
  'annotation.create': (who, name) => `${who} drew on ${name}`,
  'download.pull': (who, name, { target_project: project }) =>
    text(project) ? `${who} ordered ${name} for ${text(project)}` : `${who} downloaded ${name}`,
  'previews.refresh_requested': (who) => `${who} asked for new previews`,
  'webhook.test': (who) => `${who} sent a test. This channel will hear what happens in the library.`,
}

function sentence({ type, actor, entry_id, payload }: WebhookEvent, entryName: string | null): string {
  const name = text(entryName) || text(payload.name) || (entry_id === null ? 'the library' : `entry ${entry_id}`)
  const who = text(actor?.display_name) || text(actor?.name) || 'someone'
  const say: Say = sentences[type] ?? (() => `${who}: ${text(type)}, ${name}`)
  return say(who, name, payload)
}
