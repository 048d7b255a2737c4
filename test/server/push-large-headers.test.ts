// Package headers as large as those of the largest levels: they are read in a thread, and what is said of them is the same.
import { expect, onTestFinished, test } from 'vitest'
import { ByteReader } from '../../formats/byte-reader.ts'
import { writePackage } from '../../sample/package.ts'
import { callAs } from '../support/api.ts'
import { commitOf, item, pushed } from '../support/push.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()

const importing = (count: number): string[] => Array.from({ length: count }, (_, at) => `/Game/Kit/Imported/T_${at}`)
const packageOf = (imports: string[], guid = 'A'.repeat(32)): Promise<Buffer> =>
  writePackage({ packageName: '/Game/Kit/L_Large', assetClass: 'World', guid, payload: Buffer.from('payload'), imports })

/** How often the thread of this test reads a number of a file. */
function countReads(): () => number {
  const { i32 } = ByteReader.prototype
  let reads = 0
  ByteReader.prototype.i32 = function (this: ByteReader) {
    reads++
    return i32.call(this)
  }
  onTestFinished(() => {
    ByteReader.prototype.i32 = i32
  })
  return () => reads
}

test('a header of many imports is read beside the requests of others, and each of its imports counts', async () => {
  const { url, keys } = await server.addWorkspace()
  const mia = callAs(url, keys.mia)
  const named = { asset_name: 'L_Large', origin_path: '/Game/Kit/L_Large' }
  const small = item({ bytes: await packageOf(importing(500)), ...named })
  const other = await server.addWorkspace()
  const large = item({ bytes: await packageOf(importing(20_000), 'B'.repeat(32)), ...named })
  const needed = await Promise.all(
    [0, 19_999].map(async (at) => {
      const packageName = `/Game/Kit/Imported/T_${at}`
      const bytes = await writePackage({
        packageName,
        assetClass: 'Texture2D',
        guid: `${at}`.padStart(32, '9'),
        payload: Buffer.from('t'),
      })
      return item({ bytes, asset_name: `T_${at}`, origin_path: packageName })
    }),
  )
  const reads = countReads()
  await pushed(callAs(other.url, other.keys.mia), [small])
  const ofSmall = reads()
  const [result] = await pushed(mia, [large, ...needed])
  expect(ofSmall).toBeGreaterThan(1000)
  expect(reads() - ofSmall).toBeLessThan(ofSmall)
  const members = (await mia.get(`/entries/${result.entry_id}/closure`)).body.members
  expect(members.map(({ origin_path }: { origin_path: string }) => origin_path)).toEqual([
    '/Game/Kit/L_Large',
    '/Game/Kit/Imported/T_0',
    '/Game/Kit/Imported/T_19999',
  ])
})

test('what is wrong with large headers and small ones is named by the item, in the order of the manifest', async () => {
  const { url, keys } = await server.addWorkspace()
  const mia = callAs(url, keys.mia)
  const bytes = await packageOf(importing(20_000))
  const damaged = Buffer.from(bytes)
  damaged.fill(0xff, 100_000, 200_000)
  const small = await packageOf(importing(5))
  const items = [
    item({ bytes: damaged, asset_name: 'L_Damaged' }),
    item({ bytes: small, asset_name: 'L_Small', package_guid: 'F'.repeat(32) }),
    item({ bytes, asset_name: 'L_Large', package_guid: 'E'.repeat(32), origin_path: '/Game/Kit/L_Other' }),
    item({ bytes: bytes.subarray(0, 400_000), asset_name: 'L_Cut' }),
  ]
  const answer = await commitOf(mia, items)
  const errors: { path: string; message: string }[] = answer.body.error.details.errors
  expect([answer.status, errors.map(({ path }) => path)]).toEqual([
    422,
    ['items.0', 'items.1.package_guid', 'items.1.origin_path', 'items.2.package_guid', 'items.2.origin_path', 'items.3'],
  ])
  expect(errors.map(({ message }) => message)).toEqual([
    expect.stringMatching(/L_Damaged: The package header is damaged/),
    expect.stringContaining('contradicts the file'),
    expect.stringContaining('contradicts the file'),
    expect.stringContaining('contradicts the file'),
    expect.stringContaining('contradicts the file, which calls itself /Game/Kit/L_Large'),
    expect.stringMatching(/L_Cut: The package is cut off/),
  ])
})
