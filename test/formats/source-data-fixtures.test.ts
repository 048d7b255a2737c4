// Pictures and sounds out of packages saved by editors of 4.25 to 5.7, against what an independent reader found in them.
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { rgba8 } from '../../formats/source/rgba8.ts'
import { readPackage } from '../../formats/uasset/uasset.ts'
import { readSource, type Source } from '../../formats/uasset-data/source.ts'
import { type ExpectedSource, type SourcePackage, sourcePackages } from '../support/payload-fixtures.ts'
import { fixtureFolder } from '../support/real-packages.ts'

const ifReal = test.runIf(fixtureFolder)
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

function described(source: Source | undefined): Omit<ExpectedSource, 'engine'> | undefined {
  if (source?.kind === 'sound') {
    const { sampleRate, channels, bits, data } = source.sound
    const seconds = data.length / ((channels * bits) / 8) / sampleRate
    return {
      class: source.class,
      sample_rate: sampleRate,
      channels,
      bits,
      format_tag: source.formatTag,
      data_bytes: data.length,
      duration_s: Math.round(seconds * 10_000) / 10_000,
      pcm_sha256: sha256(data),
    }
  }
  if (source?.kind !== 'picture') return undefined
  const { compression, format, picture } = source
  const { width, height } = picture
  const hash = compression === 'TSCF_JPEG' ? {} : { rgba8_sha256: sha256(rgba8(picture)) }
  return { class: source.class, width, height, format, compression, ...hash }
}

async function ours({ bytes, stem }: SourcePackage): Promise<ExpectedSource | undefined> {
  const source = described(await readSource(bytes, { stem }))
  const saved = readPackage(bytes, { stem, fileSize: bytes.length }).engineVersion ?? ''
  return source && { ...source, engine: saved.split('.').slice(0, 2).join('.') }
}

async function expectAll(packages: SourcePackage[]): Promise<void> {
  const read = await Promise.all(packages.map(async (one) => [one.path, await ours(one)]))
  expect(Object.fromEntries(read)).toEqual(Object.fromEntries(packages.map(({ path, expected }) => [path, expected])))
}

ifReal('the 19 textures give the pixels that were imported', async () => {
  const textures = sourcePackages('Texture2D')
  expect(textures).toHaveLength(19)
  await expectAll(textures)
})

ifReal('the 9 sounds give the samples that were imported', async () => {
  const sounds = sourcePackages('SoundWave')
  expect(sounds).toHaveLength(9)
  await expectAll(sounds)
})
