/** `ph server check`: what is damaged on the disk is named, and a push of the same bytes repairs it. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { administered } from '../support/administered.ts'
import { callAs, type Json } from '../support/api.ts'
import { GrowingProject } from '../support/growing-project.ts'
import { heldBefore } from '../support/held-before.ts'
import { byHand, startTestServer, type TestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { requireWholeLibrary } from '../support/whole-library.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer({}, byHand)
})

/** A workspace with a project that was pushed. */
async function begin() {
  const { url, keys, workspaceId } = await server.addWorkspace()
  const library = { url, key: keys.mia }
  const project = await GrowingProject.begin(library, 'checked')
  await project.grow()
  expect((await project.push()).summary).toMatchObject({ failed: 0, held: 0 })
  const below = (...parts: string[]) => join(server.dataDir, 'storage', String(workspaceId), ...parts)
  const blobPath = (hash: string) => below('blobs', hash.slice(0, 2), hash)
  return { library, project, blobPath, below, workspaceId, max: callAs(url, keys.max) }
}

const check = async (...options: string[]) => {
  const { code, json, stderr } = await administered(server).administer(['check', '--json', ...options])
  return { code, stderr, report: stderr === '' ? (json() as Json) : undefined }
}

test('a file of other bytes, a shorter one and one that is gone are named; the next push of an unchanged project repairs them, and then all is whole', async () => {
  const { library, project, blobPath } = await begin()
  expect(await check()).toMatchObject({ code: 0, report: { damaged: [], repaired: 0, references: { broken: [] } } })
  const { objects } = await requireWholeLibrary(library)
  const [flipped, cut, gone] = objects.map(({ content_hash }) => content_hash) as [string, string, string]
  const bytes = readFileSync(blobPath(flipped))
  bytes.writeUInt8(bytes.readUInt8(100) ^ 1, 100)
  writeFileSync(blobPath(flipped), bytes)
  truncateSync(blobPath(cut), 10)
  rmSync(blobPath(gone))

  expect((await project.push()).bytes.uploaded).toBe(0)
  const { code, report } = await check()
  expect(code).toBe(1)
  const found = Object.fromEntries(report.damaged.map((file: Json) => [file.sha256, [file.damage, file.kind]]))
  expect(found).toEqual({ [flipped]: ['content', 'version'], [cut]: ['size', 'version'], [gone]: ['missing', 'version'] })
  const { stdout } = await administered(server).administer('check')
  expect(stdout).toMatch(/3 files are damaged or missing\..*`ph push`/s)

  const repairing = await project.push()
  expect(repairing.summary).toMatchObject({ new: 0, failed: 0 })
  expect(repairing.bytes.uploaded).toBeGreaterThan(0)
  expect(await check()).toMatchObject({ code: 0, report: { damaged: [] } })
  await requireWholeLibrary(library)
  expect((await project.push()).bytes.uploaded).toBe(0)
})

test('only the bytes that a damaged file had take its place, whoever sends them', async () => {
  const { library, blobPath, max } = await begin()
  const [{ content_hash: hash }] = (await requireWholeLibrary(library)).objects as [Json]
  const good = readFileSync(blobPath(hash))
  writeFileSync(blobPath(hash), 'something else')
  expect((await check()).code).toBe(1)
  expect((await max.put(`/blobs/${hash}`, Buffer.from('something else'))).status).toBe(409)
  expect(readFileSync(blobPath(hash), 'utf8')).toBe('something else')
  expect(await max.put(`/blobs/${hash}`, good)).toMatchObject({ status: 201, body: { hash, created: true } })
  expect(await max.put(`/blobs/${hash}`, good)).toMatchObject({ status: 200, body: { created: false } })
  expect(await check('--rate', '500MB/s')).toMatchObject({ code: 0, report: { damaged: [] } })
})

test('a damaged picture goes out of use, and the next push of an unchanged project brings another', async () => {
  const { library, project, below } = await begin()
  expect((await check()).code).toBe(0)
  const media = below('media', '0')
  const [first = ''] = readdirSync(media)
  const picture = readFileSync(join(media, first))
  picture.writeUInt8(picture.readUInt8(picture.length - 6) ^ 1, picture.length - 6)
  writeFileSync(join(media, first), picture)
  const { code, report } = await check()
  expect([code, report.damaged]).toEqual([1, [expect.objectContaining({ kind: 'thumbnail', damage: 'content' })]])
  const lists = await requireWholeLibrary(library)
  expect(lists.entries.filter(({ has_thumbnail }) => !has_thumbnail)).toHaveLength(1)
  expect((await project.push()).summary).toMatchObject({ new: 0, failed: 0 })
  project.requireComplete(await requireWholeLibrary(library))
  expect(await check()).toMatchObject({ code: 0, report: { damaged: [] } })
})

test('a storage folder that is not there, or is empty, is no damage of every file: it is said, and nothing is written down', async () => {
  await begin()
  const storage = join(server.dataDir, 'storage')
  renameSync(storage, `${storage}-away`)
  const gone = await check()
  mkdirSync(storage)
  const empty = await check()
  rmSync(storage, { recursive: true })
  renameSync(`${storage}-away`, storage)
  for (const { code, stderr } of [gone, empty]) expect([code, stderr]).toEqual([1, expect.stringContaining('may not be mounted')])
  expect(await server.database.sql`select 1 from damaged_files where damage = 'missing'`).toHaveLength(0)
  expect((await check()).code).toBe(0)
})

test('a backup says what is damaged, and leaves it to the check to write that down', async () => {
  const { library, blobPath, below, workspaceId } = await begin()
  const [{ content_hash: hash }] = (await requireWholeLibrary(library)).objects as [Json]
  const good = readFileSync(blobPath(hash))
  writeFileSync(blobPath(hash), 'something else')
  const [picture = ''] = readdirSync(below('media', '0'))
  renameSync(below('media', '0', picture), below('media', '0', `${picture}-away`))
  const { code, json } = await administered(server).administer(['backup', join(temporaryFolder(), 'backups'), '--json'])
  renameSync(below('media', '0', `${picture}-away`), below('media', '0', picture))
  writeFileSync(blobPath(hash), good)
  const lacks = (json() as Json).lacks.map((file: Json) => [file.kind, file.damage]).toSorted()
  expect([code, lacks]).toEqual([
    6,
    [
      ['thumbnail', 'missing'],
      ['version', 'size'],
    ],
  ])
  expect(await server.database.sql`select 1 from damaged_files where workspace_id = ${workspaceId}`).toHaveLength(0)
  expect((await requireWholeLibrary(library)).entries.filter(({ has_thumbnail }) => !has_thumbnail)).toEqual([])
})

test('rows that lead nowhere are named with their reference', async () => {
  const { workspaceId } = await begin()
  const { sql } = server.database
  await sql`insert into awaited_imports (workspace_id, object_id, path_key) values (${workspaceId}, 999999, '/game/nowhere')`
  const { code, report } = await check()
  await sql`delete from awaited_imports where object_id = 999999`
  const broken = { reference: 'awaited_imports.object_id -> objects', rows: 1, examples: [`${workspaceId}/999999`] }
  expect([code, report.references.broken]).toEqual([1, [broken]])
})

test('programs and scripts that the library took before are listed, in words and as JSON, and are no damage', async () => {
  const { max } = await begin()
  expect((await check()).report.executables).toEqual({ total: 0, listed: [] })
  const before = [
    { origin_path: '/Game/Python/fast', source_ext: 'pyd' },
    { origin_path: '/Game/python/icon', source_ext: 'png' },
    { origin_path: '/Game/Tools/run', source_ext: 'png', source_path: 'Tools/run.BAT. ' },
    { origin_path: '/Game/Tools/run', source_ext: 'exe' },
  ]
  const results: Json[] = []
  for (const as of before) results.push((await heldBefore(server, max, as)).result)
  await heldBefore(server, max, { origin_path: '/Game/Pythons/icon', source_ext: 'png', source_path: 'a/exe/icon.png' })
  await heldBefore(server, max, { origin_path: '/Game/Python/BP_Tool', source_ext: null })
  const { code, report } = await check()
  expect([code, report.damaged, report.executables.total]).toEqual([0, [], before.length])
  expect(report.executables.listed.map(({ object_id, origin_path }: Json) => [object_id, origin_path])).toEqual(
    before.map(({ origin_path }, at) => [results[at]?.object_id, origin_path]).toReversed(),
  )
  for (const one of report.executables.listed)
    expect(one).toMatchObject({
      name: expect.any(String),
      version: 1,
      why: expect.stringMatching(/program or script|Game\/Python/),
    })
  const { stdout } = await administered(server).administer('check')
  expect(stdout).toMatch(/4 versions are programs or scripts/)
  expect(stdout).toContain('/Game/Python/fast')
})
