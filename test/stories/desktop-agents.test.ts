/**
 * Three people with desktop agents of their own: one pushes a prop from her project, the next one has it sent to the project that is open in
 * her editor and sees it arrive there, and the third one is cut off meanwhile, looks for props in his mirror, and comes back. In the end
 * every mirror is as the library, and every project has the same bytes.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Json } from '../support/api.ts'
import { pngOf } from '../support/media.ts'
import { signedIn } from '../support/ph.ts'
import { phProcess } from '../support/ph-process.ts'
import { startTestServer } from '../support/server.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts'
import { startUnrealEditor, textsOf } from '../support/unreal-editor.ts'
import { packageAt } from '../support/unreal-project.ts'

const server = await startTestServer()
const barrel = 'Content/Inn/SM_Barrel.uasset'
const oak = 'Content/Inn/M_Oak.uasset'
const patience = { timeout: 60_000, interval: 250 }

interface Worker {
  state: string
  /** The answer to a command with `--json`; fails with another exit code than 0. */
  ask(...args: string[]): Promise<Json>
}

/** With an agent that runs in the background. */
async function workerAt(url: string, key: string, cwd = temporaryFolder()): Promise<Worker> {
  const folders = { PH_CONFIG_DIR: temporaryFolder(), PH_STATE_DIR: temporaryFolder(), PH_CACHE_DIR: temporaryFolder() }
  const env = { ...signedIn(url, key), ...folders, PH_AGENT_NOTICES: 'off' }
  const ask = async (...args: string[]) => {
    const { code, stdout, stderr } = await phProcess([...args, '--json'], { cwd, env })
    expect(code, `ph ${args.join(' ')}\n${stdout}${stderr}`).toBe(0)
    return JSON.parse(stdout)
  }
  await ask('agent', 'start')
  onTestFinished(async () => void (await phProcess(['agent', 'stop'], { env })))
  return { state: folders.PH_STATE_DIR, ask }
}

const namesOf = ({ entries }: Json): string[] => entries.map(({ name }: { name: string }) => name).sort()

/** The barrel is made of oak. */
async function saveIn(folder: string, place: string, payload: string): Promise<void> {
  const imports = place === barrel ? ['/Game/Inn/M_Oak'] : []
  const thumbnail = await pngOf(24, 16)
  writeFiles(folder, { [place]: await packageAt(place, { payload: Buffer.from(payload), imports, thumbnail }) })
}

test('a prop that is sent arrives in the open editor of another project, a mirror that was cut off catches up, and all agree', {
  timeout: 900_000,
}, async () => {
  const { url, keys } = await server.addWorkspace()
  const inn = temporaryFolder({ 'Inn.uproject': '{"EngineAssociation": "5.3"}' })
  const olivia = await workerAt(url, keys.olivia, inn)
  const mia = await workerAt(url, keys.mia)
  const proxy = await startProxy(server.url)
  const max = await workerAt(proxy.url(url), keys.max)

  // Olivia's agent watches her project; she pushes from it.
  await saveIn(inn, oak, 'oak')
  await saveIn(inn, barrel, 'a barrel')
  await olivia.ask('agent', 'link', inn)
  const pushed = await olivia.ask('push', inn)
  expect(pushed.summary).toMatchObject({ new: 2 })
  await expect.poll(async () => namesOf(await max.ask('search', '--offline')), patience).toEqual(['M_Oak', 'SM_Barrel'])

  // Max is cut off; what he asks is answered from his mirror, as it was.
  const dead = await startTestServer()
  await dead.stop()
  proxy.leadTo(dead.url)
  await expect.poll(async () => (await max.ask('agent', 'status')).state, patience).toBe('offline')
  expect(namesOf(await max.ask('search', 'barrel'))).toEqual(['SM_Barrel'])

  // Mia's editor has Tavern open; what she orders for it arrives there.
  const editor = startUnrealEditor(mia.state, 'Tavern')
  await expect.poll(async () => (await mia.ask('agent', 'status')).projects[0]?.editor?.project_key, patience).toBe('Tavern')
  await mia.ask('send', 'SM_Barrel', '--project', 'Tavern', '--create', '--to-agent')
  const bytesOf = (folder: string, place: string) => {
    try {
      return readFileSync(join(folder, place)).toString('base64')
    } catch {
      return ''
    }
  }
  for (const place of [barrel, oak]) await expect.poll(() => bytesOf(editor.project, place), patience).toBe(bytesOf(inn, place))
  await expect.poll(async () => textsOf(await editor.look(), 'scan_paths_synchronous').join(' '), patience).toContain('/Game/Inn')
  await expect.poll(async () => (await mia.ask('jobs', 'list', '--project', 'Tavern')).jobs[0]?.status, patience).toBe('done')

  // Meanwhile a second version; then Max is back, and hears of it.
  await saveIn(inn, barrel, 'a better barrel')
  await olivia.ask('push', inn, '--note', 'Straight staves')
  proxy.leadTo(server.url)
  await expect.poll(async () => (await max.ask('agent', 'status')).state, patience).toBe('running')
  const detail = async ({ ask }: Worker, ...how: string[]) => (await ask('show', 'SM_Barrel', ...how)).face_object_id
  const truth = await detail(olivia)
  for (const worker of [olivia, mia, max]) await expect.poll(() => detail(worker, '--offline'), patience).toBe(truth)

  // Every mirror is where the library is, and lists what it lists.
  const online = await olivia.ask('search')
  for (const worker of [olivia, mia, max]) {
    expect(namesOf(await worker.ask('search', '--offline'))).toEqual(namesOf(online))
    await expect
      .poll(async () => (await worker.ask('agent', 'status')).mirror, patience)
      .toMatchObject({ state: 'current', entries: 2 })
  }
  const status = await olivia.ask('agent', 'status')
  expect(status.projects).toMatchObject([{ project_key: 'Inn', watching: { modified: 0, outdated: 0 } }])
  await editor.quit()
})
