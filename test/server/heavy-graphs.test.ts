// Graphs in which each prop needs all before it: a server with little memory outlives many questions about them, and others are answered.
import { expect, onTestFinished, test } from 'vitest'
import { graphRows, shapes } from '../support/graph-rows.ts'
import { askDuring, statusOf } from '../support/large-bodies.ts'
import { byHand, startTestServer } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'

const count = 1200
const heapMiB = 160

test('closures, dependents and pulls of a graph with 700,000 edges, many at once, leave a small server alive', async () => {
  const made = await startTestServer({}, byHand)
  const [one, two] = [await made.addWorkspace(), await made.addWorkspace()]
  const graph = await graphRows(made.database.longSql, { workspaceId: one.workspaceId, count, edges: shapes.dense(count) })
  await made.stop()
  const { databaseUrl } = made.settings
  const env = {
    NODE_OPTIONS: `--max-old-space-size=${heapMiB}`,
    PH_RATE_LIMIT_REQUESTS: '1000000',
    ...(databaseUrl === undefined ? {} : { PH_DATABASE_URL: databaseUrl }),
  }
  const server = await startServerProcess(['--data', made.dataDir], { env })
  onTestFinished(async () => void (await server.kill()))
  const at = (slug: string, path: string) => `${server.url}/w/${slug}/api/v1${path}`
  const ask = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${one.keys.mia}`, ...(body ? { 'content-type': 'application/json' } : {}) }
    const answer = await fetch(at(one.slug, path), {
      headers,
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    })
    const found = (await answer.json()) as { total_objects?: number; closure?: { total_objects: number } }
    return [answer.status, found.total_objects ?? found.closure?.total_objects]
  }
  const order = { target_project: 'Castle', entries: [{ entry_id: graph.entryId(count) }] }
  const questions = [
    ...Array.from({ length: 6 }, () => ask(`/entries/${graph.entryId(count)}/closure`)),
    ask(`/entries/${graph.entryId(1)}/dependents`),
    ask('/pull-jobs/plan', order),
  ]
  const all = Promise.all(questions)
  const others = await askDuring(all, () => statusOf(at(two.slug, '/entries'), two.keys.mia))
  expect(others, `${others} answers to another workspace`).toBeGreaterThanOrEqual(5)
  for (const [at, [status, total]] of (await all).entries()) {
    expect([200, 503], `question ${at}`).toContain(status)
    if (status === 200) expect(total).toBe(at === 6 ? count - 1 : count)
  }
  expect((await all)[0]?.[0]).toBe(200)
  expect(server.isAlive()).toBe(true)
})
