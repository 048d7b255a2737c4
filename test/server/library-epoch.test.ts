// A library that was set back to an earlier state begins a new epoch: none of its numbers is used twice, and clients can tell (contract-gaps 9).
import { expect, test } from 'vitest'
import type { Caller, Json } from '../support/api.ts'
import { ok } from '../support/check-out.ts'
import { openStream } from '../support/live.ts'
import { item, pushed } from '../support/push.ts'
import { startReceiver } from '../support/receiver.ts'
import { type RestorableServer, startRestorable } from '../support/restorable-server.ts'

const epochOf = async (who: Caller): Promise<Json> => ok(await who.get('/auth/me')).library_epoch
const changesAfter = async (who: Caller, cursor: number): Promise<Json> => ok(await who.get(`/catalog/changes?cursor=${cursor}`))

/** Makes a thing of every kind; gives their numbers. */
async function numbersOf(server: RestorableServer): Promise<Record<string, number>> {
  const [adam, mia] = [server.as('adam'), server.as('mia')]
  const [{ entry_id, object_id, lineage_id } = {} as Json] = await pushed(mia, [item()])
  const tag = ok(await adam.post('/tags', { name: `tag ${object_id}` }), 201)
  const comment = ok(await mia.post(`/entries/${entry_id}/comments`, { body: 'Hello' }), 201)
  const { lock } = ok(await mia.post('/locks', { lineage_id }), 201)
  const job = ok(
    await mia.post('/pull-jobs', { target_project: `P${object_id}`, target_root: '/Game', entries: [{ entry_id }] }),
    201,
  )
  const { events } = ok(await mia.get('/activity?limit=1&collapse=false'))
  const { changes } = await changesAfter(mia, 0)
  const numbers = { entry: entry_id, object: object_id, tag: tag.id, comment: comment.id, lock: lock.id, job: job.id }
  return { ...numbers, event: events[0].id, change: changes.at(-1).seq }
}

test('numbers that were given out since the backup are never given out again, not even by a second restore of it', async () => {
  const server = await startRestorable()
  await numbersOf(server)
  await server.backUp()
  const lives = [await numbersOf(server)]
  for (let restores = 0; restores < 2; restores++) {
    await server.restore()
    lives.push(await numbersOf(server))
  }
  const [first = {}, second = {}, third = {}] = lives
  for (const kind of Object.keys(first)) {
    // Each life may give out a thousand more before it reaches the next one.
    expect([kind, Number(second[kind]) - Number(first[kind]) > 1_000_000]).toEqual([kind, true])
    expect([kind, Number(third[kind]) - Number(second[kind]) > 10_000]).toEqual([kind, true])
    expect(Number.isSafeInteger(third[kind])).toBe(true)
  }
})

test('every answer that leads along a feed names the epoch, and cursors of the lost stretch are told to begin anew', async () => {
  const server = await startRestorable()
  const mia = server.as('mia')
  await numbersOf(server)
  const before = await epochOf(mia)
  const kept = (await changesAfter(mia, 0)).next_cursor
  await server.backUp()
  await numbersOf(server)
  const lost = (await changesAfter(mia, 0)).next_cursor
  const middle = kept + Math.floor((lost - kept) / 2)
  expect(lost - kept).toBeGreaterThan(2)
  await server.restore()

  const epoch = await epochOf(mia)
  expect(epoch.id).not.toBe(before.id)
  expect(Date.parse(epoch.began_at)).toBeGreaterThan(Date.parse(before.began_at))
  const head = await openStream(server.of('mia').url, server.of('mia').key).next()
  const { cursor } = ok(await mia.post('/lineages/find', { lineage_ids: [] }))
  expect(head).toEqual({ event: 'head', data: { seq: cursor, library_epoch: epoch } })
  for (const answer of ['/catalog/changes', '/activity']) expect(ok(await mia.get(answer)).library_epoch, answer).toEqual(epoch)
  const { url, key } = server.of('mia')
  const answer = await fetch(`${url}/api/v1/catalog/export`, { headers: { authorization: `Bearer ${key}`, 'x-ph-api': '1' } })
  const [exported = ''] = (await answer.text()).split('\n')
  expect(JSON.parse(exported)).toMatchObject({ cursor, library_epoch: epoch })

  const told = async (at: number) => {
    const { changes, reset, next_cursor } = await changesAfter(mia, at)
    return [changes.length, reset, next_cursor]
  }
  const requireTold = async (after: number, end: number) => {
    expect(await told(kept)).toEqual([after, false, after > 0 ? end : kept])
    for (const at of [kept + 1, middle, lost, cursor - 1, end + 1]) expect(await told(at)).toEqual([0, true, end])
    expect(await told(cursor)).toEqual([after, false, end])
  }
  await requireTold(0, cursor)
  await pushed(mia, [item()])
  const { next_cursor: end } = await changesAfter(mia, cursor)
  const { changes } = await changesAfter(mia, cursor)
  await requireTold(changes.length, end)
  expect(await told(end - 1)).toEqual([1, false, end])
  expect(ok(await mia.get('/activity?after=9000000000000000'))).toMatchObject({ events: [], reset: true, library_epoch: epoch })
})

test('webhooks send what happens after the restore, however far the numbers jumped', async () => {
  const receiver = await startReceiver()
  const server = await startRestorable({ webhookAllowPrivate: true })
  const [adam, mia] = [server.as('adam'), server.as('mia')]
  const hook = { url: `${receiver.url}/in`, events: ['push.commit'] }
  const { id } = ok(await adam.post('/admin/webhooks', hook), 201)
  const deliveries = async () => ok(await adam.get(`/admin/webhooks/${id}/deliveries`)).deliveries
  await pushed(mia, [item()])
  // A delivery whose outcome is not in the backup is sent once more after the restore: it waits for the outcome.
  await expect.poll(deliveries, { timeout: 60_000 }).toMatchObject([{ status: 'delivered' }])
  await server.backUp()
  await server.restore()
  await pushed(mia, [item()])
  await server.running().work.look()
  await expect.poll(() => receiver.of('/in').length).toBe(2)
})

test('a start that finds its feeds behind what it had noted begins an epoch by itself and says so; any other start does not', async () => {
  const server = await startRestorable()
  const mia = server.as('mia')
  const [one] = await pushed(mia, [item()])
  const before = await epochOf(mia)
  await server.stop()
  await server.start()
  expect(await epochOf(mia)).toEqual(before)
  expect(server.logLines.join()).not.toContain('earlier state')
  await server.stop()
  server.noteMore(1)
  await server.start()
  expect((await epochOf(mia)).id).not.toBe(before.id)
  expect(server.logLines.join()).toContain('earlier state of this library')
  const [next] = await pushed(mia, [item()])
  expect(next?.object_id - one?.object_id).toBeGreaterThan(1_000_000)
  const epoch = await epochOf(mia)
  await server.stop()
  await server.start()
  expect(await epochOf(mia)).toEqual(epoch)
})
