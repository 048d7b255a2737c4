/** What is remembered between pushes, and when it does not count: other libraries, lost versions, damaged memory. */

import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { PushEvent } from '../../../client/progress.ts'
import { changingAccess } from '../../../server/accounts/access-changes.ts'
import { type Caller, callAs } from '../../support/api.ts'
import { startFront } from '../../support/http-front.ts'
import { startTestServer } from '../../support/server.ts'
import { startProxy } from '../../support/tcp-proxy.ts'
import { attachAll, makeProject, picture } from '../../support/unreal-project.ts'

const server = await startTestServer()

async function workspace() {
  const { slug, url, keys } = await server.addWorkspace()
  return { slug, url, key: keys.mia, adam: { url, key: keys.adam }, api: callAs(url, keys.mia) }
}

const bytes = (text: string) => ({ payload: Buffer.from(text) })
const stateFiles = (state: string) => readdirSync(join(state, 'projects')).map((name) => join(state, 'projects', name))

const pictured = Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`Content/SM_${i}x.uasset`, { thumbnail: picture }]))
const picturesOf = async ({ api }: { api: Caller }): Promise<boolean[]> =>
  (await api.get('/entries')).body.entries.map((entry: { has_thumbnail: boolean }) => entry.has_thumbnail)

test('pictures that a push could not bring are brought by the next one', async () => {
  const library = await workspace()
  const project = await makeProject(pictured)
  const stop = new AbortController()
  const wire = await startProxy(server.url, (sent) => {
    if (sent.includes('/entries/media/presign')) stop.abort(new Error('killed after the commit'))
    return undefined
  })
  const target = { ...library, url: wire.url(library.url) }
  await expect(project.push(target, { signal: stop.signal })).rejects.toThrow('killed after the commit')
  expect(await picturesOf(library)).toEqual([false, false, false, false, false])
  expect((await project.push(target)).summary).toMatchObject({ new: 0, dedup: 5, thumbnails: 5 })
  expect(await picturesOf(library)).toEqual([true, true, true, true, true])
  expect((await project.push(target)).summary).toMatchObject({ dedup: 5, thumbnails: 0 })
})

test('a picture that the library stored although its answer was lost is put to use', async () => {
  const library = await workspace()
  const project = await makeProject(pictured)
  let lost = 0
  const isStoredPicture = (answered: string) => /^HTTP\/1.1 200 .*\r\netag: "\d+"/is.test(answered)
  const wire = await startProxy(
    server.url,
    () => undefined,
    (answered) => (isStoredPicture(answered) && lost++ < 2 ? 'cut' : undefined),
  )
  const report = await project.push({ ...library, url: wire.url(library.url) })
  expect(lost).toBeGreaterThan(2)
  expect([report.summary.thumbnails, report.problems]).toEqual([5, []])
  expect(await picturesOf(library)).toEqual([true, true, true, true, true])
})

test.each([
  ['few pictures, each with a call of its own', 2, /^PUT .*\/thumbnail/],
  ['many pictures, of which the store has the bytes', 5, /\/media\/finalize/],
])(
  'where the library is busy for longer than a push waits, %s are named, and sent by the next push',
  async (...[, count, calls]) => {
    const library = await workspace()
    const project = await makeProject(Object.fromEntries(Object.entries(pictured).slice(0, count)))
    let isBusy = true
    const front = await startFront({ to: () => library.url, busy: (asked) => isBusy && calls.test(asked) })
    const target = { ...library, url: front.url }
    const without = Array.from({ length: count }, () => false)
    const report = await project.push(target, { pause: async () => {} })
    expect(report.summary).toMatchObject({ new: count, failed: 0, thumbnails: 0 })
    expect(report.problems).toMatchObject(
      without.map(() => ({ kind: 'thumbnail-failed', message: expect.stringContaining('The server is busy.') })),
    )
    expect(await picturesOf(library)).toEqual(without)
    isBusy = false
    expect(await project.push(target)).toMatchObject({ problems: [], summary: { dedup: count, thumbnails: count } })
    expect(await picturesOf(library)).toEqual(without.map(() => true))
  },
)

test('a picture that was not taken is sent by the next push also to a server that says of a known version neither its entry nor its picture', async () => {
  const library = await workspace()
  const project = await makeProject(Object.fromEntries(Object.entries(pictured).slice(0, 2)))
  let isBusy = true
  const lacking = { asked: /^nothing/, fields: ['entry_id', 'has_thumbnail'] }
  const busy = (asked: string) => isBusy && /^PUT .*\/thumbnail/.test(asked)
  const front = await startFront({ to: () => library.url, busy, lacking })
  const target = { ...library, url: front.url }
  expect((await project.push(target, { pause: async () => {} })).summary).toMatchObject({ new: 2, thumbnails: 0 })
  isBusy = false
  lacking.asked = /^POST \/push\/commit/
  expect(await project.push(target)).toMatchObject({ problems: [], summary: { dedup: 2, thumbnails: 2 } })
  expect(await picturesOf(library)).toEqual([true, true])
  expect((await project.push(target)).summary).toMatchObject({ dedup: 2, thumbnails: 0 })
})

test('pictures that the store does not take are named, and sent by the next push', async () => {
  const library = await workspace()
  const project = await makeProject(pictured)
  const seen: string[] = []
  let hasFailed = false
  const wire = await startProxy(server.url, (sent) => {
    const [, what = ''] = /(presign|PUT \/storage|finalize)/.exec(sent.split('\r\n')[0] ?? '') ?? []
    // The addresses for the pictures run out before the first of them comes.
    if (what.startsWith('PUT') && seen.at(-1) === 'presign' && !hasFailed) server.clock.advance(20 * 60_000)
    seen.push(what)
    return undefined
  })
  const target = { ...library, url: wire.url(library.url) }
  const report = await project.push(target)
  hasFailed = true
  expect(report.summary).toMatchObject({ new: 5, failed: 0, thumbnails: 0 })
  const said = (file: string) => expect.stringContaining(`The picture of ${file} was not taken: This address has expired`)
  expect(report.problems.map(({ message }) => message).toSorted()).toEqual(Object.keys(pictured).map(said))
  expect(seen).not.toContain('finalize')
  expect(await project.push(target)).toMatchObject({ problems: [], summary: { dedup: 5, thumbnails: 5 } })
  expect(await picturesOf(library)).toEqual([true, true, true, true, true])
})

test.each([
  ['few pictures are sent', 2, /^PUT .*\/thumbnail/],
  ['many pictures are announced', 5, /^POST .*\/media\/presign/],
  ['many pictures are put to use', 5, /^POST .*\/media\/finalize/],
])(
  'a version that someone replaces just before %s needs no picture any more; the others get theirs',
  async (...[, count, moment]) => {
    const { adam, ...library } = await workspace()
    const files = Object.entries(pictured).slice(0, count)
    const project = await makeProject(Object.fromEntries(files))
    const adams = await makeProject(Object.fromEntries(files.slice(0, 1).map(([file]) => [file, bytes('by adam')])))
    let replacing: Promise<unknown> | undefined
    const wire = await startProxy(server.url, async (sent) => {
      if (!moment.test(sent)) return undefined
      replacing ??= adams.push(adam, { held: attachAll })
      await replacing
      return undefined
    })
    const target = { ...library, url: wire.url(library.url) }
    expect(await project.push(target)).toMatchObject({ problems: [], summary: { new: count, thumbnails: count - 1 } })
    expect(await replacing).toMatchObject({ summary: { new: 1 } })
    expect((await picturesOf(library)).filter((has) => !has)).toHaveLength(1)
  },
)

test('another library at the same address is noticed, and gets everything', async () => {
  const [one, other] = [await workspace(), await workspace()]
  const wire = await startProxy(server.url)
  const behind = { ...one, url: wire.url(one.url) }
  const project = await makeProject({ 'Content/SM_A.uasset': {} })
  await project.push(behind)
  // The same address, by which the other workspace is now reached.
  const { sql } = server.database
  await changingAccess({}, sql`update workspaces set slug = ${`${one.slug}-gone`} where slug = ${one.slug}`)
  await changingAccess({}, sql`update workspaces set slug = ${one.slug} where slug = ${other.slug}`)
  expect((await project.push({ ...behind, key: other.key })).summary).toMatchObject({ new: 1 })
})

test('a version that was deleted from the library is pushed again', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/SM_A.uasset': {}, 'Content/SM_B.uasset': {} })
  await project.push(library)
  const { sql } = server.database
  const [space] = await sql<{ id: number }[]>`select id from workspaces where slug = ${library.slug}`
  const workspaceId = space?.id ?? 0
  const [object] = await sql<{ id: number; lineage_id: string }[]>`
    select id, lineage_id from objects where workspace_id = ${workspaceId} and asset_name = 'SM_A'`
  await sql.begin(async (inside) => {
    for (const table of ['entries', 'package_guids'])
      await inside`delete from ${inside(table)} where workspace_id = ${workspaceId} and lineage_id = ${object?.lineage_id ?? ''}`
    await inside`delete from lineages where workspace_id = ${workspaceId} and id = ${object?.lineage_id ?? ''}`
    await inside`delete from objects where workspace_id = ${workspaceId} and id = ${object?.id ?? 0}`
    await inside`update feed_heads set change_seq = change_seq + 1 where workspace_id = ${workspaceId}`
    await inside`insert into changes (workspace_id, seq, entity, entity_id, lineage_id, op, created_at)
      select ${workspaceId}, change_seq, 'object', ${object?.id ?? 0}, ${object?.lineage_id ?? ''}, 'delete', ${new Date().toISOString()}
        from feed_heads where workspace_id = ${workspaceId}`
  })
  expect((await project.push(library)).items).toMatchObject([{ file: 'Content/SM_A.uasset', status: 'new', entry_created: true }])
})

test('without its memory a push asks about every file, sends none, and an edit that its GUID recognizes is held', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/SM_A.uasset': {}, 'Content/SM_B.uasset': {} })
  const first = await project.push(library)
  rmSync(project.state, { recursive: true })
  await project.save({ 'Content/SM_B.uasset': bytes('edited') })
  const second = await project.push(library)
  expect(second.items).toMatchObject([
    { file: 'Content/SM_A.uasset', status: 'dedup' },
    { file: 'Content/SM_B.uasset', status: 'held', candidate_lineage_id: first.items[1]?.lineage_id },
  ])
})

test('a damaged memory is replaced, one that cannot be kept anywhere is named', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/SM_A.uasset': {} })
  await project.push(library)
  for (const file of stateFiles(project.state))
    writeFileSync(file, 'this is no database at all, and long enough to be read as one')
  expect((await project.push(library)).summary).toMatchObject({ dedup: 1 })
  rmSync(project.state, { recursive: true })
  writeFileSync(project.state, 'a file where the folder should be')
  await expect(project.push(library)).rejects.toMatchObject({
    code: 'STATE_UNUSABLE',
    message: expect.stringContaining(project.state),
  })
})

test('two projects, and two workspaces, remember nothing of each other', async () => {
  const [one, other] = [await workspace(), await workspace()]
  const project = await makeProject({ 'Content/SM_A.uasset': {} })
  expect((await project.push(one)).summary).toMatchObject({ new: 1 })
  expect((await project.push(other)).summary).toMatchObject({ new: 1 })
  expect(stateFiles(project.state).filter((file) => file.endsWith('.sqlite'))).toHaveLength(2)
})

test('one changed file among many is the only one that is read and sent', async () => {
  const library = await workspace()
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`Content/SM_${i}x.uasset`, {}]))
  const project = await makeProject(files)
  await project.push(library)
  await project.settle()
  await project.push(library)
  await project.save({ 'Content/SM_7x.uasset': bytes('edited') })
  const read: PushEvent[] = []
  const report = await project.push(library, { tell: (event) => event.kind === 'read' && read.push(event) })
  expect(report.items).toMatchObject([{ file: 'Content/SM_7x.uasset', status: 'new' }])
  expect(report).toMatchObject({ unchanged: 39, summary: { new: 1, dedup: 39 } })
  expect(read.at(-1)).toMatchObject({ files: 1, totalFiles: 1 })
})
