// A library of before references were kept for each project: brought here in the background, goes on after a kill, pushes and reads meanwhile (contract-gaps 5 and 9).
import { beforeEach, expect, test } from 'vitest'
import { findServers, operatorApiOf } from '../../server/administration/control-client.ts'
import { openDatabase } from '../../server/database/open.ts'
import { administered } from '../support/administered.ts'
import { addEdge, age, fillWaiting } from '../support/aged-library.ts'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { type Item, item, pushed } from '../support/push.ts'
import { byHand, startTestServer } from '../support/server.ts'
import { serverHouse } from '../support/server-house.ts'

const server = await startTestServer({}, byHand)
const { sql } = server.database
let mia: Caller
let max: Caller
let workspaceId: number

beforeEach(async () => {
  const made = await server.addWorkspace()
  workspaceId = made.workspaceId
  mia = callAs(made.url, made.keys.mia)
  max = callAs(made.url, made.keys.max)
})

const prop = (name: string, more: Json = {}): Item =>
  item({
    asset_class: 'StaticMesh',
    asset_name: name,
    origin_path: `/Game/${name}`,
    entry: { entry_type: 'prop', name },
    ...more,
  })
const needing = (...items: Item[]) => ({
  dependencies: items.map(({ content_hash }) => ({ content_hash, hard: true })),
})
const as = (project: string) => ({ project })
const next = ({ lineage_id }: Json) => ({ stamped_lineage_id: lineage_id })
const membersOf = async ({ entry_id }: Json, query: string) =>
  ((await mia.get(`/entries/${entry_id}/closure?${query}`)).body.members as Json[])
    .filter(({ depth }) => depth > 0)
    .map(({ object_id }) => object_id)
const later = () => server.clock.advance(60_000)

test('of several edges to one path the one stays that the version itself could mean; those of sources stay; check says what went', async () => {
  const [wood, grain] = [prop('M_Wood'), item({ asset_class: 'Texture', origin_path: '/Game/T_Grain', source_ext: 'png' })]
  const [first = {}, source = {}] = await pushed(mia, [wood, grain], as('Tavern'))
  later()
  const [crate = {}] = await pushed(mia, [prop('SM_Crate', needing(wood))], as('Tavern'))
  later()
  const [second = {}] = await pushed(mia, [prop('M_Wood', next(first))], as('Tavern'))
  await age(sql, workspaceId)
  await addEdge(sql, workspaceId, [crate.object_id, second.object_id])
  await addEdge(sql, workspaceId, [source.object_id, first.object_id])
  await addEdge(sql, workspaceId, [source.object_id, second.object_id])
  expect(new Set(await membersOf(crate, 'dependencies=current&project=Tavern')), 'meanwhile').toEqual(new Set([second.object_id]))
  await server.work.look()
  expect(await membersOf(crate, 'dependencies=as_pushed')).toEqual([first.object_id])
  expect(await membersOf(crate, 'dependencies=current&project=Tavern')).toEqual([second.object_id])
  const rows = await sql<{ count: number }[]>`
    select count(*)::int from dependencies where workspace_id = ${workspaceId} and object_id = ${source.object_id} and project_id > 0`
  expect(rows[0]?.count).toBe(2)
  const report = (await administered(server).administer(['check', '--json'])).json() as Json
  expect(report.references.upgrade).toMatchObject({ is_done: true, found: 4, versions: 4, doubled: 1 })
})

const actor = (name: string) =>
  item({ asset_class: 'StaticMeshActor', origin_path: `/Game/__ExternalActors__/L_Inn/0/1A/${name}`, entry: null })
const level = (more: Json = {}) =>
  item({
    asset_class: 'World',
    asset_name: 'L_Inn',
    origin_path: '/Game/L_Inn',
    entry: { entry_type: 'level', name: 'L_Inn' },
    ...more,
  })
const withParts = (map: Item, base: number | null, ...put: Item[]): Item => ({
  ...map,
  parts: { base, put: put.map(({ origin_path: path, content_hash }) => ({ path, content_hash })), remove: [] },
})

test('a level has the actors of its push as its first set, and those that later pushes told of as the next ones; a push meanwhile goes on from there', async () => {
  const [map, a, b] = [level(), actor('A'), actor('B')]
  const [inn = {}, oldA = {}, oldB = {}] = await pushed(mia, [withParts(map, null, a, b), a, b], as('Tavern'))
  later()
  const [a2, c] = [actor('A'), actor('C')]
  const [newA = {}, newC = {}] = await pushed(mia, [a2, c], as('Tavern'))
  await age(sql, workspaceId)
  for (const { object_id } of [newA, newC]) await addEdge(sql, workspaceId, [inn.object_id, object_id])
  const d = actor('D')
  const [told = {}] = await pushed(max, [withParts(map, null, d), d], as('Tavern'))
  expect(told.parts).toMatchObject({ number: 3, added: 1, changed: 0, removed: 0 })
  later()
  await server.work.look()
  const { sets } = (await mia.get(`/lineages/${inn.lineage_id}/parts`)).body
  expect(sets.map(({ number, parts, added, changed }: Json) => [number, parts, added, changed])).toEqual([
    [3, 4, 1, 0],
    [2, 3, 1, 1],
    [1, 2, 2, 0],
  ])
  expect(await membersOf(inn, 'dependencies=current&project=Tavern')).toHaveLength(4)
  const partsOf = async (number: number) => {
    const rows = await sql<{ id: number }[]>`
      select p.object_id as id from level_sets s
        join level_parts p on p.workspace_id = s.workspace_id and p.lineage_id = s.lineage_id and p.from_set <= s.id and p.until_set > s.id
       where s.workspace_id = ${workspaceId} and s.number = ${number} order by 1`
    return rows.map(({ id }) => id)
  }
  expect(await partsOf(1)).toEqual([oldA.object_id, oldB.object_id])
  expect(await partsOf(2)).toEqual([oldB.object_id, newA.object_id, newC.object_id])
})

test('what a project awaits is completed by what it pushes before its version is done, and not by what another pushes', async () => {
  const awaiting = (name: string) => prop(name, { missing_dependencies: ['/Game/M_Glow'] })
  const [lamp = {}] = await pushed(mia, [awaiting('SM_Lamp')], as('Tavern'))
  const [torch = {}] = await pushed(max, [awaiting('SM_Torch')], as('Castle'))
  await age(sql, workspaceId)
  const [glow = {}] = await pushed(mia, [prop('M_Glow')], as('Tavern'))
  later()
  await server.work.look()
  const rows = await sql<{ object_id: number; needs_object_id: number }[]>`
    select object_id, needs_object_id from dependencies where workspace_id = ${workspaceId}`
  expect(rows).toEqual([{ object_id: lamp.object_id, needs_object_id: glow.object_id }])
  const still = await sql<{ object_id: number }[]>`select object_id from awaited_imports where workspace_id = ${workspaceId}`
  expect(still).toEqual([{ object_id: torch.object_id }])
})

test('a server that is killed in the middle goes on with the rest, and answers all the while', async () => {
  const house = await serverHouse()
  const open = () =>
    openDatabase({ databaseUrl: house.env.PH_DATABASE_URL, embeddedDir: `${house.data}/database`, networkDisk: false })
  const props = 6_000
  const before = await open()
  const [workspace] = await before.sql<{ id: number }[]>`select id from workspaces where slug = 'acme'`
  await fillWaiting(before.sql, Number(workspace?.id), { props, edges: 2 })
  await before.close()
  /** As `ph server check` asks the server that runs. */
  const upgradeOf = async () => {
    const [running] = (await findServers(house.data)).servers
    if (!running) throw new Error('no server runs')
    const api = operatorApiOf(running, { by: 'a test', signal: () => AbortSignal.timeout(60_000) })
    return (await api.file.references()).upgrade as Json
  }
  const first = await house.start()
  await expect.poll(async () => (await callAs(`${first.url}/w/acme`, house.keys.mia).get('/entries?limit=1')).status).toBe(200)
  await expect.poll(async () => (await upgradeOf()).versions, { timeout: 60_000, interval: 10 }).toBeGreaterThan(0)
  await first.kill()
  const between = await open()
  const [state] = await between.sql<
    { versions: number; ended_at: Date | null }[]
  >`select versions, ended_at from reference_upgrades`
  await between.close()
  expect(state).toMatchObject({ ended_at: null })
  expect(state?.versions).toBeLessThan(2 * props)
  const second = await house.start()
  await expect.poll(async () => (await upgradeOf()).is_done, { timeout: 150_000, interval: 500 }).toBe(true)
  expect(await upgradeOf()).toMatchObject({ found: 2 * props, versions: 2 * props, doubled: 2 * props })
  await second.stop()
  const after = await open()
  const [left] = await after.sql<{ wrong: number }[]>`
    select count(*)::int as wrong from dependencies d join objects o on o.workspace_id = d.workspace_id and o.id = d.object_id
      join objects n on n.workspace_id = d.workspace_id and n.id = d.needs_object_id
     where d.project_id <> 1 or o.project_id <> 1 or d.path_key <> n.path_key or n.date_ingested > o.date_ingested`
  await after.close()
  expect(left?.wrong).toBe(0)
})
