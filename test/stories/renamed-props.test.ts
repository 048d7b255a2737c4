/** Props that were renamed in the editor: their entries, searches, check-outs and status follow the files; redirectors are no edits. */
import { expect, test } from 'vitest'
import type { Json } from '../support/api.ts'
import { startTestServer } from '../support/server.ts'
import { type Workstation, workstation } from '../support/workstation.ts'

const server = await startTestServer()
const payload = (text: string) => Buffer.from(text)
const [barrel, cask] = ['Content/Props/SM_Barrel.uasset', 'Content/Furniture/SM_Cask.uasset']
const [guid, newGuid] = ['0123456789ABCDEF0123456789ABCDEF', 'FEDCBA9876543210FEDCBA9876543210']
const redirector = { assetClass: 'ObjectRedirector', imports: ['/Game/Furniture/SM_Cask'] }

async function withBarrel(): Promise<{ mia: Workstation; max: Workstation }> {
  const { url, keys } = await server.addWorkspace()
  const mia = workstation({ url, key: keys.mia })
  await mia.save({ [barrel]: { payload: payload('v1'), guid } })
  await mia.ph('push')
  return { mia, max: workstation({ url, key: keys.max }, 'Inn') }
}

/** As the editor does it: a new GUID for the moved package; the redirector in the old place keeps the old one. */
async function renameInEditor(who: Workstation): Promise<void> {
  await who.save({ [cask]: { payload: payload('v2'), guid: newGuid }, [barrel]: { ...redirector, payload: payload('r'), guid } })
}

const namesFound = async (who: Workstation, word: string): Promise<string[]> =>
  (await who.ask(`search ${word}`)).entries.map(({ name }: Json) => name)
const stateOf = async (who: Workstation) =>
  Object.fromEntries((await who.ask('status')).files.map(({ file, state }: Json) => [file, state]))

test('a check-in by name finds the file where it was moved, with a redirector or without, and the entry is called as the file is', async () => {
  for (const move of [
    renameInEditor,
    async (who: Workstation) => {
      await who.save({ [cask]: { payload: payload('v2'), guid } })
      who.remove(barrel)
    },
  ]) {
    const { mia, max } = await withBarrel()
    await mia.ph('checkout SM_Barrel')
    await move(mia)
    expect(await stateOf(mia)).toMatchObject({ [cask]: 'moved' })
    const { push, released } = await mia.ask('checkin SM_Barrel')
    expect(push.items).toMatchObject([{ file: cask, name: 'SM_Cask', renamed_from: 'SM_Barrel', status: 'new' }])
    expect(released).toHaveLength(1)
    for (const word of ['cask', 'barrel']) expect(await namesFound(max, word)).toEqual(['SM_Cask'])
    for (const name of ['SM_Cask', 'SM_Barrel']) expect((await max.ask(`show ${name}`)).entry).toMatchObject({ name: 'SM_Cask' })
    await max.ph('pull SM_Barrel')
    expect(await stateOf(max)).toEqual({ [cask]: 'current' })
  }
})

test('a redirector is a redirector: status is clean, a check-out of its folder takes the prop alone, and by itself it is named', async () => {
  const { mia } = await withBarrel()
  await renameInEditor(mia)
  await mia.ph('push')
  await mia.ph('status --exit-code')
  expect(await mia.ask('status')).toMatchObject({
    summary: { current: 1, redirector: 1, modified: 0, diverged: 0 },
    files: [{ file: cask }, { file: barrel, state: 'redirector', lineage_id: null, redirects_to: '/Game/Furniture/SM_Cask' }],
  })
  const { props } = await mia.ask('checkout Content')
  expect(props).toMatchObject([{ files: [cask], standing: 'current' }])
  const { stderr } = await mia.ph(`checkout ${barrel}`, 1)
  expect(stderr).toContain(`${barrel} is a redirector to /Game/Furniture/SM_Cask`)
  expect(stderr).toContain(`Name the file that it leads to: ${cask}`)
  await mia.save({ [cask]: { payload: payload('v3'), guid: newGuid } })
  expect((await mia.ask('checkin SM_Barrel')).released).toHaveLength(1)
})

test('a push of the moved file alone, or of its new folder, goes on with the prop that its redirector stands for', async () => {
  for (const what of [cask, 'Content/Furniture']) {
    const { mia } = await withBarrel()
    await renameInEditor(mia)
    expect((await mia.ask(`push ${what}`)).items).toMatchObject([{ file: cask, renamed_from: 'SM_Barrel', entry_created: false }])
  }
})

test('an entry that someone named keeps its name, and is found by its file; undo gives a renamed one its name back', async () => {
  const { mia, max } = await withBarrel()
  await mia.ph(['rename', 'SM_Barrel', 'Old oak'])
  await renameInEditor(mia)
  await mia.ph('push')
  for (const word of ['oak', 'cask', 'barrel']) expect(await namesFound(max, word)).toEqual(['Old oak'])
  const other = await withBarrel()
  await renameInEditor(other.mia)
  await other.mia.ph('push')
  await other.mia.ph('undo --yes')
  expect(await namesFound(other.max, 'cask')).toEqual(['SM_Barrel'])
})

test('a name that an entry has now counts before one that another had', async () => {
  const { mia, max } = await withBarrel()
  await renameInEditor(mia)
  await mia.ph('push')
  await mia.save({ 'Content/New/SM_Barrel.uasset': { payload: payload('another') } })
  await mia.ph('push')
  expect((await max.ask('show SM_Barrel')).entry).toMatchObject({ name: 'SM_Barrel', origin_path: '/Game/New/SM_Barrel' })
})
