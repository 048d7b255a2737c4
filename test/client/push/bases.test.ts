/** Edits of which nothing on this machine says what they were made from: two people's edits never override each other unnoticed. */
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findFolders } from '../../../client/folders.ts'
import { push } from '../../../client/push/push.ts'
import type { PushReport } from '../../../client/push/report.ts'
import { callAs, type Json } from '../../support/api.ts'
import { startFront } from '../../support/http-front.ts'
import { startTestServer } from '../../support/server.ts'
import { startProxy } from '../../support/tcp-proxy.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { attachAll, makeProject, packageAt, type TestProject } from '../../support/unreal-project.ts'

const server = await startTestServer()

async function workspace() {
  const { url, keys } = await server.addWorkspace()
  return { url, key: keys.mia, adam: { url, key: keys.adam }, api: callAs(url, keys.mia) }
}
type Library = Awaited<ReturnType<typeof workspace>>

const file = 'Content/SM_A.uasset'
const edit = (text: string) => ({ [file]: { payload: Buffer.from(text) } })
const itemOf = (report: PushReport, wanted = file) =>
  report.items.find((item) => item.file === wanted) ?? expect.fail(`${wanted} was not sent`)
const versionsOf = async ({ api }: Library, report: PushReport): Promise<Json[]> => {
  const { lineage_id, candidate_lineage_id } = itemOf(report)
  return (await api.get(`/lineages/${lineage_id ?? candidate_lineage_id}`)).body.objects
}

/** Mia pushed; Adam has the same project, edited, on a machine that never pushed or pulled. */
async function edited(library: Library): Promise<{ first: PushReport; mias: TestProject; adams: TestProject }> {
  const mias = await makeProject({ [file]: {} })
  const first = await mias.push(library)
  return {
    first,
    mias,
    adams: await makeProject({
      ...edit('by adam'),
      'Content/BP_B.uasset': { imports: ['/Game/SM_A'] },
      'Content/M_C.uasset': {},
    }),
  }
}

test('an edit whose base nobody knows is held with what needs it, says who pushed the current version, and the others go', async () => {
  const library = await workspace()
  const { first, adams } = await edited(library)
  const report = await adams.push(library.adam)
  expect(itemOf(report)).toMatchObject({
    status: 'held',
    reason: 'base_unknown',
    candidate_lineage_id: itemOf(first).lineage_id,
    current_version: { version: 1, pushed_by: 'mia', object_id: itemOf(first).object_id, entry_id: itemOf(first).entry_id },
  })
  expect(itemOf(report, 'Content/BP_B.uasset')).toMatchObject({ status: 'held', reason: 'depends_on_held' })
  expect(itemOf(report, 'Content/M_C.uasset').status).toBe('new')
  expect(await versionsOf(library, report)).toHaveLength(1)
  expect((await adams.push(library.adam, { dryRun: true })).summary).toMatchObject({ held: 2, new: 0 })
})

test('who says that it is made from the current version makes the next one, and is not asked again', async () => {
  const library = await workspace()
  const { first, adams } = await edited(library)
  const report = await adams.push(library.adam, { held: attachAll })
  expect(itemOf(report)).toMatchObject({ status: 'new', parent_object_id: itemOf(first).object_id })
  await adams.save(edit('by adam, again'))
  expect(itemOf(await adams.push(library.adam)).status).toBe('new')
})

test('a version that comes in between the question and the answer makes the answered file outdated', async () => {
  const library = await workspace()
  const { mias, adams } = await edited(library)
  const report = await adams.push(library.adam, {
    held: async (held) => {
      await mias.save(edit('by mia meanwhile'))
      await mias.push(library)
      return { answers: new Map(held.map((one) => [one.file, 'continue'])) }
    },
  })
  expect(itemOf(report).status).toBe('outdated')
  expect(await versionsOf(library, report)).toHaveLength(2)
})

test('a clone is made from the version that its bytes are: an edit of the current one goes, one of an older one is outdated', async () => {
  const library = await workspace()
  const [mias, clone, late] = await Promise.all(Array.from({ length: 3 }, () => makeProject({ [file]: {} })))
  if (!mias || !clone || !late) return expect.fail('three projects were wanted')
  await mias.push(library)
  expect((await clone.push(library.adam)).summary).toMatchObject({ dedup: 1, held: 0 })
  await clone.save(edit('of the current one'))
  expect(itemOf(await clone.push(library.adam)).status).toBe('new')
  expect((await late.push(library.adam)).summary).toMatchObject({ dedup: 1, held: 0 })
  await late.save(edit('of the first one'))
  expect(itemOf(await late.push(library.adam)).status).toBe('outdated')
})

test('a file that its identity alone tells is held in a folder without a project too', async () => {
  const library = await workspace()
  const guid = 'A'.repeat(32)
  const save = (text: string) => packageAt(file, { guid, payload: Buffer.from(text) })
  const pushFolder = async (bytes: Buffer, to: { url: string; key: string }) =>
    push({ ...to, paths: [temporaryFolder({ 'SM_A.uasset': bytes })], folders: findFolders({ PH_STATE_DIR: temporaryFolder() }) })
  const first = await pushFolder(await save('one'), library)
  const second = await pushFolder(await save('another'), library.adam)
  expect(second.items).toMatchObject([
    { status: 'held', reason: 'base_unknown', candidate_lineage_id: first.items[0]?.lineage_id },
  ])
})

test('a project that was moved on the machine that pushed it goes on; what others pushed and was pulled elsewhere proves nothing', async () => {
  const library = await workspace()
  const { mias } = await edited(library)
  const moved = join(mias.root, '..', 'Moved')
  renameSync(mias.root, moved)
  mias.root = moved
  await mias.save(edit('after the move'))
  expect(itemOf(await mias.push(library)).status).toBe('new')
  const other = await makeProject(edit('by adam, on the machine of mia'))
  const onThatMachine = { ...library.adam, folders: findFolders({ PH_STATE_DIR: mias.state }) }
  const report = await push({ ...onThatMachine, paths: [join(other.root, 'Content')] })
  expect(itemOf(report)).toMatchObject({ status: 'held', reason: 'base_unknown' })
})

test('what the library has already waits for no edit that is held; answered, it is told of the edit in the same push', async () => {
  const library = await workspace()
  const needing = { 'Content/BP_B.uasset': { imports: ['/Game/SM_A'] } }
  await (await makeProject({ [file]: {}, ...needing })).push(library)
  const adams = await makeProject({ ...edit('by adam'), ...needing })
  const held = await adams.push(library.adam)
  expect([itemOf(held).status, itemOf(held, 'Content/BP_B.uasset').status]).toEqual(['held', 'dedup'])
  expect(held.summary).toMatchObject({ held: 1, dedup: 1 })
  const answered = await adams.push(library.adam, { held: attachAll })
  expect(answered.summary).toMatchObject({ new: 1, dedup: 1 })
  expect(await adams.push(library.adam)).toMatchObject({ items: [], unchanged: 2 })
})

test.each([
  ['are asked about together', {}, 0],
  ['are asked about one by one where the server takes no question about many', { plain: true }, 25],
  [
    'are asked about one by one where the server does not say who pushed them',
    { lacking: { asked: /\/lineages\/find/, fields: ['face_published_by'] } },
    25,
  ],
])('versions of many props that were pushed from another folder %s', async (_how, less, oneByOne) => {
  const library = await workspace()
  const files = Array.from({ length: 25 }, (_, at) => `Content/SM_${at}.uasset`)
  const all = (text: string) => Object.fromEntries(files.map((one) => [one, { payload: Buffer.from(text) }]))
  const front = await startFront({ to: () => library.url, ...less })
  const target = { url: front.url, key: library.key }
  const mias = await makeProject(all('first'))
  await mias.push(target)
  const copy = await makeProject(all('edited in a copy'))
  const folders = findFolders({ PH_STATE_DIR: mias.state })
  const report = await push({ ...target, folders, paths: [join(copy.root, 'Content')] })
  expect(report.summary).toMatchObject({ new: 25, held: 0 })
  expect(front.asked.filter((one) => one.startsWith('GET /lineages/'))).toHaveLength(oneByOne)
})

test('a version pushed from another folder counts for who pushed it, also when someone else makes a newer one current meanwhile', async () => {
  const library = await workspace()
  let replace = async (): Promise<unknown> => undefined
  const wire = await startProxy(server.url, async (sent) => {
    if (/^POST .*\/lineages\/find/.test(sent)) await replace()
    return undefined
  })
  const { mias, adams } = await edited({ ...library, url: wire.url(library.url) })
  const copy = await makeProject(edit('by mia, in a copy'))
  let replacing: Promise<PushReport> | undefined
  replace = () => (replacing ??= adams.push(library.adam, { held: attachAll }))
  const target = { url: wire.url(library.url), key: library.key, folders: findFolders({ PH_STATE_DIR: mias.state }) }
  const report = await push({ ...target, paths: [join(copy.root, 'Content')] })
  expect(itemOf((await replacing) ?? expect.fail('nobody was asked who pushed it')).status).toBe('new')
  expect(itemOf(report).status).toBe('outdated')
})
