/** Disks that fill up under a pull: it says which one and what moves it, nothing is half there, and with room the next one finishes. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callAs } from '../support/api.ts'
import { phProcess } from '../support/ph-process.ts'
import { filesBelow } from '../support/pull.ts'
import { startTestServer } from '../support/server.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { makeProject } from '../support/unreal-project.ts'

const MiB = 1024 * 1024
const server = await startTestServer()

interface Stage {
  stage: string
  /** What lies on the disk that gets full. */
  full: 'project' | 'state' | 'cache'
  /** Full from the moment on when this is asked of the library; from the beginning without it. */
  when?: RegExp
  /** Bytes that are left. */
  left?: number
  /** What is said, with FOLDER for the folder that is full. */
  said: RegExp[]
  /** How many files lie in the project then. */
  placed?: number
}

const stages: Stage[] = [
  { stage: 'what is remembered of the project cannot begin', full: 'state', said: [/FOLDER\/projects/, /PH_STATE_DIR/] },
  { stage: 'the claim cannot be remembered', full: 'state', when: /\/claim/, said: [/FOLDER\/projects/, /PH_STATE_DIR/] },
  {
    stage: 'what is to be placed cannot be remembered',
    full: 'state',
    when: /GET \/storage/,
    said: [/FOLDER\/projects/, /PH_STATE_DIR/],
  },
  {
    stage: 'the end of a pull cannot be remembered',
    full: 'state',
    when: /"done"/,
    said: [/FOLDER\/projects/, /PH_STATE_DIR/],
    placed: 3,
  },
  { stage: 'the content cache cannot begin', full: 'cache', said: [/FOLDER\/content/, /PH_CACHE_DIR/] },
  {
    stage: 'the content cache has too little room',
    full: 'cache',
    left: MiB,
    said: [/3 MiB are needed on the disk of FOLDER/, /PH_CACHE_DIR/],
  },
  {
    stage: 'the content cache has no room for a file that arrives',
    full: 'cache',
    when: /GET \/storage/,
    said: [/(disk of|cache in) FOLDER/, /PH_CACHE_DIR/],
  },
  {
    stage: 'the project has no room',
    full: 'project',
    said: [/3 MiB are needed on the disk of FOLDER/, /0 MiB are free/, /Free some space/],
  },
  {
    stage: 'the project has no room any more',
    full: 'project',
    when: /GET \/storage/,
    said: [/disk of FOLDER/, /Free some space/],
  },
]

test.each(stages)('$stage: that is said, and with room the pull finishes', async ({ full, when, left, said, placed = 0 }) => {
  const folder = temporaryFolder()
  const disk = await mountSmallDisk(folder, 48 * MiB)
  const { library, source, wire } = await stocked((sent) => void (isArmed && when?.test(sent) && disk.fill()))
  let isArmed = true
  const folders = { project: temporaryFolder(), state: temporaryFolder(), cache: temporaryFolder(), [full]: folder }
  const root = join(folders.project, 'Target')
  const seen = (path: string) => (full === 'project' ? disk.seen(path) : path)
  mkdirSync(seen(root))
  writeFileSync(seen(join(root, 'Target.uproject')), JSON.stringify({ EngineAssociation: '5.4' }))
  const env = { PH_URL: wire, PH_API_KEY: library.key, PH_STATE_DIR: folders.state, PH_CACHE_DIR: folders.cache }
  const pull = () => phProcess(['pull', 'BP_House', '--into', root], { env, within: disk.within })
  if (!when) disk.fill(left)
  const ending = await pull()
  const words = ending.stdout + ending.stderr
  expect(ending.code, words).toBe(1)
  for (const pattern of said) expect(words).toMatch(new RegExp(pattern.source.replace('FOLDER', folder)))
  expect(words).not.toMatch(/UNEXPECTED|SQLITE|PH_DEBUG/)
  expect(Object.keys(filesBelow(seen(join(root, 'Content'))))).toHaveLength(placed)
  disk.free()
  isArmed = false
  expect(await pull()).toMatchObject({ code: 0 })
  expect(filesBelow(seen(join(root, 'Content')))).toEqual(filesBelow(join(source.root, 'Content')))
  expect(filesBelow(seen(join(root, 'Saved')))).toEqual({})
  const { body } = await callAs(library.url, library.key).get('/pull-jobs?status=done')
  expect(body.jobs.length).toBeGreaterThan(0)
})

test('a disk that runs out of names while files are renamed into place keeps whole files only, and with room the pull finishes', async () => {
  const folder = temporaryFolder()
  const disk = await mountSmallDisk(folder, 48 * MiB, 64)
  const { library, source } = await stocked(() => undefined)
  const wanted = filesBelow(join(source.root, 'Content'))
  const placed: number[] = []
  // Each name more lets the pull come one step further: staging, the folders, file after file.
  for (let left = 4; placed.at(-1) !== Object.keys(wanted).length; left++) {
    const root = join(folder, `Target${left}`)
    mkdirSync(disk.seen(root))
    writeFileSync(disk.seen(join(root, 'Target.uproject')), JSON.stringify({ EngineAssociation: '5.4' }))
    const env = {
      PH_URL: library.url,
      PH_API_KEY: library.key,
      PH_STATE_DIR: temporaryFolder(),
      PH_CACHE_DIR: temporaryFolder(),
    }
    const pull = () => phProcess(['pull', 'BP_House', '--into', root], { env, within: disk.within })
    const filesNow = () => filesBelow(disk.seen(join(root, 'Content')))
    disk.fillNames(left)
    const { code, stdout, stderr } = await pull()
    const files = filesNow()
    placed.push(Object.keys(files).length)
    expect(files).toEqual(Object.fromEntries(Object.keys(files).map((path) => [path, wanted[path]])))
    disk.free()
    if (code === 0) continue
    expect([left, code]).toEqual([left, placed.at(-1) === 0 ? 1 : 6])
    expect(stdout + stderr).toMatch(/is full \(ENOSPC\)[\s\S]*Free some space on that disk, then pull again/)
    expect(stdout + stderr).toContain(placed.at(-1) === 0 ? 'Not pulled:' : 'Not wholly pulled:')
    expect(await pull()).toMatchObject({ code: 0 })
    expect(filesNow()).toEqual(wanted)
    expect(filesBelow(disk.seen(join(root, 'Saved')))).toEqual({})
    rmSync(disk.seen(root), { recursive: true })
  }
  expect(placed.some((count) => count > 0 && count < Object.keys(wanted).length)).toBe(true)
})

/** A house of three files of a megabyte each, and a wire to it that is looked at. */
async function stocked(look: (sent: string) => undefined) {
  const { url, keys } = await server.addWorkspace()
  const library = { url, key: keys.mia }
  const payload = (text: string) => ({ payload: Buffer.alloc(MiB - 4096, text) })
  const source = await makeProject({
    'Content/Town/BP_House.uasset': { imports: ['/Game/Walls/SM_Wall'], ...payload('house') },
    'Content/Walls/SM_Wall.uasset': { imports: ['/Game/Bricks/T_Brick'], ...payload('wall') },
    'Content/Bricks/T_Brick.uasset': payload('brick'),
  })
  await source.push(library)
  return { library, source, wire: (await startProxy(server.url, look)).url(url) }
}
