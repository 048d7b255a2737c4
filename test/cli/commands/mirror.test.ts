// Looking without the server: `ph mirror`, `--offline`, and what happens by itself when the server is away.
import { expect, test } from 'vitest'
import { createApi } from '../../../client/http/api.ts'
import { Http } from '../../../client/http/http.ts'
import { Thumbnails } from '../../../client/mirror/thumbnails.ts'
import { callAs } from '../../support/api.ts'
import { noisyPng } from '../../support/media.ts'
import { mirrorOf, newFolders } from '../../support/mirror.ts'
import { ph, type Setting, signedIn } from '../../support/ph.ts'
import { item, pushed } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'
import { startProxy } from '../../support/tcp-proxy.ts'

const server = await startTestServer()

async function newLibrary() {
  const { url, keys } = await server.addWorkspace()
  const caller = callAs(url, keys.adam)
  const [barrel, crate] = await pushed(caller, [item({ asset_name: 'SM_OldBarrel' }), item({ asset_name: 'SM_Crate' })])
  await caller.post('/locks', { lineage_id: barrel.lineage_id })
  const folders = newFolders()
  const away = { value: false }
  const proxy = await startProxy(url, () => (away.value ? 'cut' : undefined))
  const env = {
    ...signedIn(proxy.url(url), keys.mia),
    PH_CONFIG_DIR: folders.config,
    PH_STATE_DIR: folders.state,
    PH_CACHE_DIR: folders.cache,
  }
  const run = (line: string, more: Setting = {}) =>
    ph(line, { pause: async () => undefined, ...more, env: { ...env, ...more.env } })
  return { caller, barrel, crate, run, away, env, folders, wire: { url: proxy.url(url), key: keys.mia } }
}

test('searches, props and check-outs are the same JSON with the mirror as with the server', async () => {
  const { run, caller, barrel } = await newLibrary()
  expect((await run('mirror update')).code).toBe(0)
  await caller.patch(`/entries/${barrel.entry_id}`, { category: 'Props' })
  await run('mirror update')
  for (const line of [
    'search --json',
    'search barrel --json',
    'search oldbar --json --triangles 0..',
    'search --category Props --json',
    'search --name sm_crate --sort updated --json',
    'search --path /Game/Pack/ --facets --json',
    'locks --json',
  ]) {
    const [online, offline] = [await run(line), await run(`${line} --offline`)]
    expect([line, offline.code, offline.json()]).toEqual([line, 0, online.json()])
    expect(offline.stderr).toMatch(/^Offline, as of /)
  }
  const shown = await run('show SM_OldBarrel --offline --json')
  expect(shown.json()).toMatchObject({ entry: { name: 'SM_OldBarrel', category: 'Props' } })
  expect(shown.stderr).toMatch(/dependencies and referencers are not shown/)
})

test('when the server is away they answer from the mirror by themselves, with one remark', async () => {
  const { run, away, caller, barrel } = await newLibrary()
  await run('mirror update')
  await pushed(caller, [item({ asset_name: 'SM_OldBarrel', origin_path: '/Game/Pack/Props/SM_OldBarrel2' })])
  await caller.patch(`/entries/${barrel.entry_id}`, { name: 'SM_NewName' })
  const found = async () => {
    const { code, json, stderr } = await run('search crate --json')
    return { code, names: (json() as { entries: { name: string }[] }).entries.map(({ name }) => name), stderr }
  }
  expect(await found()).toMatchObject({ code: 0, names: ['SM_Crate'], stderr: '' })
  away.value = true
  const offline = await found()
  expect(offline).toMatchObject({ code: 0, names: ['SM_Crate'] })
  expect(offline.stderr).toMatch(/^Cannot reach .* Offline, as of .* Words are not looked for in comments\.\n$/)
  expect((await run('search nothinglikeit')).stderr).toContain('Nothing matches nothinglikeit')
  expect((await run('locks')).stdout).toContain('SM_OldBarrel')
  expect((await run('mirror status --json')).json()).toMatchObject({ state: 'offline', entries: 2 })
})

test('history covers the props that changed since the mirror was loaded, and says so', async () => {
  const { run, caller, crate } = await newLibrary()
  await run('mirror update')
  const unknown = await run('history SM_Crate --offline')
  expect([unknown.code, unknown.stderr]).toEqual([3, expect.stringContaining('changed since it was loaded')])
  await pushed(caller, [item({ asset_name: 'SM_Crate', attach_to_lineage: crate.lineage_id })])
  await run('mirror update')
  const [online, offline] = [await run('history SM_Crate --json'), await run('history SM_Crate --json --offline')]
  expect(offline.json()).toEqual(online.json())
})

test('a prop is shown with its version where the mirror knows it, and without a line where it does not', async () => {
  const { run, caller, crate } = await newLibrary()
  await run('mirror update')
  const lines = async (line: string) => (await run(line)).stdout.split('\n').filter((one) => /^(version|pulled) /.test(one))
  expect(await lines('show SM_Crate --offline')).toEqual([])
  await pushed(caller, [item({ asset_name: 'SM_Crate', attach_to_lineage: crate.lineage_id })])
  await run('mirror update')
  const [version, pulled] = await lines('show SM_Crate')
  expect([version, pulled]).toEqual([expect.stringMatching(/ v2, pushed by adam/), expect.stringContaining('never')])
  expect(await lines('show SM_Crate --offline')).toEqual([version])
})

test('the picture of a prop is shown offline where it was looked at before', async () => {
  const { run, caller, crate, wire, folders } = await newLibrary()
  await caller.put(`/entries/${crate.entry_id}/thumbnail?object_id=${crate.object_id}`, await noisyPng(64, 64))
  await run('mirror update')
  const terminal = { columns: 120, env: { PH_PICTURES: 'blocks', COLORTERM: 'truecolor', NO_COLOR: '' } }
  const show = async (line: string) => (await run(line, terminal)).stdout
  expect(await show('show SM_Crate --offline')).not.toContain('▀')
  const mirror = mirrorOf(wire.url, folders)
  const http = new Http(wire)
  await new Thumbnails(mirror, folders).of(crate.entry_id, { source: { api: createApi(http), http } })
  mirror.close()
  await http.close()
  const drawn = (text: string) =>
    text
      .split('\n')
      .filter((line) => line.includes('▀'))
      .map((line) => line.slice(0, 200))
  expect(drawn(await show('show SM_Crate --offline'))).toEqual(drawn(await show('show SM_Crate')))
  expect(await show('show SM_Crate --offline')).toContain('▀')
  expect(await show('show SM_Crate --offline --no-pictures')).not.toContain('▀')
})

test('without a mirror nothing is made up', async () => {
  const { run, away } = await newLibrary()
  const none = await run('search barrel --offline')
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('ph mirror update')])
  expect((await run('mirror status')).stdout).toContain('There is no mirror yet')
  away.value = true
  expect((await run('search barrel')).stderr).toContain('Cannot reach')
  expect((await run('mirror update')).code).toBe(3)
})

test('what only the server knows is refused offline', async () => {
  const { run } = await newLibrary()
  await run('mirror update')
  const refused = await run('search --pushed-from Tavern --offline')
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('is not known offline')])
  expect((await run('mirror rebuild')).stdout).toMatch(/^2 entries, .*, as of /)
})
