/** Many entries downloaded at once: their addresses by one call, and what the library remembers of it (an addition of ours). */
import { expect, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const { url, keys } = await server.addWorkspace()
const [mia, reads] = [callAs(url, keys.mia), callAs(url, keys.miaReads)]
const ask = (entries: Json[]) => reads.post('/entries/downloads', { entries })
const wanted = ({ entry_id, object_id }: Json) => ({ entry_id, object_id })

test('a read key gets the addresses in its order, and each entry counts as downloaded', async () => {
  const items = [item(), item(), item()]
  const made = (await pushed(mia, items)).toReversed()
  const { status, body } = await ask(made.map(wanted))
  expect([status, body.files.map(({ content_hash }: Json) => content_hash)]).toEqual([
    200,
    items.toReversed().map(({ content_hash }) => content_hash),
  ])
  const bytes = Buffer.from(await (await fetch(body.files[0].url)).arrayBuffer())
  expect(bytes.equals(items[2]?.bytes ?? Buffer.alloc(0))).toBe(true)
  for (const { entry_id } of made) expect((await mia.get(`/entries/${entry_id}`)).body.ever_pulled).toBe(true)
  const { events } = (await mia.get('/activity?collapse=false&limit=200')).body
  const told = events.filter(({ event_type }: Json) => event_type === 'download.pull').map((event: Json) => event.entry_id)
  expect(told.sort()).toEqual(made.map(({ entry_id }) => entry_id).sort())
})

test('one entry or version that is not there refuses all, by name, and nothing counts as downloaded', async () => {
  const [one, other] = await pushed(mia, [item(), item()])
  const unknown = await ask([wanted(one as Json), { entry_id: 987_654_321, object_id: 1 }])
  expect([unknown.status, unknown.body.error]).toMatchObject([
    404,
    { code: 'ENTRY_NOT_FOUND', details: { missing: [987_654_321] } },
  ])
  const foreign = await ask([{ entry_id: one?.entry_id, object_id: other?.object_id }])
  expect([foreign.status, foreign.body.error]).toMatchObject([
    404,
    { code: 'OBJECT_NOT_FOUND', details: { missing: [other?.object_id] } },
  ])
  expect((await mia.get(`/entries/${one?.entry_id}`)).body.ever_pulled).toBe(false)
})
