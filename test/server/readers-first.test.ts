// While one workspace commits as much as it can, those who read in another one wait for a commit or two, not for all of them.
import { expect, test } from 'vitest'
import { callAs } from '../support/api.ts'
import { item, manifestOf, upload } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const many = 14
const itemsEach = 100
/** Answered while a reader waited: the one that was under way, and what a busy machine does beside it. */
const fewCommits = 4

test('a reader of another workspace waits for the commit that is under way, not for all that wait', async () => {
  const [busy, calm] = [await server.addWorkspace(), await server.addWorkspace()]
  const writer = callAs(busy.url, busy.keys.mia)
  const manifests = Array.from({ length: many }, () => Array.from({ length: itemsEach }, () => item()))
  await upload(writer, manifests.flat())
  let answered = 0
  const writing = manifests.map(async (items) => {
    const answer = await writer.post('/push/commit', manifestOf(items))
    answered++
    return answer
  })
  await Promise.race(writing)
  for (const path of ['/packs', '/entries']) {
    const before = answered
    expect((await callAs(calm.url, calm.keys.mia).get(path)).status).toBe(200)
    expect(answered - before).toBeLessThanOrEqual(fewCommits)
  }
  expect(answered).toBeLessThan(many)
  expect((await Promise.all(writing)).map((answer) => answer.status)).toEqual(Array(many).fill(200))
})
