/** What commands say to a key that only reads: what helps, once. */
import { expect, test } from 'vitest'
import { callAs } from '../support/api.ts'
import { ph, signedIn } from '../support/ph.ts'
import { item, pushed, uniqueName } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const { url, keys } = await server.addWorkspace()
const env = signedIn(url, keys.miaReads)
const mia = callAs(url, keys.mia)
const name = uniqueName('SM_Barrel')
await pushed(mia, [item({ asset_name: name })])

test.each([
  ['tag', 'create', 'pine'],
  ['deprecate', name],
  ['rename', name, 'SM_Cask'],
])('%s %s, which asks nothing, is refused with what helps said once', async (...args) => {
  const { code, stderr } = await ph(args, { env })
  expect([code, stderr]).toEqual([1, expect.stringContaining('This key is read-only.')])
  expect(stderr.match(/write scope/g)).toHaveLength(1)
})
