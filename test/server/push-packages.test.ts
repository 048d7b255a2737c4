// Pushed Unreal packages: the header is held against the manifest, and what it imports becomes dependencies (spec 4.9; contract-gaps 5).
import { beforeEach, expect, test } from 'vitest'
import { writePackage } from '../../sample/package.ts'
import type { PackageSpec } from '../../sample/package-plan.ts'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { commitOf, type Item, item, manifestOf, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
let mia: Caller
let adam: Caller

beforeEach(async () => {
  const { url, keys } = await server.addWorkspace()
  mia = callAs(url, keys.mia)
  adam = callAs(url, keys.adam)
})

let serial = 0
/** A package and the manifest item that says what its header says. */
async function packageItem(name: string, spec: Partial<PackageSpec> = {}, over: Json = {}): Promise<Item> {
  serial++
  const guid = spec.guid ?? serial.toString(16).toUpperCase().padStart(32, 'C')
  const packageName = `/Game/Kit/${name}`
  const bytes = await writePackage({
    packageName,
    assetClass: 'StaticMesh',
    guid,
    payload: Buffer.from(`payload ${serial}`),
    ...spec,
  })
  return item({ bytes, asset_name: name, origin_path: packageName, package_guid: guid, engine_version: '5.3.2', ...over })
}

const closureOf = async (entryId: number): Promise<Json[]> => (await mia.get(`/entries/${entryId}/closure`)).body.members
const pathsOf = (members: Json[]) => members.map((member) => member.origin_path).sort()

test('a manifest that says what the header says is registered, from every engine and byte order', async () => {
  const items = await Promise.all(
    [{ engine: '4.22.3' }, { engine: '4.27.2' }, { engine: '5.3.2' }, { engine: '5.6.0' }, { bigEndian: true }].map(
      async (spec, n) => {
        const made = await packageItem(`SM_${n}`, spec)
        return spec.engine === '4.22.3' ? { ...made, package_guid: undefined } : made
      },
    ),
  )
  expect((await pushed(mia, items)).map((result) => result.status)).toEqual(items.map(() => 'new'))
})

test('a GUID or path that contradicts the header is VALIDATION naming the item, and nothing is registered', async () => {
  const good = await packageItem('SM_Good')
  for (const over of [{ package_guid: 'F'.repeat(32) }, { origin_path: '/Game/Kit/SM_Other' }]) {
    const answer = await commitOf(mia, [good, { ...(await packageItem('SM_Liar')), ...over }])
    expect([answer.status, answer.body.error.code]).toEqual([422, 'VALIDATION'])
    expect(answer.body.error.details.errors[0].path).toBe(`items.1.${Object.keys(over)[0]}`)
  }
  expect((await mia.get('/entries')).body.entries).toEqual([])
})

test('known bytes are held against what is said of them as new ones are, and gain nothing that contradicts them', async () => {
  const known = await packageItem('SM_Known')
  const nameless = { ...(await packageItem('SM_Nameless')), origin_path: undefined, package_guid: undefined }
  const [, bare] = await pushed(mia, [known, nameless])
  const fresh = await packageItem('SM_Fresh')
  for (const [one, lie] of [
    [known, { package_guid: 'F'.repeat(32) }],
    [known, { origin_path: '/Game/Kit/SM_Other' }],
    [nameless, { package_guid: 'F'.repeat(32) }],
    [nameless, { origin_path: '/Game/Kit/SM_Other' }],
  ] as const) {
    const answer = await commitOf(mia, [fresh, { ...one, ...lie }])
    expect([answer.status, answer.body.error?.details.errors[0].path]).toEqual([422, `items.1.${Object.keys(lie)[0]}`])
  }
  expect((await mia.get(`/entries/${bare.entry_id}`)).body.origin_path).toBeNull()
  const [, again] = await pushed(mia, [
    { ...known, origin_path: '/Game/kit/sm_known' },
    { ...nameless, origin_path: '/Game/Kit/SM_Nameless' },
  ])
  expect(again).toMatchObject({ status: 'dedup', enriched: ['origin_path'] })
})

test('a damaged header is VALIDATION naming the item; a package newer than the reader is an opaque file', async () => {
  const cut = await packageItem('SM_Cut')
  const damaged = item({ bytes: cut.bytes.subarray(0, 300), asset_name: 'SM_Cut' })
  const answer = await commitOf(mia, [damaged])
  expect([answer.status, answer.body.error.details.errors[0].path]).toEqual([422, 'items.0'])
  const newer = Buffer.from(cut.bytes)
  newer.writeInt32LE(-40, 4)
  expect((await pushed(mia, [item({ bytes: newer })]))[0].status).toBe('new')
})

test('imports of packages in the manifest become hard dependencies, in any order and in cycles', async () => {
  const material = await packageItem('M_Wood', { imports: ['/Game/Kit/T_Wood', '/Engine/EngineMaterials/Grid'] })
  const texture = await packageItem('T_Wood', { imports: ['/Game/kit/m_wood'] })
  const mesh = await packageItem('SM_Table', { imports: ['/Game/Kit/M_Wood'] })
  const [table] = await pushed(mia, [mesh, material, texture])
  const members = await closureOf(table.entry_id)
  expect(members.map((m) => [m.origin_path, m.depth, m.edge])).toEqual([
    ['/Game/Kit/SM_Table', 0, 'root'],
    ['/Game/Kit/M_Wood', 1, 'hard'],
    ['/Game/Kit/T_Wood', 2, 'hard'],
  ])
  expect(members[2]?.via_object_id).toBe(members[1]?.object_id)
})

test('an import named soft in the manifest and hard in the header counts once, as hard', async () => {
  const texture = await packageItem('T_Once')
  const mesh = await packageItem(
    'SM_Once',
    { imports: ['/Game/Kit/T_Once'] },
    { dependencies: [{ content_hash: texture.content_hash, hard: false }] },
  )
  const [result] = await pushed(mia, [mesh, texture])
  expect((await closureOf(result.entry_id)).map((m) => m.edge)).toEqual(['root', 'hard'])
})

test('an import that is nowhere is awaited, and completes the closure when it arrives in a later push', async () => {
  const mesh = await packageItem('SM_Early', { imports: ['/Game/Kit/T_Late'] })
  const [early] = await pushed(mia, [mesh])
  expect(await closureOf(early.entry_id)).toHaveLength(1)
  const late = await packageItem('T_Late')
  await pushed(mia, [late, mesh])
  expect(pathsOf(await closureOf(early.entry_id))).toEqual(['/Game/Kit/SM_Early', '/Game/Kit/T_Late'])
})

test('an awaited import is completed by known bytes that gain their path', async () => {
  const texture = await packageItem('T_Nameless', {}, { origin_path: undefined })
  await pushed(mia, [texture])
  const [mesh] = await pushed(mia, [await packageItem('SM_Waits', { imports: ['/Game/Kit/T_Nameless'] })])
  expect(await closureOf(mesh.entry_id)).toHaveLength(1)
  await pushed(mia, [{ ...texture, origin_path: '/Game/Kit/T_Nameless' }])
  expect(await closureOf(mesh.entry_id)).toHaveLength(2)
})

test('a closure keeps the version that was pushed with it when the dependency gets a newer one', async () => {
  const texture = await packageItem('T_Pinned')
  const [mesh, first] = await pushed(mia, [await packageItem('SM_Pins', { imports: ['/Game/Kit/T_Pinned'] }), texture])
  await pushed(mia, [await packageItem('T_Pinned', { guid: texture.package_guid })])
  const members = await closureOf(mesh.entry_id)
  expect(members[1]).toMatchObject({ object_id: first.object_id, entry_id: null })
})

test('what imports a held package of the same manifest is held with it', async () => {
  await pushed(mia, [await packageItem('T_Held')])
  const held = await packageItem('T_Held')
  const mesh = await packageItem('SM_Needs', { imports: ['/Game/Kit/T_Held'] })
  const results = await pushed(mia, [held, mesh])
  expect(results.map((result) => [result.status, result.reason])).toEqual([
    ['held', 'probable_lost_stamp'],
    ['held', 'depends_on_held'],
  ])
  expect(results[1].held_dependencies).toEqual([held.content_hash])
})

test('of two files with one known GUID the one at the current path continues the lineage, also when it is known already', async () => {
  const original = await packageItem('SM_Origin')
  const [first] = await pushed(mia, [original])
  const copy = await packageItem('SM_Copy', { guid: original.package_guid })
  const { body } = await mia.post('/push/negotiate', manifestOf([copy, original]))
  expect(body.items.map((one: Json) => [one.action, one.candidate_lineage_id])).toEqual([
    ['hold', first.lineage_id],
    ['dedup', null],
  ])
  const edit = await packageItem('SM_Origin', { guid: original.package_guid })
  const results = await pushed(mia, [copy, edit])
  expect(results.map((result) => result.status)).toEqual(['held', 'new'])
  expect(results[1].lineage_id).toBe(first.lineage_id)
})

test('a GUID on the denylist stops a package that does not declare it', async () => {
  const secret = await packageItem('SM_Secret')
  await adam.post('/admin/denylist', { kind: 'package_guid', value: secret.package_guid })
  const [result] = await pushed(mia, [{ ...secret, package_guid: undefined }])
  expect(result).toMatchObject({ status: 'denied', reason: 'denylisted', denylist_kind: 'package_guid' })
})

test('a GUID on the denylist stops known packages too, whether or not the GUID was ever declared', async () => {
  const [told, untold] = [await packageItem('SM_Told'), await packageItem('SM_Untold')]
  const silent = { ...untold, package_guid: undefined }
  await pushed(mia, [told, silent])
  for (const { package_guid: value } of [told, untold]) await adam.post('/admin/denylist', { kind: 'package_guid', value })
  const denied = { reason: 'denylisted', denylist_kind: 'package_guid' }
  const { body } = await mia.post('/push/negotiate', manifestOf([{ ...told, package_guid: undefined }]))
  expect(body.items).toMatchObject([{ action: 'denied', ...denied }])
  const results = await pushed(mia, [{ ...told, package_guid: undefined }, silent])
  expect(results).toMatchObject([
    { status: 'denied', ...denied },
    { status: 'denied', ...denied },
  ])
})

test('a header imports packages, never the source file that lies beside one under the same path', async () => {
  const source = (name: string) =>
    item({ asset_class: 'SourceMesh', asset_name: name, origin_path: `/Game/Kit/${name}`, source_ext: 'fbx' })
  const user = await packageItem('SM_User', { imports: ['/Game/Kit/T_Now', '/Game/Kit/T_Before', '/Game/Kit/T_Later'] })
  await pushed(mia, [source('T_Before'), await packageItem('T_Before')])
  const [, , , result] = await pushed(mia, [await packageItem('T_Now'), source('T_Now'), source('T_Later'), user])
  await pushed(mia, [await packageItem('T_Later'), source('T_Later')])
  const members = await closureOf(result.entry_id)
  expect(members.filter((member) => member.source_ext !== null)).toEqual([])
  expect(pathsOf(members)).toEqual(['/Game/Kit/SM_User', '/Game/Kit/T_Before', '/Game/Kit/T_Later', '/Game/Kit/T_Now'])
})
