/** The export while the library changes: its last line says how many entries were sent, and the feed from its cursor brings the rest (contract-gaps 9). */
import { expect, test } from 'vitest'
import { changes } from '../../server/library/changes.ts'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { callsOf } from '../support/mirror.ts'
import { item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
/** Rows that are read at once; while they are sent, the next ones are read. */
const chunk = 500
/** The last entry is read when the first ones have been sent. */
const many = 2 * chunk + 1

async function library() {
  const { url, keys, workspaceId } = await server.addWorkspace()
  const adam = callAs(url, keys.adam)
  const made = await pushed(
    adam,
    Array.from({ length: many }, () => item()),
  )
  return { adam, api: callsOf(url, keys.adam), workspaceId, ids: made.map(({ entry_id }) => entry_id as number) }
}

/** The lines of an export as its reader takes them; `meanwhile` comes after the first entry. */
async function exported(workspaceId: number, meanwhile: () => Promise<void>): Promise<Json[]> {
  const asked = { sql: server.database.sql, workspace: { id: workspaceId }, input: {} } as Parameters<typeof changes.export>[0]
  const lines: Json[] = []
  for await (const line of (await changes.export(asked)) as AsyncIterable<Json>) {
    if (lines.push(line) === 2) await meanwhile()
  }
  return lines
}

const since = async (caller: Caller, cursor: number) =>
  (await caller.get(`/catalog/changes?cursor=${cursor}&limit=1000&expand=true`)).body.changes.filter(
    ({ entity }: Json) => entity === 'entry',
  )

test('entries that are deleted during an export are left out, and the last line says how many were sent', async () => {
  const { adam, workspaceId, ids } = await library()
  const last = ids.at(-1)
  const [head, ...lines] = await exported(workspaceId, async () => {
    expect((await adam.del(`/entries/${last}`)).status).toBe(204)
  })
  const end = lines.pop()
  expect(head).toMatchObject({ total: many, ends: true })
  expect(end).toEqual({ end: true, entries: many - 1 })
  expect(lines.map(({ id }) => id)).toEqual(ids.slice(0, -1))
  expect(await since(adam, head.cursor)).toMatchObject([{ entity_id: last, op: 'delete' }])
})

test('an export of which everything is deleted meanwhile still ends with its last line', async () => {
  const { adam, workspaceId, ids } = await library()
  const { pack } = (await adam.get(`/entries/${ids[0]}`)).body
  const lines = await exported(workspaceId, async () => {
    expect((await adam.del(`/packs/${pack.id}`)).body).toMatchObject({ deleted_entries: many })
  })
  const sent = lines.length - 2
  expect(lines.at(-1)).toEqual({ end: true, entries: sent })
  expect(sent).toBeGreaterThanOrEqual(chunk)
  expect(sent).toBeLessThan(many)
})

test('entries that come during an export are not in it; the feed from its cursor brings them, and what changed in it', async () => {
  const { adam, workspaceId, ids } = await library()
  let added: Json = {}
  const [head, ...lines] = await exported(workspaceId, async () => {
    ;[added] = await pushed(adam, [item()])
    expect((await adam.patch(`/entries/${ids[0]}`, { name: 'Renamed' })).status).toBe(200)
  })
  expect(lines.pop()).toEqual({ end: true, entries: many })
  expect(lines.map(({ id }) => id)).toEqual(ids)
  const news = await since(adam, head.cursor)
  expect(news.map(({ entity_id }: Json) => entity_id)).toEqual([added.entry_id, ids[0]])
  expect(news[1].record.name).toBe('Renamed')
})

test('an export goes on behind the entry that it is told', async () => {
  const { adam, api, ids } = await library()
  const behind = async (after = 0): Promise<Json[]> => {
    const lines: Json[] = []
    for await (const line of api.changes.export({ after })) lines.push(line)
    return lines
  }
  const [head, ...rest] = await behind(ids[chunk])
  expect(head).toMatchObject({ total: many - chunk - 1, ends: true })
  expect(rest.pop()).toEqual({ end: true, entries: many - chunk - 1 })
  expect(rest.map(({ id }) => id)).toEqual(ids.slice(chunk + 1))
  expect(await behind(ids.at(-1))).toMatchObject([{ total: 0 }, { end: true, entries: 0 }])
  expect(await adam.get('/catalog/export?after=first')).toMatchObject({ status: 422, body: { error: { code: 'VALIDATION' } } })
})

test('the export of an empty library is whole, too', async () => {
  const { url, keys } = await server.addWorkspace()
  const response = await fetch(`${url}/api/v1/catalog/export`, { headers: { authorization: `Bearer ${keys.miaReads}` } })
  const [head = '', end, rest] = (await response.text()).split('\n')
  expect(JSON.parse(head)).toMatchObject({ cursor: 0, total: 0, ends: true })
  expect([end, rest]).toEqual(['{"end":true,"entries":0}', ''])
})
