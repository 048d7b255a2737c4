// The asset registry data where it is not as editors write it today.
import { expect, test } from 'vitest'
import { PackageReader } from '../../formats/uasset/reader.ts'
import { readOpening, readPreamble, readSummary } from '../../formats/uasset/summary.ts'
import { readPackage } from '../../formats/uasset/uasset.ts'
import { writePackage } from '../../sample/package.ts'

test('a package without the table of needs in the game is read like any other, all needs taken for needed', async () => {
  const spec = { packageName: '/Game/SM_A', assetClass: 'StaticMesh', imports: ['/Game/M_B'], engine: '5.3.2' }
  const bytes = await writePackage(spec)
  const about = { stem: 'SM_A', fileSize: bytes.length }
  expect(readPackage(bytes, about).editorOnlyImports).not.toBeNull()
  const reader = new PackageReader(bytes, { what: 'package' })
  const { assetRegistryOffset } = readSummary(reader, readPreamble(reader, readOpening(reader)))
  bytes.writeBigInt64LE(0n, assetRegistryOffset)
  expect(readPackage(bytes, about)).toMatchObject({ assetClass: 'StaticMesh', editorOnlyImports: null })
})
