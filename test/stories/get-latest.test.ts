/** Days of a team with levels and several machines: push, get the latest, edit, push again, two games in one library. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findFolders } from '../../client/folders.ts'
import { push } from '../../client/push/push.ts'
import { status } from '../../client/status/status.ts'
import { callAs } from '../support/api.ts'
import { emptyProject, filesBelow, onlyJob, type PullProject } from '../support/pull.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { makeProject, type Packages, type Target, type TestProject } from '../support/unreal-project.ts'

const server = await startTestServer()

async function team(): Promise<{ ada: Target; bob: Target }> {
  const { url, keys } = await server.addWorkspace()
  return { ada: { url, key: keys.mia }, bob: { url, key: keys.max } }
}

const table = 'Content/Props/SM_Table.uasset'
const level = 'Content/Maps/L_Inn.umap'
const inn: Packages = {
  'Content/Tex/T_Wood.uasset': {},
  'Content/Mat/M_Wood.uasset': { imports: ['/Game/Tex/T_Wood'] },
  [table]: { imports: ['/Game/Mat/M_Wood'] },
  [level]: { imports: ['/Game/Props/SM_Table'] },
}
const saved = (words: string) => ({ payload: Buffer.from(words) })
const contentOf = (project: TestProject) => filesBelow(join(project.root, 'Content'))

async function standingOf(project: PullProject, { url, key }: Target) {
  const { summary } = await status({
    cwd: project.root,
    paths: [],
    url,
    key,
    folders: findFolders({ PH_STATE_DIR: project.state }),
  })
  return summary
}

test('a build machine that pushes a fresh clone leaves every level as it was: it can be pulled, with one version of each prop', async () => {
  const { ada, bob } = await team()
  const project = await makeProject(inn)
  await project.push(ada)
  await project.save({ 'Content/Tex/T_Wood.uasset': saved('varnished') })
  await project.push(ada)
  const clone = join(temporaryFolder(), 'Project')
  cpSync(project.root, clone, { recursive: true })
  const again = await push({ paths: [join(clone, 'Content')], ...bob, folders: findFolders({ PH_STATE_DIR: temporaryFolder() }) })
  expect(again.summary).toMatchObject({ new: 0 })
  const target = emptyProject()
  expect(onlyJob(await target.pull(bob, ['L_Inn']))).toMatchObject({ status: 'done', summary: { added: 4 } })
  expect(target.files()).toEqual(contentOf(project))
})

test('a level that is pulled again leaves the newer mesh where it is, and nothing is newer in the library then', async () => {
  const { ada, bob } = await team()
  const project = await makeProject(inn)
  await project.push(ada)
  const target = emptyProject()
  await target.pull(bob, ['L_Inn'])
  await project.save({ [table]: { ...inn[table], ...saved('with new legs') } })
  await project.push(ada)
  await target.pull(bob, ['SM_Table'])
  expect(target.files()).toEqual(contentOf(project))
  expect(onlyJob(await target.pull(bob, ['L_Inn'])).summary).toMatchObject({ identical: 4, updated: 0 })
  expect(target.files()).toEqual(contentOf(project))
  expect(await standingOf(target, bob)).toMatchObject({ current: 4 })
})

test('two games with a prop at one path keep their own, whoever edits and pushes what', async () => {
  const { ada, bob } = await team()
  const game = (words: string) =>
    makeProject(
      {
        'Content/Characters/BP_Player.uasset': { ...saved(words), guid: words === 'harbor' ? 'A'.repeat(32) : 'B'.repeat(32) },
        'Content/Maps/Main.umap': { ...saved(words), imports: ['/Game/Characters/BP_Player'] },
      },
      { EngineAssociation: '5.3' },
      words,
    )
  const [harbor, castle] = [await game('harbor'), await game('castle')]
  await harbor.push(ada)
  await castle.push(bob, { held: (held) => ({ answers: new Map(held.map(({ file }) => [file, 'new'])) }) })
  await harbor.save({ 'Content/Maps/Main.umap': { ...saved('harbor by night'), imports: ['/Game/Characters/BP_Player'] } })
  await harbor.push(ada)
  for (const [project, from] of [
    [harbor, 'harbor'],
    [castle, 'castle'],
  ] as const) {
    const { body } = await callAs(ada.url, ada.key).get(`/entries?name=Main&pushed_from=${from}`)
    const target = emptyProject()
    await target.pull(bob, undefined, { order: async () => [{ entry_id: body.entries[0].id }] })
    expect(target.files()).toEqual(contentOf(project))
  }
})
