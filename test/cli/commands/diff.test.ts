/** ph diff, as people with a project each type it, against a real library. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callAs } from '../../support/api.ts'
import { type Person, personAt } from '../../support/person.ts'
import { startTestServer } from '../../support/server.ts'
import { picture } from '../../support/unreal-project.ts'

const server = await startTestServer()

const file = 'Content/Inn/SM_Barrel.uasset'
const barrel = (triangles: number, more: object = {}) => ({
  tags: { Triangles: String(triangles), LODs: '1', ApproxSize: '100x100x100' },
  imports: ['/Game/Inn/M_Oak'],
  ...more,
})

/** Olivia has pushed a barrel, then a finer one that needs iron and no oak; Mia has pulled the first. */
async function inn() {
  const { url, keys } = await server.addWorkspace()
  const [olivia, mia] = [personAt(url, keys.olivia), personAt(url, keys.mia)]
  for (const material of ['M_Oak', 'M_Iron']) await olivia.save(material)
  await olivia.save('SM_Barrel', 'one', barrel(1200))
  await olivia.ok('push')
  await mia.ok('pull SM_Barrel --project Inn')
  await olivia.save('SM_Barrel', 'two and more', barrel(2400, { imports: ['/Game/Inn/M_Iron'], engine: '5.4.0' }))
  await olivia.run(['push', '--note', 'New\nrings'])
  return { url, keys, olivia, mia }
}

const changeOf = (json: { comparison: { changes: { field: string }[] } }, field: string) =>
  json.comparison.changes.find((change) => change.field === field)

test('of a prop it says what the current version changed: measures, engine, size, dependencies, who pushed them and why', async () => {
  const { mia } = await inn()
  const { code, stdout } = await mia.run('diff SM_Barrel')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^SM_Barrel {2}v1 → v2\nv1 {2}pushed just now by olivia\nv2 {2}pushed just now by olivia: New rings\n/)
  expect(stdout).toContain('triangles    1,200 → 2,400 (+1,200)\n')
  expect(stdout).toContain('engine       5.3.2 → 5.4.0\n')
  expect(stdout).toMatch(/size {9}[\d.]+ (KiB|B) → [\d.]+ (KiB|B) \(\+\d+ B\)/)
  expect(stdout).toContain('Dependencies\n  + M_Iron  /Game/Inn/M_Iron\n  - M_Oak  /Game/Inn/M_Oak\n')
  expect(stdout).not.toContain('LODs')
})

test('as JSON both sides are whole, and the differences are values', async () => {
  const { mia } = await inn()
  const json = await mia.ok('diff SM_Barrel --from v2 --to v1')
  expect(json).toMatchObject({
    name: 'SM_Barrel',
    from: {
      file: null,
      version: 2,
      engine_version: '5.4.0',
      push_note: 'New\nrings',
      metadata: { tri_count: 2400, lod_count: 1 },
    },
    to: { version: 1, needs: [{ path: '/Game/Inn/M_Oak', version: 1 }] },
    comparison: { identical: false, dependencies: { added: [{ name: 'M_Oak' }], gone: [{ name: 'M_Iron' }], updated: [] } },
    current: null,
  })
  expect(changeOf(json, 'tri_count')).toEqual({ field: 'tri_count', from: 2400, to: 1200 })
  expect(changeOf(json, 'lod_count')).toBeUndefined()
})

test('a file is compared with the version that it was made from, not with a newer one, of which it is told', async () => {
  const { mia } = await inn()
  await mia.save('SM_Barrel', 'mine', barrel(1300, { imports: ['/Game/Inn/M_Oak', '/Game/Inn/M_Rope'] }))
  const { stdout } = await mia.run(['diff', file])
  expect(stdout).toContain(`SM_Barrel  v1 → the file here\n`)
  expect(stdout).toContain(`here  ${file}\n`)
  expect(stdout).toContain('triangles    1,200 → 1,300 (+100)\n')
  expect(stdout).toContain('Dependencies\n  + M_Rope  /Game/Inn/M_Rope\n')
  expect(stdout).not.toContain('M_Oak')
  expect(stdout).toMatch(/v2 is current by now: `ph diff \d+ --from file --to current`\n$/)
  const json = await mia.ok(`diff ${file} --to current --from file`)
  expect(changeOf(json, 'tri_count')).toEqual({ field: 'tri_count', from: 1300, to: 2400 })
  expect(json.from).toMatchObject({ file, object_id: null })
})

test('what a file does not say of itself, and the library knows from elsewhere, is no change', async () => {
  const { url, keys } = await server.addWorkspace()
  const olivia = personAt(url, keys.olivia)
  await olivia.save('SM_Barrel', 'one', barrel(1200))
  await olivia.ok('push')
  const api = callAs(url, keys.olivia)
  const [{ id, object_id }] = (await api.get('/entries?name=SM_Barrel')).body.entries
  expect((await api.put(`/entries/${id}/metadata?object_id=${object_id}`, { vert_count: 900 })).status).toBe(200)
  await olivia.save('SM_Barrel', 'two', barrel(1300))
  const json = await olivia.ok(`diff ${file}`)
  expect(json.from.metadata.vert_count).toBe(900)
  expect(json.comparison.changes.map(({ field }: { field: string }) => field)).toEqual(['tri_count'])
})

test('a package that is missing in the library too is no new dependency of the file', async () => {
  const { url, keys } = await server.addWorkspace()
  const olivia = personAt(url, keys.olivia)
  const spec = { imports: ['/Game/Inn/M_Gone'] }
  await olivia.save('SM_Crate', 'one', spec)
  await olivia.run('push')
  await olivia.save('SM_Crate', 'two', spec)
  expect((await olivia.ok('diff Content/Inn/SM_Crate.uasset')).comparison.dependencies).toEqual({
    added: [],
    gone: [],
    updated: [],
  })
})

test('a dependency that was pushed again is another version of it', async () => {
  const { olivia, mia } = await inn()
  await olivia.save('M_Iron', 'rusty')
  await olivia.save('SM_Barrel', 'three', barrel(2400, { imports: ['/Game/Inn/M_Iron'], engine: '5.4.0' }))
  await olivia.ok('push')
  expect((await mia.run('diff SM_Barrel')).stdout).toContain('Dependencies\n  ~ M_Iron  v1 → v2\n')
})

test('the same bytes, and bytes of which nothing more can be told, are said to be so', async () => {
  const { mia } = await inn()
  expect((await mia.run(['diff', file])).stdout).toContain('They are the same, byte for byte.')
  await mia.save('SM_Barrel', 'ONE', barrel(1200))
  expect((await mia.run(['diff', file])).stdout).toContain('The bytes differ; measures and dependencies are the same')
})

test('both pictures stand side by side on a terminal that shows them, each with its version below', async () => {
  const { url, keys } = await server.addWorkspace()
  const olivia = personAt(url, keys.olivia)
  for (const payload of ['one', 'two']) {
    await olivia.save('SM_Barrel', payload, { thumbnail: picture })
    await olivia.ok('push')
  }
  const seen = { columns: 80, env: { NO_COLOR: '', COLORTERM: 'truecolor', TERM: 'xterm-256color', PH_PICTURES: 'blocks' } }
  const { stdout } = await olivia.run('diff SM_Barrel', seen)
  expect(stdout).toMatch(/\n {2,}v1 {10,}v2/)
  expect(stdout.split('▀').length + stdout.split('█').length).toBeGreaterThan(20)
  expect((await olivia.run('diff SM_Barrel --no-pictures', seen)).stdout).not.toMatch(/[▀█]/)
})

test('what cannot be compared is refused, with what to do instead', async () => {
  const { mia, olivia } = await inn()
  const first = await mia.run('diff M_Oak')
  expect([first.code, first.stderr]).toEqual([1, expect.stringContaining('M_Oak has no version before v1')])
  await mia.save('SM_New')
  const unknown = await mia.run('diff Content/Inn/SM_New.uasset')
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('ph inspect')])
  const wrong = await mia.run('diff SM_Barrel --from v7')
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('SM_Barrel has no version v7')])
  expect((await mia.run('diff SM_Barrel --from newest')).stderr).toContain('--from takes a version as ph history lists it')
  const many = await olivia.run('diff Content')
  expect([many.code, many.stderr]).toEqual([2, expect.stringContaining('holds several props')])
  writeFileSync(join(mia.root, file), '')
  const damaged = await mia.run(['diff', file, '--from', 'v1', '--to', 'file'])
  expect(damaged.code).not.toBe(0)
  const nowhere = await mia.run('diff SM_Barrel --to file', { cwd: '/' })
  expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining('no file in the project that you are in')])
})

test('names with escape codes are shown, not executed, and every line fits 40 columns', async () => {
  const { url, keys, olivia } = await inn()
  const { entry_id } = await olivia.ok('diff SM_Barrel')
  await callAs(url, keys.olivia).patch(`/entries/${entry_id}`, { name: 'Bar\u001b[31mrel' })
  const { stdout } = await olivia.run(`diff ${entry_id}`, { columns: 40 })
  expect(stdout).not.toContain('\u001b[31m')
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(40)
})

test('a server that does not know single versions still compares bytes, engine and dependencies', async () => {
  const { url, keys } = await server.addWorkspace()
  const olivia: Person = personAt(url, keys.olivia)
  await olivia.save('M_Oak')
  await olivia.save('SM_Barrel', 'one', barrel(1200))
  await olivia.ok('push')
  await olivia.save('SM_Barrel', 'two', barrel(2400, { imports: [], engine: '5.4.0' }))
  await olivia.ok('push')
  const { readVersion } = await import('../../../client/compare/library-version.ts')
  const { compare } = await import('../../../client/compare/compare.ts')
  const { Http } = await import('../../../client/http/http.ts')
  const { createApi } = await import('../../../client/http/api.ts')
  const { ApiError } = await import('../../../contract/errors.ts')
  const http = new Http({ url, key: keys.olivia })
  const api = createApi(http)
  const older = { ...api, lineages: { ...api.lineages, version: () => Promise.reject(new ApiError('NOT_FOUND')) } }
  const { entries } = await api.entries.list({ name: ['SM_Barrel'] })
  const lineage = await api.lineages.get({ lineage_id: entries[0]?.lineage_id ?? '' })
  const [to, from] = await Promise.all(lineage.objects.map((object) => readVersion(older, lineage, object)))
  await http.close()
  if (!from || !to) throw new Error('a version is missing')
  expect([from.metadata, to.metadata?.tri_count]).toEqual([null, 2400])
  const { changes, dependencies } = compare(from, to)
  expect(changes).toContainEqual({ field: 'engine_version', from: '5.3.2', to: '5.4.0' })
  expect(dependencies).toMatchObject({ gone: [{ path: '/Game/Inn/M_Oak' }] })
})
