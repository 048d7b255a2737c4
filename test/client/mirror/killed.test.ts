// A mirror whose process is killed at any moment of loading or following holds, after the next run, what the server lists.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { callAs } from '../../support/api.ts'
import { callsOf, expectSame, mirrorOf, newFolders } from '../../support/mirror.ts'
import { item, pushed } from '../../support/push.ts'
import { changeLibrary, seeded, writeLibrary } from '../../support/random-library.ts'
import { startTestServer } from '../../support/server.ts'

const processFile = fileURLToPath(new URL('../../support/mirror-process.ts', import.meta.url))
const deathPoint = new URL('../../support/client-death.ts', import.meta.url).href
const server = await startTestServer()
const run = promisify(execFile)

interface Death {
  kind: 'disk' | 'wire'
  step: number
}

let kills = 0

/** Ends by itself, or is killed before a step; gives how many steps of each kind there were. */
async function keep(place: { state: string; url: string; key: string }, death?: Death): Promise<Record<string, number>> {
  const env = { ...process.env, PH_TEST_DEATH: JSON.stringify(death ?? null) }
  const running = run(process.execPath, ['--import', deathPoint, processFile, JSON.stringify(place)], { env })
  const killed = (error: { stderr: string; signal: string }) => {
    if (error.signal !== 'SIGKILL') throw error
    kills++
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

/** So many steps of a run that has `all`, seeded; of both kinds. */
function deaths(all: Record<string, number>, count: number): Death[] {
  const random = seeded(count)
  return Array.from({ length: count }, (_, at) => {
    const kind = at % 2 === 0 ? 'disk' : 'wire'
    return { kind, step: 1 + random(all[kind] ?? 1) }
  })
}

test('killed at 25 moments while it is loaded: nothing that is half is there, and the next run ends whole', async () => {
  const { url, key, api } = await newLibrary()
  const steps = await keep({ state: newFolders().state, url, key })
  for (const death of deaths(steps, 25)) {
    const folders = newFolders()
    await keep({ state: folders.state, url, key }, death)
    const killed = mirrorOf(url, folders)
    if (killed.db) await expectSame(killed, api)
    killed.close()
    await keep({ state: folders.state, url, key })
    await expectSame(mirrorOf(url, folders), api)
  }
  expect(kills).toBeGreaterThan(20)
}, 240_000)

test('killed at 25 moments while it follows: no cursor ahead of its data', async () => {
  const { url, key, api, caller, library } = await newLibrary()
  const folders = newFolders()
  const place = { state: folders.state, url, key }
  await keep(place)
  await pushed(caller, [item()])
  const steps = await keep(place)
  for (const death of deaths(steps, 25)) {
    await changeLibrary(library, 3)
    await keep(place, death)
    await keep(place)
    await expectSame(mirrorOf(url, folders), api)
  }
  expect(kills).toBeGreaterThan(40)
  expect(mirrorOf(url, folders).meta('cursor')).toBe((await api.changes.list({ cursor: 0, limit: 1000 })).next_cursor)
}, 240_000)
