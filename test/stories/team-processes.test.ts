/** The days of a team with real processes: commands and the server are killed, and the library is restored from a backup (bench/team-days.ts). */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freshPostgres } from '../support/fresh-postgres.ts'
import { ofMany } from '../support/long-runs.ts'
import { phProcess, startPhProcess } from '../support/ph-process.ts'
import { serverHouse } from '../support/server-house.ts'
import { startServerProcess } from '../support/server-process.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { type Accidents, runTeam, toldFault } from '../support/team-days.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const lifted = { PH_RATE_LIMIT_REQUESTS: '1000000', PH_RATE_LIMIT_PUSH: '1000000' }
const first = Number(process.env.PH_TEAM_FIRST ?? 1)
const seeds = Array.from({ length: Number(process.env.PH_TEAM_SEEDS ?? ofMany(1, 5)) }, (_, at) => first + at)
const steps = Number(process.env.PH_TEAM_STEPS ?? ofMany(25, 2_000))

/** A library at one address, whatever becomes of its server and its data folder. */
async function startWorld() {
  const house = await serverHouse()
  const backups = join(temporaryFolder(), 'backups')
  let place = { data: house.data, env: house.env }
  let server = await house.start([], lifted)
  const wire = await startProxy(server.url)
  const start = async () => {
    server = await startServerProcess(['--data', place.data], { env: { ...place.env, ...lifted } })
    wire.leadTo(server.url)
  }
  const administer = async (...words: string[]) => {
    const { code, stderr } = await phProcess(['server', ...words, '--data', place.data], { env: place.env })
    expect(code, stderr).toBe(0)
  }
  const accidents: Accidents = {
    async killed(words, { cwd, env }, afterMs) {
      const run = startPhProcess(words, { cwd, env })
      const timer = setTimeout(() => run.signal('SIGKILL'), afterMs)
      await run.ended
      clearTimeout(timer)
    },
    async serverKilled() {
      await server.kill()
      await start()
    },
    backUp: () => administer('backup', backups),
    async restore() {
      await server.stop()
      const database = await freshPostgres()
      place = { data: join(temporaryFolder(), 'data'), env: database ? { PH_DATABASE_URL: database.url } : {} }
      await administer('restore', backups)
      await start()
    },
  }
  return { url: wire.url(`${server.url}/w/acme`), keys: house.keys, accidents, stop: () => server.kill() }
}

test.each(seeds)(`seed %i: a team works for ${steps} steps, with kills and a restore`, { timeout: 7_200_000 }, async (seed) => {
  const { url, keys, accidents, stop } = await startWorld()
  const people = [keys.mia, keys.max, keys.olivia, keys.adam, keys.mia, keys.max, keys.adam]
  const fault = await runTeam({
    url,
    keys: people,
    admins: [keys.olivia, keys.adam],
    seed,
    steps,
    run: (words, where) => phProcess(words, where),
    accidents,
  })
  await stop()
  expect(toldFault(fault)).toBeUndefined()
})
