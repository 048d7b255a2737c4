/**
 * The disk of the server is full, a real one: who pushes reads where, nothing is half visible, what was acknowledged stays and
 * can be read, and when there is room again the same `ph push` finishes, with the same server and with the next one.
 */
import { closeSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { callAs } from '../support/api.ts'
import { GrowingProject } from '../support/growing-project.ts'
import { signedInBrowser } from '../support/page-browser.ts'
import { type ProcessEnding, phProcess } from '../support/ph-process.ts'
import { commitOf, item } from '../support/push.ts'
import { type ServerLives, startServerLives } from '../support/server-lives.ts'
import { startServerProcess } from '../support/server-process.ts'
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import type { Target } from '../support/unreal-project.ts'
import { requireWholeFiles, requireWholeLibrary, requireWholeLists } from '../support/whole-library.ts'

const MiB = 1024 * 1024
/** A busy machine may take its time. */
const patience = { timeout: 60_000 }
const embedded = !process.env.PH_TEST_DATABASE_URL

interface Scene {
  disk: SmallDisk
  lives: ServerLives
  project: GrowingProject
  library: Target
  /** The folder of the full disk. */
  folder: string
  /** Pushes the project as a person does. */
  push(): Promise<ProcessEnding>
}

/** A server whose storage or database lies on a disk of its own, and a project of which five files were pushed. */
async function begin(part: 'storage' | 'database', sizeMiB: number): Promise<Scene> {
  const dataDir = temporaryFolder()
  const folder = join(dataDir, part)
  mkdirSync(folder)
  const disk = await mountSmallDisk(folder, sizeMiB * MiB)
  const lives = await startServerLives(1, { dataDir, disk })
  const library = lives.libraries[0] ?? expect.fail('there is no library')
  const project = await GrowingProject.begin(library, part)
  const { content, state } = project.folders
  const env = { PH_URL: library.url, PH_API_KEY: library.key, PH_STATE_DIR: state }
  const push = () => phProcess(['push', content], { env })
  await project.grow()
  expect(await push()).toMatchObject({ code: 0 })
  project.requireComplete(await requireWholeLists(library))
  return { disk, lives, project, library, folder, push }
}

/** The push says what is full and where, and the library is as it was. */
async function expectRefused(scene: Scene, ending: ProcessEnding, entries: number): Promise<void> {
  expect(ending).toMatchObject({ code: 3, stdout: '' })
  expect(ending.stderr).toContain(`${scene.folder}`)
  expect(ending.stderr).toMatch(/is full/)
  expect(ending.stderr).toContain('a push goes on where it stopped')
  expect((await requireWholeLibrary(scene.library)).entries).toHaveLength(entries)
}

/** With room, the push finishes; and so does another one, with the next server. */
async function expectFinished({ disk, lives, project, library, push }: Scene): Promise<void> {
  disk.free()
  expect(await push()).toMatchObject({ code: 0 })
  project.requireComplete(await requireWholeLibrary(library))
  expect((await lives.current().stop()).code).toBe(0)
  await lives.start()
  await project.grow()
  expect(await push()).toMatchObject({ code: 0 })
  project.requireComplete(await requireWholeLibrary(library))
}

const incomingBytes = ({ disk, folder }: Scene): number => {
  const incoming = disk.seen(join(folder, 'incoming'))
  const files = readdirSync(incoming, { recursive: true }).map((name) => statSync(join(incoming, String(name))))
  return files.filter((file) => file.isFile()).reduce((sum, { size }) => sum + size, 0)
}

test('uploads that find the disk full are refused with its folder, and go through when there is room', async () => {
  const scene = await begin('storage', 100)
  await scene.project.grow()
  scene.disk.fill()
  await expectRefused(scene, await scene.push(), 5)
  const { url, key } = scene.library
  const one = item()
  expect(await callAs(url, key).put(`/blobs/${one.content_hash}`, one.bytes)).toMatchObject({
    status: 503,
    body: { error: { code: 'UNAVAILABLE', details: { reason: 'disk_full' }, message: expect.stringContaining(scene.folder) } },
  })
  expect((await fetch(`${scene.lives.current().url}/readyz`)).status).toBe(503)
  await expectFinished(scene)
})

test('a disk that fills up in the middle of an upload keeps no part of it', async () => {
  const scene = await begin('storage', 100)
  await scene.project.grow()
  let passed = 0
  let filled = false
  scene.lives.onWay(async ({ length }) => {
    // The large file is written by the MiB: one has to lie on the disk, and no more of it fits.
    passed += length
    if (filled || passed - length < 1.1 * MiB) return undefined
    filled = true
    await expect.poll(() => incomingBytes(scene), patience).toBeGreaterThanOrEqual(MiB)
    scene.disk.fill()
    return undefined
  })
  const ending = await scene.push()
  expect(filled).toBe(true)
  await expectRefused(scene, ending, 5)
  expect(ending.stderr).toContain('(ENOSPC)')
  requireWholeFiles(scene.disk.seen(join(scene.folder, '..')))
  await expectFinished(scene)
})

test.runIf(embedded)(
  'a database whose disk is full takes nothing, is read as before, and goes on when there is room',
  async () => {
    const scene = await begin('database', 160)
    await scene.project.grow()
    scene.disk.fill()
    await expectRefused(scene, await scene.push(), 5)
    // While this much is left nothing is written, so that a server can start there.
    scene.disk.free()
    scene.disk.fill(60 * MiB)
    await expectRefused(scene, await scene.push(), 5)
    await scene.lives.current().kill()
    await scene.lives.start()
    await expectRefused(scene, await scene.push(), 5)
    expect(await (await fetch(`${scene.lives.current().url}/readyz`)).json()).toMatchObject({ database: 'fails', storage: 'ok' })
    await expectFinished(scene)
  },
)

/** Moments within a commit, spread over its steps. */
const moments = 8

test.runIf(embedded)(
  'a commit during which the disk of the database fills up is acknowledged when it is registered, and refused when nothing is',
  async () => {
    const { disk, lives, library, folder } = await begin('database', 160)
    const api = callAs(library.url, library.key)
    const before = async () => (await requireWholeLists(library)).objects.length
    const order = { address: 'POST .*/push/commit' }
    await lives.current().dieAt(order)
    expect(await commitOf(api, manyItems())).toMatchObject({ status: 200 })
    const { disk: steps } = await lives.current().steps()
    const statuses: number[] = []
    for (let moment = 0; moment < moments; moment++) {
      const items = manyItems()
      const known = await before()
      // The last moment lies behind the commit: how many steps that takes differs from one to the next.
      const step = moment === moments - 1 ? 2 * steps : 1 + Math.round((moment * (steps - 1)) / (moments - 2))
      await lives.current().dieAt({ ...order, before: { kind: 'disk', step }, fill: true })
      const { status, body } = await commitOf(api, items)
      const { objects } = await requireWholeLists(library)
      statuses.push(status)
      expect([status, objects.length]).toEqual([status, status === 200 ? known + items.length : known])
      if (status !== 200)
        expect(body.error).toEqual({
          code: 'UNAVAILABLE',
          message: `The disk of the database (${folder}) is full. Free some space there, then try again.`,
          details: { reason: 'disk_full' },
        })
      // Where the commit took fewer steps the disk would fill up in a later one.
      await lives.current().dieAt(order)
      disk.free()
      expect(await commitOf(api, items)).toMatchObject({
        status: 200,
        body: { summary: { [status === 200 ? 'dedup' : 'new']: items.length } },
      })
    }
    expect(new Set(statuses)).toEqual(new Set([200, 503]))
    await lives.current().stop()
    await lives.start()
    expect((await requireWholeLibrary(library)).objects).toHaveLength(5 + manyItems().length * (1 + moments))
  },
)

/** Enough to make the tables of the database grow. */
const manyItems = () => Array.from({ length: 40 }, () => item())

test.runIf(embedded)('pages make nothing on a full disk and say why; what ends something still does', async () => {
  const dataDir = temporaryFolder()
  const folder = join(dataDir, 'database')
  mkdirSync(folder)
  const disk = await mountSmallDisk(folder, 160 * MiB)
  const { libraries, current } = await startServerLives(1, { dataDir, disk })
  const { origin, pathname: base } = new URL(libraries[0]?.url ?? expect.fail('there is no library'))
  const credentials = { email: 'olivia@library-0.test', password: 'correct horse olivia' }
  const line = ['server', 'user', 'password', credentials.email, '--data', dataDir]
  expect(await phProcess(line, { stdin: credentials.password })).toMatchObject({ code: 0 })
  const olivia = await signedInBrowser(origin, base, credentials)
  const member = /href="([^"]+)">Change<span class="unseen"> mia</.exec((await olivia.open(`${base}/members`)).html)?.[1] ?? ''
  const forms = [
    [`${base}/keys/new`, `${base}/keys`, { name: 'late' }],
    [`${base}/members/add`, `${base}/members`, { display_name: 'Late', name: 'late', email: 'late@late.test' }],
    [member, `${member}/link`, {}],
  ] as const
  const opened = await Promise.all(forms.map(([path]) => olivia.open(path)))
  disk.fill(60 * MiB)
  for (const [index, [, action, fields]] of forms.entries()) {
    const page = await olivia.send(opened[index] ?? expect.fail(), action, { ...fields })
    expect([action, page.status, page.title]).toEqual([action, 503, 'Not at the moment · Prop House'])
    expect(page.text).toContain(`${folder} is full`)
  }
  const keys = await olivia.open(`${base}/keys`)
  const revoke = /href="([^"]+\/revoke)"/.exec(keys.html)?.[1] ?? ''
  expect((await olivia.send(await olivia.open(revoke), revoke)).path).toBe(`${base}/keys`)
  expect((await olivia.send(opened[2] ?? expect.fail(), `${member}/status`)).path).toBe(member)
  disk.free()
  expect((await olivia.send(opened[0] ?? expect.fail(), `${base}/keys`, { name: 'late' })).text).toContain('ph_live_')
  expect((await current().stop()).code).toBe(0)
})

test('a log that goes to a full disk holds up neither the server nor its end', async () => {
  const full = openSync('/dev/full', 'w')
  const server = await startServerProcess(['--data', temporaryFolder()], { stderr: full })
  onTestFinished(async () => {
    await server.kill()
    closeSync(full)
  })
  for (let asked = 0; asked < 50; asked++) expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  expect((await server.stop()).code).toBe(0)
})
