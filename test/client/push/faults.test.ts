/** Pushes that are cut off, killed, doubled or lied to: nothing half visible, nothing lost, and the next push finishes. */
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { writePackage } from '../../../sample/package.ts'
import { callAs, type Json } from '../../support/api.ts'
import { startTestServer } from '../../support/server.ts'
import { startProxy } from '../../support/tcp-proxy.ts'
import { makeProject, picture, type TestProject } from '../../support/unreal-project.ts'

const server = await startTestServer()

async function workspace() {
  const { url, keys } = await server.addWorkspace()
  return { url, keys, key: keys.mia, api: callAs(url, keys.mia) }
}
type Library = Awaited<ReturnType<typeof workspace>>

const entriesOf = async ({ api }: Library): Promise<Json[]> => (await api.get('/entries?limit=200')).body.entries

/** Large and small packages that need each other, with pictures. */
async function manyPackages(count: number, seed = ''): Promise<TestProject> {
  const packages = Array.from({ length: count }, (_, i) => [
    `Content/Props${seed}/SM_${i}x.uasset`,
    {
      imports: [`/Game/Props${seed}/SM_${(i * 7) % count}x`],
      thumbnail: picture,
      payload: randomBytes(i % 10 === 0 ? 1_500_000 : 3000),
    },
  ])
  return makeProject(Object.fromEntries(packages))
}

async function expectWhole(library: Library, count: number): Promise<void> {
  const entries = await entriesOf(library)
  expect(entries).toHaveLength(count)
  expect(entries.filter(({ has_thumbnail }) => !has_thumbnail)).toEqual([])
  for (const entry of entries) {
    const { body } = await library.api.get(`/lineages/${entry.lineage_id}`)
    expect(body.objects).toHaveLength(1)
  }
}

test('a wire that is cut again and again is taken up again within the same push', async () => {
  const library = await workspace()
  const project = await manyPackages(30)
  let seen = 0
  let cuts = 0
  const wire = await startProxy(server.url, (sent) => {
    seen += sent.length
    if (seen < (cuts + 1) * 600_000 || cuts >= 5) return undefined
    cuts++
    return 'cut'
  })
  const waits: string[] = []
  const report = await project.push(
    { ...library, url: wire.url(library.url) },
    { tell: (event) => event.kind === 'wait' && waits.push(event.reason) },
  )
  expect(cuts).toBe(5)
  expect(waits.length).toBeGreaterThan(0)
  expect(report.summary).toMatchObject({ failed: 0 })
  await expectWhole(library, 30)
})

const processFile = fileURLToPath(new URL('../../support/push-process.ts', import.meta.url))

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'killed after a share of its bytes (%i of 8), the next push finishes what it began',
  async (share) => {
    const library = await workspace()
    const project = await manyPackages(20)
    // Two of the packages are large: all in all about 3.2 MB travel.
    const limit = 5000 + (share - 1) * 436_000
    let onLimit = () => {}
    const wire = await startProxy(server.url, () => {
      if (wire.passed > limit) onLimit()
      return undefined
    })
    const url = wire.url(library.url)
    const options = { paths: [join(project.root, 'Content')], url, key: library.key, state: project.state }
    const child = spawn(process.execPath, [processFile, JSON.stringify(options)], { stdio: 'ignore' })
    onLimit = () => child.kill('SIGKILL')
    const [, signal] = await once(child, 'exit')
    expect(signal).toBe('SIGKILL')
    for (const entry of await entriesOf(library))
      expect((await library.api.get(`/entries/${entry.id}/download`)).status).toBe(302)
    const { summary } = await project.push({ ...library, url })
    expect(summary).toMatchObject({ failed: 0, held: 0 })
    expect(summary.new + summary.dedup).toBe(20)
    await expectWhole(library, 20)
    expect((await project.push({ ...library, url })).summary).toMatchObject({ dedup: 20, thumbnails: 0 })
  },
)

test('two pushes of one folder at once, from one machine and from two, make one version of each file', async () => {
  const library = await workspace()
  const project = await manyPackages(20)
  const elsewhere = { ...library, url: (await startProxy(server.url)).url(library.url) }
  const reports = await Promise.all([project.push(library), project.push(library), project.push(elsewhere)])
  for (const { summary } of reports) expect(summary).toMatchObject({ failed: 0, held: 0, outdated: 0 })
  await expectWhole(library, 20)
})

test('ten people push ten folders at once, and all of it is there', async () => {
  const library = await workspace()
  const projects = await Promise.all(Array.from({ length: 10 }, (_, i) => manyPackages(12, `${i}`)))
  const people = [library.keys.mia, library.keys.max, library.keys.adam, library.keys.olivia]
  const reports = await Promise.all(projects.map((project, i) => project.push({ ...library, key: people[i % 4] ?? '' })))
  expect(reports.map(({ summary }) => summary.new)).toEqual(Array(10).fill(12))
  await expectWhole(library, 120)
})

test('a file that is cut short between reading and upload is named, and the others go', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/SM_A.uasset': {}, 'Content/SM_B.uasset': { imports: ['/Game/SM_A'] } })
  let isTouched = false
  const wire = await startProxy(server.url, (sent) => {
    if (!isTouched && sent.includes('/push/negotiate')) truncateSync(join(project.root, 'Content/SM_A.uasset'), 50)
    isTouched ||= sent.includes('/push/negotiate')
    return undefined
  })
  const target = { ...library, url: wire.url(library.url) }
  const report = await project.push(target)
  expect(report.problems).toMatchObject([{ kind: 'changed-while-read', files: ['Content/SM_A.uasset'] }])
  expect(report.summary).toMatchObject({ new: 1, failed: 1 })
  await project.save({ 'Content/SM_A.uasset': {} })
  expect((await project.push(target)).items.map(({ file, status }) => [file, status])).toEqual([
    ['Content/SM_A.uasset', 'new'],
    ['Content/SM_B.uasset', 'dedup'],
  ])
})

test('a file that only grew since it was read goes as it was read, and as a new version next time', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/SM_A.uasset': {} })
  let isTouched = false
  const wire = await startProxy(server.url, (sent) => {
    if (!isTouched && sent.includes('/push/negotiate')) appendFileSync(join(project.root, 'Content/SM_A.uasset'), 'more')
    isTouched ||= sent.includes('/push/negotiate')
    return undefined
  })
  const target = { ...library, url: wire.url(library.url) }
  const first = await project.push(target)
  const second = await project.push(target)
  expect(first.summary).toMatchObject({ new: 1, failed: 0 })
  expect(second.items).toMatchObject([{ status: 'new', parent_object_id: first.items[0]?.object_id }])
})

test('a file that is replaced by another of the same size during the upload is caught by its hash', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/SM_A.uasset': {} })
  const other = await writePackage({ packageName: '/Game/SM_A', assetClass: 'StaticMesh', payload: Buffer.alloc(64, 7) })
  const wire = await startProxy(server.url, (sent) => {
    if (sent.includes('/push/negotiate')) writeFileSync(join(project.root, 'Content/SM_A.uasset'), other)
    return undefined
  })
  const target = { ...library, url: wire.url(library.url) }
  const report = await project.push(target)
  expect(report.problems).toMatchObject([{ kind: 'changed-while-read' }])
  expect(await entriesOf(library)).toEqual([])
  expect((await project.push(target)).summary).toMatchObject({ new: 1 })
})

test('an upload address whose time is over is asked for again', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/SM_A.uasset': {}, 'Content/SM_B.uasset': {} })
  let uploads = 0
  const wire = await startProxy(server.url, (sent) => {
    if (sent.startsWith('PUT /storage') && uploads++ === 0) server.clock.advance(16 * 60_000)
    return undefined
  })
  expect((await project.push({ ...library, url: wire.url(library.url) })).summary).toMatchObject({ new: 2, failed: 0 })
})

test('wrong, revoked and read keys are refused with what to do, and nothing is sent', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/SM_A.uasset': {} })
  await expect(project.push({ ...library, key: `ph_live_${'0'.repeat(40)}` })).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  await expect(project.push({ ...library, key: library.keys.miaReads })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await expect(project.push({ ...library, key: '' })).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  expect(await entriesOf(library)).toEqual([])
})

test('a file on the denylist is denied with what needs it, and the others go', async () => {
  const library = await workspace()
  const project = await makeProject({
    'Content/SM_A.uasset': {},
    'Content/BP_User.uasset': { imports: ['/Game/SM_A'] },
    'Content/SM_B.uasset': {},
  })
  const plan = await project.push(library, { dryRun: true })
  const { content_hash } = plan.items.find(({ file }) => file === 'Content/SM_A.uasset') ?? expect.fail('SM_A is not planned')
  await callAs(library.url, library.keys.olivia).post('/admin/denylist', { kind: 'content_hash', value: content_hash })
  const report = await project.push(library)
  expect(report.items.map(({ file, status, reason }) => [file, status, reason])).toEqual([
    ['Content/BP_User.uasset', 'denied', 'depends_on_denied'],
    ['Content/SM_A.uasset', 'denied', 'denylisted'],
    ['Content/SM_B.uasset', 'new', undefined],
  ])
})

test.runIf(process.platform === 'linux')('a file that cannot be read is named, and the others go', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/SM_A.uasset': { imports: ['/Game/SM_Bad'] } })
  // Looks like an ordinary file and fails at the first byte, also for root.
  symlinkSync('/proc/self/mem', join(project.root, 'Content/SM_Bad.uasset'))
  for (const report of [await project.push(library), await project.push(library)])
    expect(report.problems).toMatchObject([
      { kind: 'unreadable-file', files: ['Content/SM_Bad.uasset'] },
      { kind: 'unpushed-dependency' },
    ])
  expect((await entriesOf(library)).map(({ name }) => name)).toEqual(['SM_A'])
})

test.runIf(process.platform === 'linux')(
  'no room for what ph remembers ends a push with the folder and the setting named',
  async () => {
    const library = await workspace()
    const project = await manyPackages(5)
    const options = { paths: [join(project.root, 'Content')], url: library.url, key: library.key, state: project.state }
    // No file of this process may grow beyond 20 blocks, as on a disk that is full.
    const limited = `trap '' XFSZ; ulimit -f 20; exec "$0" "$@"`
    const args = ['-c', limited, process.execPath, processFile, JSON.stringify(options)]
    const { stderr, status } = spawnSync('sh', args, { encoding: 'utf8' })
    expect(status).toBe(1)
    expect(stderr).toMatch(/STATE_UNUSABLE/)
    expect(stderr).toContain(project.state)
    expect(stderr).toContain('PH_STATE_DIR')
  },
)
