/** ph inbox as lines and as JSON: what waits for whom, against a real library. */
import { expect, test } from 'vitest'
import { callAs, type Json } from '../../support/api.ts'
import { personAt } from '../../support/person.ts'
import { startTestServer } from '../../support/server.ts'

const server = await startTestServer()

/** Olivia has pushed a barrel and a stool; people are named by their ids. */
async function inn() {
  const { url, keys } = await server.addWorkspace()
  const [olivia, mia] = [personAt(url, keys.olivia), personAt(url, keys.mia)]
  const as = { olivia: callAs(url, keys.olivia), mia: callAs(url, keys.mia), max: callAs(url, keys.max) }
  await olivia.save('SM_Barrel')
  await olivia.save('SM_Stool')
  await olivia.ok('push')
  const { members } = (await as.mia.get('/members')).body
  const ids = Object.fromEntries(members.map((member: Json) => [member.name, member.id])) as Record<string, number>
  const { entries } = (await as.mia.get('/entries')).body
  const prop = (name: string): Json => entries.find((entry: Json) => entry.name === name)
  /** Olivia asks for a review. */
  const ask = async (name: string, who: string[], note: string) => {
    const { id, object_id } = prop(name)
    const reviewer_ids = who.map((one) => ids[one])
    const answer = await as.olivia.post(`/entries/${id}/review-requests`, { object_id, reviewer_ids, note })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    return answer.body.request
  }
  const say = async (who: keyof typeof as, name: string, said: Json): Promise<Json> =>
    (await as[who].post(`/entries/${prop(name).id}/comments`, said)).body
  return { url, keys, olivia, mia, as, ids, prop, ask, say }
}

test('who has nothing to do is told so', async () => {
  const { mia } = await inn()
  expect((await mia.run('inbox')).stdout).toBe('Nothing waits for you.\n')
  expect(await mia.ok('inbox')).toEqual({
    items: [],
    counts: { lock: 0, review: 0, changes: 0, mention: 0, reply: 0 },
    other_unread: 0,
  })
})

test('reviews, changes, mentions, replies and check-outs that end within a day are listed, each with who, what and when', async () => {
  const { mia, as, ids, prop, ask, say } = await inn()
  await ask('SM_Barrel', ['mia'], 'Are the rings\nbetter?')
  const stool = prop('SM_Stool')
  const change = { object_id: stool.object_id, state: 'changes_requested', assignee_id: ids.mia, note: 'Thicker legs' }
  await as.olivia.put(`/entries/${stool.id}/review`, change)
  await say('max', 'SM_Stool', { body: 'Look, @mia' })
  const own = await say('mia', 'SM_Barrel', { body: 'Nice' })
  await say('max', 'SM_Barrel', { body: 'Thank you', parent_id: own.id })
  await mia.ok('checkout SM_Stool --ttl 5h --note Legs')
  const { items, counts, other_unread } = await mia.ok('inbox')
  const known = { entry_id: stool.id, name: 'SM_Stool', lineage_id: stool.lineage_id }
  expect(items).toMatchObject([
    { ...known, kind: 'lock', text: 'Legs', lock: { holder: { name: 'mia' } }, notification_ids: [] },
    {
      kind: 'review',
      name: 'SM_Barrel',
      who: { name: 'olivia' },
      text: 'Are the rings\nbetter?',
      notification_ids: [expect.any(Number)],
    },
    { ...known, kind: 'changes', who: { name: 'olivia' }, text: 'Thicker legs', notification_ids: [expect.any(Number)] },
    { ...known, kind: 'mention', who: { name: 'max' }, text: 'Look, @mia' },
    { kind: 'reply', name: 'SM_Barrel', who: { name: 'max' }, text: 'Thank you' },
  ])
  expect(counts).toEqual({ lock: 1, review: 1, changes: 1, mention: 1, reply: 1 })
  expect(other_unread).toBe(0)
  const { stdout } = await mia.run('inbox')
  expect(stdout).toMatch(
    /A check-out of yours ends soon\n {2}SM_Stool \(\d+\): you have it checked out, (5 h|4 h 59 min) left\n {4}Legs\n/,
  )
  expect(stdout).toMatch(
    /1 review waits for your answer\n {2}SM_Barrel \(\d+\): olivia asks for your review, [\w ]+\n {4}Are the rings better\?\n/,
  )
  expect(stdout).toMatch(/Changes are requested of you: 1 prop\n {2}SM_Stool \(\d+\): olivia requests changes of you/)
  expect(stdout).toMatch(/1 mention\n {2}SM_Stool \(\d+\): max mentioned you/)
  expect(stdout).toMatch(/1 reply\n {2}SM_Barrel \(\d+\): max replied/)
})

test('what is done waits no longer: an answered round, changes that were pushed, mentions that were read, time that was added', async () => {
  const { mia, as, ids, prop, ask, say } = await inn()
  const round = await ask('SM_Barrel', ['mia'], 'Please')
  await as.mia.post(`/review-requests/${round.id}/respond`, {
    response: 'changes_requested',
    assign_to: ids.mia,
    note: 'I do it',
  })
  expect((await mia.ok('inbox')).counts).toMatchObject({ review: 0, changes: 1 })
  await mia.ok('pull SM_Barrel --project Inn')
  await mia.save('SM_Barrel', 'second')
  await mia.ok('push')
  expect((await mia.ok('inbox')).counts).toMatchObject({ changes: 0 })
  await say('max', 'SM_Stool', { body: '@mia' })
  expect((await mia.ok('inbox')).counts.mention).toBe(1)
  await as.mia.post('/notifications/read', { all: true })
  expect((await mia.ok('inbox')).counts.mention).toBe(0)
  await mia.ok(`checkout ${prop('SM_Stool').id} --ttl 2h`)
  expect((await mia.ok('inbox')).counts.lock).toBe(1)
  await mia.ok('checkout SM_Stool --ttl 3d')
  expect((await mia.ok('inbox')).items).toEqual([])
})

test('changes wait for who was asked for them, and not for who asked', async () => {
  const { olivia, mia, as, ask } = await inn()
  const round = await ask('SM_Barrel', ['mia', 'max'], 'Please')
  await as.mia.post(`/review-requests/${round.id}/respond`, { response: 'changes_requested', note: 'Rings' })
  expect((await olivia.ok('inbox')).items).toMatchObject([{ kind: 'changes', text: 'Rings', who: { name: 'mia' } }])
  expect((await mia.ok('inbox')).items).toEqual([])
})

test('a mention in a review says what was written there, and other notifications are counted', async () => {
  const { mia, ask, say } = await inn()
  await ask('SM_Barrel', ['max'], 'Max, and @mia too')
  await mia.run(['api', 'PUT', '/entries/1/watch'])
  const first = await say('mia', 'SM_Stool', { body: 'I watch this now' })
  expect(first.id).toBeGreaterThan(0)
  await say('max', 'SM_Stool', { body: 'Good to know' })
  const { stdout } = await mia.run('inbox')
  expect(stdout).toMatch(/olivia mentioned you in a review, [\w ]+\n {4}Max, and @mia too\n/)
  expect(stdout).toContain('1 more notification not read yet.\n')
})

test('what people wrote is shown, not executed, and lines fit 40 columns', async () => {
  const { mia, as, prop, say } = await inn()
  await as.olivia.patch(`/entries/${prop('SM_Stool').id}`, { name: 'St\u001b[2Jool' })
  await say('max', 'SM_Stool', {
    body: '@mia \u001b[31mred\u001b[0m \u202eback and a rather long sentence that needs several lines',
  })
  const { stdout } = await mia.run('inbox --plain', { columns: 40 })
  expect(stdout).toContain('St�[2Jool')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
  expect(stdout).not.toMatch(/\u001b|\u202e/)
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(40)
  expect((await mia.ok('inbox')).items[0].text).toContain('\u001b[31m')
})

test('a screen reader gets lines on a terminal, too', async () => {
  const { mia } = await inn()
  const { stdout } = await mia.run('inbox', { columns: 80, env: { INK_SCREEN_READER: 'true' } })
  expect(stdout).toBe('Nothing waits for you.\n')
})

test('a key with read scope sees what waits for its person', async () => {
  const { url, keys, ask } = await inn()
  await ask('SM_Barrel', ['mia'], 'Please')
  expect((await personAt(url, keys.miaReads).ok('inbox')).counts.review).toBe(1)
})
