/** Programs of one machine that use the same key: one count of their requests, and room for people and for the desktop agent. */
import { expect, test } from 'vitest'
import { SharedCount } from '../../../client/http/shared-count.ts'
import { ratePolicy } from '../../../contract/rate-policy.ts'
import { ph, signedIn } from '../../support/ph.ts'
import { phProcess, startPhProcess } from '../../support/ph-process.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const perMinute = 12
const server = await startTestServer({ rateLimitRequests: perMinute })

test('scripts of one key stop at three quarters of what it may ask, and a person goes on without a wait', async () => {
  const { url, keys } = await server.addWorkspace()
  const env = { ...signedIn(url, keys.olivia), PH_STATE_DIR: temporaryFolder(), PH_CONFIG_DIR: temporaryFolder() }
  const line = ['api', 'GET', '/members/me']
  for (let round = 0; round < 3; round++) {
    const three = await Promise.all([1, 2, 3].map(() => phProcess(line, { env })))
    expect(three.map(({ code, stderr }) => [code, stderr])).toEqual(Array(3).fill([0, '']))
  }
  const waiting = startPhProcess(line, { env })
  await expect
    .poll(() => waiting.said(), { timeout: 20_000 })
    .toMatch(/^Waiting (\d+ (min|s) ?)+: programs on this machine have made most of the requests that this key may/)
  const pause = () => Promise.reject(new Error('a person waits'))
  for (let left = perMinute - 9; left > 0; left--)
    expect(await ph(line, { env, columns: 80, pause })).toMatchObject({ code: 0, stderr: '' })
  waiting.signal('SIGTERM')
  expect((await waiting.ended).stdout).toBe('')
})

test('a request counts for a minute, whoever made it and however that ended, and for its key alone', () => {
  let nowMs = 1_000_000
  const state = temporaryFolder()
  const open = (key: string, leavesRoom: boolean) =>
    new SharedCount({ stateFolder: state, url: 'http://inn.test', key, leavesRoom, now: () => nowMs })
  const [script, other, person] = [open('a', true), open('a', true), open('a', false)]
  expect(script.waitMs('general')).toBe(0)
  for (let made = 0; made < 8; made++) person.add('general')
  // Nobody knows yet how many it may make.
  expect(script.waitMs('general')).toBe(0)
  person.learn('general', ratePolicy('requests', 12))
  expect(other.waitMs('general')).toBe(0)
  other.add('general')
  expect([script, other, person].map((one) => one.waitMs('general') > 0)).toEqual([true, true, false])
  expect([script.waitMs('push'), open('b', true).waitMs('general')]).toEqual([0, 0])
  nowMs += 59_000
  expect(script.waitMs('general')).toBeGreaterThan(0)
  expect(script.waitMs('general')).toBeLessThanOrEqual(6000)
  nowMs += script.waitMs('general')
  expect(script.waitMs('general')).toBe(0)
})

test('a folder that takes nothing, and a header that says nothing, hold nobody up', () => {
  const count = new SharedCount({ stateFolder: '/dev/null', url: 'http://inn.test', key: 'a', leavesRoom: true })
  count.add('general')
  for (const header of [undefined, 'q=1', '"requests";q=0;w=60', ['a', 'b']]) count.learn('general', header)
  expect(count.waitMs('general')).toBe(0)
})
