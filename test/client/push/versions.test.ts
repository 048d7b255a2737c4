/** Versions: what an edit becomes, who was faster, what is held until someone decides, and what goes along. */
import { expect, test } from 'vitest'
import type { HeldItem } from '../../../client/push/held/answers.ts'
import type { PushReport } from '../../../client/push/report.ts'
import { callAs } from '../../support/api.ts'
import { startTestServer } from '../../support/server.ts'
import { startProxy } from '../../support/tcp-proxy.ts'
import { makeProject } from '../../support/unreal-project.ts'

const server = await startTestServer()

async function workspace() {
  const { url, keys } = await server.addWorkspace()
  return { url, key: keys.mia, adam: { url, key: keys.adam }, api: callAs(url, keys.mia) }
}

const itemOf = (report: PushReport, file: string) =>
  report.items.find((item) => item.file === file) ?? expect.fail(`${file} was not sent`)
const statuses = (report: PushReport) => Object.fromEntries(report.items.map(({ file, status }) => [file, status]))
const bytes = (text: string) => ({ payload: Buffer.from(text) })
const [guidA, guidB] = ['A'.repeat(32), 'B'.repeat(32)]

test('a file that someone else made a newer version of is listed as outdated, and the others go', async () => {
  const library = await workspace()
  const mine = await makeProject({ 'Content/SM_A.uasset': {}, 'Content/BP_B.uasset': { imports: ['/Game/SM_A'] } })
  await mine.push(library)
  const theirs = await makeProject({ 'Content/SM_A.uasset': {} })
  await theirs.push(library.adam)
  await theirs.save({ 'Content/SM_A.uasset': bytes('theirs') })
  await theirs.push(library.adam)
  await mine.save({ 'Content/SM_A.uasset': bytes('mine'), 'Content/BP_B.uasset': { imports: ['/Game/SM_A'], ...bytes('mine') } })
  const report = await mine.push(library)
  expect(statuses(report)).toEqual({ 'Content/SM_A.uasset': 'outdated', 'Content/BP_B.uasset': 'new' })
  expect(report.summary).toMatchObject({ new: 1, outdated: 1 })
  const { body } = await library.api.get(`/lineages/${itemOf(report, 'Content/SM_A.uasset').lineage_id}`)
  expect(body.objects).toHaveLength(2)
})

test('what someone else has checked out, and what needs it, is locked and nothing of it is uploaded; a dry run says so too', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/SM_A.uasset': {}, 'Content/BP_B.uasset': { imports: ['/Game/SM_A'] } })
  const first = await project.push(library)
  const { lineage_id } = itemOf(first, 'Content/SM_A.uasset')
  expect((await callAs(library.url, library.adam.key).post('/locks', { lineage_id })).status).toBe(201)
  await project.save({ 'Content/SM_A.uasset': bytes('new'), 'Content/BP_B.uasset': { imports: ['/Game/SM_A'], ...bytes('new') } })
  for (const dryRun of [true, false]) {
    const report = await project.push(library, { dryRun })
    expect(statuses(report)).toEqual({ 'Content/SM_A.uasset': 'locked', 'Content/BP_B.uasset': 'locked' })
    expect(report).toMatchObject({ summary: { new: 0, locked: 2 }, bytes: { uploaded: 0 } })
    expect(itemOf(report, 'Content/SM_A.uasset')).toMatchObject({
      reason: 'lineage_locked',
      lock: { lineage_id, holder: { name: 'adam' } },
    })
    expect(itemOf(report, 'Content/BP_B.uasset')).toMatchObject({ reason: 'depends_on_locked' })
  }
})

test('someone who is faster between the question and the commit makes only that file outdated', async () => {
  const library = await workspace()
  const mine = await makeProject({ 'Content/SM_A.uasset': {}, 'Content/SM_B.uasset': {} })
  const theirs = await makeProject({ 'Content/SM_A.uasset': {} })
  let beforeCommit: (() => Promise<unknown>) | undefined
  const proxy = await startProxy(server.url, async (sent) => {
    if (!sent.includes('/push/commit')) return undefined
    const overtake = beforeCommit
    beforeCommit = undefined
    await overtake?.()
    return undefined
  })
  const behindProxy = { ...library, url: proxy.url(library.url) }
  await mine.push(behindProxy)
  await theirs.push(library.adam)
  await theirs.save({ 'Content/SM_A.uasset': bytes('theirs') })
  await mine.save({ 'Content/SM_A.uasset': bytes('mine'), 'Content/SM_B.uasset': bytes('mine') })
  beforeCommit = () => theirs.push(library.adam)
  const report = await mine.push(behindProxy)
  expect(statuses(report)).toEqual({ 'Content/SM_A.uasset': 'outdated', 'Content/SM_B.uasset': 'new' })
})

test('another asset in the place of an old one is held until someone says what it is, with what needs it', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/SM_A.uasset': { guid: guidA } })
  const first = await project.push(library)
  const lineage = first.items[0]?.lineage_id
  await project.save({ 'Content/SM_A.uasset': { guid: guidB }, 'Content/BP_User.uasset': { imports: ['/Game/SM_A'] } })
  const held = await project.push(library)
  expect(itemOf(held, 'Content/SM_A.uasset')).toMatchObject({
    status: 'held',
    reason: 'probable_lost_stamp',
    candidate_lineage_id: lineage,
  })
  expect(itemOf(held, 'Content/BP_User.uasset')).toMatchObject({ status: 'held', reason: 'depends_on_held' })
  const questions: HeldItem[][] = []
  const answered = await project.push(library, {
    held: (items) => {
      questions.push(items)
      return { answers: new Map([['Content/SM_A.uasset', 'continue']]) }
    },
  })
  expect(questions).toMatchObject([[{ file: 'Content/SM_A.uasset', name: 'SM_A', candidate_lineage_id: lineage }]])
  expect(itemOf(answered, 'Content/SM_A.uasset')).toMatchObject({ status: 'new', lineage_id: lineage, entry_created: false })
  expect(itemOf(answered, 'Content/BP_User.uasset')).toMatchObject({ status: 'new', entry_created: true })
})

test('answered with "new", a held file becomes a prop of its own; without an answer it stays held', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/SM_A.uasset': { guid: guidA } })
  const first = await project.push(library)
  await project.save({ 'Content/SM_A.uasset': { guid: guidB } })
  expect((await project.push(library, { held: () => ({ answers: new Map() }) })).summary).toMatchObject({ held: 1, new: 0 })
  const report = await project.push(library, { held: () => ({ answers: new Map([['Content/SM_A.uasset', 'new']]) }) })
  expect(report.items).toMatchObject([{ status: 'new', entry_created: true }])
  expect(report.items[0]?.lineage_id).not.toBe(first.items[0]?.lineage_id)
})

test('a copy that was edited does not take over the prop it was copied from', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/SM_A.uasset': { guid: guidA } })
  await project.push(library)
  await project.save({ 'Content/SM_B.uasset': { guid: guidA, ...bytes('an edited copy') } })
  expect(statuses(await project.push(library))).toEqual({ 'Content/SM_A.uasset': 'dedup', 'Content/SM_B.uasset': 'held' })
})

test('a copy that is pushed by itself does not take over the prop either', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/SM_A.uasset': { guid: guidA } })
  await project.push(library)
  await project.save({
    'Content/SM_B.uasset': { guid: guidA, ...bytes('an edited copy') },
    'Content/Copy/SM_A.uasset': { guid: guidA, packageName: '/Game/SM_A', ...bytes('a copy that was not saved') },
  })
  expect(statuses(await project.push(library, { paths: ['Content/SM_B.uasset'] }))).toEqual({
    'Content/SM_A.uasset': 'dedup',
    'Content/SM_B.uasset': 'held',
  })
  const copied = await project.push(library, { paths: ['Content/Copy'] })
  expect(itemOf(copied, 'Content/Copy/SM_A.uasset')).toMatchObject({ status: 'new', origin_path: null, entry_created: true })
})

test('packages saved before 4.24 get a new GUID with every save, and are versions all the same', async () => {
  const library = await workspace()
  const old = { engine: '4.22.3' }
  const project = await makeProject({ 'Content/SM_A.uasset': old })
  const first = await project.push(library)
  await project.save({ 'Content/SM_A.uasset': { ...old, ...bytes('edited') } })
  expect((await project.push(library)).items).toMatchObject([{ status: 'new', lineage_id: first.items[0]?.lineage_id }])
})

test('named files take along what they need and what lies on disk, unless told not to', async () => {
  const library = await workspace()
  const project = await makeProject({
    'Content/BP_Door.uasset': { imports: ['/Game/Props/SM_Door', '/Game/M_Gone'], softReferences: ['/Game/SM_Soft'] },
    'Content/Props/SM_Door.uasset': { imports: ['/Game/Props/m_wood'] },
    'Content/Props/M_Wood.uasset': {},
    'Content/SM_Soft.uasset': {},
    'Content/SM_Other.uasset': {},
  })
  const paths = ['Content/BP_Door.uasset']
  const alone = await project.push(library, { paths, noDeps: true })
  expect(Object.keys(statuses(alone))).toEqual(paths)
  const unpushed = alone.problems.filter(({ kind }) => kind === 'unpushed-dependency').flatMap(({ message }) => message)
  expect(unpushed.join()).toContain('Content/Props/SM_Door.uasset')
  expect(statuses(await project.push(library, { paths }))).toEqual({
    'Content/BP_Door.uasset': 'dedup',
    'Content/Props/M_Wood.uasset': 'new',
    'Content/Props/SM_Door.uasset': 'new',
  })
})

test('a named file that needs what the library has already is tied to it', async () => {
  const library = await workspace()
  const project = await makeProject({
    'Content/M_Wood.uasset': {},
    'Content/Sub/SM_A.uasset': { softReferences: ['/Game/M_Wood'] },
  })
  await project.push(library, { paths: ['Content/M_Wood.uasset'] })
  const report = await project.push(library, { paths: ['Content/Sub'] })
  const closure = await library.api.get(`/entries/${itemOf(report, 'Content/Sub/SM_A.uasset').entry_id}/closure`)
  expect(closure.body.members).toMatchObject([{ asset_name: 'SM_A' }, { asset_name: 'M_Wood', edge: 'soft' }])
})

test('a dry run says what would happen and changes nothing', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/SM_A.uasset': {}, 'Content/SM_B.uasset': {} })
  await project.push(library, { paths: ['Content/SM_A.uasset'] })
  const plan = await project.push(library, { dryRun: true })
  expect(plan).toMatchObject({ dry_run: true, summary: { new: 1, dedup: 1 }, bytes: { uploaded: 0 } })
  expect(plan.bytes.to_upload).toBe(itemOf(plan, 'Content/SM_B.uasset').blob_size)
  expect((await library.api.get('/entries')).body.entries).toHaveLength(1)
  expect((await project.push(library)).summary).toMatchObject({ new: 1, dedup: 1 })
})

test('a pack is given to everything of a push, and a variant group to every entry, those that were there too', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/SM_A.uasset': {} })
  await project.push(library)
  await project.save({ 'Content/SM_B.uasset': {} })
  await project.push(library, { packName: 'Chairs', variantGroup: 'Chair' })
  const { body } = await library.api.get('/entries')
  expect(body.entries).toMatchObject([
    { name: 'SM_A', pack: { name: 'Unsorted' }, variant_group: { label: 'Chair', count: 2 } },
    { name: 'SM_B', pack: { name: 'Chairs' }, variant_group: { label: 'Chair', count: 2 } },
  ])
})

test('more files than a batch holds are registered in the order of their needs, a ring of them at once', async () => {
  const library = await workspace()
  const chain = Array.from({ length: 620 }, (_, i) => [`Content/C/M_${i}x.uasset`, { imports: [`/Game/C/M_${i + 1}x`] }])
  const ring = Array.from({ length: 30 }, (_, i) => [`Content/R/M_${i}x.uasset`, { imports: [`/Game/R/M_${(i + 1) % 30}x`] }])
  const project = await makeProject(Object.fromEntries([...chain, ...ring]))
  const report = await project.push(library)
  expect(report.summary).toMatchObject({ new: 650, failed: 0, held: 0 })
  const closure = async (file: string) =>
    (await library.api.get(`/entries/${itemOf(report, file).entry_id}/closure`)).body.total_objects
  expect(await closure('Content/C/M_0x.uasset')).toBe(620)
  expect(await closure('Content/R/M_7x.uasset')).toBe(30)
})
