/** ph activity: what happened, in words, and followed live past a server that dies. */
import { expect, test } from 'vitest'
import { callAs, type Json } from '../../support/api.ts'
import { innWith, say } from '../../support/discussion.ts'
import { startFront } from '../../support/http-front.ts'
import { ph, signedIn } from '../../support/ph.ts'
import { startPhProcess } from '../../support/ph-process.ts'
import { item, pushed } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'
import { startServerLives } from '../../support/server-lives.ts'

const server = await startTestServer()

const idsOf = ({ events }: Json): number[] => events.map(({ id }: Json) => id)

test('events are sentences, newest first; what was done to many at once is one', async () => {
  const { at, as, barrel, push } = await innWith(server)
  await push()
  const { id } = await say(as.max, barrel.entry_id)
  await say(as.mia, barrel.entry_id, { parent_id: id })
  await as.max.post(`/comments/${id}/resolve`)
  await as.max.post('/locks', { lineage_id: barrel.lineage_id, note: 'new\nrings' })
  await pushed(as.mia, [item({ asset_name: 'SM_A' }), item({ asset_name: 'SM_B' }), item({ asset_name: 'SM_C' })])
  const lines = (await at.miaReads('activity')).stdout.trim().split('\n')
  expect(lines.map((line) => line.replace('just now: ', '').replace(/until [\d: -]+\d/, 'until then'))).toEqual([
    expect.stringMatching(/^mia pushed SM_[ABC] and 2 others$/),
    'max checked out SM_Barrel until then: new rings',
    `max resolved a thread on SM_Barrel (comment ${id})`,
    `mia replied on SM_Barrel (comment ${id + 1})`,
    `max commented on SM_Barrel (comment ${id})`,
    'mia pushed SM_Barrel v2',
    'mia pushed SM_Barrel v1',
  ])
})

test('reviews and pulls are told, and a type that ph does not know by its name', async () => {
  const { at, as, barrel, workspaceId } = await innWith(server)
  const { members } = (await as.mia.get('/members')).body
  const max = members.find(({ name }: Json) => name === 'max').id
  const body = { object_id: barrel.object_id, reviewer_ids: [max] }
  const { request } = (await as.mia.post(`/entries/${barrel.entry_id}/review-requests`, body)).body
  await as.max.post(`/review-requests/${request.id}/respond`, { response: 'approved' })
  await as.max.post('/pull-jobs', { target_project: 'Tavern', entries: [{ entry_id: barrel.entry_id }] })
  await server.database.sql`
    insert into activity (workspace_id, id, event_type, entry_id, payload, created_at)
    values (${workspaceId}, 900, ${'prop.sing'}, ${barrel.entry_id}, '{"state": 7, "note": []}', ${new Date().toISOString()})`
  const { stdout } = await at.mia('activity')
  for (const said of [
    'Someone: prop.sing, SM_Barrel',
    'max ordered SM_Barrel for Tavern',
    'max approved SM_Barrel',
    'max set SM_Barrel to approved',
    'mia asked for a review of SM_Barrel',
  ])
    expect(stdout).toContain(`just now: ${said}\n`)
})

test('one prop, some types and pages: each holds what is asked for and no more', async () => {
  const { ok, at, as, barrel } = await innWith(server)
  const [stool] = await pushed(as.mia, [item({ asset_name: 'SM_Stool' })])
  for (const entry_id of [barrel.entry_id, stool.entry_id, barrel.entry_id]) await say(as.max, entry_id)
  const all = await ok('mia', 'activity')
  expect(all.events).toHaveLength(5)
  expect((await ok('mia', 'activity SM_Barrel')).events.map(({ event_type }: Json) => event_type)).toEqual([
    'comment.create',
    'comment.create',
    'push.commit',
  ])
  expect(idsOf(await ok('mia', 'activity --type push'))).toEqual(idsOf(all).slice(3))
  const first = await ok('mia', 'activity --type comment.create --type lock --limit 2')
  expect([idsOf(first), first.next_cursor]).toEqual([idsOf(all).slice(0, 2), idsOf(all)[1]])
  const rest = await ok('mia', `activity --type comment --cursor ${first.next_cursor}`)
  expect(idsOf(rest)).toEqual(idsOf(all).slice(2, 3))
  expect((await at.mia('activity --limit 1')).stderr).toContain(`there is more: raise --limit, or --cursor ${idsOf(all)[0]}`)
})

test.each([
  ['activity --type pushed.commit', 2, 'Did you mean push.commit?'],
  ['activity --type Pusch', 2, 'There is no type of event "Pusch".'],
  ['activity SM_Barrol', 1, 'No entry is named "SM_Barrol".'],
  ['activity 999999', 1, 'There is no entry 999999'],
  ['activity --follow --cursor 4', 2, '--follow goes on with what happens now'],
])('ph %s is refused', async (line, code, said) => {
  const { at } = await innWith(server)
  const ended = await at.mia(line)
  expect([ended.code, ended.stderr]).toEqual([code, expect.stringContaining(said)])
})

/** Runs `ph activity --follow` and does one thing after the other while it waits; ends when all is done. Gives the lines. */
async function followed(url: string, key: string, { line, acts }: { line: string; acts: readonly (() => Promise<unknown>)[] }) {
  const stopping = new AbortController()
  const rest = [...acts]
  const { code, stdout, stderr } = await ph(`activity --follow ${line}`, {
    env: { ...signedIn(url, key), NO_COLOR: '1' },
    signal: stopping.signal,
    async pause() {
      const next = rest.shift()
      if (next) await next()
      else stopping.abort('interrupted')
      stopping.signal.throwIfAborted()
    },
  })
  expect(code, stderr).toBe(130)
  return stdout.trim().split('\n')
}

test('following begins with the latest ones, oldest at the top, and goes on event by event until it is stopped', async () => {
  const { url, keys, as, barrel } = await innWith(server)
  await say(as.max, barrel.entry_id)
  await say(as.max, barrel.entry_id)
  const lines = await followed(url, keys.miaReads, {
    line: '--limit 2 --json',
    acts: [() => pushed(as.mia, [item(), item(), item()]), async () => undefined, () => say(as.max, barrel.entry_id)],
  })
  const events: Json[] = lines.map((line) => JSON.parse(line))
  expect(events.map(({ id, event_type, count }) => [id, event_type, count])).toEqual([
    [2, 'comment.create', 1],
    [3, 'comment.create', 1],
    [4, 'push.commit', 1],
    [5, 'push.commit', 1],
    [6, 'push.commit', 1],
    [7, 'comment.create', 1],
  ])
})

test('following one prop and some types leaves the rest out; people read when and who', async () => {
  const { url, keys, as, barrel } = await innWith(server)
  const [stool] = await pushed(as.mia, [item({ asset_name: 'SM_Stool' })])
  const lines = await followed(url, keys.mia, {
    line: '--limit 0 --type comment.create SM_Barrel',
    acts: [
      () => say(as.max, stool.entry_id),
      () => say(as.max, barrel.entry_id),
      () => as.max.post('/locks', { lineage_id: barrel.lineage_id }),
      () => say(as.mia, barrel.entry_id),
    ],
  })
  expect(lines.map((line) => line.replace(/^[\d-]{10} [\d:]{5}: /, ''))).toEqual([
    expect.stringMatching(/^max commented on SM_Barrel \(comment \d+\)$/),
    expect.stringMatching(/^mia commented on SM_Barrel \(comment \d+\)$/),
  ])
})

test('on a server that only answers the newest, no event is missed and none comes twice', async () => {
  const { url, keys, as, barrel } = await innWith(server)
  const front = await startFront({ to: () => url, without: ['after', 'collapse', 'type'] })
  const lines = await followed(front.url, keys.mia, {
    line: '--limit 1 --json',
    acts: [
      async () => {
        for (let n = 0; n < 205; n++) await say(as.max, barrel.entry_id)
      },
      () => say(as.max, barrel.entry_id),
    ],
  })
  expect(lines.map((line) => JSON.parse(line).id)).toEqual(Array.from({ length: 207 }, (_, at) => at + 1))
})

test('a server that is killed and started again while someone follows: every event comes, once', {
  timeout: 360_000,
}, async () => {
  const lives = await startServerLives(1)
  const [library] = lives.libraries
  if (!library) throw new Error('there is no library')
  const write = async (name: string) => pushed(callAs(library.url, library.key), [item({ asset_name: name })])
  await write('SM_1')
  const running = startPhProcess(['activity', '--follow'], { env: signedIn(library.url, library.key) })
  for (const round of [2, 4]) {
    await expect.poll(() => running.printed(), { timeout: 30_000 }).toContain(`SM_${round - 1}`)
    await write(`SM_${round}`)
    await lives.current().kill()
    await expect.poll(() => running.said().match(/Waiting for it/g)?.length, { timeout: 30_000 }).toBe(round / 2)
    await lives.start()
    await write(`SM_${round + 1}`)
  }
  await expect.poll(() => running.printed(), { timeout: 30_000 }).toContain('SM_5')
  running.signal('SIGTERM')
  const { code, stdout } = await running.ended
  expect(code).toBe(130)
  expect(stdout.match(/SM_\d/g)).toEqual(['SM_1', 'SM_2', 'SM_3', 'SM_4', 'SM_5'])
})
