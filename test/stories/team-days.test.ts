/** Seeded days of a team: after each step nothing is lost, and after each pull the level is one consistent set. */
import { expect, test } from 'vitest'
import { ofMany } from '../support/long-runs.ts'
import { startTestServer } from '../support/server.ts'
import { runTeam, toldFault } from '../support/team-days.ts'

const server = await startTestServer()
const first = Number(process.env.PH_TEAM_FIRST ?? 1)
const seeds = Array.from({ length: Number(process.env.PH_TEAM_SEEDS ?? ofMany(7, 300)) }, (_, at) => first + at)
const steps = Number(process.env.PH_TEAM_STEPS ?? 60)

test.each(seeds)('seed %i: a team works for sixty steps', async (seed) => {
  const { url, keys } = await server.addWorkspace()
  const people = [keys.mia, keys.max, keys.olivia, keys.adam, keys.mia, keys.max, keys.adam]
  expect(toldFault(await runTeam({ url, keys: people, admins: [keys.olivia, keys.adam], seed, steps }))).toBeUndefined()
})
