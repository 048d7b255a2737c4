// The walk along dependencies over graphs that nobody pushes by hand: what it finds, and how much it asks the database for.
import { expect, test } from 'vitest'
import { limits } from '../../contract/limits.ts'
import { nearEdges, pieceEdges } from '../../server/dependencies/edges.ts'
import { nowhere } from '../../server/dependencies/rows.ts'
import { type Step, type WalkOrder, walk } from '../../server/dependencies/walk.ts'
import { noProject } from '../../server/rows/places.ts'
import { type Graph, graphRows, shapes } from '../support/graph-rows.ts'
import { pick, seeded } from '../support/random-library.ts'
import { byHand, startTestServer } from '../support/server.ts'

/** Without background work, which would look at all of these rows. */
const server = await startTestServer({}, byHand)

interface Edge {
  from: number
  to: number
  hard: boolean
}

async function graphOf(count: number, edges: Parameters<typeof graphRows>[1]['edges']) {
  const { workspaceId } = await server.addWorkspace()
  return { workspaceId, graph: await graphRows(server.database.longSql, { workspaceId, count, edges }) }
}

/** What a walk finds, and the statements that it took. */
async function walked(workspaceId: number, order: Omit<WalkOrder, 'beforePiece'>) {
  let statements = 0
  const found = await walk(server.database.sql, workspaceId, { ...order, beforePiece: () => void statements++ })
  return { ...found, statements }
}

/** By number: depth, edge and number of origin, one level after the other. */
function plainWalk(root: number, edges: readonly Edge[]): Map<number, Step> {
  const found = new Map<number, Step>([[root, { depth: 0, edge: 'root', via: null, projectId: nowhere }]])
  const outgoing = Map.groupBy(edges, ({ from }) => from)
  for (let level = [root], depth = 1; level.length > 0; depth++) {
    const coming = level.flatMap((from) => outgoing.get(from) ?? []).filter(({ to }) => !found.has(to))
    const byTarget = Map.groupBy(coming, ({ to }) => to)
    for (const [to, all] of byTarget) {
      const [best] = all.toSorted((a, b) => Number(b.hard) - Number(a.hard) || a.from - b.from)
      if (best) found.set(to, { depth, edge: best.hard ? 'hard' : 'soft', via: best.from, projectId: noProject })
    }
    level = [...byTarget.keys()]
  }
  return found
}

/** Layers of props, each of which needs many of the next layer and some of any: levels of more edges than one statement looks at. */
function layeredEdges(seed: number, layers: readonly number[], share = 0.6): Edge[] {
  const random = seeded(seed)
  let next = 1
  const numbers = layers.map((count) => Array.from({ length: count }, () => next++))
  const all = numbers.flat()
  const edges = new Map<string, Edge>()
  for (const [at, layer] of numbers.entries())
    for (const from of layer)
      for (let more = Math.floor(share * (numbers[at + 1]?.length ?? 0)) + 3; more > 0; more--) {
        const to = random(20) === 0 ? pick(random, all) : pick(random, numbers[at + 1] ?? all)
        if (from !== to) edges.set(`${from} ${to}`, { from, to, hard: random(8) === 0 })
      }
  return [...edges.values()]
}

const rowsOf = (edges: readonly Edge[]): Parameters<typeof graphRows>[1]['edges'] => {
  const [from, to, hard] = [edges.map((edge) => edge.from), edges.map((edge) => edge.to), edges.map((edge) => Number(edge.hard))]
  return (sql) =>
    sql`select from_n, to_n, hard = 1 as hard from unnest(${from}::bigint[], ${to}::bigint[], ${hard}::bigint[]) as r (from_n, to_n, hard)`
}

const byNumber = (steps: ReadonlyMap<number, Step>, graph: Graph) =>
  [...steps].map(([id, { depth, edge, via }]) => [
    id - graph.objectId(0),
    depth,
    edge,
    via === null ? null : via - graph.objectId(0),
  ])
const sorted = (rows: ReturnType<typeof byNumber>) =>
  rows.sort((a, b) => Number(a[1]) - Number(b[1]) || Number(a[0]) - Number(b[0]))
const plain = (steps: ReadonlyMap<number, Step>) => sorted([...steps].map(([id, { depth, edge, via }]) => [id, depth, edge, via]))

test.for([1, 2])(
  'levels with more edges than one statement looks at, soft and hard, with cycles, are walked as one by one: graph %i',
  async (seed) => {
    const layers = [1, 30, 250, 300, 5]
    const edges = layeredEdges(seed, layers)
    const { workspaceId, graph } = await graphOf(
      layers.reduce((sum, count) => sum + count),
      rowsOf(edges),
    )
    expect(edges.length).toBeGreaterThan(1.5 * pieceEdges)
    const turned = edges.map(({ from, to, hard }) => ({ from: to, to: from, hard }))
    for (const [direction, along, root] of [
      ['needs', edges, 1],
      ['users', turned, 586],
    ] as const) {
      const found = await walked(workspaceId, { direction, rootIds: [graph.objectId(root)], most: 1000 })
      expect(sorted(byNumber(found.steps, graph))).toEqual(plain(plainWalk(root, along)))
      expect(found.beyond).toBeUndefined()
    }
  },
)

test.for([3, 4])(
  'wide levels with few edges are walked some at a time, as one by one, within some versions too: graph %i',
  async (seed) => {
    const layers = [1, ...Array.from({ length: 20 }, () => 100)]
    const edges = layeredEdges(seed, layers, 0.03)
    const { workspaceId, graph } = await graphOf(2001, rowsOf(edges))
    expect(edges.length).toBeGreaterThan(2 * nearEdges)
    const order = { direction: 'needs', rootIds: [graph.objectId(1)], most: 3000 } as const
    const found = await walked(workspaceId, order)
    expect(sorted(byNumber(found.steps, graph))).toEqual(plain(plainWalk(1, edges)))
    expect(found.edges).toBeLessThanOrEqual(edges.length)
    expect(found.statements).toBeLessThan(layers.length / 2)
    const isWithin = (number: number) => number % 5 !== 0
    const within = new Set(
      Array.from({ length: 2001 }, (_, at) => at + 1)
        .filter(isWithin)
        .map((number) => graph.objectId(number)),
    )
    const inside = edges.filter(({ to }) => isWithin(to))
    const foundWithin = await walked(workspaceId, { ...order, within })
    expect(sorted(byNumber(foundWithin.steps, graph))).toEqual(plain(plainWalk(1, inside)))
  },
)

test('a walk ends at its bound of edges, whatever the shape, and not before it', async () => {
  const count = 300
  const { workspaceId, graph } = await graphOf(count, shapes.dense(count))
  const edges = (count * (count - 1)) / 2
  const order = { direction: 'needs', rootIds: [graph.objectId(count)], most: count } as const
  const beyondOf = async (mostEdges: number) => (await walked(workspaceId, { ...order, mostEdges })).beyond
  expect([await beyondOf(edges), await beyondOf(edges - 1), await beyondOf(count)]).toEqual([undefined, 'edges', 'edges'])
})

test('a graph in which each needs all before it is looked at once, edge by edge, and only ids come out', async () => {
  const count = 400
  const { workspaceId, graph } = await graphOf(count, shapes.dense(count))
  const edges = (count * (count - 1)) / 2
  const found = await walked(workspaceId, { direction: 'needs', rootIds: [graph.objectId(count)], most: 5000 })
  expect([found.steps.size, found.beyond]).toEqual([count, undefined])
  expect(Math.max(...Array.from(found.steps.values(), ({ depth }) => depth))).toBe(1)
  // The first statement finds the first level, and the second that more lies behind it than one looks at.
  expect(found.edges).toBe(edges)
  expect(found.statements).toBe(2 + Math.ceil((edges - (count - 1)) / pieceEdges))
})

test('a chain of twenty thousand is walked to its end with few statements, in both directions, and not beyond its bound', async () => {
  const count = 20_000
  const { workspaceId, graph } = await graphOf(count, shapes.chain(count))
  for (const [direction, root] of [
    ['needs', count],
    ['users', 1],
  ] as const) {
    const order = { direction, rootIds: [graph.objectId(root)] }
    const whole = await walked(workspaceId, { ...order, most: count })
    expect([whole.steps.size, whole.beyond]).toEqual([count, undefined])
    expect(whole.steps.get(graph.objectId(root === 1 ? count : 1))?.depth).toBe(count - 1)
    expect(whole.statements).toBeLessThanOrEqual(Math.ceil(count / nearEdges) + 1)
    const bounded = await walked(workspaceId, { ...order, most: 5000 })
    expect(bounded.beyond).toBe('files')
    expect(bounded.steps.size).toBeLessThanOrEqual(5000 + nearEdges)
  }
})

test('what fifty thousand need directly is walked by pieces, and given up as soon as it is too much', async () => {
  const count = 50_001
  const { workspaceId, graph } = await graphOf(count, shapes.wide(count))
  const order = { direction: 'users', rootIds: [graph.objectId(1)] } as const
  const whole = await walked(workspaceId, { ...order, most: count })
  expect([whole.steps.size, whole.beyond]).toEqual([count, undefined])
  // Around one, the level of the others in pieces, and what lies behind those: nothing.
  expect(whole.statements).toBeLessThanOrEqual(1 + Math.ceil(count / pieceEdges) + 2)
  const bounded = await walked(workspaceId, { ...order, most: limits.graph.files })
  expect(bounded.beyond).toBe('files')
  expect(bounded.steps.size).toBeLessThanOrEqual(limits.graph.files + pieceEdges + 1)
})

test('a ring of two thousand diamonds ends where it began, each version reached once', async () => {
  const count = 4000
  const { workspaceId, graph } = await graphOf(count, shapes.diamonds(count))
  const found = await walked(workspaceId, { direction: 'needs', rootIds: [graph.objectId(1)], most: count })
  expect([found.steps.size, found.beyond]).toEqual([count, undefined])
  expect(Math.max(...Array.from(found.steps.values(), ({ depth }) => depth))).toBe(count / 2)
  expect(found.edges).toBeLessThan(4 * 2 * count)
})
