/** A key that counts no more, and a new sign-in, while the agent runs: it says so, and goes on with the new key by itself. */
import { expect, onTestFinished, test } from 'vitest'
import { newFolders, projectFolder } from '../../support/agent.ts'
import { callAs } from '../../support/api.ts'
import { phProcess } from '../../support/ph-process.ts'
import { newKey, startTestServer } from '../../support/server.ts'

const server = await startTestServer()

test('a key that is revoked is said, with what to do; after a new sign-in the same agent goes on with what it had', async () => {
  const { slug, url, keys } = await server.addWorkspace()
  const { config, state, cache } = newFolders()
  const env = { PH_CONFIG_DIR: config, PH_STATE_DIR: state, PH_CACHE_DIR: cache }
  const run = (args: string[], stdin?: string) => phProcess(args, { env, ...(stdin === undefined ? {} : { stdin }) })
  const login = async (key: string) => {
    const { code, stderr } = await run(['login', '--url', url, '--with-key', '--insecure-storage', '--json'], `${key}\n`)
    expect(code, stderr).toBe(0)
  }
  const status = async () => JSON.parse((await run(['agent', 'status', '--json'])).stdout)
  await login(keys.mia)
  onTestFinished(async () => void (await run(['agent', 'stop'])))
  const { pid } = JSON.parse((await run(['agent', 'start', '--json'])).stdout)
  const root = projectFolder('Tavern')
  expect(await run(['agent', 'link', root, '--accept-imports'])).toMatchObject({ code: 0 })
  await expect.poll(async () => (await status()).state).toBe('running')

  expect((await callAs(url, keys.mia).post('/auth/logout')).status).toBe(204)
  await expect.poll(async () => (await status()).state, { timeout: 50_000 }).toBe('signed_out')
  expect((await run(['agent', 'status'])).stdout).toContain('sign in with `ph login`, and it goes on by itself')

  const key = newKey()
  const member = `mia@${slug}.test`
  await server.changeWorkspace(slug, { members: [], keys: [{ name: 'mia again', member, scope: 'write', key }] })
  await login(key)
  await expect.poll(async () => (await status()).state, { timeout: 30_000 }).toBe('running')
  expect(await status()).toMatchObject({ pid, person: { name: 'mia' }, projects: [{ project_key: 'Tavern', root }] })
  const sessions = async () => (await callAs(url, key).get('/editor-sessions')).body.sessions
  await expect.poll(sessions).toMatchObject([{ project_key: 'Tavern', desktop_agent: 'live' }])
}, 120_000)
