/** `ph status`: what every file of a project is beside the library, from the first look to the hundredth. */
import { renameSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findFolders } from '../../../client/folders.ts'
import type { StatusReport } from '../../../client/status/report.ts'
import { type StatusOptions, status } from '../../../client/status/status.ts'
import { callAs } from '../../support/api.ts'
import { startFront } from '../../support/http-front.ts'
import { emptyProject } from '../../support/pull.ts'
import { startTestServer } from '../../support/server.ts'
import { attachAll, makeProject, type Target, type TestProject } from '../../support/unreal-project.ts'

const server = await startTestServer()

async function library() {
  const { url, keys } = await server.addWorkspace()
  return { url, key: keys.mia, reads: { url, key: keys.miaReads }, adam: { url, key: keys.adam }, api: callAs(url, keys.mia) }
}

/** Looks with all files reported, as someone standing in the project does. */
const look = ({ root, state }: TestProject, { url, key }: Target, more: Partial<StatusOptions> = {}): Promise<StatusReport> => {
  const paths = (more.paths ?? []).map((path) => join(root, path))
  return status({ url, key, folders: findFolders({ PH_STATE_DIR: state }), cwd: root, all: true, ...more, paths })
}
const states = ({ files }: StatusReport) =>
  Object.fromEntries(files.map(({ file, state }) => [file.replace('Content/', ''), state]))
const bytes = (text: string) => ({ payload: Buffer.from(text) })
const fileOf = (report: StatusReport, file: string) =>
  report.files.find((one) => one.file === `Content/${file}`) ?? expect.fail(`${file} is not in the report`)

/** A project that was pushed, and a second one with the same files that nobody pushed from. */
async function twoClones() {
  const place = await library()
  const packages = {
    'Content/SM_A.uasset': { imports: ['/Game/T_C'] },
    'Content/SM_B.uasset': {},
    'Content/T_C.uasset': {},
    'Content/Sub/SM_D.uasset': {},
  }
  const [mine, theirs] = [await makeProject(packages), await makeProject(packages)]
  await mine.settle()
  await mine.push(place)
  return { ...place, mine, theirs }
}

test('after a push everything is current, and nothing is read', async () => {
  const { mine, reads } = await twoClones()
  const report = await look(mine, reads)
  expect(report.summary).toMatchObject({ current: 4, modified: 0, untracked: 0, failed: 0 })
  expect(report.read.files).toBe(0)
  expect(fileOf(report, 'SM_A.uasset')).toMatchObject({ known_by: 'memory', entry_id: expect.any(Number) })
  expect((await look(mine, reads, { all: false })).files).toEqual([])
})

test('edits, versions of others, both, new files and lost ones are told apart, with a read key', async () => {
  const { mine, theirs, reads, adam } = await twoClones()
  await look(mine, reads)
  await theirs.save({ 'Content/SM_B.uasset': bytes('theirs'), 'Content/T_C.uasset': bytes('theirs') })
  await theirs.push(adam, { held: attachAll })
  await mine.save({ 'Content/SM_A.uasset': bytes('mine'), 'Content/T_C.uasset': bytes('mine'), 'Content/SM_New.uasset': {} })
  mine.remove('Content/Sub/SM_D.uasset')
  const report = await look(mine, reads)
  expect(states(report)).toEqual({
    'SM_A.uasset': 'modified',
    'SM_B.uasset': 'outdated',
    'SM_New.uasset': 'untracked',
    'Sub/SM_D.uasset': 'missing',
    'T_C.uasset': 'diverged',
  })
  const { object_id, face_object_id, content_hash, face_content_hash } = fileOf(report, 'SM_B.uasset')
  expect(face_object_id).toBeGreaterThan(object_id ?? 0)
  expect(face_content_hash).not.toBe(content_hash)
})

test('the same is seen by who looks for the first time after it happened', async () => {
  const { mine, theirs, reads, adam } = await twoClones()
  await theirs.save({ 'Content/SM_B.uasset': bytes('theirs') })
  await theirs.push(adam, { held: attachAll })
  expect(states(await look(mine, reads))).toMatchObject({ 'SM_A.uasset': 'current', 'SM_B.uasset': 'outdated' })
})

test('a file that was only touched is read and found current; its fingerprint is taken anew', async () => {
  const { mine, reads } = await twoClones()
  utimesSync(join(mine.root, 'Content/SM_A.uasset'), 1_000_000, 1_000_000)
  await mine.settle()
  expect(await look(mine, reads)).toMatchObject({ summary: { current: 4 }, read: { files: 1 } })
  expect((await look(mine, reads)).read.files).toBe(0)
})

test('a clone that nobody pushed from is recognized by its bytes, and its edits are edits from then on', async () => {
  const { theirs, reads } = await twoClones()
  const first = await look(theirs, reads)
  expect(first.summary).toMatchObject({ current: 4, untracked: 0 })
  expect(fileOf(first, 'SM_A.uasset').known_by).toBe('content')
  await theirs.save({ 'Content/SM_A.uasset': bytes('edited') })
  expect(states(await look(theirs, reads))).toMatchObject({ 'SM_A.uasset': 'modified', 'SM_B.uasset': 'current' })
})

test('what status learnt of a clone lets a push continue the history', async () => {
  const { theirs, reads, adam } = await twoClones()
  await look(theirs, reads)
  await theirs.save({ 'Content/SM_A.uasset': { engine: '4.22.3', ...bytes('edited') } })
  const pushed = await theirs.push(adam, { held: attachAll })
  expect(pushed.summary).toMatchObject({ new: 1, dedup: 3, held: 0 })
  expect(await look(theirs, reads)).toMatchObject({ summary: { current: 4 } })
})

test('an older version among files that nobody pushed is told as one that there is a newer version of', async () => {
  const { mine, theirs, reads, ...place } = await twoClones()
  await mine.save({ 'Content/SM_A.uasset': bytes('second') })
  await mine.push(place)
  expect(fileOf(await look(theirs, reads), 'SM_A.uasset')).toMatchObject({ state: 'outdated', known_by: 'content' })
})

test('another file in the place of a prop is unknown, and told which prop it is in the place of', async () => {
  const { reads } = await twoClones()
  const stranger = await makeProject({ 'Content/SM_A.uasset': bytes('something else') })
  expect(fileOf(await look(stranger, reads), 'SM_A.uasset')).toMatchObject({
    state: 'untracked',
    known_by: 'path',
    entry_id: expect.any(Number),
  })
})

test('a file that was moved is not missing, edited or not', async () => {
  const place = await library()
  const mine = await makeProject({ 'Content/SM_A.uasset': { guid: 'A'.repeat(32) }, 'Content/SM_B.uasset': {} })
  await mine.push(place)
  mine.remove('Content/SM_A.uasset')
  await mine.save({ 'Content/Moved/SM_A.uasset': { guid: 'A'.repeat(32), ...bytes('edited') } })
  renameSync(join(mine.root, 'Content/SM_B.uasset'), join(mine.root, 'Content/Moved/SM_B.uasset'))
  const report = await look(mine, place.reads)
  expect(states(report)).toEqual({ 'Moved/SM_A.uasset': 'moved', 'Moved/SM_B.uasset': 'moved' })
  expect(fileOf(report, 'Moved/SM_A.uasset').known_by).toBe('guid')
  await mine.push(place)
  expect((await look(mine, place.reads)).summary).toMatchObject({ current: 2, missing: 0 })
})

test('what was pulled is current without being read, also elsewhere than it came from, until there is something newer', async () => {
  const { mine, ...place } = await twoClones()
  const other = emptyProject('Other')
  await other.pull(place, ['SM_A'], { targetRoot: '/Game/Kit' })
  const seen = () => look({ ...mine, root: other.root, state: other.state }, place.reads)
  expect(await seen()).toMatchObject({ summary: { current: 2, untracked: 0, missing: 0 }, read: { files: 0 } })
  await mine.save({ 'Content/SM_A.uasset': { imports: ['/Game/T_C'], ...bytes('second') } })
  await mine.push(place)
  expect(states(await seen())).toEqual({ 'Kit/SM_A.uasset': 'outdated', 'Kit/T_C.uasset': 'current' })
  await other.pull(place, ['SM_A'], { targetRoot: '/Game/Kit' })
  expect((await seen()).summary).toMatchObject({ current: 2, outdated: 0 })
})

test('a restored version makes those that have the newer one see another current version', async () => {
  const { mine, reads, api, ...place } = await twoClones()
  await mine.save({ 'Content/SM_A.uasset': bytes('second') })
  await mine.push(place)
  const { entry_id, lineage_id } = fileOf(await look(mine, reads), 'SM_A.uasset')
  const { objects } = (await api.get(`/lineages/${lineage_id}`)).body
  await api.post(`/entries/${entry_id}/restore`, { object_id: objects.at(-1).object_id })
  expect(states(await look(mine, reads))).toMatchObject({ 'SM_A.uasset': 'outdated' })
})

test('a folder is looked at alone; a file that was deleted elsewhere is not its business', async () => {
  const { mine, reads } = await twoClones()
  mine.remove('Content/SM_B.uasset')
  expect(states(await look(mine, reads, { paths: ['Content/Sub'] }))).toEqual({ 'Sub/SM_D.uasset': 'current' })
  expect(states(await look(mine, reads, { paths: ['Content'] }))).toMatchObject({ 'SM_B.uasset': 'missing' })
})

test('redirectors and files outside of Content are nothing to worry about', async () => {
  const { mine, reads } = await twoClones()
  await mine.save({ 'Content/SM_Old.uasset': { assetClass: 'ObjectRedirector' } })
  mine.write({ 'Source/Icon.png': 'no prop', 'Content/notes.txt': 'no prop' })
  const report = await look(mine, reads)
  expect(report.summary).toMatchObject({ current: 4, untracked: 0, redirector: 1, left_out: 0 })
})

test('a folder without any prop has nothing to tell', async () => {
  const { mine, reads } = await twoClones()
  mine.write({ 'Docs/notes.txt': 'no prop' })
  const { summary, files } = await look(mine, reads, { paths: ['Docs'] })
  expect([summary.untracked, files]).toEqual([0, []])
})

test('another library at the same address is found out, and its own answer counts', async () => {
  const [one, other] = [await library(), await library()]
  let now = one
  const front = await startFront({ to: () => now.url, key: () => now.key })
  const project = await makeProject({ 'Content/SM_A.uasset': {}, 'Content/SM_B.uasset': {} })
  const target = { url: front.url, key: one.key }
  await project.push(target)
  expect((await look(project, target)).summary).toMatchObject({ current: 2 })
  now = other
  expect((await look(project, target)).summary).toMatchObject({ current: 0, untracked: 2 })
  await (await makeProject({ 'Content/SM_A.uasset': {} })).push(other)
  const report = await look(project, target)
  expect(states(report)).toEqual({ 'SM_A.uasset': 'current', 'SM_B.uasset': 'untracked' })
  expect(fileOf(report, 'SM_A.uasset').known_by).toBe('content')
})

test('a project that was looked at before costs one exchange, beside those for its pull jobs and for check-outs; the first time two, and one more for bytes that nobody pushed here', async () => {
  const { mine, theirs, url, key } = await twoClones()
  const front = await startFront({ to: () => url })
  const target = { url: front.url, key }
  const exchangesOf = async (project: TestProject) => {
    front.asked.length = 0
    await look(project, target)
    return front.asked.map((line) => line.split('?')[0]).filter((line) => line !== 'GET /pull-jobs' && line !== 'GET /locks')
  }
  await mine.push(target)
  expect(await exchangesOf(mine)).toEqual(['POST /lineages/find', 'GET /catalog/changes'])
  expect(await exchangesOf(mine)).toEqual(['GET /catalog/changes'])
  expect(await exchangesOf(theirs)).toEqual(['POST /lineages/find', 'GET /catalog/changes', 'POST /lineages/find'])
  expect(await exchangesOf(theirs)).toEqual(['GET /catalog/changes'])
})

test('a library out of reach is told before anything is read', async () => {
  const mine = await makeProject({ 'Content/SM_A.uasset': {} })
  const told: string[] = []
  const nowhere = { url: 'http://127.0.0.1:9', key: 'ph_live_x' }
  await expect(look(mine, nowhere, { tell: (event) => told.push(event.kind) })).rejects.toMatchObject({ code: 'UNREACHABLE' })
  expect(told).not.toContain('read')
})

test('a server without additions is asked by what every server has, and the answer is the same', async () => {
  const { mine, theirs, url, adam, key } = await twoClones()
  const front = await startFront({ to: () => url, key: () => key, plain: true })
  const target = { url: front.url, key }
  await mine.push(target)
  expect((await look(mine, target)).summary).toMatchObject({ current: 4 })
  expect((await look(theirs, target)).summary).toMatchObject({ current: 4 })
  await theirs.save({ 'Content/SM_B.uasset': bytes('theirs') })
  await theirs.push(adam, { held: attachAll })
  expect(states(await look(mine, target))).toMatchObject({ 'SM_A.uasset': 'current', 'SM_B.uasset': 'outdated' })
})

test('many lineages of a server without additions are read off its entries', async () => {
  const { url, key } = await library()
  const front = await startFront({ to: () => url, plain: true })
  const names = Array.from({ length: 30 }, (_, i) => `Content/SM_${i}.uasset`)
  const project = await makeProject(Object.fromEntries(names.map((name) => [name, {}])))
  await project.push({ url: front.url, key })
  front.asked.length = 0
  expect((await look(project, { url: front.url, key })).summary).toMatchObject({ current: 30 })
  expect(front.asked.filter((line) => line.startsWith('GET /lineages'))).toEqual([])
  expect(front.asked.filter((line) => line.startsWith('GET /entries'))).toHaveLength(1)
})

test('a feed that forgot the last look is made up for by asking about everything', async () => {
  const { mine, theirs, reads, adam } = await twoClones()
  await look(mine, reads)
  await theirs.save({ 'Content/SM_B.uasset': bytes('theirs') })
  await theirs.push(adam, { held: attachAll })
  await server.database.sql`update feed_heads set changes_floor = change_seq`
  await server.database.sql`delete from changes`
  expect(states(await look(mine, reads))).toMatchObject({ 'SM_A.uasset': 'current', 'SM_B.uasset': 'outdated' })
})

test('a version that the library lost makes its file unknown', async () => {
  const { mine, reads, url } = await twoClones()
  const { lineage_id, object_id, entry_id } = fileOf(await look(mine, reads), 'Sub/SM_D.uasset')
  const [workspace] = await server.database.sql<
    { id: number }[]
  >`select id from workspaces where slug = ${url.split('/').at(-1) ?? ''}`
  const id = workspace?.id ?? 0
  await server.database.sql`delete from objects where workspace_id = ${id} and id = ${object_id}`
  await server.database.sql`delete from entries where workspace_id = ${id} and id = ${entry_id}`
  await server.database.sql`delete from lineages where workspace_id = ${id} and id = ${lineage_id}`
  await server.database.sql`
    with head as (update feed_heads set change_seq = change_seq + 1 where workspace_id = ${id} returning change_seq)
    insert into changes (workspace_id, seq, entity, entity_id, lineage_id, op, created_at)
    select ${id}, change_seq, 'object', ${object_id}, ${lineage_id}, 'delete', now() from head`
  expect(states(await look(mine, reads))).toMatchObject({ 'SM_A.uasset': 'current', 'Sub/SM_D.uasset': 'untracked' })
})

test('a file that cannot be read is named, and the others are told', async () => {
  const { mine, reads } = await twoClones()
  mine.write({ 'Content/SM_E.uasset': '' })
  mine.remove('Content/SM_E.uasset')
  symlinkSync('nowhere', join(mine.root, 'Content/SM_E.uasset'))
  const report = await look(mine, reads)
  expect(report.summary).toMatchObject({ current: 4 })
  expect(report.problems).toMatchObject([{ kind: 'dead-link', files: ['Content/SM_E.uasset'] }])
})
