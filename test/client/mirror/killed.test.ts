// A mirror whose process is killed at any moment of loading or following holds, after the next run, what the server lists. At as many moments
// as PH_AGENT_RUNS says; bench/agent-kills.ts chooses a hundred of each.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { randomNumbers } from '../../../sample/random.ts'
import { callAs } from '../../support/api.ts'
import type { ClientDeath } from '../../support/client-death.ts'
import { callsOf, expectSame, mirrorOf, newFolders } from '../../support/mirror.ts'
import { item, pushed } from '../../support/push.ts'
import { changeLibrary, seeded, writeLibrary } from '../../support/random-library.ts'
import { startTestServer } from '../../support/server.ts'

const chosen = process.env.PH_AGENT_RUNS === undefined ? undefined : Number(process.env.PH_AGENT_RUNS)
const runs = chosen ?? 9
const seed = process.env.PH_AGENT_SEED ?? 'mirror'
const limits = { timeout: Math.max(240_000, runs * 30_000) }
const processFile = fileURLToPath(new URL('../../support/mirror-process.ts', import.meta.url))
const deathPoint = new URL('../../support/client-death.ts', import.meta.url).href
const server = await startTestServer()
const run = promisify(execFile)

interface Death extends ClientDeath {
  kind: 'disk' | 'wire'
}

const killedAt: string[] = []

/** Ends by itself, or is killed before a step; gives how many steps of each kind there were. */
async function keep(place: { state: string; url: string; key: string }, death?: Death): Promise<Record<string, number>> {
  const env = { ...process.env, PH_TEST_DEATH: JSON.stringify(death ?? null) }
  const running = run(process.execPath, ['--import', deathPoint, processFile, JSON.stringify(place)], { env })
  const killed = (error: { stderr: string; signal: string }) => {
    if (error.signal !== 'SIGKILL') throw error
    killedAt.push(/^died before: (.*)$/m.exec(error.stderr)?.[1] ?? '')
    return error
  }
  const { stderr } = await (death ? running.catch(killed) : running)
  return JSON.parse(/steps: (.*)/.exec(stderr)?.[1] ?? '{}')
}

async function newLibrary() {
  const { url, keys, workspaceId } = await server.addWorkspace()
  const library = await writeLibrary(server.database.sql, { workspaceId, random: seeded(9), most: 0 })
  library.groupIds = []
  await changeLibrary(library, 300)
  return { url, key: keys.adam, library, api: callsOf(url, keys.adam), caller: callAs(url, keys.adam) }
}

/** Steps of a run that has `all`, seeded; of both kinds. */
function deaths(all: Record<string, number>, during: string): Death[] {
  const random = randomNumbers(`${seed} ${during}`)
  return Array.from({ length: runs }, (_, at) => {
    const kind = at % 2 === 0 ? 'disk' : 'wire'
    return { kind, step: 1 + Math.floor(random() * (all[kind] ?? 1)) }
  })
}

test(
  `killed at ${runs} moments while it is loaded: nothing that is half is there, and the next run ends whole`,
  limits,
  async () => {
    const { url, key, api } = await newLibrary()
    const steps = await keep({ state: newFolders().state, url, key })
    for (const death of deaths(steps, 'loading')) {
      const folders = newFolders()
      await keep({ state: folders.state, url, key }, death)
      const killed = mirrorOf(url, folders)
      if (killed.db) await expectSame(killed, api)
      killed.close()
      await keep({ state: folders.state, url, key })
      await expectSame(mirrorOf(url, folders), api)
    }
    expect(killedAt.length).toBeGreaterThan(runs * 0.8)
  },
)

test(
  'where a process of its own fills it and one of the two is killed, nothing that is half is there, and the next run ends whole',
  limits,
  async () => {
    const { url, key, api } = await newLibrary()
    const steps = await keep({ state: newFolders().state, url, key })
    let died = 0
    for (const [at, death] of deaths(steps, 'filling')
      .slice(0, chosen ?? 2)
      .entries()) {
      const folders = newFolders()
      const place = { state: folders.state, url, key }
      const filled: ClientDeath = at % 2 === Math.floor(at / 2) % 2 ? { ...death, how: 'parent' } : death
      const failed = (error: { stderr: string; signal: string }) => {
        if (error.signal !== 'SIGKILL' && !error.stderr.includes('what fills the mirror ended (SIGKILL)')) throw error
        died++
      }
      await run(process.execPath, [processFile, JSON.stringify({ ...place, filled })]).catch(failed)
      // The one that filled it may not have ended yet.
      await keep(place)
      await expectSame(mirrorOf(url, folders), api)
    }
    expect(died).toBeGreaterThan(0)
  },
)

test(`killed at ${runs} moments while it follows: no cursor ahead of its data`, limits, async () => {
  const { url, key, api, caller, library } = await newLibrary()
  const folders = newFolders()
  const place = { state: folders.state, url, key }
  await keep(place)
  await pushed(caller, [item()])
  const steps = await keep(place)
  for (const death of deaths(steps, 'following')) {
    await changeLibrary(library, 3)
    await keep(place, death)
    await keep(place)
    await expectSame(mirrorOf(url, folders), api)
  }
  expect(killedAt.length).toBeGreaterThan(runs * 1.6)
  const cursor = mirrorOf(url, folders).meta('cursor') ?? 0
  expect(cursor).toBeGreaterThan(0)
  expect((await api.changes.list({ cursor })).changes).toEqual([])
  expect((await api.changes.list({ cursor: cursor - 1 })).changes).toHaveLength(1)
  if (process.env.PH_AGENT_FIGURES) writeFileSync(process.env.PH_AGENT_FIGURES, JSON.stringify({ runs, deaths: killedAt }))
})
