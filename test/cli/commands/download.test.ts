/** ph download: a file of the library, by whatever name, to where it was asked for. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { callAs, type Json } from '../../support/api.ts'
import { ph, signedIn } from '../../support/ph.ts'
import { type Item, item, pushed } from '../../support/push.ts'
import { startTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

let env: Record<string, string>
let first: Item
let second: Item
let results: Json[]

beforeAll(async () => {
  const server = await startTestServer()
  const { url, keys } = await server.addWorkspace()
  env = signedIn(url, keys.miaReads)
  const caller = callAs(url, keys.olivia)
  first = item({ asset_name: 'SM_Barrel', origin_path: '/Game/Tavern/SM_Barrel' })
  const [result] = await pushed(caller, [first])
  const stamp = { stamped_lineage_id: result?.lineage_id, stamped_base_hash: first.content_hash }
  second = item({ asset_name: 'SM_Barrel', origin_path: '/Game/Tavern/SM_Barrel', ...stamp })
  const level = item({
    asset_class: 'World',
    asset_name: 'L_Inn',
    origin_path: '/Game/Tavern/L_Inn',
    entry: { entry_type: 'level' },
  })
  const { origin_path: _, ...sound } = item({
    asset_class: 'SourceAudio',
    asset_name: 'roll',
    source_ext: 'wav',
    entry: { name: 'a/b: roll?' },
  })
  results = [result, ...(await pushed(caller, [second, level, sound as Item]))]
})

test('a version is named as it is counted, with or without its v; an unknown one is refused', async () => {
  for (const [at, version] of ['v1', 'V1', '1'].entries()) {
    const cwd = temporaryFolder()
    expect([at, (await ph(`download SM_Barrel --version ${version}`, { env, cwd })).code]).toEqual([at, 0])
    expect(readFileSync(join(cwd, 'SM_Barrel.uasset')).equals(first.bytes)).toBe(true)
  }
  const unknown = await ph('download SM_Barrel --version v7', { env, cwd: temporaryFolder() })
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('SM_Barrel has no version v7.')])
  expect((await ph('download SM_Barrel --version newest', { env, cwd: temporaryFolder() })).code).toBe(2)
})

test('the current version lands in this folder under the name it has in the editor', async () => {
  const cwd = temporaryFolder()
  const { code, stdout } = await ph('download SM_Barrel', { env, cwd })
  expect(code).toBe(0)
  expect(stdout).toContain(join(cwd, 'SM_Barrel.uasset'))
  expect(readFileSync(join(cwd, 'SM_Barrel.uasset')).equals(second.bytes)).toBe(true)
})

test('an earlier version lands where -o says', async () => {
  const cwd = temporaryFolder()
  const outcome = await ph(`download SM_Barrel --version ${results[0]?.object_id} -o old.uasset --json`, { env, cwd })
  expect(outcome.json()).toEqual({
    entry_id: results[0]?.entry_id,
    object_id: results[0]?.object_id,
    version: 1,
    content_hash: first.content_hash,
    size: first.bytes.length,
    path: join(cwd, 'old.uasset'),
    outcome: 'downloaded',
  })
  expect(readFileSync(join(cwd, 'old.uasset')).equals(first.bytes)).toBe(true)
})

test('levels are .umap, and source files keep their extension and a name that every system takes', async () => {
  const cwd = temporaryFolder()
  await ph('download L_Inn', { env, cwd })
  await ph(`download ${results[3]?.entry_id}`, { env, cwd })
  expect(readdirSync(cwd).toSorted()).toEqual(['L_Inn.umap', 'roll.wav'])
})

test('a file that holds something else is left alone with exit code 5, unless --force', async () => {
  const cwd = temporaryFolder({ 'SM_Barrel.uasset': 'my own work' })
  const refused = await ph('download SM_Barrel', { env, cwd })
  expect(refused.code).toBe(5)
  expect(refused.stderr).toContain('--force')
  expect(readFileSync(join(cwd, 'SM_Barrel.uasset'), 'utf8')).toBe('my own work')
  expect((await ph('download SM_Barrel --force', { env, cwd })).code).toBe(0)
  expect((await ph('download SM_Barrel', { env, cwd })).stdout).toContain('holds this version already')
})

test('a version of another prop is refused', async () => {
  const { code, stderr } = await ph(`download SM_Barrel --version ${results[2]?.object_id}`, { env, cwd: temporaryFolder() })
  expect(code).toBe(1)
  expect(stderr).toContain('no version')
})

test('a folder that is not there is made, also where only a slash says that it is one', async () => {
  const cwd = temporaryFolder()
  for (const [output, place] of [
    ['some/where/x.uasset', 'some/where/x.uasset'],
    ['other/', 'other/SM_Barrel.uasset'],
  ] as const) {
    expect((await ph(`download SM_Barrel -o ${output}`, { env, cwd })).code).toBe(0)
    expect(readFileSync(join(cwd, place)).equals(second.bytes)).toBe(true)
  }
})
