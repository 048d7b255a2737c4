/** `ph agent plugin`: the editor's plugin in a project, and what `ph agent status` says of it. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolders, projectFolder, startTestAgent } from '../../support/agent.ts'
import { ph, signedIn } from '../../support/ph.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const server = await startTestServer()
/** Someone who never signed in, on a machine without an agent. */
const newPerson = () => {
  const { config, state, cache } = newFolders()
  return { PH_CONFIG_DIR: config, PH_STATE_DIR: state, PH_CACHE_DIR: cache }
}
const init = 'Plugins/PropHouse/Content/Python/init_unreal.py'

test('it puts the plugin into a project, without agent and sign-in, and says what to do next', async () => {
  const env = newPerson()
  const root = projectFolder('Tavern')
  const check = async () => (await ph(['agent', 'plugin', root, '--check', '--json'], { env })).json()
  expect(await check()).toEqual({
    path: join(root, 'Plugins/PropHouse'),
    state: 'missing',
    version: null,
    available: '1.0',
    changed: [],
  })
  const { code, stdout } = await ph(['agent', 'plugin', 'Tavern.uproject'], { env, cwd: root })
  expect([code, stdout.split('\n')]).toEqual([
    0,
    [
      `The plugin is in its place, version 1.0: ${join(root, 'Plugins/PropHouse')}`,
      'Start the editor, or start it again if it is open: the menu Prop House stands in its menu bar.',
      'The editor speaks to the agent of this machine, which does not run: ph agent start',
      '',
    ],
  ])
  expect(await check()).toMatchObject({ state: 'current', version: '1.0' })
  const again = (await ph(['agent', 'plugin', root, '--json'], { env })).json()
  expect(again).toMatchObject({ state: 'current', before: '1.0', done: false, copy: null })
})

test('a changed file is named and left with exit 5; --force replaces it and says where the copy is; --remove takes all away', async () => {
  const env = newPerson()
  const root = projectFolder('Tavern')
  await ph(['agent', 'plugin', root], { env })
  writeFileSync(join(root, init), '# mine')
  const refused = await ph(['agent', 'plugin', '.'], { env, cwd: root })
  expect(refused).toMatchObject({ code: 5, stderr: expect.stringMatching(/Someone changed .*init_unreal\.py.*\n.*--force/) })
  expect(readFileSync(join(root, init), 'utf8')).toBe('# mine')
  expect((await ph(['agent', 'plugin', root, '--check'], { env })).stdout).toContain('files that someone changed: Content/')
  const forced = await ph(['agent', 'plugin', root, '--force'], { env })
  expect(forced).toMatchObject({ code: 0, stdout: expect.stringContaining(`kept in ${join(root, 'Saved/PropHouse/Backups')}`) })
  expect(await ph(['agent', 'plugin', root, '--remove'], { env })).toMatchObject({
    code: 0,
    stdout: `The plugin is gone from ${join(root, 'Plugins')}.\n`,
  })
  expect(existsSync(join(root, 'Plugins/PropHouse'))).toBe(false)
})

test('a folder without .uproject is refused, and an engine that is too old is told of', async () => {
  const env = newPerson()
  const bare = temporaryFolder()
  expect(await ph(['agent', 'plugin', bare], { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('.uproject'),
  })
  const old = await ph(['agent', 'plugin', projectFolder('Tavern', '5.0')], { env })
  expect(old).toMatchObject({ code: 0, stdout: expect.stringContaining('its engine is 5.0; the plugin needs 5.1 or newer') })
  const both = await ph(['agent', 'plugin', '.', '--check', '--force'], { env, cwd: bare })
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('--check changes nothing') })
})

test('link and status say whether a project has the plugin, whether it is old, and the command that puts it there', async () => {
  const { url, keys } = await server.addWorkspace()
  const { folders } = await startTestAgent({ url, key: keys.mia })
  const env = {
    ...signedIn(url, keys.mia),
    PH_CONFIG_DIR: folders.config,
    PH_STATE_DIR: folders.state,
    PH_CACHE_DIR: folders.cache,
  }
  const root = projectFolder('Tavern')
  const fix = `ph agent plugin ${root}`
  expect((await ph(['agent', 'link', root], { env })).stdout).toContain(fix)
  const status = async () => (await ph('agent status', { env })).stdout
  expect(await status()).toContain(`no plugin: ${fix}`)
  expect((await ph(['agent', 'plugin', root], { env })).stdout).not.toContain('ph agent start')
  expect(await status()).toContain('· plugin 1.0 ·')
  expect((await ph('agent status --json', { env })).json()).toMatchObject({
    projects: [{ plugin: { state: 'current', version: '1.0', available: '1.0' } }],
  })
  rmSync(join(root, init))
  expect(await status()).toContain(`plugin 1.0, and this ph brings a later one, 1.0: ${fix}`)
  writeFileSync(join(root, init), '# mine')
  expect(await status()).toContain('plugin 1.0, with files that were changed')
})
