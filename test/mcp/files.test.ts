/** Files of projects on this machine, which an assistant pulls, pushes, checks out and checks in over stdio, and nothing outside of them. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { LinkedProjects } from '../../client/desktop/linked-projects.ts'
import { agentFolder, findFolders } from '../../client/folders.ts'
import type { Json } from '../support/api.ts'
import { call, connected, started } from '../support/assistants.ts'
import { inn } from '../support/inn.ts'
import { ph } from '../support/ph.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const server = await startTestServer()
const onFiles = ['pull_files', 'push_files', 'check_out_files', 'check_in_files']

type Inn = Awaited<ReturnType<typeof inn>>
const asMia = ({ mia, ...workspace }: Inn, args: string[] = ['--project', mia.root]): Promise<Client> =>
  started({ workspace, env: mia.env, args })

/** The plan, and what came of it. */
async function carriedOut(client: Client, name: string, args: Json): Promise<{ plan: Json; result: Json }> {
  const first = await call(client, name, args)
  expect(first.isError, JSON.stringify(first.content)).toBeFalsy()
  const { plan, plan_token } = first.structuredContent
  const second = await call(client, name, { ...args, plan_token })
  expect(second.isError, JSON.stringify(second.content)).toBeFalsy()
  return { plan, result: second.structuredContent.result }
}

const idOf = async ({ api }: Inn, name: string): Promise<number> => (await api.get(`/entries?name=${name}`)).body.entries[0].id

test('props are pulled into a project and changed files pushed from it, each planned first', async () => {
  const room = await inn(server)
  const { olivia, mia, versions } = room
  await olivia.save('SM_Lamp')
  await olivia.ok('push')
  const client = await asMia(room)
  const entry_ids = [await idOf(room, 'SM_Lamp')]
  const { structuredContent } = await call(client, 'pull_files', { entry_ids })
  expect(structuredContent.plan).toMatchObject({
    project: 'Inn',
    root: mia.root,
    pulls: [{ files: [{ file: 'Content/Inn/SM_Lamp.uasset', action: 'add' }], summary: { add: 1 } }],
  })
  expect(existsSync(mia.path('SM_Lamp'))).toBe(false)
  const pulled = await carriedOut(client, 'pull_files', { entry_ids })
  expect(pulled.result.pulls).toMatchObject([{ status: 'done', files: [{ outcome: 'added' }] }])
  expect(readFileSync(mia.path('SM_Lamp'))).toEqual(readFileSync(olivia.path('SM_Lamp')))
  await olivia.save('SM_Lamp', 'warmer')
  await olivia.ok('push')
  const latest = await carriedOut(client, 'pull_files', {})
  expect(latest.plan.pulls).toMatchObject([{ files: [{ file: 'Content/Inn/SM_Lamp.uasset', action: 'safe_overwrite' }] }])
  expect(readFileSync(mia.path('SM_Lamp'))).toEqual(readFileSync(olivia.path('SM_Lamp')))
  await mia.save('SM_Lamp', 'mine')
  const paths = ['Content/Inn/SM_Lamp.uasset']
  const pushed = await carriedOut(client, 'push_files', { paths, note: 'Brighter' })
  expect(pushed.plan.items).toMatchObject([{ file: paths[0], status: 'new' }])
  expect(pushed.result.items).toMatchObject([{ file: paths[0], status: 'new', object_id: expect.any(Number) }])
  expect(await versions('SM_Lamp')).toMatchObject([{ push_note: 'Brighter' }, {}, {}])
})

test('a file that was changed here stays in a pull, and is replaced with a backup where that is asked for', async () => {
  const room = await inn(server)
  const { olivia, mia } = room
  await olivia.save('SM_Stool', 'second')
  await olivia.ok('push')
  await mia.save('SM_Stool', 'mine')
  const mine = readFileSync(mia.path('SM_Stool'))
  const client = await asMia(room)
  const entry_ids = [await idOf(room, 'SM_Stool')]
  const kept = await carriedOut(client, 'pull_files', { entry_ids, on_conflict: 'keep' })
  expect([kept.plan.pulls[0].summary.conflict, kept.result.pulls[0].summary.kept]).toEqual([1, 1])
  expect(readFileSync(mia.path('SM_Stool'))).toEqual(mine)
  const { result } = await carriedOut(client, 'pull_files', { entry_ids, on_conflict: 'overwrite' })
  expect(result.pulls[0].files).toMatchObject([{ outcome: 'overwritten', backup: expect.any(String) }])
  expect(readFileSync(mia.path('SM_Stool'))).toEqual(readFileSync(olivia.path('SM_Stool')))
})

test('props are checked out with their files, checked in with a note, and what others have is told', async () => {
  const room = await inn(server)
  const { olivia, mia, active, versions } = room
  const client = await asMia(room)
  const out = await carriedOut(client, 'check_out_files', { props: ['Content/Inn/SM_Stool.uasset', 'SM_Barrel'], note: 'Legs' })
  expect(out.plan.props).toMatchObject([{ name: 'SM_Stool', standing: 'current' }, { name: 'SM_Barrel' }])
  expect(await active()).toMatchObject([{ note: 'Legs' }, { note: 'Legs' }])
  await mia.save('SM_Stool', 'mine')
  const back = await carriedOut(client, 'check_in_files', { props: ['SM_Stool'], note: 'Straight' })
  expect(back.plan).toMatchObject({ gives_back: true, push: { items: [{ file: 'Content/Inn/SM_Stool.uasset' }] } })
  expect(back.result).toMatchObject({ released: [{ name: 'SM_Stool' }], still_checked_out: [] })
  expect(await versions('SM_Stool')).toMatchObject([{ push_note: 'Straight' }, {}])
  expect(await active()).toHaveLength(1)
  await olivia.ok('checkout M_Oak')
  expect(await call(client, 'check_out_files', { props: ['M_Oak'] })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^LOCKED: Someone else .*\n<library-data-.*\n.*olivia checked out/) }, {}],
  })
})

const written = ['Saved', 'Saved/PropHouse/Backups', 'Saved/PropHouse/Backups/edited during pull 1']

test.each(written)('nothing is replaced where %s leads out of the project, because backups would go there', async (link) => {
  const room = await inn(server)
  const { olivia, mia } = room
  await olivia.save('SM_Stool', 'second')
  await olivia.ok('push')
  await mia.save('SM_Stool', 'mine')
  const mine = readFileSync(mia.path('SM_Stool'))
  const away = temporaryFolder()
  rmSync(join(mia.root, link), { recursive: true, force: true })
  mkdirSync(dirname(join(mia.root, link)), { recursive: true })
  symlinkSync(away, join(mia.root, link))
  const client = await asMia(room)
  const entry_ids = [await idOf(room, 'SM_Stool')]
  const outside = { isError: true, content: [{ text: expect.stringMatching(/^OUTSIDE_PROJECT: .*Saved/s) }, {}] }
  expect(await call(client, 'pull_files', { entry_ids, on_conflict: 'overwrite' })).toMatchObject(outside)
  expect(await call(client, 'check_out_files', { props: ['SM_Stool'], bring_newest: true })).toMatchObject(outside)
  expect([readFileSync(mia.path('SM_Stool')), readdirSync(away)]).toEqual([mine, []])
  const { result } = await carriedOut(client, 'check_out_files', { props: ['SM_Stool'] })
  expect(result.props).toMatchObject([{ name: 'SM_Stool' }])
})

test('what lies outside of the project is refused, by .., by its whole path and behind links, and nothing is read or written there', async () => {
  const room = await inn(server)
  const { mia, olivia } = room
  await olivia.save('SM_Lamp')
  await olivia.ok('push')
  const away = temporaryFolder({ 'SM_Secret.uasset': 'x', 'secret.png': 'x' })
  mkdirSync(join(mia.root, 'Links'))
  symlinkSync(away, join(mia.root, 'Links/away'))
  symlinkSync(join(away, 'not-there'), join(mia.root, 'Links/dangling'))
  const secrets = temporaryFolder()
  symlinkSync(secrets, join(mia.root, 'Content/Away'))
  const client = await asMia(room)
  const refused = async (name: string, args: Json) =>
    expect([name, args, await call(client, name, args)]).toMatchObject([
      name,
      args,
      {
        isError: true,
        content: [{ text: expect.stringMatching(/^OUTSIDE_PROJECT: /) }, { text: expect.stringMatching(/^Next: /) }],
      },
    ])
  const outside = [
    '../x.uasset',
    away,
    'Links/away',
    'Links/away/SM_Secret.uasset',
    'Content/Inn/../../../x',
    `${mia.root}-other`,
  ]
  for (const path of outside) await refused('push_files', { paths: [path] })
  for (const props of [['../x.uasset'], [join(away, 'SM_Secret.uasset')], ['Links/away/SM_Secret.uasset']]) {
    await refused('check_out_files', { props })
    await refused('check_in_files', { props })
  }
  for (const image_file of [join(away, 'secret.png'), 'Links/away/secret.png', '../secret.png'])
    await refused('search', { image_file })
  expect(await call(client, 'search', { image_file: 'no.png' })).toMatchObject({
    isError: true,
    content: [
      {
        text: expect.stringMatching(
          /^VALIDATION: image_file: there is no such file\n<library-data-.*\n\{"image_file":"no.png"\}\n/,
        ),
      },
      {},
    ],
  })
  // A walk of the whole project would follow the link.
  await olivia.save('SM_Secret')
  copyFileSync(olivia.path('SM_Secret'), join(secrets, 'SM_Secret.uasset'))
  await refused('push_files', {})
  rmSync(join(mia.root, 'Content/Away'))
  rmSync(join(mia.root, 'Content/Inn'), { recursive: true })
  symlinkSync(away, join(mia.root, 'Content/Inn'))
  const entry_ids = [await idOf(room, 'SM_Lamp')]
  const { plan } = await carriedOut(client, 'pull_files', { entry_ids })
  expect(plan.pulls[0].obstacles).toMatchObject([{ kind: 'leads-elsewhere', file: 'Content/Inn' }])
  rmSync(join(mia.root, 'Content'), { recursive: true })
  symlinkSync(away, join(mia.root, 'Content'))
  await refused('pull_files', { entry_ids })
  expect(readdirSync(away).sort()).toEqual(['SM_Secret.uasset', 'secret.png'])
})

test('projects that were linked are worked in without being named; one that is gone, and two of them, are told', async () => {
  const room = await inn(server)
  const { mia, url } = room
  const other = temporaryFolder({ 'Tavern.uproject': '{}' })
  const linked = new LinkedProjects(agentFolder(findFolders(mia.env)), url)
  const link = (root: string, key: string) =>
    linked.save(
      { root, key, acceptsImports: true, takesAway: false, autoCheckout: false, engineVersion: null, hasDescriptor: true },
      new Date(),
    )
  link(mia.root, 'Inn')
  const client = await asMia(room, [])
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(onFiles))
  expect(client.getInstructions()).toContain(JSON.stringify({ project: 'Inn', folder: mia.root }))
  expect((await call(client, 'push_files')).structuredContent.plan).toMatchObject({ root: mia.root, summary: { new: 0 } })
  link(other, 'Tavern')
  expect((await call(client, 'push_files')).content).toMatchObject([
    { text: expect.stringMatching(/^SEVERAL_PROJECTS: .*\n<library-data-.*\n.*Tavern/) },
    {},
  ])
  rmSync(join(other, 'Tavern.uproject'))
  const gone = await call(client, 'push_files', { project: 'Tavern' })
  expect(gone.content).toMatchObject([{ text: expect.stringMatching(/^NO_PROJECT: .* any more/) }, {}])
  linked.close()
})

test('without a project the tools only order, and those on files say how one is linked; the hosted endpoint has none of them', async () => {
  const room = await inn(server)
  const client = await asMia(room, ['--toolsets', 'default,files'])
  const names = (await client.listTools()).tools.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['pull', 'check_out', 'release', 'jobs', ...onFiles]))
  const { content } = await call(client, 'push_files')
  expect(content).toMatchObject([
    { text: expect.stringMatching(/^NO_PROJECT/) },
    { text: expect.stringMatching(/ph agent link/) },
  ])
  const hosted = await connected({ workspace: room, headers: { 'x-mcp-toolsets': 'all' } })
  const there = (await hosted.listTools()).tools
  expect(there.filter(({ name }) => onFiles.includes(name))).toEqual([])
  expect(JSON.stringify(there.find(({ name }) => name === 'search'))).not.toContain('image_file')
  await expect(connected({ workspace: room, headers: { 'x-mcp-toolsets': 'files' } })).rejects.toThrow()
  const wrong = await ph(['mcp', '--project', temporaryFolder()], { env: room.mia.env, stdin: '' })
  expect([wrong.code, wrong.stderr]).toEqual([expect.any(Number), expect.stringMatching(/holds no \.uproject/)])
  expect(wrong.code).not.toBe(0)
})
