/**
 * What befalls the machine of a desktop agent: it sleeps, its clock is set, its disk is full, the disk of a project is not there. The agent is
 * a process of its own in each of these.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { foldersBelow } from '../support/folders-below.ts'
import { sendToAgent } from '../support/importing-agent.ts'
import { movableClock, type OwnAgent, startOwnAgent } from '../support/own-agent.ts'
import { type Person, personAt } from '../support/person.ts'
import { phProcess } from '../support/ph-process.ts'
import { filesBelow } from '../support/pull.ts'
import { startTestServer } from '../support/server.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import type { Target } from '../support/unreal-project.ts'

const server = await startTestServer()
const hour = 3600

/** Mia's project with two props that the library has, behind a wire, and Max with a project of his own. */
async function twoPeople() {
  const { url, keys } = await server.addWorkspace()
  const wire = await startProxy(server.url)
  const target = { url: wire.url(url), key: keys.mia }
  const folder = temporaryFolder()
  const [mia, max] = [personAt(target.url, keys.mia), personAt(url, keys.max)]
  Object.assign(mia.env, foldersBelow(folder))
  await mia.save('SM_Stool', 'one')
  await mia.save('SM_Barrel', 'one')
  await mia.ok('push Content')
  return { mia, max, wire, target, folder }
}

const editor = { session_id: 'editor-0001', project_key: 'Inn', accepts_imports: true }

/** The project is linked, an editor has it open, and all that is kept up to date is. */
async function settled(agent: OwnAgent, { root }: Person) {
  await agent.api.agentProjects.link({ path: root, accepts_imports: true })
  const announce = () => agent.api.agentEditors.announce({ ...editor, root })
  await announce()
  // As the plugin does, four times within what counts as gone.
  const again = setInterval(() => void announce().catch(() => undefined), 500)
  onTestFinished(() => clearInterval(again))
  await expect.poll(() => agent.watching(root)).toMatchObject({ state: 'watching', files: 2, message: null })
  await expect.poll(() => agent.part('live')).toMatchObject({ message: 'connected' })
  await expect.poll(async () => (await agent.api.agent.status()).mirror.state).toBe('current')
}

const named = async (agent: OwnAgent, q: string) => (await agent.api.agentMirror.search({ q })).total
const stateOf = async ({ api }: OwnAgent, mia: Person, name: string) =>
  (await api.agentFiles.list({ path: mia.root })).files.find(({ path }) => path === mia.path(name))?.state ?? 'current'
const warnings = ({ events }: OwnAgent) => events.filter(({ event }) => event === 'warning').map(({ data }) => data.file)
const looks = (agent: OwnAgent) => agent.events.filter(({ event }) => event === 'editor.gone').length
/** What the session says to who sends something. */
async function lastErrorAt({ url, key }: Target): Promise<string | null> {
  const { body } = await callAs(url, key).get('/editor-sessions')
  return body.sessions.map((session: Json) => session.last_error).find((error: string | null) => error !== null) ?? null
}

test('a clock that is set an hour forth and back: nobody is warned anew, no editor is lost, jobs arrive, and what is said of times is true', async () => {
  const { mia, max, target, folder } = await twoPeople()
  const clock = movableClock()
  const agent = await startOwnAgent({ ...target, folder, env: clock.env })
  await settled(agent, mia)
  await max.ok('checkout SM_Stool')
  await expect.poll(() => stateOf(agent, mia, 'SM_Stool')).toBe('current')
  await mia.save('SM_Stool', 'mine')
  await expect.poll(() => warnings(agent)).toHaveLength(1)
  for (const [turn, seconds] of [hour, -hour].entries()) {
    await agent.api.agent.pause({ minutes: 30 })
    clock.set(seconds)
    if (seconds > 0) await expect.poll(async () => (await agent.api.agent.status()).paused_until).toBeNull()
    else await agent.api.agent.resume()
    await mia.save('SM_Stool', `mine ${turn}`)
    await mia.save('SM_Barrel', `mine ${turn}`)
    await expect.poll(() => stateOf(agent, mia, 'SM_Barrel')).toBe('modified')
    expect(warnings(agent)).toHaveLength(1)
    await max.save(`SM_New${turn}`, 'new')
    await max.ok('push Content')
    await sendToAgent(target, 'Inn', [`SM_New${turn}`])
    await expect.poll(() => Object.keys(filesBelow(join(mia.root, 'Content')))).toContain(`Inn/SM_New${turn}.uasset`)
    await expect.poll(() => named(agent, `SM_New${turn}`)).toBe(1)
    expect((await agent.api.agent.status()).mirror).toMatchObject({ state: 'current', lag_seconds: 0 })
    const { as_of } = await mia.ok('mirror status')
    expect(Math.abs(Date.parse(as_of) - Date.now() - seconds * 1000)).toBeLessThan(10 * 60_000)
    expect(looks(agent)).toBe(0)
  }
}, 120_000)

test('a machine that slept for a night: the editor is still there, and all that happened meanwhile is brought within seconds', async () => {
  const { mia, max, wire, target, folder } = await twoPeople()
  const clock = movableClock()
  const agent = await startOwnAgent({ ...target, folder, env: clock.env })
  await settled(agent, mia)
  agent.signal('SIGSTOP')
  wire.silence(/changes\/live/)
  await max.save('SM_Night', 'new')
  await max.ok('push Content')
  await sendToAgent(target, 'Inn', ['SM_Night'])
  await mia.save('SM_Barrel', 'mine')
  clock.set(8 * hour)
  agent.signal('SIGCONT')
  await expect.poll(() => Object.keys(filesBelow(join(mia.root, 'Content')))).toContain('Inn/SM_Night.uasset')
  await expect.poll(() => named(agent, 'SM_Night')).toBe(1)
  await expect.poll(() => stateOf(agent, mia, 'SM_Barrel')).toBe('modified')
  await expect.poll(() => agent.part('live')).toMatchObject({ message: 'connected' })
  expect(looks(agent)).toBe(0)
  expect(agent.said()).toContain('the machine slept, or its clock was set')
}, 120_000)

test('the disk of its state folder is full: that is said, it answers, nothing is half, and with room all goes on by itself', async () => {
  const { mia, max, target, folder } = await twoPeople()
  const disk = await mountSmallDisk(folder, 128 * 1024 * 1024)
  const push = await phProcess(['push', join(mia.root, 'Content')], { env: mia.env, within: disk.within })
  expect([push.code, push.stderr]).toEqual([0, expect.any(String)])
  const agent = await startOwnAgent({ ...target, folder, within: disk.within, seen: disk.seen })
  await settled(agent, mia)
  disk.fill()
  await mia.save('SM_Barrel', 'mine')
  await max.save('SM_New', 'new')
  await max.ok('push Content')
  await sendToAgent(target, 'Inn', ['SM_New'])
  await expect
    .poll(() => agent.watching(mia.root))
    .toMatchObject({ message: expect.stringMatching(/cannot be kept in .*: the disk is full/) })
  await expect.poll(async () => (await agent.api.agent.status()).mirror.state).toBe('failed')
  await expect.poll(() => lastErrorAt(target)).toContain('the disk is full')
  expect(Object.keys(filesBelow(join(mia.root, 'Content')))).not.toContain('Inn/SM_New.uasset')
  disk.free()
  await expect.poll(() => Object.keys(filesBelow(join(mia.root, 'Content')))).toContain('Inn/SM_New.uasset')
  await expect.poll(() => stateOf(agent, mia, 'SM_Barrel')).toBe('modified')
  await expect.poll(() => agent.watching(mia.root)).toMatchObject({ state: 'watching', message: null, files: 3, modified: 1 })
  await expect.poll(() => named(agent, 'SM_New'), { timeout: 40_000 }).toBe(1)
  await expect.poll(async () => (await agent.api.agent.status()).mirror.state).toBe('current')
}, 120_000)

test('the disk of a project is not there: nothing is brought into the folder that it leaves behind, nothing counts as removed, and it goes on with the disk', async () => {
  const { url, keys } = await server.addWorkspace()
  const max = personAt(url, keys.max)
  for (const name of ['SM_Wall', 'SM_Door', 'SM_Roof']) await max.save(name, name)
  await max.ok('push Content')
  const [folder, away] = [temporaryFolder(), temporaryFolder()]
  const root = join(temporaryFolder(), 'Town')
  mkdirSync(root)
  const disk = await mountSmallDisk(root, 128 * 1024 * 1024)
  writeFileSync(join(disk.seen(root), 'Town.uproject'), '{"EngineAssociation": "5.4"}')
  const move = (from: string, to: string) => {
    const [command = '', ...words] = [...disk.within, 'mount', '--move', from, to]
    execFileSync(command, words)
  }
  let onFetch = () => {}
  const wire = await startProxy(server.url, (sent) => {
    if (sent.includes('GET /storage/')) onFetch()
    return undefined
  })
  const target = { url: wire.url(url), key: keys.mia }
  const setting = { ...target, folder, within: disk.within }
  const first = await startOwnAgent(setting)
  await first.api.agentProjects.link({ path: root, accepts_imports: true })
  await sendToAgent(target, 'Town', ['SM_Wall'])
  await expect.poll(() => first.watching(root)).toMatchObject({ state: 'watching', files: 1 })
  // The disk goes while a job is fetched.
  onFetch = () => {
    onFetch = () => {}
    move(root, away)
  }
  await sendToAgent(target, 'Town', ['SM_Door'])
  await expect.poll(() => lastErrorAt(target)).toContain(`is not in ${root}`)
  await expect.poll(() => first.watching(root)).toMatchObject({ state: 'gone', missing: 0 })
  expect(first.events.filter(({ data }) => data.state === 'missing')).toEqual([])
  first.signal('SIGTERM')
  await expect.poll(() => first.api.agent.status().catch(() => 'ended')).toBe('ended')
  // One that was never here before, as after the machine was started without that disk.
  const second = await startOwnAgent(setting)
  await expect.poll(() => second.watching(root)).toMatchObject({ state: 'gone', missing: 0 })
  const job = await sendToAgent(target, 'Town', ['SM_Roof'])
  await expect.poll(() => lastErrorAt(target)).toContain(`is not in ${root}`)
  expect([readdirSync(root), readdirSync(disk.seen(root))]).toEqual([[], []])
  move(away, root)
  const done = () => second.events.find(({ event, data }) => event === 'import' && data.job_id === job && data.state === 'done')
  await expect.poll(done).toBeDefined()
  expect(Object.keys(filesBelow(join(disk.seen(root), 'Content')))).toContain('Inn/SM_Roof.uasset')
  expect(readdirSync(root)).toEqual([])
  await expect.poll(() => second.watching(root)).toMatchObject({ state: 'watching', message: null, missing: 0 })
}, 120_000)
