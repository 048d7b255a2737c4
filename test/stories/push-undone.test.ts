/** A day of two people and a build machine: a push that is taken back, what the others hear of it, and one that others use by then. */
import { expect, test } from 'vitest'
import type { Json } from '../support/api.ts'
import { startTestServer } from '../support/server.ts'
import { type Workstation, workstation } from '../support/workstation.ts'

const server = await startTestServer()
const payload = (text: string) => Buffer.from(text)
const [lamp, sign, board] = ['Content/Props/SM_Lamp.uasset', 'Content/Props/SM_Sign.uasset', 'Content/Boards/SM_Board.uasset']
const fresh = ['Oak', 'Pine', 'Birch'].map((name) => `Content/Tex/T_${name}.uasset`)
const [lampGuid, signGuid] = ['0123456789ABCDEF0123456789ABCDEF', 'FEDCBA9876543210FEDCBA9876543210']

const stateOf = async (who: Workstation): Promise<Json> =>
  Object.fromEntries((await who.ask('status')).files.map(({ file, state }: Json) => [file, state]))
const namesIn = async (who: Workstation): Promise<string[]> =>
  (await who.ask('search')).entries.map(({ name }: Json) => name).sort()

/** Mia pushed a lamp and a sign; max, and the build machine of adam, have them. */
async function team() {
  const { url, keys } = await server.addWorkspace()
  const mia = workstation({ url, key: keys.mia })
  await mia.save({
    [lamp]: { assetClass: 'StaticMesh', payload: payload('lamp'), guid: lampGuid },
    [sign]: { assetClass: 'StaticMesh', payload: payload('sign'), guid: signGuid },
  })
  await mia.ph('push')
  const [max, build] = [mia.copyFor(keys.max), mia.copyFor(keys.adam)]
  for (const who of [max, build]) await who.ph('pull SM_Lamp SM_Sign --project Tavern')
  await max.ph('mirror update')
  return { mia, max, build }
}

/** Three new props, a new version of the lamp, and the sign renamed. */
async function pushTheDay(mia: Workstation) {
  await mia.save({
    [lamp]: { assetClass: 'StaticMesh', payload: payload('brighter'), guid: lampGuid },
    [board]: { assetClass: 'StaticMesh', payload: payload('board'), guid: signGuid },
    ...Object.fromEntries(fresh.map((file) => [file, { assetClass: 'Texture2D', payload: payload(file) }])),
  })
  mia.remove(sign)
  return mia.ask('push')
}

test('what a push brought is gone for everyone after the undo, the files of who pushed stay, and they can be pushed again', async () => {
  const { mia, max } = await team()
  expect((await pushTheDay(mia)).summary).toMatchObject({ new: 5 })
  expect(await stateOf(max)).toMatchObject({ [lamp]: 'outdated' })
  expect(await namesIn(max)).toEqual(['SM_Board', 'SM_Lamp', 'T_Birch', 'T_Oak', 'T_Pine'])
  expect(await mia.ask('undo --yes')).toMatchObject({ changed: 5, failed: 0 })
  expect(await stateOf(max)).toEqual({ [lamp]: 'current', [sign]: 'current' })
  await max.ph('mirror update')
  expect(await namesIn(max)).toEqual(['SM_Lamp', 'SM_Sign'])
  expect((await max.ph('search Oak --offline')).stdout).not.toContain('T_Oak')
  expect((await max.ph('activity --limit 20')).stdout).toMatch(/mia took back a push of \S+ \(gone\) and 4 others/)
  expect(await stateOf(mia)).toMatchObject({ [lamp]: 'modified', [fresh[0] ?? '']: 'untracked' })
  expect((await mia.ask('push')).summary).toMatchObject({ new: 5, held: 0 })
  expect(await stateOf(max)).toMatchObject({ [lamp]: 'outdated' })
})

test('once the build machine has pulled one of the props, the push stands, and it is said who did what', async () => {
  const { mia, build } = await team()
  await pushTheDay(mia)
  await build.ph('pull T_Oak --project Tavern')
  const { stderr } = await mia.ph('undo --yes', 5)
  expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(/others use what it brought\. T_Oak: adam pulled it/)
  expect(await namesIn(mia)).toEqual(['SM_Board', 'SM_Lamp', 'T_Birch', 'T_Oak', 'T_Pine'])
  expect(await stateOf(build)).toMatchObject({ [fresh[0] ?? '']: 'current', [lamp]: 'outdated' })
})
