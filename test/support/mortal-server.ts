/** Servers that are killed (SIGKILL) one after the other over one library with an entry, each at a step that a test chooses. */
import { type Caller, callAs } from './api.ts'
import type { DeathOrder } from './death-point.ts'
import { item, pushed } from './push.ts'
import type { Keys } from './server.ts'
import { serverHouseOfFile } from './server-house.ts'
import type { ServerProcess } from './server-process.ts'

const lifted = { PH_RATE_LIMIT_REQUESTS: '1000000', PH_RATE_LIMIT_PUSH: '1000000' }
/** The embedded database writes to the disk, where the other one is talked to over a wire. */
export const deathKind = process.env.PH_TEST_DATABASE_URL ? 'wire' : 'disk'
/** Before each of these steps, and when the answer is about to be sent. */
export const moments = (steps: readonly number[]): DeathOrder['before'][] => [
  ...steps.map((step) => ({ kind: deathKind, step }) as const),
  'answer',
]

/** For all tests of a file: each has a prop of its own there. */
export async function mortal() {
  const house = await serverHouseOfFile()
  let server: ServerProcess = await house.start([], lifted)
  const caller = (who: keyof Keys): Caller => callAs(server.url, house.keys[who])
  const [entry] = await pushed(caller('mia'), [item()])
  return {
    caller,
    entry,
    /** Whether it died while it was asked; another one runs then. */
    async dying(order: DeathOrder, ask: () => Promise<unknown>): Promise<boolean> {
      await server.dieAt(order)
      const answer = await ask().catch(() => undefined)
      if (answer !== undefined) return false
      await server.ended
      server = await house.start([], lifted)
      return true
    },
  }
}
