/** Pulls from a real server into projects on disk: what lands where, what stays, what the library is told. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callAs } from '../../support/api.ts'
import { emptyProject, filesBelow, onlyJob, outcomesOf } from '../../support/pull.ts'
import { startTestServer } from '../../support/server.ts'
import { makeProject } from '../../support/unreal-project.ts'

const server = await startTestServer()

async function workspace() {
  const { url, keys } = await server.addWorkspace()
  return { url, key: keys.mia, adam: { url, key: keys.adam }, api: callAs(url, keys.mia) }
}

const bytes = (text: string) => ({ payload: Buffer.from(text) })

/** A house that needs a wall, which needs a texture; a level beside them, and a sound as it was recorded. */
async function stocked() {
  const library = await workspace()
  const source = await makeProject({
    'Content/Town/BP_House.uasset': { imports: ['/Game/Town/Meshes/SM_Wall'], ...bytes('house') },
    'Content/Town/Meshes/SM_Wall.uasset': { imports: ['/Game/Town/T_Brick'], ...bytes('wall') },
    'Content/Town/T_Brick.uasset': bytes('brick'),
    'Content/Maps/L_Town.umap': { imports: ['/Game/Town/BP_House'] },
  })
  await source.push(library)
  return { library, source }
}

const town = ['Town/BP_House.uasset', 'Town/Meshes/SM_Wall.uasset', 'Town/T_Brick.uasset']

test('an entry comes with everything it needs, byte for byte, and the library has the report', async () => {
  const { library, source } = await stocked()
  const project = emptyProject()
  const job = onlyJob(await project.pull(library, ['L_Town']))
  expect(project.files()).toEqual(filesBelow(join(source.root, 'Content')))
  expect(job).toMatchObject({ status: 'done', resumed: false, summary: { added: 4, failed: 0 }, obstacles: [] })
  expect(job.bytes).toMatchObject({ downloaded: job.bytes.total, from_cache: 0, placed: job.bytes.total })
  const { body } = await library.api.get(`/pull-jobs/${job.job_id}`)
  expect(body).toMatchObject({ status: 'done', target_project: 'Target', target_root: '/Game', engine_version: '5.4.0' })
  expect(body.report_json.added).toHaveLength(4)
  expect(body.report_json.added).toContainEqual({
    asset_name: 'SM_Wall',
    destination: '/Game/Town/Meshes/SM_Wall',
    content_hash: expect.any(String),
    lineage_id: expect.any(String),
    action: 'add',
  })
})

test('pulled again everything is identical and nothing is read, written or downloaded', async () => {
  const { library } = await stocked()
  const project = emptyProject()
  await project.pull(library, ['BP_House'])
  for (const path of town) chmodSync(join(project.root, 'Content', path), 0o000)
  const job = onlyJob(await project.pull(library, ['BP_House']))
  expect(job).toMatchObject({
    status: 'done',
    summary: { identical: 3, added: 0 },
    bytes: { downloaded: 0, from_cache: 0, placed: 0 },
  })
})

test('a second project on the machine is served from the content cache', async () => {
  const { library } = await stocked()
  const first = emptyProject()
  await first.pull(library, ['BP_House'])
  const second = emptyProject('Second', { cache: first.cache })
  const job = onlyJob(await second.pull(library, ['BP_House']))
  expect(job.bytes).toMatchObject({ downloaded: 0, from_cache: job.bytes.total })
  expect(second.files()).toEqual(first.files())
})

test('another root moves everything below it', async () => {
  const { library } = await stocked()
  const project = emptyProject()
  const job = onlyJob(await project.pull(library, ['BP_House'], { targetRoot: '/Game/Imported' }))
  expect(Object.keys(project.files())).toEqual(town.map((path) => `Imported/${path}`))
  expect(job.files.map(({ destination }) => destination)).toContain('/Game/Imported/Town/BP_House')
})

test('a newer version replaces the one that was pulled, and nothing else', async () => {
  const { library, source } = await stocked()
  const project = emptyProject()
  const before = onlyJob(await project.pull(library, ['T_Brick']))
  await source.save({ 'Content/Town/T_Brick.uasset': bytes('painted') })
  await source.push(library)
  const job = onlyJob(await project.pull(library, ['T_Brick']))
  expect(job.summary).toMatchObject({ updated: 1, added: 0 })
  expect(job.files[0]?.replaced_object_id).toBe(before.files[0]?.object_id)
  expect(project.files()['Town/T_Brick.uasset']).toEqual(readFileSync(join(source.root, 'Content/Town/T_Brick.uasset')))
  const { body } = await library.api.get(`/pull-jobs/${job.job_id}`)
  expect(body.report_json.added).toMatchObject([{ action: 'safe_overwrite' }])
})

test('an edited file is a conflict: it stays, unless it is to be overwritten, and then it is kept as a backup', async () => {
  const { library } = await stocked()
  const project = emptyProject()
  await project.pull(library, ['BP_House'])
  const wall = join(project.root, 'Content/Town/Meshes/SM_Wall.uasset')
  const pulled = readFileSync(wall)
  writeFileSync(wall, 'my edit')
  const kept = onlyJob(await project.pull(library, ['BP_House']))
  expect(outcomesOf(kept)).toMatchObject({
    'Content/Town/Meshes/SM_Wall.uasset': 'kept',
    'Content/Town/T_Brick.uasset': 'identical',
  })
  expect(readFileSync(wall, 'utf8')).toBe('my edit')
  const skipped = onlyJob(await project.pull(library, ['BP_House'], { onConflict: 'skip' }))
  expect(skipped.summary).toMatchObject({ skipped: 1, identical: 2 })
  const overwritten = onlyJob(await project.pull(library, ['BP_House'], { onConflict: 'overwrite' }))
  const item = overwritten.files.find(({ outcome }) => outcome === 'overwritten')
  expect(item?.backup).toMatch(
    /^Saved\/PropHouse\/Backups\/\d{4}-.* \S+, before pull \d+\/Content\/Town\/Meshes\/SM_Wall\.uasset$/,
  )
  expect(readFileSync(join(project.root, item?.backup ?? ''), 'utf8')).toBe('my edit')
  expect(readFileSync(wall)).toEqual(pulled)
  const { body } = await library.api.get(`/pull-jobs/${overwritten.job_id}`)
  expect(body.report_json.conflicts).toMatchObject([{ resolution: 'overwrite' }])
})
