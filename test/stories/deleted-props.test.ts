/** A prop is deleted from the library, and files of it lie in projects of others: they hear who did it, and nobody brings it back unawares. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Json } from '../support/api.ts'
import { type Keys, startTestServer } from '../support/server.ts'
import { type Workstation, workstation } from '../support/workstation.ts'

const server = await startTestServer()
const old = 'Content/Props/SM_Old.uasset'
const oldGuid = '0123456789ABCDEF0123456789ABCDEF'
const payload = (text: string) => Buffer.from(text)

/** Adam, an admin, pushed the project; Mia pushed her copy of it after him; then he deleted the prop. */
async function deletedAtMias(): Promise<{ adam: Workstation; mia: Workstation; url: string; keys: Keys }> {
  const { url, keys } = await server.addWorkspace()
  const adam = workstation({ url, key: keys.adam })
  await adam.save({
    [old]: { payload: payload('v1'), guid: oldGuid },
    'Content/Props/SM_B.uasset': { payload: payload('b1') },
  })
  await adam.ph('push')
  const mia = adam.copyFor(keys.mia)
  await mia.ph('push')
  await adam.ph('delete SM_Old --yes')
  return { adam, mia, url, keys }
}

const deletedFiles = async (who: Workstation) => (await who.ask('status')).files.filter(({ state }: Json) => state === 'deleted')
const searched = async (who: Workstation, word: string): Promise<string[]> =>
  (await who.ask(`search ${word}`)).entries.map(({ name }: { name: string }) => name)

test('status says who deleted a prop and when, on a machine that pushed it and on a fresh one; a push holds it until it is told that it is new', async () => {
  const { adam, mia, keys } = await deletedAtMias()
  for (const who of [mia, mia.copyFor(keys.max)]) {
    const { stdout } = await who.ph('status')
    expect(stdout).toMatch(/Deleted in the library:\n {2}x Content\/Props\/SM_Old\.uasset {2}by adam on \d{4}-\d\d-\d\d/)
    expect(await deletedFiles(who)).toMatchObject([{ file: old, deleted: { name: 'SM_Old' } }])
    await who.save({ 'Content/Props/SM_B.uasset': { payload: payload(`b2 ${who.root}`) } })
    const pushed = await who.ph('push --held attach', 6)
    expect(pushed.stdout).toContain('Held: deleted in the library')
    expect(await searched(adam, 'old')).toEqual([])
  }
  await mia.ph('push --held new')
  expect(await searched(adam, 'old')).toEqual(['SM_Old'])
  const { summary } = await mia.ask('status')
  expect(summary).toMatchObject({ deleted: 0, untracked: 0, current: 2 })
})

test('an edit of a deleted prop is held too, by its GUID on a fresh machine; another prop in its place goes', async () => {
  const { mia, keys } = await deletedAtMias()
  await mia.save({ [old]: { payload: payload('v2'), guid: oldGuid } })
  const fresh = mia.copyFor(keys.max)
  for (const who of [mia, fresh]) {
    expect(await deletedFiles(who)).toMatchObject([{ file: old, state: 'deleted' }])
    expect((await who.ask(`push ${old}`, 6)).items).toMatchObject([{ status: 'held', reason: 'deleted' }])
  }
  await fresh.save({ [old]: { payload: payload('another') } })
  expect((await fresh.ask(`push ${old}`)).items).toMatchObject([{ status: 'new' }])
})

test('a pull of the latest names what was deleted, by whom and when, and each way out that it names works there', async () => {
  for (const way of ['keep', 'remove']) {
    const { adam, mia } = await deletedAtMias()
    const { stdout } = await mia.ph('pull')
    expect(stdout).toMatch(/SM_Old\.uasset {2}deleted in the library by adam on \d{4}-\d\d-\d\d/)
    expect((await mia.ask('pull')).latest).toMatchObject({ deleted: [old], deletions: [{ file: old, by: { name: 'adam' } }] })
    const said = stdout.replaceAll(/\s+→?\s*/g, ' ')
    for (const text of [said, (await mia.ph('status')).stdout.replaceAll(/\s+→?\s*/g, ' ')]) {
      expect(text).toContain(`\`ph push ${old} --held new\``)
      expect(text).toContain(`\`rm ${old}\``)
    }
    if (way === 'keep') await mia.ph(/`ph (push [^`]* --held new)`/.exec(said)?.[1] ?? '')
    else mia.remove(/`rm ([^`]*)`/.exec(said)?.[1] ?? '')
    expect((await mia.ph('pull')).stdout).not.toContain('Deleted in the library')
    expect((await mia.ask('status')).summary).toMatchObject({ deleted: 0, missing: 0, untracked: 0 })
    expect(await searched(adam, 'old')).toEqual(way === 'keep' ? ['SM_Old'] : [])
  }
})

test('an edit of a deleted prop that something needs is told of once, with ways out that work, by each kind of pull', async () => {
  for (const [way, code] of [
    ['pull', 0],
    ['pull SM_B', 6],
  ] as const) {
    const { url, keys } = await server.addWorkspace()
    const adam = workstation({ url, key: keys.adam })
    const needing = (text: string) => ({
      'Content/Props/SM_B.uasset': { payload: payload(text), imports: ['/Game/Props/SM_Old'] },
    })
    await adam.save({ [old]: { payload: payload('v1'), guid: oldGuid }, ...needing('b1') })
    await adam.ph('push')
    const mia = adam.copyFor(keys.mia)
    await mia.ph('push')
    await adam.ph('delete SM_Old --yes')
    await adam.save(needing('b2'))
    await adam.ph('push', 6)
    await mia.save({ [old]: { payload: payload('mine'), guid: oldGuid } })
    const { stdout } = await mia.ph(way, code)
    expect(stdout).toMatch(
      /Deleted in the library:\n {2}These .*\n {4}Content\/Props\/SM_Old\.uasset {2}deleted in the library by adam on /,
    )
    expect(stdout).not.toContain('Conflicts:')
    const [, line = ''] = /`ph (push [^`]+ --held new)`/.exec(stdout) ?? []
    await mia.ph(line)
    expect(await searched(adam, 'old')).toEqual(['SM_Old'])
  }
})

test('what is still needed of a deleted prop stays and is pushed with what needs it; its own file is deleted all the same', async () => {
  const { url, keys } = await server.addWorkspace()
  const adam = workstation({ url, key: keys.adam })
  const level = 'Content/Maps/L_Inn.umap'
  const imports = ['/Game/Props/SM_Old']
  await adam.save({ [old]: { payload: payload('v1') }, [level]: { payload: payload('l1'), imports } })
  await adam.ph('push')
  const mia = adam.copyFor(keys.mia)
  await mia.ph('status')
  await adam.ph('delete SM_Old --yes')
  for (const who of [mia, mia.copyFor(keys.max)]) expect(await deletedFiles(who)).toMatchObject([{ file: old, state: 'deleted' }])
  await mia.ph('push', 6)
  await mia.save({ [level]: { payload: payload('l2'), imports } })
  const pushed = await mia.ask('push', 6)
  expect(pushed.items).toMatchObject([
    { file: level, status: 'new' },
    { file: old, status: 'held' },
  ])
  const max = workstation({ url, key: keys.max })
  await max.ph('pull L_Inn')
  for (const file of [level, old]) expect(existsSync(join(max.root, file)), file).toBe(true)
})

test('who deletes a prop hears who works on it, they are told, and their check-in says what happened', async () => {
  const { url, keys } = await server.addWorkspace()
  const adam = workstation({ url, key: keys.adam })
  await adam.save({ [old]: { payload: payload('v1'), guid: oldGuid } })
  await adam.ph('push')
  const mia = adam.copyFor(keys.mia)
  await mia.ph(`checkout ${old}`)
  await adam.ph('review request SM_Old --reviewer max')
  const asked = await adam.ph('delete SM_Old', 2)
  expect(asked.stderr).toContain('checked out by mia')
  expect(asked.stderr).toContain('under review by max')
  await adam.ph('delete SM_Old --yes')
  const max = adam.copyFor(keys.max)
  expect((await mia.ph('notifications')).stdout).toContain('adam deleted SM_Old, which you have checked out')
  expect((await max.ph('notifications')).stdout).toContain('adam deleted SM_Old, which was under review')
  expect((await adam.ph('notifications')).stdout).not.toContain('deleted')
  await mia.save({ [old]: { payload: payload('v2'), guid: oldGuid } })
  for (const what of [old, 'Content']) expect((await mia.ph(`checkin ${what}`, 6)).stdout).toContain('It was deleted by adam on')
  expect((await mia.ph('checkin SM_Old', 1)).stderr).toMatch(/SM_Old was deleted in the library by adam on \d{4}-\d\d-\d\d/)
  expect((await mia.ph(`checkout ${old}`, 1)).stderr).toContain('was deleted in the library by adam on')
})

test('what was deleted in the library and is gone here is named as missing only where something here refers to it, and --all brings it', async () => {
  const { url, keys } = await server.addWorkspace()
  const adam = workstation({ url, key: keys.adam })
  const [table, spare] = ['Content/Props/SM_Table.uasset', 'Content/Props/SM_Spare.uasset']
  await adam.save({
    [old]: { payload: payload('v1'), guid: oldGuid },
    [spare]: { payload: payload('spare') },
    [table]: { imports: ['/Game/Props/SM_Old'], payload: payload('table') },
  })
  await adam.ph('push')
  // Her machine knows all of it; the other one never pushed nor pulled what was deleted.
  const [mia, max] = [adam.copyFor(keys.mia), adam.copyFor(keys.max)]
  await mia.ph('push')
  await adam.ph('delete SM_Old SM_Spare --yes')
  await max.ph('push Content/Props/SM_Table.uasset', 6)
  for (const who of [mia, max]) {
    who.remove(old, spare)
    expect((await who.ask('pull')).latest).toMatchObject({ missing: [old] })
    await who.ph('pull --all --yes')
    expect([existsSync(join(who.root, old)), existsSync(join(who.root, spare))]).toEqual([true, false])
  }
  // What is edited here may refer to something else by now.
  mia.remove(old)
  await mia.save({ [table]: { payload: payload('without it') } })
  expect((await mia.ask('pull')).latest).toMatchObject({ missing: [] })
})
