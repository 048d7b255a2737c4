/** What people do with each other, as the rows of a benchmark: each is asked many times, in turn with something plain. */
import type { EntrySummary } from '../contract/entries.ts'
import type { Lock } from '../contract/locks.ts'
import type { ReviewRequest } from '../contract/review-requests.ts'
import type { PhAsker } from './ask-ph.ts'
import type { Ask } from './latency.ts'
import { nameOfPerson } from './made-team.ts'

export interface TeamRow {
  question: string
  /** p95 wanted. */
  wanted: string
  ask: Ask
  /** What has to be there for it, each time; not timed. */
  before?: Ask
  /** What is plain at the same moment: a write as small as one can be, or a read that comes out of memory. */
  beside: 'write' | 'read'
}

export interface Around {
  ph: PhAsker
  /** Entries that nobody has asked anyone to review. */
  free: readonly EntrySummary[]
  /** Someone else. */
  reviewerId: number
  /** The rounds that wait for an answer. */
  rounds: readonly ReviewRequest[]
  /** The entry that many watch. */
  watchedId: number
  isEmbedded: boolean
}

const write = (isEmbedded: boolean): string => (isEmbedded ? '15 ms' : '8 ms')

/** In the order in which they have to come. */
export const rowsOf = (around: Around): TeamRow[] => [
  ...plainRows(around),
  ...lockRows(around),
  ...commentRows(around),
  ...reviewRows(around),
  ...readRows(around),
]

/** A tag that comes and goes. */
export function plainWrite({ ph, free }: Around, tagId: number): Ask {
  const entry = one(free, free.length - 1)
  return (turn) => ph.send(turn % 2 === 0 ? 'PUT' : 'DELETE', `/entries/${entry.id}/tags/${tagId}`)
}

/** What is in memory. */
export const plainRead =
  ({ ph }: Around): Ask =>
  () =>
    ph.bytes('/auth/me')

function one<T>(list: readonly T[], turn: number): T {
  const found = list[turn % list.length]
  if (found === undefined) throw new Error('the library is too small for this')
  return found
}

const plainRows = (around: Around): TeamRow[] => [{ question: 'who am I', wanted: '', beside: 'write', ask: plainRead(around) }]

function lockRows({ ph, free, isEmbedded }: Around): TeamRow[] {
  const wanted = write(isEmbedded)
  const taken: number[] = []
  const take: Ask = async (turn) => {
    const body = { lineage_id: one(free, turn).lineage_id, note: 'New rings' }
    const { lock } = await ph.send<{ lock: Lock }>('POST', '/locks', body)
    taken.push(lock.id)
  }
  const giveBack: Ask = () => ph.send('DELETE', `/locks/${taken.pop()}`)
  return [
    { question: 'check-out of one prop', wanted, beside: 'write', ask: take },
    { question: 'its release', wanted, beside: 'write', before: take, ask: giveBack },
  ]
}

const mentionedPeople = 50

function commentRows({ ph, free, watchedId, isEmbedded }: Around): TeamRow[] {
  const wanted = write(isEmbedded)
  let last = 0
  const post = async (entryId: number, body: string): Promise<void> => {
    last = (await ph.send<{ id: number }>('POST', `/entries/${entryId}/comments`, { body })).id
  }
  const plain: Ask = (turn) => post(one(free, turn).id, 'The rings are too thin.')
  const mentions = Array.from({ length: mentionedPeople }, (_, at) => `@${nameOfPerson(at + 1)}`).join(' ')
  const mentioning: Ask = (turn) => post(one(free, turn).id, `@${nameOfPerson(turn + 1)} the rings are too thin.`)
  const react: Ask = () => ph.send('PUT', `/comments/${last}/reactions`, { emoji: '👍' })
  const resolve: Ask = () => ph.send('POST', `/comments/${last}/resolve`)
  const toMany: Ask = () => post(watchedId, `The rings are too thin. ${mentions}`)
  return [
    { question: 'comment', wanted, beside: 'write', ask: plain },
    { question: 'comment that mentions one person', wanted, beside: 'write', ask: mentioning },
    { question: 'reaction', wanted, beside: 'write', before: plain, ask: react },
    { question: 'thread resolved', wanted, beside: 'write', before: plain, ask: resolve },
    { question: 'comment that mentions 50, watched by 1,000', wanted: '60 ms', beside: 'write', ask: toMany },
  ]
}

/** Rounds are opened on the first entries, and opened and cancelled on others. */
const cancelledFrom = 400

function reviewRows({ ph, free, rounds, reviewerId, isEmbedded }: Around): TeamRow[] {
  const wanted = write(isEmbedded)
  let last = 0
  const request = async ({ id, object_id }: EntrySummary): Promise<void> => {
    const body = { object_id, reviewer_ids: [reviewerId], note: 'Please look at the edges.' }
    last = (await ph.send<{ request: ReviewRequest }>('POST', `/entries/${id}/review-requests`, body)).request.id
  }
  const decide: Ask = (turn) => {
    const { id, object_id } = one(free, turn)
    return ph.send('PUT', `/entries/${id}/review`, { object_id, state: 'changes_requested', assignee_id: reviewerId })
  }
  const other: Ask = (turn) => request(one(free, cancelledFrom + (turn % (free.length - cancelledFrom))))
  const cancel: Ask = () => ph.send('POST', `/review-requests/${last}/cancel`)
  const answer: Ask = (turn) =>
    ph.send('POST', `/review-requests/${one(rounds, turn).id}/respond`, { response: 'changes_requested', note: 'Too thin.' })
  return [
    { question: 'decision on a version', wanted, beside: 'write', ask: decide },
    { question: 'review request', wanted, beside: 'write', ask: (turn) => request(one(free, turn)) },
    { question: 'its cancelling', wanted, beside: 'write', before: other, ask: cancel },
    { question: 'answer to a round', wanted, beside: 'write', ask: answer },
  ]
}

const readRows = ({ ph }: Around): TeamRow[] => [
  {
    question: 'rounds that wait for me, of 20,000',
    wanted: '10 ms',
    beside: 'read',
    ask: () => ph.bytes('/review-requests?view=waiting_on_me'),
  },
  { question: 'how many rounds wait for me', wanted: '', beside: 'read', ask: () => ph.bytes('/review-requests/waiting-count') },
  { question: 'notifications, first page of 100,000', wanted: '10 ms', beside: 'read', ask: () => ph.bytes('/notifications') },
  { question: 'how many are unread', wanted: '', beside: 'read', ask: () => ph.bytes('/notifications/unread-count') },
]
