/** Fifty people who ask two server processes of one library on PostgreSQL. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { callAs } from './api.ts'
import { item, pushed } from './push.ts'
import { newKey } from './server.ts'
import { serverHouse } from './server-house.ts'
import { temporaryFolder } from './temporary-folder.ts'

const lifted = { PH_RATE_LIMIT_REQUESTS: '1000000', PH_RATE_LIMIT_PUSH: '1000000' }
export const people = 50

/** Two processes, an entry, and fifty people of whom every other one asks the second process. */
export async function crowd() {
  const house = await serverHouse()
  const crowd = Array.from({ length: people }, (_, n) => ({ name: `p${n}`, email: `p${n}@acme.test`, key: newKey() }))
  const file = join(temporaryFolder(), 'crowd.json')
  const members = crowd.map(({ name, email }) => ({ name, email, display_name: `Person ${name}`, role: 'member' }))
  const keys = crowd.map(({ name, email, key }) => ({ name, member: email, scope: 'write', key }))
  writeFileSync(file, JSON.stringify({ workspaces: [{ slug: 'acme', name: 'acme', members, keys }] }))
  expect((await house.administer(['provision', file])).code).toBe(0)
  const processes = [await house.start([], lifted), await house.start([], lifted)] as const
  const callers = crowd.map(({ key }, n) => callAs((processes[n % 2] ?? processes[0]).url, key))
  const [mia, miaElsewhere] = [callAs(processes[0].url, house.keys.mia), callAs(processes[1].url, house.keys.mia)]
  const [entry] = await pushed(mia, [item()])
  const adam = callAs(processes[1].url, house.keys.adam)
  return { mia, miaElsewhere, adam, callers, entry }
}
