/** A full disk on the side of the one who runs `ph`: it says what is full and which setting moves it, and the next run finishes. */
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { GrowingProject } from '../support/growing-project.ts'
import { phProcess } from '../support/ph-process.ts'
import { startTestServer } from '../support/server.ts'
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { requireWholeLibrary } from '../support/whole-library.ts'

const MiB = 1024 * 1024
const server = await startTestServer()

async function smallDisk(sizeMiB: number): Promise<{ folder: string; disk: SmallDisk }> {
  const folder = temporaryFolder()
  return { folder, disk: await mountSmallDisk(folder, sizeMiB * MiB) }
}

/** A workspace, and a project whose five files are to be pushed into it. */
async function newProject(onWay?: (sent: string) => undefined) {
  const { url, keys } = await server.addWorkspace()
  const wire = await startProxy(server.url, onWay)
  const library = { url: wire.url(url), key: keys.mia }
  const project = await GrowingProject.begin(library, 'client')
  await project.grow()
  const env = { PH_URL: library.url, PH_API_KEY: library.key }
  return { library, project, env, content: project.folders.content }
}

/** Everything that is pushed is there, once, with its picture. */
const expectComplete = async ({ library, project }: Awaited<ReturnType<typeof newProject>>) =>
  project.requireComplete(await requireWholeLibrary(library))

test('no room to remember what is pushed ends the push with the folder and its setting; with room it finishes', async () => {
  const { folder, disk } = await smallDisk(4)
  let commits = 0
  const made = await newProject((sent) => {
    if (sent.includes('/push/commit') && commits++ === 0) disk.fill()
    return undefined
  })
  const push = () => phProcess(['push', made.content], { env: { ...made.env, PH_STATE_DIR: folder }, within: disk.within })
  disk.fill()
  const expectNamed = async () => {
    const { code, stdout, stderr } = await push()
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(`cannot be kept in ${folder}/projects/`)
    expect(stderr).toContain('PH_STATE_DIR')
  }
  await expectNamed()
  expect((await requireWholeLibrary(made.library)).entries).toEqual([])
  disk.free()
  // This time it is full when the library has answered the commit.
  await expectNamed()
  expect(commits).toBe(1)
  expect((await requireWholeLibrary(made.library)).entries).toHaveLength(5)
  disk.free()
  expect(await push()).toMatchObject({ code: 0 })
  await expectComplete(made)
})

test('a read-only folder for what is remembered is named with its setting', async () => {
  const { folder, disk } = await smallDisk(4)
  const made = await newProject()
  const push = () => phProcess(['push', made.content], { env: { ...made.env, PH_STATE_DIR: folder }, within: disk.within })
  disk.setWritable(false)
  const { code, stderr } = await push()
  expect(code).toBe(1)
  expect(stderr).toContain(`cannot be kept in ${folder}`)
  expect(stderr).toContain('PH_STATE_DIR')
  disk.setWritable(true)
  expect(await push()).toMatchObject({ code: 0 })
  await expectComplete(made)
})

test('no room for settings ends a sign-in with the file and its setting, and keeps nothing of it', async () => {
  const { folder, disk } = await smallDisk(1)
  const { url, keys } = await server.addWorkspace()
  const login = () =>
    phProcess(['login', '--with-key', '--insecure-storage', '--url', url], {
      env: { PH_CONFIG_DIR: folder },
      within: disk.within,
      stdin: keys.mia,
    })
  const whoami = () => phProcess(['whoami', '--json'], { env: { PH_CONFIG_DIR: folder }, within: disk.within })
  disk.fill()
  const { code, stderr } = await login()
  expect(code).toBe(1)
  expect(stderr).toMatch(new RegExp(`${folder}/(keys|profiles).json cannot be written: the disk is full`))
  expect(stderr).toContain('PH_CONFIG_DIR')
  expect(readdirSync(disk.seen(folder))).toEqual(['ballast'])
  disk.free()
  expect(await login()).toMatchObject({ code: 0 })
  expect(await whoami()).toMatchObject({ code: 0 })
})

test('a download that finds the disk full names the file, leaves none under its name, and goes on when there is room', async () => {
  const { folder, disk } = await smallDisk(4)
  const made = await newProject()
  expect(await phProcess(['push', made.content], { env: made.env })).toMatchObject({ code: 0 })
  const { objects } = await requireWholeLibrary(made.library)
  const [large] = objects.sort((a, b) => b.blob_size - a.blob_size)
  const path = join(folder, 'SM_Large.uasset')
  const entry = (await requireWholeLibrary(made.library)).entries.find((one) => one.object_id === large.object_id)
  const download = () => phProcess(['download', String(entry.id), '-o', path], { env: made.env, within: disk.within })
  disk.fill(MiB / 2)
  const { code, stdout, stderr } = await download()
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain(`The disk of ${path} is full.`)
  expect(readdirSync(disk.seen(folder))).not.toContain('SM_Large.uasset')
  disk.free()
  const again = await download()
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('Went on after') })
  expect(readFileSync(disk.seen(path))).toHaveLength(large.blob_size)
  expect(readdirSync(disk.seen(folder))).toEqual(['SM_Large.uasset'])
})

const lost = { code: 'OUTPUT_LOST', message: expect.stringContaining('the disk it goes to is full') }

test('a report that does not fit where stdout leads is a failure, though only its end is missing', async () => {
  const { folder, disk } = await smallDisk(1)
  const made = await newProject()
  for (let more = 0; more < 2; more++) await made.project.grow()
  disk.fill(4096)
  const stdout = openSync(disk.seen(join(folder, 'report.json')), 'w')
  onTestFinished(() => closeSync(stdout))
  const ending = await phProcess(['push', made.content, '--json'], { env: made.env, stdout })
  expect(ending.code).toBe(1)
  expect(JSON.parse(ending.stderr).error).toMatchObject(lost)
  expect(readFileSync(disk.seen(join(folder, 'report.json')))).toHaveLength(4096)
  expect((await requireWholeLibrary(made.library)).entries.length).toBeGreaterThan(5)
})

test('a stdout or stderr that takes nothing is told by the exit code, and holds up no push', async () => {
  const made = await newProject()
  // One machine: without a memory of the first push the edit would be held.
  const env = { ...made.env, PH_STATE_DIR: temporaryFolder() }
  const full = openSync('/dev/full', 'w')
  onTestFinished(() => closeSync(full))
  const ending = await phProcess(['push', made.content, '--json'], { env, stdout: full })
  expect(ending.code).toBe(1)
  expect(JSON.parse(ending.stderr).error).toMatchObject(lost)
  await expectComplete(made)
  expect((await phProcess(['--help'], { stdout: full })).code).toBe(1)
  expect((await phProcess(['--version'], { stdout: full })).code).toBe(1)
  await made.project.grow()
  expect(await phProcess(['push', made.content], { env, stderr: full })).toMatchObject({ code: 0 })
  await expectComplete(made)
})
