// A library is set back to a backup while projects hold what was pushed since: nobody's files are lost, and everybody can push them again.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findFolders } from '../../client/folders.ts'
import { pull } from '../../client/pull/pull.ts'
import { findTarget } from '../../client/pull/target-project.ts'
import { status } from '../../client/status/status.ts'
import { emptyProject, entriesNamed, onlyJob, outcomesOf, type PullProject } from '../support/pull.ts'
import { startRestorable } from '../support/restorable-server.ts'
import { makeProject, packageAt, type Target, type TestProject } from '../support/unreal-project.ts'
import { workstation } from '../support/workstation.ts'

const statesOf = async ({ root, state }: Pick<PullProject, 'root' | 'state'>, { url, key }: Target) => {
  const report = await status({ url, key, folders: findFolders({ PH_STATE_DIR: state }), cwd: root, paths: [], all: true })
  return Object.fromEntries(report.files.map(({ file, state }) => [file.replace('Content/', ''), state]))
}
const bytes = (text: string) => ({ payload: Buffer.from(text) })
const saved = async ({ root }: { root: string }, name: string, text: string) =>
  writeFileSync(join(root, 'Content', name), await packageAt(`Content/${name}`, bytes(text)))
const pushed = async (project: TestProject, to: Target) => {
  const { items } = await project.push(to)
  return Object.fromEntries(items.map(({ file, status }) => [file.replace('Content/', ''), status]))
}
const textIn = ({ root }: { root: string }, name: string) => readFileSync(join(root, 'Content', name)).toString('latin1')

test('what the library lost is modified here: it is kept by every pull, and its author pushes it as the next version', async () => {
  const server = await startRestorable()
  const [mia, max] = [server.of('mia'), server.of('max')]
  const author = await makeProject({ 'Content/SM_A.uasset': bytes('one') })
  const [first, late] = [emptyProject('First'), emptyProject('Late')]
  await author.push(mia)
  await first.pull(max, ['SM_A'])
  expect(await statesOf(first, max)).toEqual({ 'SM_A.uasset': 'current' })
  await server.backUp()
  await author.save({ 'Content/SM_A.uasset': bytes('two'), 'Content/SM_New.uasset': bytes('new') })
  await author.push(mia)
  for (const project of [first, late]) await project.pull(max, ['SM_A', 'SM_New'])
  expect(await statesOf(author, mia)).toEqual({ 'SM_A.uasset': 'current', 'SM_New.uasset': 'current' })
  await server.restore()

  // One that looked before, one that never did, and the author.
  for (const [project, person] of [
    [first, max],
    [late, max],
    [author, mia],
  ] as const) {
    expect(await statesOf(project, person)).toEqual({ 'SM_A.uasset': 'modified', 'SM_New.uasset': 'untracked' })
    expect(await statesOf(project, person)).toEqual({ 'SM_A.uasset': 'modified', 'SM_New.uasset': 'untracked' })
  }
  expect(outcomesOf(onlyJob(await late.pull(max, ['SM_A'])))).toEqual({ 'Content/SM_A.uasset': 'kept' })
  expect(textIn(late, 'SM_A.uasset')).toContain('two')
  expect(await pushed(author, mia)).toEqual({ 'SM_A.uasset': 'new', 'SM_New.uasset': 'new' })
  const { body } = await server.as('mia').get('/entries?name=SM_A')
  expect(body.entries).toHaveLength(1)
  expect((await server.as('mia').get(`/lineages/${body.entries[0].lineage_id}`)).body.objects).toHaveLength(2)
  for (const [project, person] of [
    [first, max],
    [late, max],
    [author, mia],
  ] as const)
    expect(await statesOf(project, person)).toEqual({ 'SM_A.uasset': 'current', 'SM_New.uasset': 'current' })
})

test('an edit of a lost version goes as the next one where nobody was faster, else it has diverged and overrides nobody', async () => {
  const server = await startRestorable()
  const [mia, max] = [server.of('mia'), server.of('max')]
  const author = await makeProject({ 'Content/SM_Free.uasset': bytes('one'), 'Content/SM_Taken.uasset': bytes('one') })
  const other = await makeProject()
  await author.push(mia)
  await server.backUp()
  await author.save({ 'Content/SM_Free.uasset': bytes('two'), 'Content/SM_Taken.uasset': bytes('two') })
  await author.push(mia)
  await author.save({ 'Content/SM_Free.uasset': bytes('three'), 'Content/SM_Taken.uasset': bytes('three') })
  await server.restore()

  // After the restore someone else works on what the library still has.
  const folders = { root: other.root, state: other.state, cache: join(other.state, 'cache') }
  await pullInto(folders, max, 'SM_Taken')
  await saved(other, 'SM_Taken.uasset', 'from max')
  expect(await pushed(other, max)).toMatchObject({ 'SM_Taken.uasset': 'new' })

  expect(await pushed(author, mia)).toEqual({ 'SM_Free.uasset': 'new', 'SM_Taken.uasset': 'outdated' })
  expect(await statesOf(author, mia)).toEqual({ 'SM_Free.uasset': 'current', 'SM_Taken.uasset': 'diverged' })
  const kept = onlyJob(await pullInto({ ...folders, ...author }, mia, 'SM_Taken'))
  expect(outcomesOf(kept)).toEqual({ 'Content/SM_Taken.uasset': 'kept' })
  expect(textIn(author, 'SM_Taken.uasset')).toContain('three')
})

/** Into a project that others push from too. */
async function pullInto(
  { root, state, cache }: { root: string; state: string; cache: string },
  { url, key }: Target,
  name: string,
) {
  const folders = findFolders({ PH_STATE_DIR: state, PH_CACHE_DIR: cache })
  return pull({ url, key, folders, target: findTarget({ cwd: root }), order: () => entriesNamed({ url, key }, [name]) })
}

const actor = (name: string) => `Content/__ExternalActors__/Maps/L_Hall/0/1A/${name}.uasset`
const placed = (name: string, text: string) => ({
  [actor(name)]: { assetClass: 'StaticMeshActor', imports: ['/Game/Maps/L_Hall'], ...bytes(text) },
})
const hall = { 'Content/Maps/L_Hall.umap': { assetClass: 'World', ...bytes('hall') } }

test('actors of a level that the library lost with its newest set go back into the level with the next push', async () => {
  const server = await startRestorable()
  const [mia, max] = [workstation(server.of('mia'), 'Hall'), workstation(server.of('max'), 'Hall')]
  await mia.save({ ...hall, ...placed('Lamp', 'v1') })
  await mia.ph('push')
  await server.backUp()
  await mia.save({ ...placed('Lamp', 'v2'), ...placed('Rug', 'v1') })
  await mia.ph('push')
  await max.ph('pull L_Hall')
  await server.restore()
  // The actors that the library lost did not leave the level.
  expect((await max.ask('pull L_Hall', 6)).jobs[0].not_taken_away).toEqual([])
  await max.ph('push')
  const fresh = workstation(server.of('mia'), 'Hall')
  await fresh.ph('pull L_Hall')
  for (const name of ['Lamp', 'Rug'])
    expect(readFileSync(join(fresh.root, actor(name)))).toEqual(readFileSync(join(mia.root, actor(name))))
  await mia.ph('pull')
  for (const who of [mia, max]) await who.ph('status --exit-code')
})

test('a pull of a level brings the set that the library has by now, not the one that it lost', async () => {
  const server = await startRestorable()
  const [mia, max] = [workstation(server.of('mia'), 'Hall'), workstation(server.of('max'), 'Hall')]
  await mia.save({ ...hall, ...placed('Lamp', 'v1') })
  await mia.ph('push')
  await mia.save({ ...placed('Lamp', 'v2'), ...placed('Bench', 'v1') })
  await mia.ph('push')
  const api = server.as('mia')
  const [{ id, lineage_id }] = (await api.get('/entries?name=L_Hall')).body.entries
  const { sets } = (await api.get(`/lineages/${lineage_id}/parts`)).body
  const [both, first] = sets.map((one: { id: number }) => one.id)
  await api.post(`/entries/${id}/restore`, { set: first })
  await server.backUp()
  await api.post(`/entries/${id}/restore`, { set: both })
  await max.ph('pull L_Hall')
  expect(textIn(max, actor('Lamp').replace('Content/', ''))).toContain('v2')
  await server.restore()
  await max.ph('pull L_Hall')
  expect(textIn(max, actor('Lamp').replace('Content/', ''))).toContain('v1')
  expect(existsSync(join(max.root, actor('Bench')))).toBe(false)
  await max.ph('status --exit-code')
})
