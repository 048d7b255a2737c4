/** What the desktop agent answers about files: why they are not as the library has them, what fixes it, and check-outs from an editor. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AgentConflict } from '../../../contract/agent-imports.ts'
import { type Person, personAt } from '../../support/person.ts'
import { startTestServer } from '../../support/server.ts'
import { agentOf, until, type WatchedAgent } from '../../support/watched-agent.ts'

const server = await startTestServer()

async function twoPeople(): Promise<{ mia: Person; max: Person }> {
  const { url, keys } = await server.addWorkspace()
  const [mia, max] = [personAt(url, keys.mia), personAt(url, keys.max)]
  await mia.save('SM_Stool', 'one')
  await mia.save('SM_Barrel', 'one')
  await mia.ok('push Content')
  return { mia, max }
}

const kinds = async (agent: WatchedAgent, name: string) => (await agent.why(name)).map(({ kind }) => kind)

test('each state is said in a sentence, with the command that fixes it', async () => {
  const { mia, max } = await twoPeople()
  await mia.save('SM_Keg', 'one')
  await mia.ok('push Content')
  const agent = await agentOf(mia)
  const stool = await mia.ok('show SM_Stool')
  expect(await agent.why('SM_Stool')).toEqual([
    { kind: 'current', message: 'SM_Stool.uasset is the library’s current version.', command: null },
  ])
  await mia.save('SM_Stool', 'two')
  const [changed] = await agent.why('SM_Stool')
  expect(changed).toMatchObject({ kind: 'modified', command: `ph push ${mia.path('SM_Stool')}` })
  expect(changed?.message).toContain(`ph pull ${stool.entry.id} --project Inn --on-conflict overwrite`)
  await mia.save('SM_New', 'one')
  expect(await agent.why('SM_New')).toMatchObject([{ kind: 'untracked', command: `ph push ${mia.path('SM_New')}` }])
  rmSync(mia.path('SM_Keg'))
  expect(await agent.why('SM_Keg')).toMatchObject([
    { kind: 'missing', command: expect.stringMatching(/^ph pull \d+ --project Inn$/) },
  ])
  await max.ok('pull SM_Stool SM_Barrel --project Inn')
  await max.save('SM_Stool', 'his')
  await max.save('SM_Barrel', 'his')
  await max.ok('push Content')
  expect(await agent.why('SM_Barrel')).toMatchObject([
    { kind: 'outdated', command: expect.stringMatching(/^ph pull \d+ --project Inn$/) },
  ])
  expect(await agent.why('SM_Stool')).toMatchObject([{ kind: 'diverged', command: `ph pull ${mia.path('SM_Stool')} --theirs` }])
})

test('the commands that are named do what they say', async () => {
  const { mia, max } = await twoPeople()
  await max.ok('pull SM_Barrel --project Inn')
  await max.save('SM_Barrel', 'his')
  await max.ok('push Content')
  const agent = await agentOf(mia)
  await mia.save('SM_Stool', 'two')
  await mia.save('SM_New', 'one')
  for (const name of ['SM_Stool', 'SM_New', 'SM_Barrel']) {
    const [reason] = await agent.why(name)
    const outcome = await mia.run((reason?.command ?? '').split(' ').slice(1))
    expect(outcome.code, outcome.stderr).toBe(0)
    expect(await kinds(agent, name)).toEqual(['current'])
  }
})

test('a diverged file has two ways out, and both commands do what they say', async () => {
  const { mia, max } = await twoPeople()
  await max.ok('pull SM_Stool SM_Barrel --project Inn')
  for (const name of ['SM_Stool', 'SM_Barrel']) {
    await max.save(name, 'his')
    await mia.save(name, 'hers')
  }
  await max.ok('push Content')
  const agent = await agentOf(mia)
  const advised = async (name: string) => {
    const [reason] = await agent.why(name)
    const [, mine = ''] = /`ph ([^`]+ --mine)`/.exec(reason?.message ?? '') ?? []
    return { theirs: (reason?.command ?? '').replace(/^ph /, ''), mine }
  }
  await mia.ok((await advised('SM_Stool')).theirs)
  expect(await kinds(agent, 'SM_Stool')).toEqual(['current'])
  await mia.ok((await advised('SM_Barrel')).mine)
  expect(await kinds(agent, 'SM_Barrel')).toEqual(['modified'])
})

test("a file that is another game's prop, or lies where it has one, is said with both projects and the entry", async () => {
  const { mia } = await twoPeople()
  const mill = personAt(mia.env.PH_URL ?? '', mia.env.PH_API_KEY ?? '', 'Mill')
  const idOf = async (name: string) => (await mia.ok(`show ${name}`)).entry.id
  await mill.ok('pull SM_Barrel --project Mill')
  await mill.save('SM_Stool', 'of Mill')
  const agent = await agentOf(mill)
  expect(await agent.why('SM_Stool')).toMatchObject([
    {
      kind: 'untracked',
      message: `The library does not have SM_Stool.uasset: the library has entry ${await idOf('SM_Stool')} of Inn at this path, and Mill has none.`,
    },
  ])
  const both = `It is entry ${await idOf('SM_Barrel')} of Inn; this project is Mill.`
  expect((await agent.why('SM_Barrel'))[0]).toMatchObject({ kind: 'current', message: expect.stringContaining(both) })
  await mill.save('SM_Barrel', 'of Mill')
  expect((await agent.why('SM_Barrel'))[0]).toMatchObject({ kind: 'modified', message: expect.stringContaining(both) })
})

test('an earlier version is named with the command that makes it current again', async () => {
  const { mia } = await twoPeople()
  await mia.save('SM_Stool', 'two')
  await mia.ok('push Content')
  const agent = await agentOf(mia)
  await mia.save('SM_Stool', 'one')
  expect(await agent.why('SM_Stool')).toMatchObject([{ kind: 'earlier', command: expect.stringContaining('ph restore') }])
})

test('who holds it is said with since, until and why; what this person holds is checked in or released', async () => {
  const { mia, max } = await twoPeople()
  await max.run(['checkout', 'SM_Stool', '--note', 'new legs'])
  await mia.ok('checkout SM_Barrel')
  const agent = await agentOf(mia)
  const [held] = await agent.why('SM_Stool')
  expect(held).toMatchObject({ kind: 'held', command: null })
  expect(held?.message).toMatch(/^max has SM_Stool\.uasset checked out since \d{4}-.*, until \d{4}-.*, for: new legs\./)
  expect(await agent.why('SM_Barrel')).toMatchObject([
    { kind: 'mine', command: `ph release ${mia.path('SM_Barrel')}` },
    { kind: 'current' },
  ])
  await mia.save('SM_Barrel', 'two')
  expect(await agent.why('SM_Barrel')).toMatchObject([
    { kind: 'mine', command: `ph checkin ${mia.path('SM_Barrel')}` },
    { kind: 'modified', command: null },
  ])
})

test('what rules leave out is named with the line that does, and what is no prop as such', async () => {
  const { mia } = await twoPeople()
  await mia.save('Draft/SM_Draft', 'one')
  await mia.save('SM_Moved', '', { assetClass: 'ObjectRedirector' })
  const inn = join(mia.root, 'Content/Inn')
  mkdirSync(join(mia.root, 'Saved'))
  writeFileSync(join(mia.root, 'Saved/SM_Auto.uasset'), 'x')
  writeFileSync(join(inn, '.phignore'), '# drafts\n\nDraft/\n!SM_Stool*\n')
  writeFileSync(join(inn, 'notes.doc'), 'x')
  writeFileSync(join(inn, 'tool.py'), 'x')
  const agent = await agentOf(mia)
  const [ignored] = await agent.why('Draft/SM_Draft')
  expect(ignored).toMatchObject({
    kind: 'ignored',
    message: expect.stringContaining('line 3 of Content/Inn/.phignore, which says Draft/'),
  })
  const why = async (file: string) => (await agent.api.agentFiles.why({ path: join(mia.root, file) })).reasons
  expect((await why('Saved/SM_Auto.uasset'))[0]).toMatchObject({
    kind: 'ignored',
    message: expect.stringContaining('fills Saved by itself'),
  })
  expect((await why('Content/Inn/.phignore'))[0]).toMatchObject({ kind: 'ignored', message: expect.stringContaining('dot') })
  expect(await why('Content/Inn/SM_Moved.uasset')).toMatchObject([
    { kind: 'redirector', message: expect.stringContaining('redirector'), command: null },
  ])
  expect(await why('Content/Inn/notes.doc')).toMatchObject([{ kind: 'left-out' }])
  expect(await why('Content/Inn/tool.py')).toMatchObject([
    { kind: 'left-out', message: expect.stringContaining('The library takes no programs and scripts') },
  ])
  expect(await kinds(agent, 'SM_Stool')).toEqual(['current'])
})

test('a file that changes at this moment, and one that an import asks about, are said so', async () => {
  const { mia } = await twoPeople()
  const agent = await agentOf(mia)
  const conflict = { job_id: 7, file: 'Content/Inn/SM_Stool.uasset', path: mia.path('SM_Stool'), state: 'asked' } as AgentConflict
  agent.agent.agent.imports.conflicts = () => [conflict]
  await mia.save('SM_Stool', 'two')
  const { file, reasons } = await agent.api.agentFiles.why({ path: mia.path('SM_Stool') })
  expect(file.state).toBe('pending')
  expect(reasons.map(({ kind }) => kind)).toEqual(['conflict', 'pending', 'modified'])
})

test('a folder, a file that is nowhere and one outside of every project are refused with what to do', async () => {
  const { mia } = await twoPeople()
  const agent = await agentOf(mia)
  const why = (path: string) => agent.api.agentFiles.why({ path })
  await expect(why(join(mia.root, 'Content'))).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: expect.stringContaining('is a folder'),
  })
  await expect(why(mia.path('SM_Nowhere'))).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(why('/etc/passwd')).rejects.toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining('ph agent link') })
})

test('a list is of the project, a folder or a file, with current ones when all are wanted', async () => {
  const { mia } = await twoPeople()
  await mia.save('Sub/SM_Sub', 'one')
  const agent = await agentOf(mia)
  const list = async (path: string, all = false) =>
    (await agent.api.agentFiles.list({ path, all })).files.map(
      ({ file, state }) => `${file.replace('Content/Inn/', '')} ${state}`,
    )
  expect(await list(mia.root)).toEqual(['Sub/SM_Sub.uasset untracked'])
  expect(await list(mia.root, true)).toEqual([
    'SM_Barrel.uasset current',
    'SM_Stool.uasset current',
    'Sub/SM_Sub.uasset untracked',
  ])
  expect(await list(join(mia.root, 'Content/Inn/Sub'))).toEqual(['Sub/SM_Sub.uasset untracked'])
  expect(await list(mia.path('SM_Stool'))).toEqual([])
  expect(await list(mia.path('SM_Stool'), true)).toEqual(['SM_Stool.uasset current'])
  const whole = await agent.api.agentFiles.list({ path: mia.root })
  expect(whole).toMatchObject({ root: mia.root, complete: true, as_of: expect.stringContaining('T') })
})

test('an editor checks out, pushes and gives back; what someone else holds is refused whole', async () => {
  const { mia, max } = await twoPeople()
  const agent = await agentOf(mia)
  const paths = [mia.path('SM_Stool'), mia.path('SM_Barrel')]
  await max.ok('checkout SM_Barrel')
  await expect(agent.api.agentFiles.checkOut({ paths })).rejects.toMatchObject({
    code: 'LOCKED',
    message: expect.stringContaining('max has SM_Barrel.uasset'),
  })
  expect((await agent.row('SM_Stool'))?.held_by ?? null).toBeNull()
  await max.ok('release SM_Barrel')
  const { files } = await agent.api.agentFiles.checkOut({ paths, note: 'legs', ttl_hours: 5 })
  expect(files).toMatchObject([{ mine: true, held_note: 'legs' }, { mine: true }])
  await mia.save('SM_Stool', 'two')
  expect(await agent.api.agentFiles.checkIn({ paths: [paths[0] ?? ''], note: 'new legs' })).toEqual({
    released: ['Content/Inn/SM_Stool.uasset'],
    still_checked_out: [],
  })
  await until(async () => expect(await agent.state('SM_Stool')).toBe('current'))
  expect(await agent.api.agentFiles.checkIn({ paths: [paths[1] ?? ''], keep: true })).toMatchObject({
    released: [],
    still_checked_out: [{ file: 'Content/Inn/SM_Barrel.uasset', because: 'kept' }],
  })
  await mia.save('SM_New', 'one')
  await expect(agent.api.agentFiles.checkOut({ paths: [mia.path('SM_New')] })).rejects.toMatchObject({
    message: expect.stringContaining('not in the library'),
  })
})

test('what an editor checks in has previews soon after', async () => {
  const { mia } = await twoPeople()
  const hut = join(mia.root, 'Content/Inn/Hut.obj')
  const raise = (height: number) =>
    writeFileSync(hut, `v 0 0 0\nv 10 0 0\nv 0 10 0\nv 3 3 ${height}\nf 1 2 4\nf 2 3 4\nf 3 1 4\n`)
  raise(5)
  await mia.ok('push Content')
  const agent = await agentOf(mia, { previews: true })
  await agent.api.agentFiles.checkOut({ paths: [hut] })
  raise(6)
  await agent.api.agentFiles.checkIn({ paths: [hut] })
  await until(async () =>
    expect((await mia.ok('show Hut')).entry).toMatchObject({ preview_status: 'ready', preview_kind: 'glb' }),
  )
})

test('an editor that opens a package hears who holds it and that a newer version is there, else that it is free', async () => {
  const { mia, max } = await twoPeople()
  const agent = await agentOf(mia)
  const editor = { session_id: 'editor-1', project_key: 'Inn', root: mia.root, accepts_imports: false }
  await agent.api.agentEditors.announce(editor)
  const open = (name: string) => agent.api.agentEditors.opened({ session_id: 'editor-1', package: name })
  expect(await open('/Game/Inn/SM_Stool')).toMatchObject({
    file: { file: 'Content/Inn/SM_Stool.uasset', state: 'current' },
    warnings: [],
    suggestion: { kind: 'free', command: `ph checkout ${mia.path('SM_Stool')}` },
  })
  await max.ok('checkout SM_Stool')
  await max.ok('pull SM_Barrel --project Inn')
  await max.save('SM_Barrel', 'his')
  await max.ok('push Content')
  expect(await open('/Game/Inn/SM_Stool.SM_Stool')).toMatchObject({ warnings: [{ kind: 'held' }], suggestion: null })
  expect(await open('/Game/Inn/SM_Barrel')).toMatchObject({ warnings: [{ kind: 'outdated' }], suggestion: null })
  expect(await open('/Game/Nowhere/../../x')).toEqual({ file: null, warnings: [], suggestion: null })
  expect(await open('/Engine/Basic')).toEqual({ file: null, warnings: [], suggestion: null })
  await until(async () => expect((await agent.api.agent.status()).projects[0]?.editor?.open).toContain('/Game/Inn/SM_Stool'))
})
