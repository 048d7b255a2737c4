// What a sender does not know, said as if it were known: it is absent, and filled by the one who knows it later (contract-gaps 5).
import { expect, test } from 'vitest'
import { migrate } from '../../server/database/migrate.ts'
import { callAs, type Json } from '../support/api.ts'
import { item, plainFile, pushed, uniqueName } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const { sql } = server.database
const { url, keys, workspaceId } = await server.addWorkspace()
const [mia, max] = [callAs(url, keys.mia), callAs(url, keys.max)]

const detail = async (id: number): Promise<Json> => (await mia.get(`/entries/${id}`)).body

test('an engine version of 0.0.0 is not kept: it is null, and the next push that knows it fills it', async () => {
  const file = item({ engine_version: '0.0.0' })
  const [made] = await pushed(mia, [file])
  expect((await detail(made?.entry_id)).engine_version).toBeNull()
  expect((await pushed(mia, [file]))[0]).not.toHaveProperty('enriched')
  const [again] = await pushed(mia, [{ ...file, engine_version: '5.4.2' }])
  expect(again?.enriched).toEqual(['engine_version'])
  expect((await detail(made?.entry_id)).engine_version).toBe('5.4.2')
  expect((await pushed(mia, [file]))[0]).not.toHaveProperty('enriched')
  expect((await detail(made?.entry_id)).engine_version).toBe('5.4.2')
})

test('files without a GUID that say so by zeros are props of their own', async () => {
  const zeros = ['0'.repeat(32), '00000000-0000-0000-0000-000000000000', '{00000000-0000-0000-0000-000000000000}']
  const made = await pushed(
    mia,
    zeros.map((package_guid) => item({ package_guid })),
  )
  expect(made.map(({ status }) => status)).toEqual(['new', 'new', 'new'])
  expect(new Set(made.map(({ lineage_id }) => lineage_id)).size).toBe(3)
  expect(made.map(({ lineage_anchor }) => lineage_anchor)).toEqual(['minted', 'minted', 'minted'])
  expect(await sql`select 1 from package_guids where workspace_id = ${workspaceId}`).toEqual([])
})

test('a pack that says nothing of its engine and its origin can be told by the next push', async () => {
  const name = uniqueName('Pack')
  const inline = (more: Json) => ({ packs: [{ ref: 'p', name, ...more }] })
  const push = async (more: Json) => pushed(mia, [plainFile({ pack_ref: 'p' })], inline(more))
  await push({ engine_version: '0.0.0', source_path: '', product_url: '  ' })
  const [pack] = await sql<{ id: number }[]>`select id from packs where workspace_id = ${workspaceId} and name = ${name}`
  const shown = async () => (await mia.get(`/packs/${pack?.id}`)).body
  expect(await shown()).toMatchObject({ engine_version: null, source_path: null, product_url: null })
  const known = { engine_version: '5.4.2', source_path: 'D:/Props', product_url: 'https://props.test' }
  await push(known)
  expect(await shown()).toMatchObject(known)
  const made = await mia.post('/packs', { name: uniqueName('Made'), engine_version: '0.0.0', source_path: '' })
  expect([made.status, made.body.engine_version, made.body.source_path]).toEqual([201, null, null])
  const patched = await mia.patch(`/packs/${pack?.id}`, { engine_version: '0.0' })
  expect([patched.status, patched.body.engine_version, patched.body.source_path]).toEqual([200, null, 'D:/Props'])
})

test('an editor that does not know its version claims as one that says nothing of it', async () => {
  const [made] = await pushed(mia, [item({ engine_version: '5.4.2' })])
  for (const engine_version of ['0.0.0', '0.0.0-custom', '0.0']) {
    const order = { target_project: uniqueName('Proj'), target_root: '/Game', entries: [{ entry_id: made?.entry_id }] }
    const job = (await mia.post('/pull-jobs', order)).body
    const claimed = await max.post(`/pull-jobs/${job.id}/claim`, { project_key: order.target_project, engine_version })
    expect([claimed.status, claimed.body.engine_version, claimed.body.warnings]).toEqual([200, null, []])
  }
})

test('a library from before is put right: what was unknown is null, can be enriched, and mirrors are told', async () => {
  const file = item({ engine_version: undefined })
  const [made] = await pushed(mia, [file, item()])
  const packId = (await detail(made?.entry_id)).pack.id
  await sql`update objects set engine_version = '0.0.0', package_guid = ${'0'.repeat(32)} where id = ${made?.object_id}`
  await sql`update packs set engine_version = '0.0.0', product_url = '' where id = ${packId}`
  await sql`insert into package_guids (workspace_id, guid, lineage_id) values (${workspaceId}, ${'0'.repeat(32)}, ${made?.lineage_id})`
  const [head] = await sql<{ change_seq: number }[]>`select change_seq from feed_heads where workspace_id = ${workspaceId}`
  await sql`delete from schema_migrations where number = 13`
  expect(await migrate(server.database, new Date())).toEqual([13])
  expect((await mia.get(`/packs/${packId}`)).body).toMatchObject({ engine_version: null, product_url: null })
  const { changes } = (await mia.get(`/catalog/changes?cursor=${head?.change_seq}`)).body
  expect(changes.map(({ entity, entity_id, op }: Json) => [entity, entity_id, op])).toEqual([
    ['entry', made?.entry_id, 'upsert'],
    ['object', made?.object_id, 'upsert'],
  ])
  expect((await mia.get('/entries')).body.entries.every((entry: Json) => entry.engine_version !== '0.0.0')).toBe(true)
  expect((await pushed(mia, [{ ...file, engine_version: '5.5.0' }]))[0]?.enriched).toEqual(['engine_version'])
  expect((await pushed(mia, [item({ package_guid: '0'.repeat(32) })]))[0]?.lineage_id).not.toBe(made?.lineage_id)
})
