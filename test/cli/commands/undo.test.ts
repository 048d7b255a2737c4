/** ph undo, as the person who pushed runs it, against a real library: with a colleague on another machine, and after a kill. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { findFolders } from '../../../client/folders.ts'
import { createApi } from '../../../client/http/api.ts'
import { Http } from '../../../client/http/http.ts'
import { deleteEntry, openLastPush, restoreBefore, stepFor } from '../../../client/push/undo.ts'
import { limits } from '../../../contract/limits.ts'
import { writePackage } from '../../../sample/package.ts'
import { callAs, type Json } from '../../support/api.ts'
import { type Outcome, ph, type Setting, signedIn } from '../../support/ph.ts'
import { startTestServer } from '../../support/server.ts'
import { startProxy } from '../../support/tcp-proxy.ts'
import { temporaryFolder, writeFiles } from '../../support/temporary-folder.ts'
import { packageAt } from '../../support/unreal-project.ts'

const server = await startTestServer()
const processFile = fileURLToPath(new URL('../../support/push-process.ts', import.meta.url))

const bytes = (name: string, payload: string): Promise<Buffer> =>
  writePackage({ packageName: `/Game/Inn/${name}`, assetClass: 'StaticMesh', payload: Buffer.from(payload) })

/** A person at a machine of their own, with a project of their own. */
async function at(url: string, key: string) {
  const root = temporaryFolder({ 'Inn.uproject': '{"EngineAssociation": "5.3"}' })
  const env = { ...signedIn(url, key), PH_STATE_DIR: temporaryFolder(), PH_CACHE_DIR: temporaryFolder(), NO_COLOR: '1' }
  const run = (line: string, more: Setting = {}): Promise<Outcome> =>
    ph(line, { cwd: root, ...more, env: { ...env, ...more.env } })
  return {
    root,
    env,
    run,
    async save(name: string, payload: string) {
      writeFiles(root, { [`Content/Inn/${name}.uasset`]: await bytes(name, payload) })
    },
    async ok(line: string, more: Setting = {}): Promise<Json> {
      const outcome = await run(`${line} --json`, more)
      expect(outcome.code, outcome.stdout + outcome.stderr).toBe(0)
      return outcome.json() as Json
    },
  }
}

async function library() {
  const { url, keys } = await server.addWorkspace()
  const api = callAs(url, keys.olivia)
  /** By name: which of its versions is current. */
  const current = async () => {
    const { entries } = (await api.get('/entries?type=mesh')).body
    const rows = entries.map(async ({ name, lineage_id, object_id }: Json) => {
      const { objects } = (await api.get(`/lineages/${lineage_id}`)).body
      return [name, objects.find((one: Json) => one.object_id === object_id).version]
    })
    return Object.fromEntries(await Promise.all(rows))
  }
  const idOf = async (name: string): Promise<number> =>
    (await api.get('/entries')).body.entries.find((entry: Json) => entry.name === name).id
  return { url, keys, api, current, idOf, olivia: await at(url, keys.olivia), mia: await at(url, keys.mia) }
}

/** Olivia, an owner, pushed SM_Barrel twice and SM_Stool with the second push. */
async function twoPushes() {
  const all = await library()
  await all.olivia.save('SM_Barrel', 'first')
  await all.olivia.ok('push')
  await all.olivia.save('SM_Barrel', 'second')
  await all.olivia.save('SM_Stool', 'stool')
  await all.olivia.ok('push')
  expect(await all.current()).toEqual({ SM_Barrel: 2, SM_Stool: 1 })
  return all
}

/** As an older library, or one that was set back since, which does not know the pushes. */
const forgetPushes = () => server.database.sql`delete from pushes`

test('versions and entries that the library gave the numbers of a push to, after it was set back, are left alone', async () => {
  const { olivia, api, idOf } = await twoPushes()
  const { sql } = server.database
  await forgetPushes()
  // As after a restore that began no epoch: someone else pushed other bytes, which got the number of the lost version.
  const barrel = (await api.get(`/entries/${await idOf('SM_Barrel')}`)).body
  await sql`update objects set content_hash = ${'ab'.repeat(32)} where id = ${barrel.object_id}`
  // And another prop got the number of the lost entry.
  const stool = (await api.get(`/entries/${await idOf('SM_Stool')}`)).body
  await sql`update lineages set id = 'another' where id = ${stool.lineage_id}`
  await sql`update objects set lineage_id = 'another' where lineage_id = ${stool.lineage_id}`
  await sql`update entries set lineage_id = 'another' where lineage_id = ${stool.lineage_id}`
  const currentIds = () => Promise.all([barrel, stool].map(async ({ id }) => (await api.get(`/entries/${id}`)).body.object_id))
  const before = await currentIds()
  const left = await olivia.run('undo --yes --json')
  expect(left.code).toBe(5)
  const said = (name: string) =>
    `${name} is not what was pushed: the library was set back to an earlier state since. It stays as it is.`
  for (const name of ['SM_Barrel', 'SM_Stool']) expect(left.stdout + left.stderr).toContain(said(name))
  expect(await currentIds()).toEqual(before)
})

test('the last push is taken back: what it moved is restored, what it made is deleted, and files here stay', async () => {
  const { olivia, current } = await twoPushes()
  const file = join(olivia.root, 'Content/Inn/SM_Barrel.uasset')
  const before = readFileSync(file)
  const { code, stdout, stderr } = await olivia.run('undo --yes')
  expect(code, stderr).toBe(0)
  expect(stdout).toContain('restored to v1')
  expect(stdout).toContain('deleted')
  expect(stderr).toContain('the files here stay as they are')
  expect(await current()).toEqual({ SM_Barrel: 1 })
  expect(readFileSync(file)).toEqual(before)
})

test('--dry-run shows the same and changes nothing, and without --yes a script is refused', async () => {
  const { olivia, current } = await twoPushes()
  const shown = await olivia.ok('undo --dry-run')
  expect(shown).toMatchObject({ dry_run: true, changed: 2, failed: 0 })
  const refused = await olivia.run('undo')
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain('--yes')
  expect(await current()).toEqual({ SM_Barrel: 2, SM_Stool: 1 })
})

test('a person sees the plan, is asked, and a no changes nothing', async () => {
  const { olivia, current } = await twoPushes()
  const no = await olivia.run('undo', { columns: 100, typed: ['n\n'] })
  expect(no.code).toBe(1)
  expect(no.stderr).toContain('would be restored to v1')
  expect(no.stderr).toContain('Take back 2 entries?')
  expect(await current()).toEqual({ SM_Barrel: 2, SM_Stool: 1 })
  expect((await olivia.run('undo', { columns: 100, typed: ['y\n'] })).code).toBe(0)
  expect(await current()).toEqual({ SM_Barrel: 1 })
})

test('a second undo says that it is undone already, and goes no further back', async () => {
  const { olivia, current } = await twoPushes()
  await olivia.ok('undo --yes')
  const { code, stdout } = await olivia.run('undo --yes')
  expect(code).toBe(0)
  expect(stdout).toContain('is undone already. Only one push is remembered.')
  expect(await current()).toEqual({ SM_Barrel: 1 })
})

test('after it the file is an edit of the version of before, and what was new is new again: a push sends both', async () => {
  const { olivia, current } = await twoPushes()
  await olivia.ok('undo --yes')
  const status = await olivia.ok('status')
  expect(status.files).toMatchObject([
    { file: 'Content/Inn/SM_Barrel.uasset', state: 'modified' },
    { file: 'Content/Inn/SM_Stool.uasset', state: 'untracked' },
  ])
  await olivia.ok('push')
  expect(await current()).toEqual({ SM_Barrel: 3, SM_Stool: 1 })
})

test('where a library restores version by version, status says what was undone, and a push that the library has it', async () => {
  const { olivia, current } = await twoPushes()
  await forgetPushes()
  await olivia.ok('undo --yes')
  const status = await olivia.ok('status')
  expect(status.files).toMatchObject([
    { file: 'Content/Inn/SM_Barrel.uasset', state: 'modified', undone: { name: 'v2' } },
    { file: 'Content/Inn/SM_Stool.uasset', state: 'deleted' },
  ])
  for (const _time of ['first', 'second']) {
    const { stdout, code } = await olivia.run('push')
    // What the push had made an entry is deleted by that: it comes back when someone says so.
    expect(code).toBe(6)
    const words = stdout.replaceAll(/\s+/g, ' ')
    expect(words).toContain('Held: deleted in the library')
    expect(words).toContain('SM_Barrel.uasset is v2, which the library has already; v1 is current.')
    expect(words).toMatch(/To make v2 current: `ph restore \d+ --version v2`/)
    expect(words).not.toContain('again; v')
  }
  expect(await current()).toEqual({ SM_Barrel: 1 })
  await olivia.ok('push --held new')
  expect(await current()).toEqual({ SM_Barrel: 1, SM_Stool: 1 })
  await olivia.save('SM_Barrel', 'third')
  await olivia.ok('push')
  expect(await current()).toMatchObject({ SM_Barrel: 3 })
})

test("a library that restores version by version: a colleague's newer version stays and is named, the rest is undone, and the exit code is 6", async () => {
  const { olivia, mia, current } = await twoPushes()
  await forgetPushes()
  await mia.ok('pull SM_Barrel --project Inn')
  await mia.save('SM_Barrel', 'of mia')
  await mia.ok('push')
  const { code, stdout } = await olivia.run('undo --yes')
  expect(code).toBe(6)
  expect(stdout).toMatch(/v3 by \S+ of SM_Barrel is current by now, and stays/)
  expect(await current()).toEqual({ SM_Barrel: 3 })
})

test('what someone pulled meanwhile is not deleted', async () => {
  const { olivia, mia, current } = await twoPushes()
  await forgetPushes()
  await mia.ok('pull SM_Stool --project Inn')
  const { code, stdout } = await olivia.run('undo --yes')
  expect(code).toBe(6)
  expect(stdout).toContain('SM_Stool was pulled or downloaded since')
  expect(await current()).toEqual({ SM_Barrel: 1, SM_Stool: 1 })
})

test('a library that restores version by version: a member has the versions restored, and is told what an admin has to delete', async () => {
  const { mia, olivia, current, idOf } = await library()
  await mia.save('SM_Barrel', 'first')
  await mia.ok('push')
  await mia.save('SM_Barrel', 'second')
  await mia.save('SM_Stool', 'stool')
  await mia.ok('push')
  await forgetPushes()
  const { code, stdout } = await mia.run('undo --yes')
  expect(code).toBe(6)
  expect(await current()).toEqual({ SM_Barrel: 1, SM_Stool: 1 })
  const asked = `ph delete ${await idOf('SM_Stool')}`
  expect(stdout).toContain(`Ask an admin to delete what is new: \`${asked}\``)
  await olivia.ok(`${asked.slice(3)} --yes`)
  expect(await mia.run('undo --yes')).toMatchObject({ code: 0, stdout: expect.stringContaining('deleted already') })
})

/** The memory of olivia's last push and the calls of her key, as `ph undo` has them once it has made its plan. */
async function planning({ olivia, url, keys }: Awaited<ReturnType<typeof library>>, name: string) {
  const last = openLastPush(olivia.root, { folders: findFolders(olivia.env), url })
  const version = last?.push.versions.find((one) => one.name === name)
  if (!last || !version) throw new Error('nothing is remembered')
  const http = new Http({ url, key: keys.olivia, clientName: 'test/1' })
  onTestFinished(async () => {
    last.memory.close()
    await http.close('destroy')
  })
  const api = createApi(http)
  const entry = await api.entries.get({ entry_id: version.entryId ?? 0 })
  return { version, entry, api, memory: last.memory }
}

test('a version that a colleague pushed while the question stood is not deleted with the entry', async () => {
  const all = await twoPushes()
  const { version, entry, api, memory } = await planning(all, 'SM_Stool')
  expect(await stepFor(version, entry, { api, isAdmin: true })).toEqual({ kind: 'delete' })
  await all.mia.save('SM_Stool', 'of mia')
  await all.mia.ok('push --held attach')
  await expect(deleteEntry(version, { entry, api, memory })).rejects.toThrow(/v2 by .* of SM_Stool/)
  expect(await all.current()).toMatchObject({ SM_Stool: 2 })
})

test('a version that a colleague pushed while the question stood stays current', async () => {
  const all = await twoPushes()
  const { version, entry, api, memory } = await planning(all, 'SM_Barrel')
  const step = await stepFor(version, entry, { api, isAdmin: true })
  if (step.kind !== 'restore') throw new Error(`it would be ${step.kind}`)
  await all.mia.save('SM_Barrel', 'of mia')
  await all.mia.ok('push --held attach')
  const restoring = restoreBefore(version, { entryId: entry.id, to: step.to, api, memory })
  await expect(restoring).rejects.toMatchObject({ code: 'STALE_FACE' })
  expect(await all.current()).toMatchObject({ SM_Barrel: 3 })
})

test('where the version from before is not in the library any more, no other one takes its place', async () => {
  const { version, entry, api } = await planning(await twoPushes(), 'SM_Barrel')
  const step = await stepFor({ ...version, beforeObjectId: 1_000_000 }, entry, { api, isAdmin: true })
  expect(step).toMatchObject({ kind: 'refused', why: { code: 'OBJECT_NOT_FOUND' } })
})

test('an entry that has a later version, although that is not current, is not deleted', async () => {
  const { olivia, mia, current, idOf } = await twoPushes()
  await mia.save('SM_Stool', 'of mia')
  await mia.ok('push --held attach')
  await olivia.ok(`restore ${await idOf('SM_Stool')} --version v1`)
  await forgetPushes()
  const { code, stdout } = await olivia.run('undo . --yes')
  expect(code).toBe(6)
  expect(stdout).toContain('SM_Stool has a later version, v2, which would be deleted with it.')
  expect(await current()).toEqual({ SM_Barrel: 1, SM_Stool: 1 })
})

test('what someone has restored already is as before the push, and no failure', async () => {
  const { olivia, current, idOf } = await twoPushes()
  await olivia.ok(`restore ${await idOf('SM_Barrel')} --version v1`)
  await forgetPushes()
  const undone = await olivia.ok('undo . --yes')
  expect(undone).toMatchObject({ changed: 1, unchanged: 1, failed: 0 })
  expect(undone.entries.map(({ name, outcome }: Json) => [name, outcome])).toContainEqual([
    'SM_Barrel',
    'as before the push already',
  ])
  expect(await current()).toEqual({ SM_Barrel: 1 })
})

test('from a project within the one that was pushed, the push of the outer one is not taken back', async () => {
  const { olivia, current } = await twoPushes()
  writeFiles(olivia.root, { 'Samples/Shed.uproject': '{}', 'Samples/Content/keep': '' })
  const { code, stderr } = await olivia.run('undo . --yes', { cwd: join(olivia.root, 'Samples/Content') })
  expect([code, stderr]).toEqual([1, expect.stringContaining('is remembered on this machine')])
  expect(await current()).toEqual({ SM_Barrel: 2, SM_Stool: 1 })
  await olivia.ok('undo --yes', { cwd: join(olivia.root, 'Content/Inn') })
  expect(await current()).toEqual({ SM_Barrel: 1 })
})

/** Olivia pushed a level with one actor. */
async function levelWithActor() {
  const all = await library()
  const { olivia } = all
  const actor = 'Content/__ExternalActors__/Maps/L_Town/0/1A/AAAA.uasset'
  writeFiles(olivia.root, {
    'Content/Maps/L_Town.umap': await packageAt('Content/Maps/L_Town.umap', {}),
    [actor]: await packageAt(actor, { assetClass: 'StaticMeshActor', imports: ['/Game/Maps/L_Town'] }),
  })
  await olivia.ok('push')
  return { ...all, actor }
}

test('a library that restores version by version: files without an entry stay there, and are named', async () => {
  const { olivia, api, actor } = await levelWithActor()
  await forgetPushes()
  const { code, stdout } = await olivia.run('undo --dry-run')
  expect(code).toBe(6)
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('1 file without an entry, such as parts of levels, stays in the library')
  const undone = await olivia.run('undo --yes --json')
  expect(undone.code).toBe(6)
  expect(undone.json()).toMatchObject({ changed: 1, without_entry: [{ file: actor, object_id: expect.any(Number) }] })
  expect((await api.get('/entries')).body.entries).toEqual([])
  const again = await olivia.run('undo --yes')
  expect([again.code, again.stdout.replaceAll(/\s+/g, ' ')]).toEqual([6, expect.stringContaining('1 file without an entry')])
})

test('files without an entry go with the push', async () => {
  const { olivia, api, actor } = await levelWithActor()
  const shown = await olivia.run('undo --dry-run')
  expect([shown.code, shown.stdout.replaceAll(/\s+/g, ' ')]).toEqual([
    0,
    expect.stringContaining('1 file without an entry, such as parts of levels, would go with it.'),
  ])
  const undone = await olivia.ok('undo --yes')
  expect(undone).toMatchObject({ changed: 1, failed: 0, also_undone: [{ file: actor, object_id: expect.any(Number) }] })
  expect((await api.get('/entries')).body.entries).toEqual([])
  expect((await server.database.sql`select 1 from objects where id = ${undone.also_undone[0].object_id}`).length).toBe(0)
  expect((await olivia.ok('push')).summary).toMatchObject({ new: 2 })
})

test('a member takes back what is new without an admin', async () => {
  const { mia, current } = await library()
  await mia.save('SM_Barrel', 'first')
  await mia.ok('push')
  await mia.save('SM_Barrel', 'second')
  await mia.save('SM_Stool', 'stool')
  await mia.ok('push')
  const { code, stdout } = await mia.run('undo --yes')
  expect([code, stdout]).toEqual([0, expect.stringContaining('restored to v1')])
  expect(await current()).toEqual({ SM_Barrel: 1 })
})

test('what a colleague did with it is named, nothing is taken back, and the exit code is 5', async () => {
  const { olivia, mia, current, idOf } = await twoPushes()
  await mia.ok('pull SM_Stool --project Inn')
  for (const line of ['undo --dry-run', 'undo --yes']) {
    const { code, stderr } = await olivia.run(line)
    const words = stderr.replaceAll(/\s+/g, ' ')
    expect(code).toBe(5)
    expect(words).toMatch(/SM_Stool: mia pulled it \(.*\)\. Nothing was changed\./)
    expect(words).toContain(`ph history ${await idOf('SM_Stool')}`)
  }
  expect(JSON.parse((await olivia.run('undo --yes --json')).stderr)).toMatchObject({
    error: { code: 'CONFLICT', details: { used: [{ did: 'pulled', name: 'SM_Stool', by: { name: 'mia' } }] } },
  })
  expect(await current()).toEqual({ SM_Barrel: 2, SM_Stool: 1 })
})

test('actors that a colleague pulled are told of together, by their level and never by the hash that their file is called', async () => {
  const { olivia, mia } = await levelWithActor()
  const more = ['BBBB', 'CCCC'].map((hash) => `Content/__ExternalActors__/Maps/L_Town/0/1A/${hash}.uasset`)
  const spec = { assetClass: 'StaticMeshActor', imports: ['/Game/Maps/L_Town'] }
  for (const file of more) writeFiles(olivia.root, { [file]: await packageAt(file, spec) })
  await olivia.ok('push')
  await mia.ok('pull L_Town --project Inn')
  const { code, stderr } = await olivia.run('undo --yes')
  expect(code).toBe(5)
  const words = stderr.replaceAll(/\s+/g, ' ')
  expect(words).toMatch(/others use what it brought\. 2 actors of L_Town: mia pulled them \(.*?\)/)
  expect(words).not.toMatch(/BBBB|CCCC|without a name/)
})

test('a push of the day before yesterday has its versions restored one by one, and that is said', async () => {
  const { olivia, current } = await twoPushes()
  await server.database.sql`update pushes set pushed_at = pushed_at - interval '25 hours'`
  const { code, stderr } = await olivia.run('undo --yes')
  expect([code, stderr.replaceAll(/\s+/g, ' ')]).toEqual([0, expect.stringContaining('taken back whole for 24 hours')])
  expect(await current()).toEqual({ SM_Barrel: 1 })
})

test('an undo whose answer was lost is run again, and says what it did', async () => {
  const { olivia, url, keys, current } = await twoPushes()
  const last = openLastPush(olivia.root, { folders: findFolders(olivia.env), url })
  const { batchKeys = [] } = last?.push ?? {}
  last?.memory.close()
  expect((await callAs(url, keys.olivia).post('/push/undo', { batch_keys: batchKeys })).status).toBe(200)
  const { code, stdout } = await olivia.run('undo --yes')
  expect([code, stdout]).toEqual([0, expect.stringContaining('restored to v1')])
  expect(await current()).toEqual({ SM_Barrel: 1 })
  expect((await olivia.ok('status')).files).toMatchObject([{ state: 'modified' }, { state: 'untracked' }])
})

test('of a push that was killed between two commits, what the library acknowledged is undone', async () => {
  const { mia, url, keys, current } = await library()
  let [commits, kill] = [0, (): unknown => undefined]
  const wire = await startProxy(server.url, (sent) => {
    commits += sent.split('POST ').filter((text) => /^\S*\/push\/commit /.test(text)).length
    return commits > 2 && kill() ? 'cut' : undefined
  })
  const olivia = await at(wire.url(url), keys.olivia)
  await olivia.save('SM_Barrel', 'first')
  await olivia.ok('push')
  expect(commits).toBe(1)
  // A batch and more that the library has already, so that what is new goes with two commits.
  const many = Array.from({ length: limits.manifest.recommendedBatch + 10 }, (_, at) => `T_${String(at).padStart(4, '0')}`)
  const files = Object.fromEntries(many.map((name) => [`Content/Inn/${name}.obj`, `v 0 0 ${name.slice(2)}\n`]))
  for (const person of [olivia, mia]) writeFiles(person.root, files)
  await mia.ok('push')
  await olivia.save('SM_Barrel', 'second')
  await olivia.save('SM_Stool', 'stool')
  await olivia.save('Z_Last', 'last')
  const options = { paths: [join(olivia.root, 'Content')], url: wire.url(url), key: keys.olivia, state: olivia.env.PH_STATE_DIR }
  const child = spawn(process.execPath, [processFile, JSON.stringify(options)], { stdio: 'ignore' })
  kill = () => child.kill('SIGKILL')
  const [, signal] = await once(child, 'exit')
  expect(signal).toBe('SIGKILL')
  const pushed = await current()
  expect(pushed).toMatchObject({ SM_Barrel: 2, SM_Stool: 1 })
  expect(pushed.Z_Last).toBeUndefined()
  kill = () => undefined
  const undone = await olivia.ok('undo --yes')
  expect(undone).toMatchObject({ changed: 2, failed: 0 })
  const after = await current()
  expect(after.SM_Barrel).toBe(1)
  expect(after.SM_Stool).toBeUndefined()
})

test('outside of any pushed folder it is said that nothing is remembered', async () => {
  const { olivia } = await library()
  const { code, stderr } = await olivia.run('undo', { cwd: temporaryFolder() })
  expect(code).toBe(1)
  expect(stderr).toContain('is remembered on this machine')
  expect(stderr).toContain('Nothing was pushed there from this machine')
})

test('outside of any pushed folder those are named that were pushed and are not undone, with a command that works', async () => {
  const { olivia, current } = await twoPushes()
  const castle = temporaryFolder({ 'Castle.uproject': '{}', 'Content/Inn/SM_Gate.uasset': await bytes('SM_Gate', 'gate') })
  await olivia.ok('push', { cwd: castle, now: new Date(Date.now() + 60_000) })
  // A memory that is no database is in nobody's way.
  writeFiles(olivia.env.PH_STATE_DIR, { 'projects/damaged.sqlite': 'not a database' })
  const lost = () => olivia.run('undo .', { cwd: temporaryFolder() })
  const { stderr } = await lost()
  expect(stderr.indexOf(castle)).toBeGreaterThan(0)
  expect(stderr.indexOf(olivia.root)).toBeGreaterThan(stderr.indexOf(castle))
  const [, line = ''] = /`ph (undo [^`]+)`/.exec(stderr.replaceAll(/\s+/g, ' ')) ?? []
  await olivia.ok(`${line} --yes`)
  expect(await current()).not.toHaveProperty('SM_Gate')
  const after = (await lost()).stderr
  expect([after.includes(castle), after.includes(olivia.root)]).toEqual([false, true])
})
