/** Content of a project's plugins: pushed from there, and pulled into projects that have the plugin. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Json } from '../support/api.ts'
import { callAs } from '../support/api.ts'
import { startTestServer } from '../support/server.ts'
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts'
import { type Workstation, workstation } from '../support/workstation.ts'

const server = await startTestServer()
const bolt = 'Plugins/Tools/Content/Parts/SM_Bolt.uasset'
const gear = 'Plugins/GameFeatures/Gears/Content/SM_Gear.uasset'
const barrel = 'Content/Props/SM_Barrel.uasset'
const contentOnly = '{"CanContainContent": true}'
const payload = (text: string) => Buffer.from(text)

/** Mia's barrel needs a bolt of her plugin Tools, which needs a gear of her game feature; all is pushed. */
async function pushed(): Promise<{ mia: Workstation; url: string; max: string }> {
  const { url, keys } = await server.addWorkspace()
  const mia = workstation({ url, key: keys.mia })
  writeFiles(mia.root, {
    'Plugins/Tools/Tools.uplugin': contentOnly,
    'Plugins/GameFeatures/Gears/Gears.uplugin': contentOnly,
  })
  await mia.save({
    [gear]: { packageName: '/Gears/SM_Gear', payload: payload('g1') },
    [bolt]: { packageName: '/Tools/Parts/SM_Bolt', payload: payload('b1'), imports: ['/Gears/SM_Gear'] },
    [barrel]: { payload: payload('a1'), imports: ['/Tools/Parts/SM_Bolt'] },
  })
  await mia.ph('push')
  return { mia, url, max: keys.max }
}

const bytesOf = ({ root }: Workstation, file: string) => readFileSync(join(root, file))

test('what a prop needs of plugins lands in their Content folders, however these are spelled, and goes back and forth from there', async () => {
  const { mia, url, max: key } = await pushed()
  const max = workstation({ url, key }, 'Cellar')
  const [boltHere, gearHere] = ['Plugins/Vendor/tools/content/Parts/SM_Bolt.uasset', 'Plugins/GearKit/Content/SM_Gear.uasset']
  writeFiles(max.root, {
    'Plugins/Vendor/tools/TOOLS.uplugin': contentOnly,
    'Plugins/Vendor/tools/content/keep.txt': '',
    'Plugins/GearKit/Gears.uplugin': contentOnly,
  })
  expect((await max.ask('pull SM_Barrel --plan')).plans[0].files.map(({ file }: Json) => file).sort()).toEqual([
    barrel,
    gearHere,
    boltHere,
  ])
  const [job] = (await max.ask('pull SM_Barrel')).jobs
  expect(job).toMatchObject({ status: 'done', summary: { added: 3, left_out: 0 }, plugins: [], warnings: [] })
  for (const [there, here] of [
    [bolt, boltHere],
    [gear, gearHere],
    [barrel, barrel],
  ] as const)
    expect(bytesOf(max, here), here).toEqual(bytesOf(mia, there))
  expect((await max.ask('status')).summary).toMatchObject({ current: 3, untracked: 0, modified: 0 })
  await max.save({ [boltHere]: { packageName: '/Tools/Parts/SM_Bolt', payload: payload('b2'), imports: ['/Gears/SM_Gear'] } })
  expect((await max.ask('push ./Plugins/Vendor/tools/content')).items).toMatchObject([
    { file: boltHere, status: 'new', parent_object_id: expect.any(Number) },
  ])
  expect((await mia.ph('status')).stdout).toMatch(
    /< Plugins\/Tools\/Content\/Parts\/SM_Bolt\.uasset\n\s+→ ph pull \d+ --project Tavern/,
  )
  await mia.ph('pull')
  expect(bytesOf(mia, bolt)).toEqual(bytesOf(max, boltHere))
})

test('a project without the plugin gets the rest, hears which plugin it lacks, and the download that is named works', async () => {
  const { mia, url, max: key } = await pushed()
  const max = workstation({ url, key }, 'Cellar')
  writeFiles(max.root, {
    'Cellar.uproject': '{"EngineAssociation": "5.3", "Plugins": [{"Name": "Gears", "Enabled": true}]}',
  })
  const { stdout } = await max.ph('pull SM_Barrel', 6)
  const said = stdout.replaceAll(/\s+/g, ' ')
  expect(said).toContain('/Tools/Parts/SM_Bolt.uasset needs the plugin Tools, which this project does not have')
  expect(said).toContain(
    '/Gears/SM_Gear.uasset belongs to the plugin Gears, which this project enables and does not have in its own folders',
  )
  expect(existsSync(join(max.root, barrel))).toBe(true)
  expect(existsSync(join(max.root, 'Plugins'))).toBe(false)
  const command = /SM_Bolt\.uasset needs [^`]*`ph (download \d+ --to) <folder>`/.exec(said)?.[1]
  const folder = temporaryFolder()
  const { files } = await max.ask(`${command} ${folder}`)
  expect(readFileSync(join(folder, files[0].file ?? files[0].path))).toEqual(bytesOf(mia, bolt))
  expect((await max.ph('pull SM_Bolt', 1)).stdout).toContain('needs the plugin Tools')
})

test('content of a plugin under a name that no project can have is left out, and the download that is named puts it into its place', async () => {
  const { url, keys } = await server.addWorkspace()
  const [mia, max] = [workstation({ url, key: keys.mia }), workstation({ url, key: keys.max }, 'Cellar')]
  for (const { root } of [mia, max]) writeFiles(root, { 'Plugins/Tools/Tools.uplugin': contentOnly })
  const chair = 'Plugins/Tools/Content/SM_椅子.uasset'
  await mia.save({
    [chair]: { packageName: '/Tools/SM_椅子', payload: payload('c1') },
    [barrel]: { payload: payload('a1'), imports: ['/Tools/SM_椅子'] },
  })
  await mia.ph('push')
  const said = (await max.ph('pull SM_Barrel')).stdout.replaceAll(/\s+/g, ' ')
  expect(said).toContain('/Tools/SM_椅子 has other letters in its path')
  expect(existsSync(join(max.root, barrel))).toBe(true)
  await max.ph(/`ph (download [^`]+)`/.exec(said)?.[1] ?? '')
  expect(bytesOf(max, chair)).toEqual(bytesOf(mia, chair))
})

test('who does not ask for content of plugins is refused, with the file and the plugin', async () => {
  const { url, max: key } = await pushed()
  const max = callAs(url, key)
  const { entries } = (await max.get('/entries?q=SM_Barrel')).body as Json
  const order = { target_project: 'Cellar', target_root: '/Game', entries: [{ entry_id: entries[0].id }] }
  expect(await max.post('/pull-jobs', order)).toMatchObject({ status: 422 })
  const { body } = await max.post('/pull-jobs/plan', { ...order, plugin_content: true })
  expect(body.closure.objects).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        mount: '/Tools',
        package_name: '/Tools/Parts/SM_Bolt',
        origin_path: null,
        entry_id: expect.any(Number),
      }),
    ]),
  )
})
