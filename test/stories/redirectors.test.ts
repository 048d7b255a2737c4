/** Redirectors travel with what refers through them: files of the library, never props, never held. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callAs, type Json } from '../support/api.ts'
import { startTestServer } from '../support/server.ts'
import { type Workstation, workstation } from '../support/workstation.ts'

const server = await startTestServer()
const payload = (text: string) => Buffer.from(text)
const [inn, barrel, cask, vat] = ['Maps/L_Inn', 'Props/SM_Barrel', 'Furniture/SM_Cask', 'Cellar/SM_Vat']
const fileOf = (path: string) => `Content/${path}.${path.startsWith('Maps/') ? 'umap' : 'uasset'}`
const level = (refersTo: string, text = 'inn') => ({
  [fileOf(inn)]: { assetClass: 'World', imports: [`/Game/${refersTo}`], payload: payload(text) },
})
const leads = (from: string, to: string, guid: string) => ({
  [fileOf(from)]: { assetClass: 'ObjectRedirector', imports: [`/Game/${to}`], payload: payload(`to ${to}`), guid },
})
const mesh = (at: string, text: string, guid: string) => ({ [fileOf(at)]: { payload: payload(text), guid } })
const guids = ['A', 'B', 'C', 'D'].map((letter) => letter.repeat(32))
const [oldGuid = '', newGuid = '', thirdGuid = '', anotherGuid = ''] = guids

async function team(project = 'Inn'): Promise<{ mia: Workstation; max: Workstation; read(path: string): Promise<Json> }> {
  const { url, keys } = await server.addWorkspace()
  const api = callAs(url, keys.max)
  return {
    mia: workstation({ url, key: keys.mia }),
    max: workstation({ url, key: keys.max }, project),
    read: async (path) => (await api.get(path)).body,
  }
}

const isHere = (who: Workstation, ...paths: string[]) => paths.map((path) => existsSync(join(who.root, fileOf(path))))
const sameAs = (one: Workstation, other: Workstation, path: string) =>
  readFileSync(join(one.root, fileOf(path))).equals(readFileSync(join(other.root, fileOf(path))))

test('what was pushed with its redirector comes with it, and it is neither a prop nor a question', async () => {
  const { mia, max, read } = await team()
  await mia.save({ ...level(barrel), ...leads(barrel, cask, oldGuid), ...mesh(cask, 'v1', newGuid) })
  const { items } = await mia.ask('push')
  expect(items.map(({ file, status }: Json) => [file, status]).sort()).toEqual(
    [inn, barrel, cask].map((path) => [fileOf(path), 'new']).sort(),
  )
  expect((await read('/entries')).entries.map(({ name }: Json) => name).sort()).toEqual(['L_Inn', 'SM_Cask'])
  await max.ph('pull L_Inn')
  expect(isHere(max, inn, barrel, cask)).toEqual([true, true, true])
  await mia.ph('status --exit-code')
  await max.ph('status --exit-code')
  expect((await mia.ask('push')).items).toEqual([])
})

test('a rename pushes the redirector because the level in the library refers to it, and who pulls the level gets both', async () => {
  const { mia, max } = await team()
  await mia.save({ ...level(barrel), ...mesh(barrel, 'v1', oldGuid) })
  await mia.ph('push')
  await mia.save({ ...leads(barrel, cask, oldGuid), ...mesh(cask, 'v2', newGuid) })
  const { items } = await mia.ask('push')
  expect(items).toMatchObject([
    { file: fileOf(cask), status: 'new', entry_created: false },
    { file: fileOf(barrel), status: 'new', entry_id: null },
  ])
  await max.ph('pull L_Inn')
  for (const path of [inn, barrel, cask]) expect(sameAs(max, mia, path), path).toBe(true)
  await mia.ph('status --exit-code')
  await max.ph('status --exit-code')
})

test('a branch that puts a prop back over its redirector keeps nobody from the latest', async () => {
  const { mia, max } = await team()
  await mia.save({ ...level(barrel), ...mesh(barrel, 'v1', oldGuid) })
  await mia.ph('push')
  await max.ph('pull L_Inn')
  const before = readFileSync(join(max.root, fileOf(barrel)))
  await mia.save({ ...leads(barrel, cask, oldGuid), ...mesh(cask, 'v2', newGuid) })
  await mia.ph('push')
  await max.ph('pull')
  writeFileSync(join(max.root, fileOf(barrel)), before)
  await max.ph('pull')
  for (const path of [inn, barrel, cask]) expect(sameAs(max, mia, path), path).toBe(true)
  await max.ph('status --exit-code')
})

test('where a game moved the prop of another game as its own, the redirector comes to its other machines with the latest', async () => {
  const { url, keys } = await server.addWorkspace()
  const tavern = workstation({ url, key: keys.mia })
  const [moving, other] = [workstation({ url, key: keys.max }, 'Castle'), workstation({ url, key: keys.adam }, 'Castle')]
  await tavern.save(mesh(barrel, 'v1', oldGuid))
  await tavern.ph('push')
  // Both games begin with the same files.
  await moving.save({ ...level(barrel), ...mesh(barrel, 'v1', oldGuid) })
  await moving.ph('push')
  await other.ph('pull L_Inn')
  await moving.save({ ...leads(barrel, cask, oldGuid), ...mesh(cask, 'v2', newGuid) })
  expect((await moving.ask('push --held new')).items).toContainEqual(
    expect.objectContaining({ file: fileOf(cask), entry_created: true }),
  )
  await other.ph('pull')
  for (const path of [inn, barrel, cask]) expect(sameAs(other, moving, path), path).toBe(true)
  await other.ph('status --exit-code')
})

test('a redirector that nothing refers to stays at home; once something does, the next push takes it along', async () => {
  const { mia, max } = await team()
  await mia.save(mesh(barrel, 'v1', oldGuid))
  await mia.ph('push')
  await mia.save({ ...leads(barrel, cask, oldGuid), ...mesh(cask, 'v2', newGuid) })
  const { items, problems } = await mia.ask('push')
  expect(items).toMatchObject([{ file: fileOf(cask) }])
  expect(problems).toMatchObject([{ kind: 'redirector', files: [fileOf(barrel)] }])
  await mia.save(level(barrel))
  expect((await mia.ask('push')).items.map(({ file }: Json) => file).sort()).toEqual([fileOf(inn), fileOf(barrel)].sort())
  await max.ph('pull L_Inn')
  expect(isHere(max, inn, barrel, cask)).toEqual([true, true, true])
})

test('a second rename leads through two redirectors, and a redirector that is saved again goes on at its place', async () => {
  const { mia, max, read } = await team()
  await mia.save({ ...level(barrel), ...mesh(barrel, 'v1', oldGuid) })
  await mia.ph('push')
  await mia.save({ ...leads(barrel, cask, oldGuid), ...mesh(cask, 'v2', newGuid) })
  const before = (await mia.ask('push')).items.find(({ file }: Json) => file === fileOf(barrel))
  await mia.save({ ...leads(cask, vat, newGuid), ...mesh(vat, 'v3', thirdGuid) })
  await mia.ph('push')
  await max.ph('pull L_Inn')
  for (const path of [inn, barrel, cask, vat]) expect(sameAs(max, mia, path), path).toBe(true)
  // The editor shortens the chain: the first redirector leads to the end.
  await mia.save(leads(barrel, vat, oldGuid))
  const { items } = await mia.ask('push')
  expect(items).toMatchObject([{ file: fileOf(barrel), status: 'new', lineage_id: before.lineage_id }])
  const { entries } = await read('/entries?name=L_Inn')
  const { members } = await read(`/entries/${entries[0].id}/closure?dependencies=current`)
  expect(members.map(({ origin_path }: Json) => origin_path).sort()).toEqual(
    [vat, inn, barrel].map((path) => `/Game/${path}`).sort(),
  )
})

test('another prop in the place of a redirector takes it, and the level gets that one', async () => {
  const { mia, max } = await team()
  await mia.save({ ...level(barrel), ...leads(barrel, cask, oldGuid), ...mesh(cask, 'v1', newGuid) })
  await mia.ph('push')
  await mia.save(mesh(barrel, 'another', anotherGuid))
  expect((await mia.ask('push')).items).toMatchObject([{ file: fileOf(barrel), status: 'new', entry_created: true }])
  await max.ph('pull L_Inn')
  expect(isHere(max, inn, barrel, cask)).toEqual([true, true, false])
  expect(sameAs(max, mia, barrel)).toBe(true)
})

test('a rename whose redirector is gone is named by the plan and the pull, with what to save again, until that is done', async () => {
  const { mia, max } = await team()
  await mia.save({ ...level(barrel), ...mesh(barrel, 'v1', oldGuid) })
  await mia.ph('push')
  mia.remove(fileOf(barrel))
  await mia.save(mesh(cask, 'v2', oldGuid))
  await mia.ph('push')
  const said = { type: 'broken_reference', message: expect.stringContaining(`/Game/${barrel} is now /Game/${cask}`) }
  for (const line of ['pull L_Inn --plan', 'pull L_Inn']) {
    const { plans, jobs } = await max.ask(line)
    const [job] = plans ?? jobs
    expect(job.warnings, line).toMatchObject([said])
    expect(job.warnings[0].message, line).toContain('save L_Inn again, and push')
  }
  await mia.save(level(cask, 'saved again'))
  await mia.ph('push')
  expect((await max.ask('pull L_Inn')).jobs[0].warnings).toEqual([])
})

test('a redirector stays at home with a moved file that someone else was faster with, and the level keeps its mesh', async () => {
  const { mia, max } = await team()
  await mia.save({ ...level(barrel), ...mesh(barrel, 'v1', oldGuid) })
  await mia.ph('push')
  await max.ph('pull L_Inn')
  await max.save(mesh(barrel, 'v2', oldGuid))
  await max.ph('push')
  await mia.save({ ...leads(barrel, cask, oldGuid), ...mesh(cask, 'v1 moved', newGuid), ...level(barrel, 'saved') })
  const { items } = await mia.ask('push', 6)
  expect(Object.fromEntries(items.map(({ file, status }: Json) => [file, status]))).toEqual({
    [fileOf(inn)]: 'new',
    [fileOf(barrel)]: 'outdated',
    [fileOf(cask)]: 'outdated',
  })
  await max.ph('pull L_Inn')
  await max.ph('status --exit-code')
  expect(isHere(max, inn, barrel, cask)).toEqual([true, true, false])
})

/** Harbor and Castle pushed the same prop and level; then Harbor moved the prop, with a version for both. */
async function movedForBoth() {
  const { url, keys } = await server.addWorkspace()
  const [harbor, castle] = [workstation({ url, key: keys.mia }, 'Harbor'), workstation({ url, key: keys.max }, 'Castle')]
  for (const game of [harbor, castle]) {
    await game.save({ ...level(barrel), ...mesh(barrel, 'v1', oldGuid) })
    await game.ph('push')
  }
  await harbor.save({ ...leads(barrel, cask, oldGuid), ...mesh(cask, 'v2', newGuid) })
  await harbor.ph('push --held attach')
  return { harbor, castle, fresh: (game: string) => workstation({ url, key: keys.adam }, game) }
}

test('a prop of two games that one of them moved for both comes to the other with the redirector, and its next push and edit ask nothing', async () => {
  const { harbor, castle, fresh } = await movedForBoth()
  const [, advised = ''] = /ph (pull .+)/.exec((await castle.ph('status')).stdout) ?? []
  await castle.ph(advised)
  for (const path of [barrel, cask]) expect(sameAs(castle, harbor, path), path).toBe(true)
  await castle.ph('status --exit-code')
  expect((await castle.ph('pull')).stdout).toContain('is current')
  expect((await castle.ask('pull L_Inn')).jobs).toMatchObject([{ warnings: [] }])
  expect((await castle.ask('push')).summary).toMatchObject({ new: 0, held: 0 })
  await castle.save(mesh(cask, 'v3', newGuid))
  expect((await castle.ask('push')).items).toMatchObject([{ file: fileOf(cask), status: 'new', entry_created: false }])
  await harbor.ph('pull')
  expect(sameAs(castle, harbor, cask)).toBe(true)
  // A fresh machine of the other game gets all of it too.
  const newcomer = fresh('Castle')
  await newcomer.ph('pull L_Inn')
  for (const path of [inn, barrel, cask]) expect(sameAs(newcomer, castle, path), path).toBe(true)
})

test('a redirector whose prop was restored to its place keeps no file where that had been moved', async () => {
  const { mia, max, read } = await team()
  await mia.save({ ...level(barrel), ...mesh(barrel, 'v1', oldGuid) })
  await mia.ph('push')
  await mia.save({ ...leads(barrel, cask, oldGuid), ...mesh(cask, 'v2', newGuid) })
  await mia.ph('push')
  await max.ph('pull L_Inn')
  const [entry] = (await read('/entries?name=SM_Cask')).entries
  await mia.ph(`restore ${entry.id} --version v1`)
  await max.ph('pull --yes')
  expect(isHere(max, inn, barrel, cask)).toEqual([true, true, false])
  await max.ph('status --exit-code')
})

test('a prop that comes back to its place keeps no pull from the latest where another prop lay there meanwhile', async () => {
  const { mia, max, read } = await team('Tavern')
  await mia.save({ ...level(barrel), ...mesh(barrel, 'v1', oldGuid), ...mesh(vat, 'v1', thirdGuid) })
  await mia.ph('push')
  await mia.save({ ...leads(barrel, cask, oldGuid), ...mesh(cask, 'v2', newGuid) })
  await mia.ph('push')
  await mia.save({ [fileOf(barrel)]: { imports: [`/Game/${vat}`], payload: payload('another'), guid: anotherGuid } })
  await mia.ph('push')
  await max.ph('pull L_Inn')
  await max.ph('pull --all --yes')
  expect(isHere(max, barrel, cask, vat)).toEqual([true, true, true])
  await mia.save({ ...leads(vat, 'Cellar/SM_Tun', thirdGuid), ...mesh('Cellar/SM_Tun', 'v2', 'E'.repeat(32)) })
  await mia.ph('push')
  const [entry] = (await read('/entries?name=SM_Cask')).entries
  await mia.ph(`restore ${entry.id} --version v1`)
  await mia.ph('pull --yes')
  // The library still has the other prop, which refers to the vat, but this project does not.
  await max.ph('pull --yes')
  expect(isHere(max, barrel, cask, vat, 'Cellar/SM_Tun')).toEqual([true, false, false, true])
  expect(sameAs(max, mia, barrel)).toBe(true)
})

test('a prop in whose new place the project has another one by now is not brought over that one', async () => {
  for (const line of ['pull --yes', 'pull --all --yes', `pull ${fileOf(barrel)} --theirs`]) {
    const { mia, max } = await team('Tavern')
    await mia.save({ ...level(barrel), ...mesh(barrel, 'v1', oldGuid) })
    await mia.ph('push')
    await max.ph('pull L_Inn')
    await mia.save({ ...leads(barrel, cask, oldGuid), ...mesh(cask, 'v2', newGuid) })
    await mia.ph('push')
    await mia.save(mesh(cask, 'another', anotherGuid))
    await mia.ph('push --held new')
    expect((await max.ph(line)).stdout).not.toContain('others added')
    expect(sameAs(max, mia, cask), line).toBe(true)
    expect(sameAs(max, mia, barrel), line).toBe(true)
    await max.ph('status --exit-code')
  }
})

test('the ways out of a conflict between two redirectors work where nothing is known of the one here', async () => {
  for (const way of ['--theirs', '--mine']) {
    const { mia, max } = await team('Tavern')
    await mia.save({ ...level(barrel), ...leads(barrel, cask, oldGuid), ...mesh(cask, 'v1', newGuid) })
    await mia.ph('push')
    // A branch of long ago, or a push that was undone: its target lies nowhere.
    await max.save(leads(barrel, vat, oldGuid))
    const { stdout } = await max.ph('pull L_Inn', 6)
    const [, line = ''] = new RegExp(`\`ph (pull [^\`]*${way})\``).exec(stdout) ?? []
    expect(line).toContain(fileOf(barrel))
    await max.ph(line)
    if (way === '--theirs') expect(sameAs(max, mia, barrel)).toBe(true)
    else expect((await max.ask('push')).items).toContainEqual(expect.objectContaining({ file: fileOf(barrel), status: 'new' }))
    await max.ph('status --exit-code')
  }
})

test('where the other game edits a shared prop in its old place, the redirector there gives way, and the level stays pullable', async () => {
  const { harbor, castle, fresh } = await movedForBoth()
  await castle.save(mesh(barrel, 'v3', oldGuid))
  await castle.ph(`pull ${fileOf(barrel)} --mine`)
  await castle.ph(`push --attach ${fileOf(barrel)}`)
  const newcomer = fresh('Harbor')
  for (const line of ['pull L_Inn', 'pull --all --yes', 'pull L_Inn']) {
    for (const who of [harbor, newcomer]) {
      await who.ph(line)
      expect(sameAs(who, castle, barrel), line).toBe(true)
      expect(isHere(who, cask), line).toEqual([false])
    }
  }
})
