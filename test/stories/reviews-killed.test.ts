/**
 * The server is killed (SIGKILL) at steps all along each kind of write of a review, and along marks and drawings, and started again: all
 * that the write changes is changed then, or nothing of it is. A step is what death-point.ts counts.
 */
import { expect, test } from 'vitest'
import type { Answer, Caller, Json } from '../support/api.ts'
import { answered } from '../support/discussion.ts'
import { ofMany } from '../support/long-runs.ts'
import { pngOf } from '../support/media.ts'
import { deathKind, moments, mortal } from '../support/mortal-server.ts'
import { answerTo, happened, opened, propOf, requestOf } from '../support/team.ts'

type Who = 'mia' | 'max' | 'adam'
type Mortal = Awaited<ReturnType<typeof mortal>>

/** What is to be seen of a prop; each part as text. */
async function seen({ caller }: Mortal, prop: Json): Promise<Record<string, string>> {
  const mia = caller('mia')
  const told = async (who: Who) => {
    const { notifications } = answered(await caller(who).get('/notifications?limit=200'))
    return notifications
      .filter((one: Json) => one.entry_id === prop.entry_id)
      .map((one: Json) => [one.reason, one.read_at !== null])
  }
  const { review, review_status } = answered(await mia.get(`/entries/${prop.entry_id}`))
  const parts = {
    rounds: answered(await mia.get(`/entries/${prop.entry_id}/review-requests`)).requests,
    review: [review, review_status],
    mia: await told('mia'),
    max: await told('max'),
    adam: await told('adam'),
    events: await happened(mia, prop.entry_id),
    changes: answered(await mia.get('/catalog/changes?cursor=0&limit=1000')).next_cursor,
    drawings: answered(await mia.get(`/entries/${prop.entry_id}/annotations`)).annotations,
  }
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, JSON.stringify(part)]))
}

interface Write {
  /** Of the request that is killed. */
  address: string
  /** All that it changes, and nothing else. */
  changes: string[]
  /** Does what comes before it, and gives what asks for it. */
  prepare(mortal: Mortal, prop: Json): Promise<() => Promise<Answer>>
}

const idOf = async (who: Caller): Promise<number> => answered(await who.get('/members/me')).id
const roundOf = async ({ caller }: Mortal, prop: Json, reviewers: readonly Who[]): Promise<Json> =>
  opened(caller('mia').post(...requestOf(prop, await Promise.all(reviewers.map((who) => idOf(caller(who)))))))

const writes: Record<string, Write> = {
  'a round is opened': {
    address: 'POST .*/review-requests',
    changes: ['rounds', 'review', 'max', 'adam', 'events', 'changes'],
    async prepare({ caller }, prop) {
      const reviewer = await idOf(caller('max'))
      return () => caller('mia').post(...requestOf(prop, [reviewer], { note: '@adam' }))
    },
  },
  'the last approval comes in': {
    address: 'POST .*/respond',
    changes: ['rounds', 'review', 'mia', 'events', 'changes'],
    async prepare(mortal, prop) {
      const round = await roundOf(mortal, prop, ['max', 'adam'])
      answered(await mortal.caller('max').post(...answerTo(round, 'approved')))
      return () => mortal.caller('adam').post(...answerTo(round, 'approved'))
    },
  },
  'a round is cancelled': {
    address: 'POST .*/cancel',
    changes: ['rounds', 'review', 'events', 'changes'],
    async prepare(mortal, prop) {
      const round = await roundOf(mortal, prop, ['max'])
      return () => mortal.caller('mia').post(`/review-requests/${round.id}/cancel`)
    },
  },
  'the only one who has not approved is taken out': {
    address: 'PATCH .*/review-requests',
    changes: ['rounds', 'review', 'events', 'changes'],
    async prepare(mortal, prop) {
      const round = await roundOf(mortal, prop, ['max', 'adam'])
      answered(await mortal.caller('max').post(...answerTo(round, 'approved')))
      const remove_reviewer_ids = [await idOf(mortal.caller('adam'))]
      return () => mortal.caller('mia').patch(`/review-requests/${round.id}`, { remove_reviewer_ids })
    },
  },
  'someone decides over an open round': {
    address: 'PUT .*/review',
    changes: ['rounds', 'review', 'max', 'events', 'changes'],
    async prepare(mortal, prop) {
      await roundOf(mortal, prop, ['adam'])
      const assignee_id = await idOf(mortal.caller('max'))
      const body = { object_id: prop.object_id, state: 'changes_requested', assignee_id }
      return () => mortal.caller('adam').put(`/entries/${prop.entry_id}/review`, body)
    },
  },
  'notifications are read': {
    address: 'POST .*/notifications/read',
    changes: ['max'],
    async prepare(mortal, prop) {
      const round = await roundOf(mortal, prop, ['max'])
      answered(await mortal.caller('mia').post(`/review-requests/${round.id}/cancel`))
      await roundOf(mortal, prop, ['max'])
      return () => mortal.caller('max').post('/notifications/read', { all: true })
    },
  },
  'a drawing is made': {
    address: 'POST .*/annotations',
    changes: ['drawings', 'events'],
    async prepare({ caller }, prop) {
      const picture = `/entries/${prop.entry_id}/thumbnail?object_id=${prop.object_id}`
      const { artifact_id } = answered(await caller('mia').put(picture, await pngOf(4, 4)))
      const place = { object_id: prop.object_id, preview_artifact_id: artifact_id }
      const drawing = { ...place, shape: 'rect', geometry: { x: 0, y: 0, w: 1, h: 1 } }
      return () => caller('mia').post(`/entries/${prop.entry_id}/annotations`, drawing)
    },
  },
}

const mortals = await mortal()

test.for(Object.entries(writes))(
  'killed while %s, the server comes back with all of it or nothing',
  { timeout: 900_000 },
  async ([, { address, changes, prepare }]) => {
    const outcomes: string[][] = []
    for (const before of moments(deathKind === 'wire' ? [2, 9, 4, 14].slice(0, ofMany(2, 4)) : [1, 2])) {
      const prop = await propOf(mortals.caller('mia'))
      const ask = await prepare(mortals, prop)
      const known = await seen(mortals, prop)
      const hasDied = await mortals.dying({ address, before }, ask)
      const now = await seen(mortals, prop)
      const changed = Object.keys(now).filter((part) => now[part] !== known[part])
      expect([...changes].sort()).toEqual(expect.arrayContaining(changed))
      expect([0, changes.length], `${changed} of ${changes}`).toContain(changed.length)
      if (before === 'answer' || !hasDied) expect(changed).toHaveLength(changes.length)
      if (hasDied) outcomes.push(changed)
    }
    expect(outcomes.some((changed) => changed.length === 0)).toBe(true)
    expect(outcomes.at(-1)).not.toEqual([])
  },
)
