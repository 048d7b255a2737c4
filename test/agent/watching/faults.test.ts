/** What goes wrong while a project is watched is said, and ends nothing. */
import { execFile } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { findFolders, projectStateFile } from '../../../client/folders.ts'
import { type Person, personAt } from '../../support/person.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder, writeFiles } from '../../support/temporary-folder.ts'
import { packageAt } from '../../support/unreal-project.ts'
import { agentOf, until } from '../../support/watched-agent.ts'

const server = await startTestServer()

async function onePerson(): Promise<Person> {
  const { url, keys } = await server.addWorkspace()
  const mia = personAt(url, keys.mia)
  await mia.save('SM_Stool', 'one')
  await mia.ok('push Content')
  return mia
}

test('what cannot be remembered of one project is said, and the other goes on; so does the first once it can be', async () => {
  const mia = await onePerson()
  const other = temporaryFolder({ 'Tavern.uproject': '{}' })
  writeFiles(other, { 'Content/SM_Keg.uasset': await packageAt('Content/SM_Keg.uasset', {}) })
  const agent = await agentOf(mia)
  const file = projectStateFile(findFolders(mia.env), mia.env.PH_URL ?? '', mia.root)
  renameSync(file, `${file}.kept`)
  mkdirSync(file)
  await mia.save('SM_Stool', 'two')
  await until(async () => expect((await agent.report()).message).toContain('cannot be kept'))
  await agent.api.agentProjects.link({ path: other, accepts_imports: false })
  const tavern = async () => (await agent.api.agent.status()).projects.find(({ root }) => root === other)?.watching
  await until(async () => expect(await tavern()).toMatchObject({ state: 'watching', untracked: 1, message: null }))
  expect((await agent.api.agent.status()).parts.find(({ name }) => name === 'watching')).toMatchObject({
    state: 'running',
    failures: 0,
  })
  rmSync(file, { recursive: true })
  renameSync(`${file}.kept`, file)
  await until(async () => expect(await agent.report()).toMatchObject({ message: null, modified: 1 }))
})

test('while it is paused nothing is watched; afterwards everything is looked at', async () => {
  const mia = await onePerson()
  const agent = await agentOf(mia)
  await agent.api.agent.pause({})
  await until(async () => expect((await agent.report()).state).toBe('off'))
  await mia.save('SM_Stool', 'two')
  expect((await agent.api.agentFiles.list({ path: mia.root })).complete).toBe(false)
  expect(await agent.why('SM_Stool')).toMatchObject([{ kind: 'modified' }])
  await agent.api.agent.resume()
  await until(async () => expect(await agent.state('SM_Stool')).toBe('modified'))
})

test('a project whose Content folder is a link to another disk is watched like any other', async () => {
  const mia = await onePerson()
  const disk = join(temporaryFolder(), 'Inn Content')
  renameSync(join(mia.root, 'Content'), disk)
  symlinkSync(disk, join(mia.root, 'Content'))
  const agent = await agentOf(mia)
  expect(await agent.state('SM_Stool')).toBe('current')
  await mia.save('SM_Stool', 'two')
  await until(async () => expect(await agent.state('SM_Stool')).toBe('modified'))
  expect(await agent.why('SM_Stool')).toMatchObject([{ kind: 'modified' }])
})

test('another folder under the same name is looked at anew', async () => {
  const mia = await onePerson()
  const agent = await agentOf(mia)
  renameSync(mia.root, `${mia.root}-old`)
  writeFiles(mia.root, { 'Inn.uproject': '{}' })
  await mia.save('SM_New', 'one')
  await until(async () => expect(await agent.report()).toMatchObject({ state: 'watching', untracked: 1, missing: 1 }))
})

/** Where the system lets this process watch two folders. */
const watching = `
  import { copyFileSync } from 'node:fs'
  const { startAgent } = await import(process.env.AGENT)
  const { findFolders } = await import(process.env.FOLDERS)
  const { ROOT: root, FROM: from, TO: to, PH_URL: url, PH_API_KEY: key } = process.env
  const watchPace = { pollingMs: 200, folderMs: 100 }
  const { agent, stop } = await startAgent({ wire: { url, key, folders: findFolders() }, version: '0', notices: false, watchPace })
  agent.projects.link({ path: root, acceptsImports: false, autoCheckout: false, engineVersion: null, key: undefined }, new Date())
  const report = () => agent.watching.report(root)
  const until = async (holds) => { while (!holds()) await new Promise(setImmediate) }
  await until(() => report().state === 'polling')
  copyFileSync(from, to)
  await until(() => report().modified === 1)
  console.log(JSON.stringify(report()))
  await stop()`

test('where the system watches no more folders, that is said, and changes are found by looking', async () => {
  const mia = await onePerson()
  const elsewhere = temporaryFolder({
    'SM_Stool.uasset': await packageAt('Content/Inn/SM_Stool.uasset', { payload: Buffer.from('2') }),
  })
  const module = (path: string) => new URL(path, import.meta.url).href
  const env = {
    ...process.env,
    ...mia.env,
    AGENT: module('../../../agent/main.ts'),
    FOLDERS: module('../../../client/folders.ts'),
    ...{ ROOT: mia.root, FROM: join(elsewhere, 'SM_Stool.uasset'), TO: mia.path('SM_Stool') },
  }
  const limited = ['sh', '-c', 'echo 2 > /proc/sys/user/max_inotify_watches && exec "$@"', 'sh']
  const args = ['-Ur', ...limited, process.execPath, join(temporaryFolder({ 'watching.mjs': watching }), 'watching.mjs')]
  const { stdout } = await promisify(execFile)('unshare', args, { env })
  expect(JSON.parse(stdout)).toMatchObject({ state: 'polling', message: expect.stringContaining('max_user_watches') })
})
