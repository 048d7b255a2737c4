/** Whole commands against a server with tiny request budgets: they wait as long as they are told, say so, and finish. */
import { expect, test } from 'vitest'
import { ph, signedIn } from '../../support/ph.ts'
import { filesBelow } from '../../support/pull.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { makeProject, picture } from '../../support/unreal-project.ts'

const server = await startTestServer({ rateLimitRequests: 5, rateLimitPush: 7, directUpload: false })
const names = Array.from({ length: 12 }, (_, index) => `SM_Prop${String(index).padStart(2, '0')}`)
const count = 2 * names.length

/** Waits move the server's clock, and are written down. */
function patience() {
  const waits: number[] = []
  const pause = async (ms: number, signal?: AbortSignal) => {
    signal?.throwIfAborted()
    waits.push(ms)
    server.clock.advance(ms)
  }
  return { waits, pause }
}

/** A project of packages and pictures, and a workspace for it. */
async function inn() {
  const { url, keys } = await server.addWorkspace()
  const packages = names.map((name) => [`Content/Inn/${name}.uasset`, { payload: Buffer.from(name) }])
  const project = await makeProject(Object.fromEntries(packages))
  const pictures = names.map((name) => [`Content/Inn/${name}.png`, Buffer.concat([picture, Buffer.from(name)])])
  project.write(Object.fromEntries(pictures))
  /** Someone in a folder, with a memory of their own. */
  const patient = (cwd: string) => {
    const { waits, pause } = patience()
    const env = { ...signedIn(url, keys.olivia), PH_STATE_DIR: temporaryFolder(), PH_CACHE_DIR: temporaryFolder() }
    return { waits, run: (line: string | string[]) => ph(line, { cwd, env, pause }) }
  }
  /** By another key, whose budget is another. */
  const pushed = () => project.push({ url, key: keys.adam }, { pause: patience().pause })
  return { project, patient, pushed }
}

test('a push goes through budgets of a few requests a minute', async () => {
  const { project, patient } = await inn()
  const { run, waits } = patient(project.root)
  const { code, stderr, json } = await run('push Content --json')
  expect([code, stderr]).toEqual([0, ''])
  expect(json()).toMatchObject({ summary: { new: count, failed: 0 } })
  expect(waits.length).toBeGreaterThan(3)
  expect(Math.max(...waits)).toBeLessThanOrEqual(65_000)
})

test('so does a look at a project', async () => {
  const { project, patient, pushed } = await inn()
  await pushed()
  const { run } = patient(project.root)
  for (let looks = 0; looks < 4; looks++) {
    const { code, stderr, json } = await run('status --json')
    expect([code, stderr]).toEqual([0, ''])
    expect(json()).toMatchObject({ summary: { current: count } })
  }
})

test('so does a pull', async () => {
  const { patient, pushed } = await inn()
  await pushed()
  const folder = temporaryFolder({ 'Tavern.uproject': '{"EngineAssociation": "5.4"}' })
  const { run, waits } = patient(folder)
  const { code, stderr } = await run(['pull', ...names, '--json'])
  expect([code, stderr]).toEqual([0, ''])
  expect(Object.keys(filesBelow(folder)).filter((file) => file.endsWith('.uasset'))).toHaveLength(names.length)
  expect(waits.length).toBeGreaterThan(0)
})

test('lists of many pages come whole, and the wait is told: who is waited for, and how long', async () => {
  const { patient, pushed } = await inn()
  await pushed()
  const { run, waits } = patient(temporaryFolder())
  const { code, stdout, stderr } = await run('api GET /entries -f limit=2 --paginate')
  expect(code).toBe(0)
  expect((JSON.parse(stdout) as { entries: unknown[] }).entries).toHaveLength(count)
  expect(waits.length).toBeGreaterThan(1)
  expect(stderr).toMatch(
    /^Waiting .+ s: programs on this machine have made most of the requests that this key may make in a minute/m,
  )
  expect((await run('search --all --json')).json()).toMatchObject({ next_cursor: null, entries: { length: count } })
})
