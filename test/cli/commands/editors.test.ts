/** ph editors: one's own editors, as their plugins last said. */
import { expect, test } from 'vitest'
import { callAs, type Json } from '../../support/api.ts'
import { ph, signedIn } from '../../support/ph.ts'
import { byHand, startTestServer } from '../../support/server.ts'

const server = await startTestServer({}, byHand)

async function desk() {
  const { url, keys } = await server.addWorkspace()
  const beat = (who: 'mia' | 'max', over: Json) =>
    callAs(url, keys[who]).post('/editor-sessions/heartbeat', {
      session_id: 'editor-0001',
      project_key: 'Village',
      accepts_agent_imports: true,
      heartbeat_interval_seconds: 15,
      ...over,
    })
  const editors = (key = keys.mia, line = '') => ph(`editors ${line}`, { env: { ...signedIn(url, key), NO_COLOR: '1' } })
  return { keys, beat, editors }
}

test('editors show their project, engine, machine, what they do and what went wrong; other people’s do not show', async () => {
  const { beat, editors, keys } = await desk()
  await beat('mia', { engine_version: '5.4.4', machine: 'forge', busy_job_id: 7, last_error: 'disk full' })
  await beat('max', { session_id: 'editor-0002', project_key: 'Tavern' })
  const { code, stdout } = await editors()
  expect(code).toBe(0)
  const [row, ...rest] = stdout.trimEnd().split('\n')
  expect(row?.split('\t')).toEqual(['Village', '5.4.4', 'forge', 'online', 'takes them', 'job 7', 'disk full'])
  expect(rest).toEqual([])
  const { sessions } = (await editors(keys.miaReads, '--json')).json() as Json
  expect(sessions).toMatchObject([{ session_id: 'editor-0001', online: true, busy_job_id: 7 }])
})

test('an editor that went silent says when it was last seen, and one that takes no imports says so; without any that is said', async () => {
  const { beat, editors, keys } = await desk()
  await beat('mia', { accepts_agent_imports: false })
  server.clock.advance(5 * 60_000)
  const { sessions } = (await editors(keys.mia, '--json')).json() as Json
  expect(sessions).toMatchObject([{ online: false, seconds_since_seen: expect.any(Number) }])
  expect((await editors()).stdout).toMatch(/\t(just now|\d+ \w+ ago)\tno\t/)
  expect((await editors(keys.adam)).stdout).toBe('No editor of yours was seen in the last 24 hours.\n')
})
