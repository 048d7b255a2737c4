/** What a push says of the source data in its packages, and what the library then knows to be the same. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { payloadId } from '../../../formats/kraken/payload-id.ts'
import { fixtureFolder } from '../../support/real-packages.ts'
import { startTestServer } from '../../support/server.ts'
import {
  byteBulk,
  editorBulk,
  payloadId as namedId,
  type ObjectBytes,
  sourcePackage,
  trailer,
} from '../../support/source-package.ts'
import { makeProject } from '../../support/unreal-project.ts'

const server = await startTestServer()

async function workspace() {
  const { url, keys, workspaceId } = await server.addWorkspace()
  const kept = () => server.database.sql<{ asset_name: string; ids: string }[]>`
    select o.asset_name, string_agg(encode(p.payload_id, 'hex'), ' ' order by p.payload_id) as ids
      from objects o join payload_ids p on p.workspace_id = o.workspace_id and p.object_id = o.id
     where o.workspace_id = ${workspaceId} group by o.asset_name order by o.asset_name`
  return { url, key: keys.mia, kept }
}

const raw = Buffer.from('RIFF: a sound, as far as its id is concerned')
const named = () =>
  sourcePackage({
    assetClass: 'SoundWave',
    engine: '5.4.4',
    versions: { main: 119, framework: 37 },
    data: (out: ObjectBytes) => editorBulk(out.u32(0), raw.length),
    tail: trailer(raw),
  })
const hashed = () =>
  sourcePackage({
    assetClass: 'SoundWave',
    engine: '4.27.2',
    versions: { framework: 37 },
    data: (out: ObjectBytes) => byteBulk(out.u32(0), { flags: 1, rawSize: raw.length, storedSize: raw.length }),
    tail: raw,
  })

test.each([
  ['names', named, namedId],
  ['does not name', hashed, await payloadId(raw)],
])('a push sends the id of source data that the package %s, and the library keeps it', async (_, make, id) => {
  const library = await workspace()
  const project = await makeProject()
  project.write({ 'Content/Asset.uasset': await make() })
  expect((await project.push(library)).summary).toMatchObject({ new: 1, failed: 0 })
  expect(await library.kept()).toEqual([{ asset_name: 'Asset', ids: id }])
})

test('packages without source data, and source files, are pushed without an id', async () => {
  const library = await workspace()
  const project = await makeProject({ 'Content/SM_Barrel.uasset': {}, 'Content/BP_Door.uasset': {} })
  project.write({ 'Content/noise.wav': raw })
  expect((await project.push(library)).summary).toMatchObject({ new: 3, failed: 0 })
  expect(await library.kept()).toEqual([])
})

test('a package that was pushed by someone who sent no ids gains them when it is pushed anew', async () => {
  const library = await workspace()
  const project = await makeProject()
  project.write({ 'Content/Asset.uasset': await named() })
  await project.push(library)
  await server.database.sql`delete from payload_ids`
  const other = await makeProject()
  other.write({ 'Content/Asset.uasset': await named() })
  const report = await other.push(library)
  expect(report.summary).toMatchObject({ dedup: 1, failed: 0 })
  expect(await library.kept()).toEqual([{ asset_name: 'Asset', ids: namedId }])
})

const realFolder = 'content/KawaiiPhysicsSample/Content/KawaiiPhysicsSample/Other/Stage'

test.runIf(fixtureFolder !== undefined)(
  'real packages are pushed with the ids that they call their meshes and pictures',
  async () => {
    const library = await workspace()
    const project = await makeProject()
    for (const name of ['SM_Cube', 'SM_Ramp'])
      project.write({
        [`Content/KawaiiPhysicsSample/Other/Stage/Mesh/${name}.uasset`]: readFileSync(
          join(fixtureFolder ?? '', realFolder, 'Mesh', `${name}.uasset`),
        ),
      })
    await project.push(library)
    const kept = await library.kept()
    expect(kept.map(({ asset_name, ids }) => [asset_name, ids.slice(0, 12)])).toEqual([
      ['SM_Cube', 'bb485952e81c'],
      ['SM_Ramp', '59a8a20b10a7'],
    ])
  },
)
