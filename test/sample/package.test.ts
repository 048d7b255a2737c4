// Packages that are written here, read back by the reader of formats/, which was made from the same page but not together.
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { headerSize, readPackage } from '../../formats/uasset/uasset.ts'
import { writePackage } from '../../sample/package.ts'
import type { PackageSpec } from '../../sample/package-plan.ts'
import { randomBytes } from '../../sample/random.ts'
import { fieldAt, patched, summaryOf } from '../support/package-patches.ts'

const red = { r: 220, g: 40, b: 30 }
const guid = '0123456789ABCDEF0011223344556677'
const barrel: PackageSpec = {
  packageName: '/Game/Tavern/Props/SM_Barrel',
  assetClass: 'StaticMesh',
  imports: ['/Game/Tavern/Materials/MI_OakWood', '/Engine/EngineMaterials/DefaultMaterial'],
  softReferences: ['/Game/Tavern/Blueprints/BP_Barrel', '/Game/Tavern/Sound/SC_Knock_12'],
  tags: { Triangles: '480', Vertices: '1200', ApproxSize: '70x70x95' },
  guid,
  payload: randomBytes('barrel', 4000),
}
const read = (bytes: Buffer, stem = 'SM_Barrel') => readPackage(bytes, { stem, fileSize: bytes.length })
const picture = (width: number, height: number, background = red) =>
  sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer()
const engines = [
  '4.22.3',
  '4.24.3',
  '4.25.4',
  '4.26.2',
  '4.27.2',
  '5.0.3',
  '5.1.1',
  '5.2.1',
  '5.3.2',
  '5.4.4',
  '5.5.4',
  '5.6.1',
  '5.7.4',
]
const orders = [false, true]

describe.each(engines)('a package as Unreal %s saves it', (engine) => {
  test.each(orders)('says what was written into it (big-endian: %s)', async (bigEndian) => {
    const bytes = await writePackage({ ...barrel, engine, bigEndian })
    const facts = read(bytes)
    expect(facts).toMatchObject({
      complete: true,
      engineVersion: engine,
      assetName: 'SM_Barrel',
      assetClass: 'StaticMesh',
      cooked: false,
      softReferences: barrel.softReferences,
      warnings: [],
    })
    expect(facts.imports).toEqual([...(barrel.imports ?? []), '/Script/Engine'].sort())
    expect(Object.fromEntries(facts.tags)).toEqual(barrel.tags)
    expect(facts.ownNameCandidates).toEqual([barrel.packageName])
    expect(facts.packageName).toBe(Number.parseFloat(engine) >= 5.1 ? barrel.packageName : null)
    expect(headerSize(bytes)).toBe(bytes.length - 4000 - 4)
  })

  test.each(orders)('keeps its identity when it is saved again (big-endian: %s)', async (bigEndian) => {
    const own = engine.startsWith('4.22') ? { packageGuid: guid } : {}
    const saves = [randomBytes('first', 500), randomBytes('second', 700)]
    for (const payload of saves) {
      const facts = read(await writePackage({ ...barrel, ...own, engine, bigEndian, payload }))
      expect(facts.stableGuid?.value).toBe(guid)
    }
  })

  test.each(orders)('holds the picture with red and blue exchanged (big-endian: %s)', async (bigEndian) => {
    const bytes = await writePackage({ ...barrel, engine, bigEndian, thumbnail: await picture(48, 20) })
    const position = read(bytes).thumbnail
    expect(position).toMatchObject({ width: 48, height: 20, format: engine.startsWith('4') ? 'png' : 'jpeg' })
    const stored = bytes.subarray(position?.offset, (position?.offset ?? 0) + (position?.length ?? 0))
    const { channels } = await sharp(stored).stats()
    const [first = 0, , third = 0] = channels.map(({ mean }) => mean)
    expect(Math.abs(first - red.b)).toBeLessThan(4)
    expect(Math.abs(third - red.r)).toBeLessThan(4)
  })
})

/** By the page's section 8: 104 bytes, 4 more with the public hash, 12 less without guid but with its successor, 16 more from 5.4. */
test.each([
  ['4.22.3', 28, 104],
  ['4.27.2', 36, 104],
  ['5.0.3', 40, 108],
  ['5.3.2', 40, 96],
  ['5.7.4', 40, 112],
])('the tables of Unreal %s have imports of %i bytes and exports of %i', async (engine, importBytes, exportBytes) => {
  const bytes = await writePackage({ packageName: '/Game/BP_Door', assetClass: 'Blueprint', imports: ['/Game/SM_Door'], engine })
  const { imports, exports, softPackageReferences, assetRegistryOffset } = summaryOf(bytes)
  expect(exports.count).toBe(2)
  expect(exports.offset - imports.offset).toBe(imports.count * importBytes)
  const dependsBytes = 8
  expect(softPackageReferences.offset - exports.offset).toBe(exports.count * (exportBytes + dependsBytes))
  const withoutRegistry = patched(bytes, [fieldAt(bytes, assetRegistryOffset), 0])
  expect(read(withoutRegistry, 'BP_Door')).toMatchObject({ assetName: 'BP_Door', assetClass: 'Blueprint' })
})

test('a Blueprint is written with its generated class and read as the Blueprint', async () => {
  const facts = read(await writePackage({ packageName: '/Game/Tavern/BP_Door', assetClass: 'Blueprint' }), 'BP_Door')
  expect(facts).toMatchObject({ assetName: 'BP_Door', assetClass: 'Blueprint', imports: ['/Script/Engine'] })
})

test('a redirector leads to the package it was left for', async () => {
  const target = '/Game/Tavern/Props/SM_Keg'
  const facts = read(
    await writePackage({ packageName: '/Game/Tavern/SM_Keg', assetClass: 'ObjectRedirector', imports: [target] }),
    'SM_Keg',
  )
  expect(facts).toMatchObject({ assetClass: 'ObjectRedirector', redirectTarget: target })
})

test('a level says that it holds a map', async () => {
  const facts = read(await writePackage({ packageName: '/Game/Maps/L_Tavern', assetClass: 'World' }), 'L_Tavern')
  expect(facts).toMatchObject({ containsMap: true, assetClass: 'World', thumbnail: null })
})

test('an engine built from source leaves its version unknown', async () => {
  expect(read(await writePackage({ ...barrel, sourceBuild: true })).engineVersion).toBe(null)
})

test('a package without identity has none, and one without a picture has none', async () => {
  const facts = read(await writePackage({ ...barrel, guid: null }))
  expect(facts).toMatchObject({ stableGuid: null, thumbnail: null })
})

test('a Japanese tag and package name survive', async () => {
  const tags = { DisplayName: '樽 – 大きい' }
  const facts = read(await writePackage({ ...barrel, packageName: '/Game/樽/SM_樽', tags }), 'SM_樽')
  expect(facts).toMatchObject({ packageName: '/Game/樽/SM_樽', assetName: 'SM_樽' })
  expect(facts.tags.get('DisplayName')).toBe(tags.DisplayName)
})

test.each(['versioned', 'unversioned'] as const)('a %s cooked package is told as cooked', async (cooked) => {
  const facts = read(await writePackage({ ...barrel, cooked, engine: '5.1.1' }))
  expect(facts.cooked).toBe(true)
  expect(facts.stableGuid?.source).not.toBe('persistent_guid')
})

test('the same spec gives the same bytes, and another payload only another save', async () => {
  const spec = { ...barrel, thumbnail: await picture(32, 32) }
  expect(await writePackage(spec)).toEqual(await writePackage(spec))
  const saved = await writePackage({ ...spec, payload: randomBytes('other', 4000) })
  expect(saved.equals(await writePackage(spec))).toBe(false)
  expect(read(saved).stableGuid?.value).toBe(guid)
})
