// What the front door asks of a PostgreSQL that several processes share: one statement a request, and less when many come at once.
import { expect, test } from 'vitest'
import { callAs } from '../support/api.ts'
import { isPostgres, postgresOnly } from '../support/postgres-only.ts'
import { startWiredServer } from '../support/wired-server.ts'

test.runIf(isPostgres)(
  'a request with a key costs PostgreSQL exactly one statement, and requests of one moment share theirs',
  postgresOnly,
  async () => {
    const { server, wire } = await startWiredServer()
    const { url, keys } = await server.addWorkspace()
    const mia = callAs(url, keys.mia)
    const during = async (asks: () => Promise<unknown>) => {
      const before = wire.executed.length
      await asks()
      return wire.executed.slice(before)
    }
    for (const caller of [mia, callAs(url, keys.max), mia]) {
      const [statement, ...others] = await during(async () => expect((await caller.get('/auth/me')).status).toBe(200))
      expect(statement).toMatch(/from api_keys.*insert into request_windows/s)
      expect(others).toEqual([])
    }
    const together = await during(async () => {
      const answers = await Promise.all(Array.from({ length: 200 }, () => mia.get('/auth/me')))
      expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    })
    expect(together.length).toBeGreaterThan(0)
    expect(together.length).toBeLessThan(200)
  },
)
