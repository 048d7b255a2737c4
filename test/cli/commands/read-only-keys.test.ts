/** What commands say to a key that only reads, before anything is asked, and once; and to one of another workspace. */
import { expect, test } from 'vitest'
import { callAs } from '../../support/api.ts'
import { ph, signedIn } from '../../support/ph.ts'
import { item, pushed, uniqueName } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const server = await startTestServer()
const { url, keys } = await server.addWorkspace()
const env = signedIn(url, keys.miaReads)
const mia = callAs(url, keys.mia)
const name = uniqueName('SM_Barrel')
const [{ entry_id } = { entry_id: 0 }] = await pushed(mia, [item({ asset_name: name })])
const pack = (await mia.get(`/entries/${entry_id}`)).body.pack.name as string
await mia.post('/tags', { name: 'oak' })
await mia.post('/collections', { name: 'Inn' })
await mia.post('/projects', { name: 'Tavern' })

const folder = () => temporaryFolder({ 'rock.obj': 'v 0 0 0\n' })

test.each([
  ['pack', 'delete', pack],
  ['tag', 'delete', 'oak'],
  ['collection', 'delete', 'Inn'],
  ['project', 'delete', 'Tavern'],
  ['category', 'set', 'Furniture', name],
  ['delete', name],
  ['send', name, '--project', 'Tavren'],
  ['push', '.'],
])('%s %s is refused to a key that only reads before it is asked, with and without a terminal', async (...args) => {
  const cwd = folder()
  const state = { PH_STATE_DIR: temporaryFolder() }
  const asked = await ph(args, { env: { ...env, ...state }, cwd, columns: 100, typed: ['y\n'] })
  expect([asked.code, asked.stderr]).toEqual([1, expect.stringContaining('This key is read-only.')])
  expect(asked.stderr).not.toContain('[y/N]')
  expect(asked.stderr.match(/write scope/g)).toHaveLength(1)
  if (args[0] === 'push') return
  const script = await ph([...args, '--json'], { env, cwd })
  expect([script.code, JSON.parse(script.stderr).error.code]).toEqual([1, 'FORBIDDEN'])
})

test('the command that it names gets a key that may write', async () => {
  const { stderr } = await ph('tag delete oak', { env })
  expect(stderr).toContain('`ph login --scope write`')
})

test.each([
  ['tag', 'create', 'pine'],
  ['deprecate', name],
  ['rename', name, 'SM_Cask'],
])('%s %s, which asks nothing, is refused with what helps said once', async (...args) => {
  const { code, stderr } = await ph(args, { env })
  expect([code, stderr]).toEqual([1, expect.stringContaining('This key is read-only.')])
  expect(stderr.match(/write scope/g)).toHaveLength(1)
})

test('a key of another workspace is told where it belongs, and not to sign in anew', async () => {
  const other = await server.addWorkspace()
  const { code, stderr } = await ph('search oak', { env: signedIn(url, other.keys.mia) })
  expect(code).toBe(1)
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`next: Put /w/${other.slug} behind the address of the server`)
})
