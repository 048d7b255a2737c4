// What an entry needs and what needs it, over random graphs with cycles, beside a plain walk (spec 2, 4.2).
import { expect, test } from 'vitest'
import { type Caller, callAs, type Json } from '../support/api.ts'
import { item, pushed } from '../support/push.ts'
import { pick, seeded } from '../support/random-library.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()

async function newLibrary(): Promise<Caller> {
  const { url, keys } = await server.addWorkspace()
  return callAs(url, keys.mia)
}

interface Edge {
  from: number
  to: number
  hard: boolean
}

/** `count` props; `edges` by their numbers from 0. Gives what the push says of each. */
async function pushGraph(mia: Caller, count: number, edges: readonly Edge[]): Promise<Json[]> {
  const items = Array.from({ length: count }, () => item())
  for (const [at, one] of items.entries()) {
    const needed = edges.filter(({ from }) => from === at)
    one.dependencies = needed.map(({ to, hard }) => ({ content_hash: items[to]?.content_hash, hard }))
  }
  return pushed(mia, items)
}

function randomEdges(seed: number, count: number): Edge[] {
  const random = seeded(seed)
  const numbers = Array.from({ length: count }, (_, at) => at)
  const edges = new Map<string, Edge>()
  for (let more = 2 * count; more > 0; more--) {
    const edge = { from: pick(random, numbers), to: pick(random, numbers), hard: random(3) > 0 }
    if (edge.from !== edge.to) edges.set(`${edge.from} ${edge.to}`, edge)
  }
  return [...edges.values()]
}

/** Depth, kind and origin of everything that can be reached, one level after the other. */
function reach(root: number, edges: readonly Edge[]): Map<number, [depth: number, edge: string, via: number | null]> {
  const found = new Map<number, [number, string, number | null]>([[root, [0, 'root', null]]])
  for (let depth = 1; ; depth++) {
    const coming = edges.filter(({ from, to }) => found.get(from)?.[0] === depth - 1 && !found.has(to))
    if (coming.length === 0) return found
    for (const to of new Set(coming.map((edge) => edge.to))) {
      const [best] = coming.filter((edge) => edge.to === to).sort((a, b) => Number(b.hard) - Number(a.hard) || a.from - b.from)
      if (best) found.set(to, [depth, best.hard ? 'hard' : 'soft', best.from])
    }
  }
}

test.for([1, 2, 3])('closure and dependents are what a plain walk finds, cycles or not: graph %i', async (seed) => {
  const mia = await newLibrary()
  const edges = randomEdges(seed, 25)
  const results = await pushGraph(mia, 25, edges)
  const idOf = (at: number | null): number | null => (at === null ? null : results[at]?.object_id)
  const stepsOf = (root: number, along: readonly Edge[]) =>
    [...reach(root, along)].map(([at, [depth, edge, via]]) => [idOf(at), depth, edge, idOf(via)])
  const shown = (members: Json[]) =>
    members.map(({ object_id, depth, edge, via_object_id }) => [object_id, depth, edge, via_object_id])
  const byDepth = (steps: ReturnType<typeof stepsOf>) =>
    steps.sort((a, b) => Number(a[1]) - Number(b[1]) || Number(a[0]) - Number(b[0]))
  const turned = edges.map(({ from, to, hard }) => ({ from: to, to: from, hard }))
  for (const [root, { entry_id }] of results.entries()) {
    const { members } = (await mia.get(`/entries/${entry_id}/closure`)).body
    expect(shown(members)).toEqual(byDepth(stepsOf(root, edges)))
    for (const { object_id, entry_id: of, shared_with_count } of members) {
      const at = results.findIndex((result) => result.object_id === object_id)
      expect([of, shared_with_count]).toEqual([results[at]?.entry_id, edges.filter(({ to }) => to === at).length])
    }
    const dependents = (await mia.get(`/entries/${entry_id}/dependents`)).body.members
    expect(shown(dependents)).toEqual(byDepth(stepsOf(root, turned)).slice(1))
  }
})

test('what needs a prop now are the current files that refer to any version of it, redirectors and levels of actors among them', async () => {
  const mia = await newLibrary()
  const at = (path: string, more: Json = {}) =>
    item({ origin_path: `/Game/${path}`, asset_name: path.split('/').at(-1), ...more })
  const needing = (...needed: Json[]) => ({ dependencies: needed.map(({ content_hash }) => ({ content_hash, hard: true })) })
  const next = (of: Json, base: Json, more: Json = {}) =>
    item({
      origin_path: base.origin_path,
      asset_name: base.asset_name,
      stamped_lineage_id: of.lineage_id,
      stamped_base_hash: base.content_hash,
      ...more,
    })
  const [oak, pine] = [at('M_Oak'), at('M_Pine')]
  const [table, chair, shelf] = [at('SM_Table', needing(oak)), at('SM_Chair', needing(oak)), at('SM_Shelf', needing(pine))]
  const results = await pushed(mia, [oak, pine, table, chair, shelf])
  const [ofOak, , ofTable, ofChair] = results as [Json, Json, Json, Json]
  const actor = at('__ExternalActors__/L_Inn/0/1A/CHAIR', { entry: null, asset_class: 'StaticMeshActor', ...needing(chair) })
  const inn = at('L_Inn', {
    asset_class: 'World',
    parts: { base: null, put: [{ path: actor.origin_path, content_hash: actor.content_hash }], remove: [] },
  })
  await pushed(mia, [actor, inn], { project: 'Inn' })
  const users = async (mode: string) => {
    const { body } = await mia.get(`/entries/${ofOak.entry_id}/dependents${mode}`)
    return [body.dependencies, body.members.map(({ asset_name, depth }: Json) => `${asset_name} ${depth}`).sort()]
  }
  const now = '?dependencies=current'
  const all = ['CHAIR 2', 'L_Inn 3', 'SM_Chair 1', 'SM_Table 1']
  expect(await users(now)).toEqual(['current', all])
  // The material is saved again, and the table with another one.
  await pushed(mia, [next(ofOak, oak)])
  expect(await users('')).toEqual([undefined, []])
  expect(await users(now)).toEqual(['current', all])
  await pushed(mia, [next(ofTable, table, needing(pine))])
  expect(await users(now)).toEqual(['current', ['CHAIR 2', 'L_Inn 3', 'SM_Chair 1']])
  // The chair moves, and leaves a redirector, which the level's actor still names; then it moves on without the material.
  const moved = next(ofChair, chair, { origin_path: '/Game/Moved/SM_Chair', ...needing(oak) })
  const redirector = at('SM_Chair', { entry: null, asset_class: 'ObjectRedirector', ...needing(moved) })
  await pushed(mia, [moved, redirector])
  expect(await users(now)).toEqual(['current', ['CHAIR 2', 'L_Inn 3', 'SM_Chair 1', 'SM_Chair 2']])
  const { parts } = (await mia.get(`/entries/${ofOak.entry_id}?include=dependents&dependencies=current`)).body
  expect(parts.dependents).toMatchObject({ dependencies: 'current', used_by_entries: 2, total_objects: 4 })
  await pushed(mia, [next(ofChair, moved)])
  expect(await users(now)).toEqual(['current', []])
})

test('a chain of a thousand props that ends in its own beginning is walked to its end, in both directions', async () => {
  const mia = await newLibrary()
  const count = 1000
  const results = await pushGraph(
    mia,
    count,
    Array.from({ length: count }, (_, at) => ({ from: at, to: (at + 1) % count, hard: at % 2 === 0 })),
  )
  const [first] = results
  const ids = results.map(({ object_id }) => object_id)
  const { members } = (await mia.get(`/entries/${first.entry_id}/closure`)).body
  expect(members.map(({ object_id, depth }: Json) => [object_id, depth])).toEqual(ids.map((id, depth) => [id, depth]))
  const dependents = (await mia.get(`/entries/${first.entry_id}/dependents`)).body
  const backwards = ids.slice(1).reverse()
  expect(dependents.members.map(({ object_id, depth }: Json) => [object_id, depth])).toEqual(
    backwards.map((id, at) => [id, at + 1]),
  )
})

test('a closure of more files than one look-up takes is whole, and names an entry only for current versions', async () => {
  const mia = await newLibrary()
  const count = 1100
  const results = await pushGraph(
    mia,
    count,
    Array.from({ length: count - 1 }, (_, at) => ({ from: 0, to: at + 1, hard: true })),
  )
  const [root, changed] = results
  await pushed(mia, [item({ stamped_lineage_id: changed.lineage_id, stamped_base_hash: changed.content_hash })])
  const { members, total_objects } = (await mia.get(`/entries/${root.entry_id}/closure`)).body
  expect(total_objects).toBe(count)
  const ids = (list: Json[]) => list.map(({ object_id }) => object_id)
  expect(ids(members)).toEqual([root.object_id, ...ids(results.slice(1)).sort((a, b) => a - b)])
  expect(ids(members.filter((member: Json) => member.entry_id === null))).toEqual([changed.object_id])
})
