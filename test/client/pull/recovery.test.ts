/** Pulls that were interrupted while they placed files: what the next one takes for placed, remembers and reports. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { findFolders, projectStateFile } from '../../../client/folders.ts'
import { ProjectMemory } from '../../../client/memory/project-memory.ts'
import { fileIdentity } from '../../../client/pull/placing/file-identity.ts'
import { callAs } from '../../support/api.ts'
import type { ClientDeath } from '../../support/client-death.ts'
import { emptyProject, entriesNamed, onlyJob, outcomesOf, type PullProject } from '../../support/pull.ts'
import { sha256 } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'
import { attachAll, makeProject, packageAt, type Target } from '../../support/unreal-project.ts'

const server = await startTestServer()
const supported = (name: string) => new URL(`../../support/${name}.ts`, import.meta.url)
const names = ['SM_A', 'SM_B', 'SM_C']
const pathOf = (name: string) => `Content/Town/${name}.uasset`
const bytesOf = (name: string, payload: string) => packageAt(pathOf(name), { payload: Buffer.from(payload) })

/** Three props in two versions each; a project has the first ones, unless it is to have the second ones. */
async function stocked(has: 'first' | 'second' = 'first') {
  const { url, keys } = await server.addWorkspace()
  const library = { url, key: keys.mia }
  const source = await makeProject()
  const project = emptyProject()
  const save = (payload: string) =>
    source.save(Object.fromEntries(names.map((name) => [pathOf(name), { payload: Buffer.from(payload) }])))
  await save('first')
  await source.push(library)
  const first = new Map<string, number>()
  for (const [at, { entry_id }] of (await entriesNamed(library, names)).entries())
    first.set(names[at] ?? '', (await callAs(url, keys.mia).get(`/entries/${entry_id}`)).body.object_id)
  if (has === 'first') await project.pull(library, names)
  await save('second')
  await source.push(library)
  if (has === 'second') await project.pull(library, names)
  return { library, source, project, first }
}

interface Dying {
  death: ClientDeath
  entries: object[]
  loaded?: string[]
}

/** A pull in a process of its own that is killed. */
async function killed(
  { root, state, cache }: PullProject,
  { url, key }: Target,
  { death, entries, loaded = [] }: Dying,
): Promise<void> {
  const options = JSON.stringify({ root, state, cache, url, key, entries })
  const imports = [...loaded, 'client-death'].flatMap((name) => ['--import', supported(name).href])
  const env = { ...process.env, PH_TEST_DEATH: JSON.stringify(death) }
  const child = spawn(process.execPath, [...imports, fileURLToPath(supported('pull-process')), options], { env })
  expect((await once(child, 'close'))[1]).toBe('SIGKILL')
}

const whilePlacing: ClientDeath = { kind: 'disk', step: 2, at: '^renameSync .*/Staging-.* .*/Content/' }
const whileStaging: ClientDeath = { kind: 'disk', step: 1, at: '^(linkSync|copyFile) .*/content/objects/.* .*/Staging-' }
const beforePlacing: ClientDeath = { ...whilePlacing, step: 1 }

function memoryOf({ root, state }: PullProject, { url }: Target): ProjectMemory {
  return new ProjectMemory(projectStateFile(findFolders({ PH_STATE_DIR: state }), url, root), { address: url, root })
}

/** The hash of the version that a file is remembered to be or to have been made from. */
function baseOf(project: PullProject, library: Target, name: string): string | undefined {
  const memory = memoryOf(project, library)
  const base = memory.find(pathOf(name))?.base?.hash
  memory.close()
  return base
}
const filesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((one) =>
        one.isFile() ? join(one.parentPath, one.name) : [],
      )
    : []
/** Files that are held in the staging folder of a project. */
const heldBelow = ({ root }: PullProject) => filesIn(join(root, 'Saved')).filter((path) => path.endsWith('.old'))
const edit = ({ root }: PullProject, name: string, bytes: Buffer) => writeFileSync(join(root, pathOf(name)), bytes)

test('killed while placing, and again while staging: what was not placed is placed then, and nothing is claimed before', async () => {
  const { library, project } = await stocked()
  const entries = await entriesNamed(library, names)
  await killed(project, library, { death: whilePlacing, entries })
  await killed(project, library, { death: whileStaging, entries })
  const job = onlyJob(await project.pull(library, names))
  expect(outcomesOf(job)).toEqual(Object.fromEntries(names.map((name) => [pathOf(name), 'updated'])))
  for (const name of names) {
    expect(readFileSync(join(project.root, pathOf(name))).equals(await bytesOf(name, 'second')), name).toBe(true)
    expect(baseOf(project, library, name)).toBe(sha256(await bytesOf(name, 'second')))
  }
})

test('a killed pull of versions that are not current any more is ordered anew, and sets nothing back', async () => {
  const { library, source, project } = await stocked()
  await killed(project, library, { death: whilePlacing, entries: await entriesNamed(library, names) })
  const api = callAs(library.url, library.key)
  const [{ id }] = (await api.get('/pull-jobs?limit=1')).body.jobs
  // One prop is renamed meanwhile, with a redirector in its old place.
  await source.save({
    'Content/Moved/SM_D.uasset': { payload: Buffer.from('third') },
    [pathOf('SM_A')]: { assetClass: 'ObjectRedirector', imports: ['/Game/Moved/SM_D'] },
  })
  await source.push(library, { held: attachAll })
  const { jobs, notes } = await project.pull(library, ['SM_B'])
  expect(jobs.map(({ resumed, status }) => ({ resumed, status }))).toEqual([
    { resumed: true, status: 'done' },
    { resumed: false, status: 'done' },
  ])
  expect(notes).toEqual([`An interrupted pull (job ${id}) is ordered anew: other versions are current by now.`])
  expect((await api.get(`/pull-jobs/${id}`)).body).toMatchObject({
    status: 'failed',
    failure_reason: expect.stringContaining('ordered anew'),
  })
  const moved = await packageAt('Content/Moved/SM_D.uasset', { payload: Buffer.from('third') })
  expect(project.files()['Moved/SM_D.uasset']?.equals(moved)).toBe(true)
})

test('an edit of what a killed pull placed is one of the new version, and of what it did not place one of the old', async () => {
  const { library, project } = await stocked()
  await killed(project, library, { death: whilePlacing, entries: await entriesNamed(library, names) })
  for (const name of names) edit(project, name, await bytesOf(name, 'edited'))
  const outcomes = outcomesOf(onlyJob(await project.pull(library, names)))
  expect(Object.values(outcomes).sort()).toEqual(['kept', 'kept', 'updated'])
  for (const name of names)
    expect(baseOf(project, library, name)).toBe(
      sha256(await bytesOf(name, outcomes[pathOf(name)] === 'updated' ? 'second' : 'first')),
    )
})

test('where nothing proves that an edited file was placed, it stays a conflict and an edit of the old version', async () => {
  const { library, project } = await stocked()
  await killed(project, library, { death: whilePlacing, entries: await entriesNamed(library, names) })
  for (const name of names) edit(project, name, await bytesOf(name, 'edited'))
  rmSync(join(project.root, 'Saved'), { recursive: true })
  const job = onlyJob(await project.pull(library, names))
  expect(job.summary).toMatchObject({ kept: 3, updated: 0 })
  for (const name of names) expect(baseOf(project, library, name)).toBe(sha256(await bytesOf(name, 'first')))
})

test('a file that has the inode number of the one to be placed, and other bytes, is not taken for it', async () => {
  const { library, project } = await stocked()
  await killed(project, library, { death: beforePlacing, entries: await entriesNamed(library, names) })
  const memory = memoryOf(project, library)
  const [{ jobId } = { jobId: 0 }] = memory.pulls.list()
  const rows = memory.pulls.intended(jobId)
  // As if the numbers of the new files had been given to these.
  const now = (file: string) => lstatSync(join(project.root, file), { bigint: true })
  const taken = rows.map((row) => ({ ...row, mark: fileIdentity({ ...now(row.file), size: 1n, mtimeNs: 1_000_000_001n }) }))
  memory.pulls.intend(jobId, taken)
  memory.close()
  expect(onlyJob(await project.pull(library, names)).summary).toMatchObject({ updated: 3 })
  for (const name of names)
    expect(readFileSync(join(project.root, pathOf(name))).equals(await bytesOf(name, 'second')), name).toBe(true)
})

test('what was written into a file that a killed pull held is kept as a backup, and reported', async () => {
  const { library, project } = await stocked()
  const death: ClientDeath = { kind: 'disk', step: 1, at: '^rmSync .*/Staging-.*[.]old' }
  await killed(project, library, { death, entries: await entriesNamed(library, names) })
  const [held = ''] = heldBelow(project)
  writeFileSync(held, 'written by an editor that had it open')
  const job = onlyJob(await project.pull(library, names))
  expect(job.summary).toMatchObject({ updated: 2, overwritten: 1 })
  const backup = job.files.find(({ outcome }) => outcome === 'overwritten')?.backup ?? ''
  expect(readFileSync(join(project.root, backup), 'utf8')).toBe('written by an editor that had it open')
})

test('what is held in a staging folder of which nothing is remembered is kept when that folder goes', async () => {
  const { library, project } = await stocked()
  const death: ClientDeath = { kind: 'disk', step: 1, at: '^rmSync .*/Staging-.*[.]old' }
  await killed(project, library, { death, entries: await entriesNamed(library, names) })
  const [held = ''] = heldBelow(project)
  writeFileSync(held, 'written by an editor that had it open')
  rmSync(project.state, { recursive: true })
  await project.pull(library, names)
  const kept = filesIn(join(project.root, 'Saved/PropHouse/Backups')).map((path) => readFileSync(path, 'utf8'))
  expect(kept).toContain('written by an editor that had it open')
})

test('without hard links: killed when a file is taken away or half written, the next pull makes it whole', async () => {
  const { library, project } = await stocked()
  const entries = await entriesNamed(library, names)
  const loaded = ['disk-without-links']
  await killed(project, library, { death: { kind: 'disk', step: 1, at: '^openSync .*/Content/.* *ax' }, entries, loaded })
  expect(Object.keys(project.files())).toHaveLength(2)
  await killed(project, library, { death: { kind: 'disk', step: 1, at: '^writeSync .*/Content/' }, entries, loaded })
  expect(Object.values(project.files()).some(({ length }) => length === 0)).toBe(true)
  expect(onlyJob(await project.pull(library, names)).summary).toMatchObject({ updated: 3 })
  for (const name of names)
    expect(readFileSync(join(project.root, pathOf(name))).equals(await bytesOf(name, 'second')), name).toBe(true)
  expect(heldBelow(project)).toEqual([])
})

test('a push after a killed pull knows what was placed: an edit of an older version does not become current', async () => {
  const { library, project, first } = await stocked('second')
  const entries = (await entriesNamed(library, names)).map((one, at) => ({ ...one, object_id: first.get(names[at] ?? '') }))
  await killed(project, library, { death: whilePlacing, entries })
  const placed: string[] = []
  for (const name of names) {
    if (project.files()[`Town/${name}.uasset`]?.equals(await bytesOf(name, 'first'))) placed.push(name)
    edit(project, name, await bytesOf(name, 'edited'))
  }
  expect(placed).toHaveLength(1)
  const { push } = await import('../../../client/push/push.ts')
  const folders = findFolders({ PH_STATE_DIR: project.state })
  const { items } = await push({ ...library, folders, paths: [join(project.root, 'Content')] })
  expect(Object.fromEntries(items.map(({ name, status }) => [name, status]))).toEqual(
    Object.fromEntries(names.map((name) => [name, placed.includes(name) ? 'outdated' : 'new'])),
  )
})
