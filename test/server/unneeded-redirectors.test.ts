// A redirector stays as long as any kept version refers to its path, and goes a month after it came when none does (contract-gaps 5).
import { beforeEach, expect, test } from 'vitest'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { type Item, item, pushed } from '../support/push.ts'
import { byHand, startTestServer } from '../support/server.ts'

const server = await startTestServer({}, byHand)
let mia: Caller
let adam: Caller

beforeEach(async () => {
  const { url, keys } = await server.addWorkspace()
  mia = callAs(url, keys.mia)
  adam = callAs(url, keys.adam)
})

const redirector = (at: string): Item =>
  item({ asset_class: 'ObjectRedirector', asset_name: at, origin_path: `/Game/${at}`, entry: null })
const user = (refersTo: Item | string, more: Json = {}): Item =>
  item({
    ...(typeof refersTo === 'string'
      ? { missing_dependencies: [refersTo] }
      : { dependencies: [{ content_hash: refersTo.content_hash, hard: true }] }),
    ...more,
  })
const isKept = async ({ content_hash }: Json) => (await mia.get(`/blobs/${content_hash}/url`)).status === 200
const days = async (count: number) => {
  server.clock.advance(count * 24 * 3_600_000)
  await server.work.look()
}
const inTavern = { project: 'Tavern' }

test('one that an old version of another project refers to stays; one that nothing refers to goes after a month, and not a day before', async () => {
  const [needed, spare] = [redirector('SM_Old'), redirector('SM_Spare')]
  const first = user(needed)
  const [made = {}] = await pushed(mia, [first, needed, spare], inTavern)
  await pushed(mia, [item({ stamped_lineage_id: made.lineage_id })], { project: 'Castle' })
  await days(29)
  expect(await Promise.all([needed, spare].map(isKept))).toEqual([true, true])
  await days(2)
  expect(await Promise.all([needed, spare].map(isKept))).toEqual([true, false])
  expect((await adam.del(`/entries/${made.entry_id}`)).status).toBe(204)
  await days(1)
  expect(await isKept(needed)).toBe(false)
})

test('one stays whose path something else awaits, or meant when another prop lay there', async () => {
  const before = item({ asset_class: 'StaticMesh', asset_name: 'SM_Barrel', origin_path: '/Game/SM_Barrel' })
  await pushed(mia, [user(before), before], inTavern)
  const [leading, awaited, left] = [redirector('SM_Barrel'), redirector('SM_Vat'), redirector('SM_Left')]
  await pushed(mia, [leading, awaited, left], inTavern)
  await pushed(mia, [user('/Game/SM_Vat')], { project: 'Castle' })
  await days(32)
  expect(await Promise.all([leading, awaited, left].map(isKept))).toEqual([true, true, false])
})

test('a chain goes from its end: the one that leads on first, then what it led to; what an open job brings stays', async () => {
  const second = redirector('SM_Second')
  const first = { ...redirector('SM_First'), ...user(second), asset_class: 'ObjectRedirector', asset_name: 'SM_First' }
  const chain = { ...first, origin_path: '/Game/SM_First', entry: null } as Item
  const inn = user(chain)
  const [made = {}] = await pushed(mia, [inn, chain, second], inTavern)
  const order = { target_project: 'Tavern', target_root: '/Game', entries: [{ entry_id: made.entry_id }] }
  const { body: job } = await mia.post('/pull-jobs', order)
  const [next = {}] = await pushed(mia, [item({ stamped_lineage_id: made.lineage_id })], inTavern)
  expect(next.lineage_id).toBe(made.lineage_id)
  await days(32)
  expect(await Promise.all([chain, second].map(isKept))).toEqual([true, true])
  const { sql } = server.database
  await sql`delete from dependencies d using objects o where o.id = d.object_id and o.workspace_id = d.workspace_id and o.content_hash = ${inn.content_hash}`
  await days(1)
  expect(await isKept(chain), 'an open job brings it').toBe(true)
  await mia.patch(`/pull-jobs/${job.id}`, { status: 'cancelled' })
  await days(1)
  expect(await isKept(chain)).toBe(false)
  await days(1)
  expect(await isKept(second)).toBe(false)
})
