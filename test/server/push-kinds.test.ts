// Kinds of files that no library takes: what something runs, and what the editor would take for a script by its place.
import { beforeEach, expect, test } from 'vitest'
import { executableKinds, propKinds } from '../../contract/file-kinds.ts'
import { type Caller, callAs } from '../support/api.ts'
import { heldBefore, meshThatNeeds } from '../support/held-before.ts'
import { commitOf, type Item, item, manifestOf, plainFile, pushed, upload } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
let mia: Caller

beforeEach(async () => {
  const { url, keys } = await server.addWorkspace()
  mia = callAs(url, keys.mia)
})

const sayable = [...executableKinds].filter((kind) => /^[a-z0-9]{1,12}$/.test(kind))

/** Negotiate and commit say the same: 422 that names the second item by its field and its path. */
async function expectRefused(bad: Item, field: string): Promise<void> {
  const good = item()
  const items = [good, bad]
  await upload(mia, items)
  for (const route of ['/push/negotiate', '/push/commit']) {
    const { status, body } = await mia.post(route, manifestOf(items))
    expect([route, status, body.error?.code], JSON.stringify(body)).toEqual([route, 422, 'VALIDATION'])
    expect(body.error.details.errors).toEqual([{ path: `items.1.${field}`, message: expect.stringContaining(bad.origin_path) }])
  }
  expect((await mia.get('/entries')).body.entries).toEqual([])
}

test('negotiate and commit refuse each kind that something runs, naming the item, and register nothing', async () => {
  for (const source_ext of ['pyd', 'so', 'pyc', 'pth', 'dll', 'exe', 'lnk', 'uplugin'])
    await expectRefused(item({ source_ext, asset_class: 'SourceFile' }), 'source_ext')
  const all = sayable.map((source_ext) => item({ source_ext, asset_class: 'SourceFile', bytes: Buffer.from('x') }))
  const distinct = all.map((one, at) => ({ ...one, content_hash: at.toString(16).padStart(64, '0') }))
  const { status, body } = await mia.post('/push/negotiate', manifestOf(distinct))
  expect([status, body.error.details.errors.length]).toEqual([422, sayable.length])
})

test('every other extension that the specification allows is taken, also one that no project gets', async () => {
  const kinds = [...propKinds, 'txt', 'json', 'ini', 'zip', 'xyz', 'a1b2c3d4e5f6', '7']
  const items = kinds.map((source_ext) => plainFile({ source_ext, asset_class: 'SourceFile' }))
  expect(new Set((await pushed(mia, items)).map(({ status }) => status))).toEqual(new Set(['new']))
})

test.each(['/Game/Python/icon', '/game/python/Sub/icon', '/Game/PYTHON/icon'])(
  'below %s only packages are taken, whatever the case of its letters',
  async (path) => {
    const origin_path = path.replace(/^\/game/, '/Game')
    await expectRefused(item({ origin_path, source_ext: 'png', asset_class: 'SourceTexture' }), 'origin_path')
    await expectRefused(item({ origin_path, source_ext: 'txt', asset_class: 'SourceFile' }), 'origin_path')
    expect((await commitOf(mia, [item({ origin_path })])).body.summary).toMatchObject({ new: 1 })
  },
)

test('a path that it was pushed from names the kind too', async () => {
  for (const source_path of ['Tools/run.bat', 'x/init_unreal.py.', 'a/b.PYD::$DATA', 'lib/libevil.so.1'])
    await expectRefused(item({ source_ext: 'png', asset_class: 'SourceTexture', source_path }), 'source_path')
})

test('known bytes get no place at which their own kind would be a script', async () => {
  const icon = item({ origin_path: undefined, source_ext: 'png', asset_class: 'SourceTexture' })
  const [first] = await pushed(mia, [icon])
  const place = { ...icon, origin_path: '/Game/Python/icon', source_ext: undefined }
  const answer = await commitOf(mia, [place])
  expect([answer.status, answer.body.error?.details.errors[0].path]).toEqual([422, 'items.0.origin_path'])
  expect((await mia.get(`/entries/${first.entry_id}`)).body.origin_path).toBeNull()
  const [again] = await pushed(mia, [{ ...icon, origin_path: '/Game/Pack/icon' }])
  expect(again).toMatchObject({ status: 'dedup', enriched: ['origin_path'] })
})

test('an order names what the library holds from before and no project gets, in its plan, when it is made and when it is claimed', async () => {
  const { held, result } = await heldBefore(server, mia, { origin_path: '/Game/Python/fast', source_ext: 'pyd' })
  const mesh = await meshThatNeeds(mia, [held])
  const order = { target_project: 'Inn', target_root: '/Game', entries: [{ entry_id: mesh.result.entry_id }] }
  const warning = {
    type: 'not_placed',
    message: expect.stringMatching(/^Not placed: \/Game\/Python\/fast\.pyd is a program or script/),
    object_ids: [result.object_id],
  }
  expect((await mia.post('/pull-jobs/plan', order)).body.warnings).toEqual([warning])
  const { id, warnings, object_count } = (await mia.post('/pull-jobs', order)).body
  expect([warnings, object_count]).toEqual([[warning], 2])
  expect((await mia.post(`/pull-jobs/${id}/claim`, { project_key: 'Inn' })).body.warnings).toEqual([warning])
})
