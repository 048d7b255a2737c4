// Negotiate: which lineage each item of a manifest continues, and what a manifest may not refer to (spec 4.9; contract-gaps 5).
import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { limits } from '../../contract/limits.ts'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { item, manifestOf, pushed, sha256, uniqueName } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

let mia: Caller
beforeAll(async () => {
  const server = await startTestServer()
  const { url, keys } = await server.addWorkspace()
  mia = callAs(url, keys.mia)
})

const newGuid = () => randomBytes(16).toString('hex').toUpperCase()
const negotiate = (items: Json[], extra: Json = {}) => mia.post('/push/negotiate', manifestOf(items, extra))
async function plansOf(items: Json[]): Promise<Json[]> {
  const { status, body } = await negotiate(items)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.items
}
const actions = async (items: Json[]) => (await plansOf(items)).map((plan) => plan.action)

/** An entry of a package with a GUID, and a copy of it at another path whose bytes differ, as copies of packages do. */
async function packageAndCopy() {
  const guid = newGuid()
  const original = item({ package_guid: guid })
  const [result] = await pushed(mia, [original])
  const at = { asset_name: original.asset_name, origin_path: original.origin_path }
  const stamp = { stamped_lineage_id: result.lineage_id, stamped_base_hash: original.content_hash }
  return { guid, original, result, at, stamp, copy: item({ package_guid: guid }) }
}

test('a copy is held where its original goes along as the next version, however the original is known', async () => {
  const { guid, at, stamp, result, copy } = await packageAndCopy()
  const edited = item({ package_guid: guid, ...at })
  for (const original of [edited, { ...edited, ...stamp }, { ...edited, attach_to_lineage: result.lineage_id }])
    for (const items of [
      [original, copy],
      [copy, original],
    ]) {
      const plans = await plansOf(items)
      expect(plans.map((plan) => plan.action)).toEqual(items.map((one) => (one === copy ? 'hold' : 'register')))
      expect(plans.find((plan) => plan.action === 'hold')?.candidate_lineage_id).toBe(result.lineage_id)
    }
})

test('a copy is held where its original lies unchanged at its place, stamped or not', async () => {
  const { original, stamp, copy } = await packageAndCopy()
  expect(await actions([original, copy])).toEqual(['dedup', 'hold'])
  expect(await actions([copy, { ...original, ...stamp }])).toEqual(['hold', 'dedup'])
  expect(await actions([copy])).toEqual(['register'])
})

test('of two new files with one GUID or one place the first goes through, also when it was sent as a new prop outright', async () => {
  const [guid, name] = [newGuid(), uniqueName('SM')]
  for (const shared of [{ package_guid: guid }, { asset_name: name }]) {
    const [one, two] = [item(shared), item(shared)]
    expect(await actions([one, two])).toEqual(['register', 'hold'])
    expect(await actions([{ ...one, force_new_lineage: true }, two])).toEqual(['register', 'hold'])
    expect(await actions([one, { ...two, force_new_lineage: true }])).toEqual(['register', 'register'])
  }
})

test('a package that moves takes its new place: another new file there is held', async () => {
  const { guid } = await packageAndCopy()
  const name = uniqueName('SM')
  expect(await actions([item({ package_guid: guid, asset_name: name }), item({ asset_name: name })])).toEqual([
    'register',
    'hold',
  ])
})

test('a base that is no version of the lineage is VALIDATION, whatever says which lineage it is', async () => {
  const { guid, result, original } = await packageAndCopy()
  const { original: stranger } = await packageAndCopy()
  for (const by of [
    { stamped_lineage_id: result.lineage_id },
    { attach_to_lineage: result.lineage_id },
    { package_guid: guid },
  ]) {
    expect(await actions([item({ ...by, stamped_base_hash: original.content_hash })])).toEqual(['register'])
    for (const base of [stranger.content_hash, sha256(randomBytes(8))]) {
      const { status, body } = await negotiate([item({ ...by, stamped_base_hash: base })])
      expect([by, status, body.error?.details.errors[0].path]).toEqual([by, 422, 'items.0.stamped_base_hash'])
    }
  }
})

test('a list that is too long is told with its length and the most that is taken', async () => {
  const { items, packs, variantGroups, dependenciesPerItem } = limits.manifest
  const many = (count: number, one: (index: number) => Json) => Array.from({ length: count }, (_, index) => one(index))
  const plain = { asset_class: 'Texture2D', blob_size: 1 }
  for (const [path, maximum, body] of [
    ['items', items, { items: many(items + 1, (i) => ({ ...plain, content_hash: sha256(Buffer.from(`i${i}`)) })) }],
    ['packs', packs, { items: [item()], packs: many(packs + 1, (i) => ({ ref: `${i}`, name: `P${i}` })) }],
    ['variant_groups', variantGroups, { items: [item()], variant_groups: many(variantGroups + 1, (i) => ({ ref: `${i}` })) }],
    [
      'items.0.dependencies',
      dependenciesPerItem,
      { items: [{ ...item(), dependencies: many(dependenciesPerItem + 1, () => ({ content_hash: '0'.repeat(64) })) }] },
    ],
  ] as const) {
    const answer = await mia.post('/push/commit', body)
    expect([answer.status, answer.body.error.code]).toEqual([422, 'VALIDATION'])
    expect(answer.body.error.details.errors).toEqual([expect.objectContaining({ path, count: maximum + 1, maximum })])
  }
})

test('of hundreds of thousands of needs that are nowhere the answer names a thousand', async () => {
  const dependencies = Array.from({ length: 10_000 }, (_, i) => ({ content_hash: sha256(Buffer.from(`d${i}`)) }))
  const { status, body } = await negotiate(Array.from({ length: 20 }, () => item({ dependencies })))
  expect([status, body.error.details.errors.length]).toEqual([422, 1000])
  expect(body.error.details.errors[999].path).toBe('items.0.dependencies.999')
})
