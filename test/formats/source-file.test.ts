// The table of source files, and how much of a file its readers want.
import { describe, expect, test } from 'vitest'
import {
  describeSource,
  findSourceKind,
  maxThumbnailSourceBytes,
  sourceHeadBytes,
  sourceThumbnail,
} from '../../formats/source-file.ts'
import { toWav } from '../../sample/sound.ts'

const bytes = Buffer.from('anything at all')

describe.each([
  ['usdz', 'SourceMesh', 'source_mesh'],
  ['stl', 'SourceMesh', 'source_mesh'],
  ['dds', 'SourceTexture', 'source_texture'],
  ['kra', 'SourceTexture', 'source_texture'],
  ['aif', 'SourceAudio', 'source_audio'],
  ['blend', 'SourceScene', 'source_scene'],
  ['sbsar', 'SourceMaterial', 'source_material'],
])('.%s', (ext, assetClass, entryType) => {
  test(`is a ${assetClass} by its name alone`, async () => {
    expect(await describeSource(ext, bytes)).toMatchObject({
      ext,
      assetClass,
      entryType,
      format: ext,
      metadata: {},
      details: null,
    })
    expect(await sourceThumbnail(ext, bytes)).toBe(null)
  })

  test('is asked for little', () => {
    expect(sourceHeadBytes(ext)).toBeLessThan(1024)
  })

  test('is refused when it is a Git LFS pointer', async () => {
    const pointer = Buffer.from('version https://git-lfs.github.com/spec/v1\n')
    await expect(describeSource(ext, pointer)).rejects.toMatchObject({ reason: 'git-lfs-pointer' })
  })
})

test('a buffer or material library goes along and is no entry', () => {
  expect(findSourceKind('bin')).toMatchObject({ entryType: null })
  expect(findSourceKind('mtl')).toMatchObject({ entryType: null })
})

test('an extension may be written in any case, and is reported in lower case', async () => {
  expect(findSourceKind('FBX')).toEqual(findSourceKind('fbx'))
  const wav = toWav({ sampleRate: 8000, samples: new Float32Array(80) })
  expect(await describeSource('WAV', wav)).toMatchObject({ ext: 'wav', metadata: { audio_duration: 0.01 } })
})

test('what is no source file is not described', async () => {
  for (const ext of ['uasset', 'umap', 'uexp', 'exe', 'txt', '', 'constructor']) {
    expect(findSourceKind(ext)).toBe(undefined)
    expect(await describeSource(ext, bytes)).toBe(null)
  }
})

test('no reader wants more than 32 MiB of a file, however large', () => {
  for (const ext of ['png', 'jpg', 'tga', 'exr', 'hdr', 'psd', 'wav', 'ogg', 'flac', 'mp3', 'fbx', 'obj', 'mtl', 'glb', 'gltf'])
    expect(sourceHeadBytes(ext)).toBeLessThanOrEqual(32 * 1024 * 1024)
})

test('a sound of many gigabytes is described from its head and its size', async () => {
  const wav = toWav({ sampleRate: 48_000, samples: new Float32Array(0) })
  wav.writeUInt32LE(0xffffffff, 40)
  expect(await describeSource('wav', wav, { sizeBytes: 44 + 96_000 * 3600 })).toMatchObject({
    metadata: { audio_duration: 3600 },
  })
})

test('a picture in a file beyond the limit has no thumbnail', async () => {
  const large = Buffer.alloc(maxThumbnailSourceBytes + 1)
  await expect(sourceThumbnail('png', large)).rejects.toMatchObject({ name: 'FormatError', reason: 'too-large' })
})
