/** The tools for assistants as they are told of: which there are, what they say of themselves, and how much room that takes. */
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { allRoutes } from '../../contract/index.ts'
import { toolsHere } from '../../mcp/files/here.ts'
import type { Machine } from '../../mcp/files/machine.ts'
import { definitionOf } from '../../mcp/protocol/definitions.ts'
import { bounded } from '../../mcp/tools/bounded.ts'
import { allTools, selectTools } from '../../mcp/tools/selection.ts'
import { type RouteName, routeOf } from '../../mcp/tools/tool.ts'
import { toolsetNames } from '../../mcp/tools/toolset-names.ts'

const nothing = { toolsets: [], tools: [], exclude: [], readOnly: false }
const admin = { scope: 'write', isAdmin: true } as const

test('every route that a key may ask and that ends has a tool', () => {
  const reached = new Set(allTools.flatMap(({ routes }) => routes as readonly string[]))
  const missing = allRoutes
    .filter(([, , { scope }]) => ['read', 'write', 'admin'].includes(scope))
    .map(([noun, verb]) => `${noun}.${verb}`)
    .filter((name) => !reached.has(name))
  expect(missing).toEqual(['changes.export', 'changes.live'])
})

test.each([
  ['the hosted endpoint', allTools],
  ['a machine without projects', toolsHere({} as Machine, false)],
  ['a machine with projects', toolsHere({} as Machine, true)],
])('on %s there are at most 15 tools at first, whose definitions take less than 8,000 tokens', (_, tools) => {
  const first = selectTools(nothing, admin, tools)
  expect(first.length).toBeLessThanOrEqual(15)
  // JSON of this kind takes more than three characters a token.
  expect(JSON.stringify(first.map(definitionOf)).length / 3).toBeLessThan(8000)
})

test('the names of toolsets that a server takes in its settings are those that there are', () => {
  expect([...toolsetNames].sort()).toEqual([...new Set(allTools.map(({ toolset }) => toolset)), 'all'].sort())
})

test('no two tools have one name, and every client takes each name', () => {
  const names = allTools.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(names.filter((name) => !/^[a-z][a-z_]{1,62}$/.test(name))).toEqual([])
})

test('a tool changes something, or not, as the summary of its route and the scope of its key say', () => {
  for (const [tool, route] of toolsOfOneRoute()) {
    const asksOnly = route.scope === 'read' || route.method === 'GET' || /(writes|record) nothing/.test(route.summary)
    expect([tool.name, definitionOf(tool).annotations.readOnlyHint]).toEqual([tool.name, asksOnly])
  }
})

test('a tool is called destructive where its route takes something away, and only tools that add are not', () => {
  const writing = toolsOfOneRoute().filter(([tool]) => !definitionOf(tool).annotations.readOnlyHint)
  const adding = writing.filter(([tool]) => !definitionOf(tool).annotations.destructiveHint)
  const takesAway = /delete|forget|release|steal|cancel|overwrite|take .*(off|out|away|back)|earlier version/i
  expect(adding.filter(([, { summary }]) => takesAway.test(summary)).map(([{ name }]) => name)).toEqual([])
  expect(adding.map(([{ name }]) => name).sort()).toEqual(onlyAdding)
})

/** Whoever adds a route decides whether it stands here: what was there stays, whatever is sent. */
const onlyAdding = [
  'admin_deny',
  'admin_refresh_previews',
  'annotations_create',
  'annotations_update',
  'attachments_create',
  'blobs_put',
  'collections_add_entry',
  'collections_create',
  'comments_create',
  'comments_react',
  'comments_resolve',
  'comments_unresolve',
  'editor_sessions_heartbeat',
  'locks_create',
  'media_presign',
  'media_unavailable',
  'media_unavailable_many',
  'notifications_read',
  'notifications_seen',
  'packs_create',
  'projects_create',
  'pull_jobs_claim',
  'pull_jobs_create',
  'pull_jobs_heartbeat',
  'review_requests_create',
  'review_requests_respond',
  'tags_assign',
  'tags_create',
  'webhooks_create',
  'webhooks_replay',
  'webhooks_test',
]

test('a tool of several routes does all that they do', () => {
  const hints = allTools
    .filter(({ toolset }) => toolset === 'default')
    .map((tool) => ({ name: tool.name, ...definitionOf(tool).annotations }))
  const writing = hints.filter(({ readOnlyHint }) => !readOnlyHint).map(({ name }) => name)
  expect(writing).toEqual(['pull', 'check_out', 'release', 'comment', 'request_review', 'review'])
  expect(hints.filter(({ destructiveHint }) => destructiveHint).map(({ name }) => name)).toEqual(['release'])
})

const toolsOfOneRoute = () =>
  allTools.filter(({ toolset }) => toolset !== 'default').map((tool) => [tool, routeOf(tool.routes[0] as RouteName)] as const)

test('every schema of input and output is one that a strict client compiles', () => {
  const ajv = new Ajv({ strict: false })
  for (const { inputSchema, outputSchema } of allTools.map(definitionOf))
    for (const schema of [inputSchema, outputSchema]) expect(() => ajv.compile(schema)).not.toThrow()
})

test('a page that is too long is asked for again with fewer rows, so that its cursor still fits', async () => {
  const rows = Array.from({ length: 200 }, (_, id) => ({ id, note: 'x'.repeat(1000) }))
  const limits: unknown[] = []
  const { answer, leftOff } = await bounded(
    async ({ limit }) => {
      limits.push(limit)
      return { rows: rows.slice(0, Number(limit)), next_cursor: String(limit) }
    },
    { limit: 200 },
  )
  expect(limits).toHaveLength(2)
  expect((answer.rows as unknown[]).length).toBe(Number(answer.next_cursor))
  expect(leftOff).toEqual({})
})

test('a list without pages is cut, and how many rows are missing is told', async () => {
  const members = Array.from({ length: 1000 }, (_, id) => ({ id, path: '/Game/Props/'.repeat(10) }))
  const { answer, leftOff } = await bounded(async () => ({ total: 1000, entry: { members } }), {})
  const kept = (answer.entry as { members: unknown[] }).members.length
  expect(JSON.stringify(answer).length).toBeLessThanOrEqual(32_000)
  expect([kept > 100, leftOff]).toEqual([true, { 'entry.members': 1000 - kept }])
})
