/** What a push says of what the library has already: dependencies, bytes under other names, and earlier versions. */
import { expect, test } from 'vitest'
import type { PushReport } from '../../../client/push/report.ts'
import { callAs, type Json } from '../../support/api.ts'
import { startTestServer } from '../../support/server.ts'
import { makeProject, picture } from '../../support/unreal-project.ts'

const server = await startTestServer()

async function workspace() {
  const { url, keys } = await server.addWorkspace()
  return { url, key: keys.mia, api: callAs(url, keys.mia) }
}
type Library = Awaited<ReturnType<typeof workspace>>

const kinds = ({ problems }: PushReport) => problems.map(({ kind }) => kind)
const needsOf = async ({ api }: Library, name: string): Promise<string[]> => {
  const { body } = await api.get(`/entries?name=${name}`)
  const closure = await api.get(`/entries/${body.entries[0]?.id}/closure`)
  return closure.body.members.flatMap((one: Json) => (one.edge === 'root' ? [] : `${one.edge} ${one.asset_name}`)).sort()
}
const user = { 'Content/SM_A.uasset': { imports: ['/Game/M_Wood'], softReferences: ['/Game/T_Soft', '/Game/T_Gone'] } }

test('a dependency that the library has is tied to it and not called missing, on whatever machine it was pushed', async () => {
  const library = await workspace()
  await (await makeProject({ 'Content/M_Wood.uasset': {}, 'Content/T_Soft.uasset': {} })).push(library)
  const report = await (await makeProject(user)).push(library)
  expect(report.problems.map(({ kind, subject }) => [kind, subject])).toEqual([['missing-soft-reference', '/Game/T_Gone']])
  expect(await needsOf(library, 'SM_A')).toEqual(['hard M_Wood', 'soft T_Soft'])
})

test('a dependency that arrived in the library since is not called missing any more, though nothing changed here', async () => {
  const library = await workspace()
  const project = await makeProject(user)
  await project.settle()
  expect(kinds(await project.push(library))).toEqual(['missing-dependency', 'missing-soft-reference', 'missing-soft-reference'])
  await (await makeProject({ 'Content/M_Wood.uasset': {}, 'Content/T_Soft.uasset': {}, 'Content/T_Gone.uasset': {} })).push(
    library,
  )
  expect(kinds(await project.push(library))).toEqual([])
  expect(await needsOf(library, 'SM_A')).toEqual(['hard M_Wood', 'soft T_Gone', 'soft T_Soft'])
  expect((await project.push(library)).items).toEqual([])
})

test('a file whose bytes are a prop of another name says which one; one of the same name, or known here, says nothing', async () => {
  const library = await workspace()
  const first = await makeProject()
  first.write({ 'Content/Rocks/cliff.png': picture })
  const { items } = await first.push(library)
  const second = await makeProject()
  second.write({ 'Content/Stones/wall.png': picture })
  const report = await second.push(library)
  expect(report.problems).toMatchObject([
    { kind: 'other-name', weight: 'note', message: expect.stringContaining('the same bytes as the prop cliff') },
  ])
  expect(report.problems[0]?.next).toContain(`\`ph tag add "wall" ${items[0]?.entry_id} --create\``)
  expect(kinds(await second.push(library))).toEqual([])
  const third = await makeProject()
  third.write({ 'Content/Elsewhere/cliff.png': picture })
  expect(kinds(await third.push(library))).toEqual([])
})

test('a file that is an earlier version again names the command that makes it current, each time, and its edits are the next version', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/SM_A.uasset': {} })
  const bytes = (text: string) => ({ 'Content/SM_A.uasset': { payload: Buffer.from(text) } })
  const first = await project.push(library)
  await project.save(bytes('second'))
  await project.push(library)
  await project.save({ 'Content/SM_A.uasset': {} })
  await project.settle()
  const entry = first.items[0]?.entry_id
  for (let times = 0; times < 2; times++) {
    const report = await project.push(library)
    expect(report.summary).toMatchObject({ new: 0, dedup: 1 })
    expect(report.problems).toMatchObject([
      {
        kind: 'reverted',
        weight: 'warning',
        message: 'Content/SM_A.uasset is v1 again; v2 is current.',
        next: `To make v1 current: \`ph restore ${entry} --version v1\``,
      },
    ])
  }
  await project.save(bytes('third'))
  expect((await project.push(library)).items).toMatchObject([{ status: 'new', lineage_id: first.items[0]?.lineage_id }])
})
