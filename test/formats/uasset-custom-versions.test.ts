// The versions of engine parts that a package's summary names, and where its objects' data lie.
import { expect, test } from 'vitest'
import { customVersion, customVersionOf } from '../../formats/uasset/custom-versions.ts'
import { openPackage } from '../../formats/uasset-data/package.ts'
import { writePackage } from '../../sample/package.ts'
import { fieldAt, patched, summaryOf } from '../support/package-patches.ts'
import { sourcePackages } from '../support/payload-fixtures.ts'
import { fixtureFolder } from '../support/real-packages.ts'

const ifReal = test.runIf(fixtureFolder)
const reason = (expected: string) => expect.objectContaining({ name: 'FormatError', reason: expected })

test('a part that is named has its version, another one -1', async () => {
  const summary = summaryOf(await writePackage({ packageName: '/Game/SM_Barrel', assetClass: 'StaticMesh', engine: '5.3.2' }))
  expect(customVersionOf(summary, customVersion.fortnite)).toBe(120)
  expect(customVersionOf(summary, customVersion.core)).toBe(4)
  expect(customVersionOf(summary, customVersion.main)).toBe(-1)
})

ifReal('packages of each release name the versions that the release has', () => {
  const seen = new Map<string, Set<number>>()
  for (const { bytes, expected } of sourcePackages('Texture2D', 'StaticMesh', 'SkeletalMesh', 'SoundWave')) {
    const of = seen.get(expected.engine) ?? seen.set(expected.engine, new Set()).get(expected.engine)
    of?.add(customVersionOf(summaryOf(bytes), customVersion.main))
  }
  const one = (engine: string) => [...(seen.get(engine) ?? [])].sort((a, b) => a - b)
  expect([one('4.25'), one('4.27'), one('5.0'), one('5.3'), one('5.7')]).toEqual([[-1], [-1], [59], [118], [121]])
})

test('thousands of custom versions, or more than fit, are refused', async () => {
  const bytes = await writePackage({ packageName: '/Game/SM_Barrel', assetClass: 'StaticMesh', payload: Buffer.alloc(200_000) })
  const count = 24 // behind the versions
  expect(bytes.readInt32LE(count)).toBe(2)
  expect(() => summaryOf(patched(bytes, [count, 5000]))).toThrow(reason('too-large'))
  expect(() => summaryOf(patched(bytes, [count, 0x7fffffff]))).toThrow(reason('truncated'))
})

test('an object gives the bytes that its export names, and nothing beyond', async () => {
  const payload = Buffer.from('only this')
  const bytes = await writePackage({ packageName: '/Game/SM_Barrel', assetClass: 'StaticMesh', payload })
  const opened = openPackage(bytes)
  const index = opened.exports.mainAssetIndex('SM_Barrel') ?? -1
  expect([opened.exports.objectName(index), opened.className(index)]).toEqual(['SM_Barrel', 'StaticMesh'])
  const object = opened.object(index)
  expect(object.latin1(object.left)).toBe('only this')
  expect(() => object.u8()).toThrow(reason('damaged'))
  expect(() => opened.object(7)).toThrow(reason('damaged'))
})

test('an object that lies outside its file is no object', async () => {
  const bytes = await writePackage({ packageName: '/Game/SM_Barrel', assetClass: 'StaticMesh', payload: Buffer.alloc(40) })
  const { exports, headerSize } = summaryOf(bytes)
  const offset = Array.from({ length: 60 }, (_, i) => exports.offset + i).find((i) => bytes.readInt32LE(i) === headerSize) ?? 0
  expect(() => openPackage(bytes.subarray(0, headerSize + 39)).object(0)).toThrow(reason('truncated'))
  expect(() => openPackage(patched(bytes, [offset, headerSize - 1])).object(0)).toThrow(reason('damaged'))
  expect(() => openPackage(patched(bytes, [offset - 8, -5], [offset - 4, -1])).object(0)).toThrow(reason('damaged'))
})

test('cooked packages and those in the other byte order have no source data that is read', async () => {
  const barrel = { packageName: '/Game/SM_Barrel', assetClass: 'StaticMesh', engine: '4.27.2' }
  for (const cooked of ['versioned', 'unversioned'] as const) {
    const bytes = await writePackage({ ...barrel, cooked })
    expect(() => openPackage(bytes)).toThrow(reason('unsupported'))
  }
  const big = await writePackage({ ...barrel, bigEndian: true })
  expect(() => openPackage(big)).toThrow(reason('unsupported'))
  const whole = await writePackage(barrel)
  expect(() => openPackage(whole.subarray(0, fieldAt(whole, summaryOf(whole).headerSize)))).toThrow(reason('truncated'))
})
