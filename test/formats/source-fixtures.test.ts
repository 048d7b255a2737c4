// Facts of real source files against what an independent reader found in them. Runs where PH_FIXTURES names their folder.
import { readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type GltfFacts, readGltf } from '../../formats/gltf/gltf.ts'
import { describeSource, sourceHeadBytes, sourceThumbnail } from '../../formats/source-file.ts'

type Expected = Record<string, unknown> & { size: number; format?: string; error?: string }

const folder = process.env.PH_FIXTURES ?? ''
const files: Record<string, Expected> =
  folder === '' ? {} : JSON.parse(readFileSync(join(folder, 'source-expected.json'), 'utf8')).files
const extension = (path: string): string => extname(path).slice(1).toLowerCase()
const withExtension = (...extensions: string[]) => Object.entries(files).filter(([path]) => extensions.includes(extension(path)))
const bytesOf = (path: string): Buffer => readFileSync(join(folder, path))

/** Both sides with the same keys: the other reader's names in camel case, its bookkeeping left out. */
function camel(expected: Expected): Record<string, unknown> {
  const { sha256: _, size: __, unit: ___, ...facts } = expected
  return Object.fromEntries(
    Object.entries(facts).map(([key, value]) => [
      key.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
      value,
    ]),
  )
}

function rounded(value: unknown, digits: number): unknown {
  if (typeof value === 'number') return Number(value.toFixed(digits)) + 0
  if (Array.isArray(value)) return value.map((item) => rounded(item, digits))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, rounded(item, digits)]))
}

describe.runIf(folder !== '')('real source files', () => {
  test('there are as many as the readers were made for', () => {
    expect(withExtension('png', 'jpg', 'tga', 'wav', 'glb', 'gltf').length).toBeGreaterThanOrEqual(45)
  })

  test.each(withExtension('png', 'jpg', 'jpeg', 'tga'))('the picture %s says what it is', async (path, expected) => {
    const facts = await describeSource(extension(path), bytesOf(path))
    expect(facts?.details).toEqual(camel(expected))
    expect(facts?.metadata).toMatchObject({ texture_width: expected.width, texture_height: expected.height })
  })

  test.each(withExtension('png', 'jpg', 'tga'))('the beginning of %s is enough', async (path, expected) => {
    const facts = await describeSource(extension(path), bytesOf(path).subarray(0, 4096), { sizeBytes: expected.size })
    expect(facts?.metadata).toMatchObject({ texture_width: expected.width, texture_height: expected.height })
  })

  test.each(withExtension('png', 'jpg', 'tga'))('%s gives a thumbnail in its own proportions', async (path, expected) => {
    const png = (await sourceThumbnail(extension(path), bytesOf(path))) ?? Buffer.alloc(0)
    const facts = await describeSource('png', png)
    const { texture_width: width = 0, texture_height: height = 0 } = facts?.metadata ?? {}
    const [wholeWidth, wholeHeight] = [Number(expected.width), Number(expected.height)]
    expect(Math.max(width, height)).toBe(Math.min(512, Math.max(wholeWidth, wholeHeight)))
    expect(Math.abs(width * wholeHeight - height * wholeWidth)).toBeLessThanOrEqual(Math.max(wholeWidth, wholeHeight))
  })

  test.each(withExtension('wav'))('the sound %s says what it is', async (path, expected) => {
    if (expected.error !== undefined) {
      await expect(describeSource('wav', bytesOf(path))).rejects.toMatchObject({ name: 'FormatError', reason: 'truncated' })
      return
    }
    const facts = await describeSource('wav', bytesOf(path))
    expect(rounded(facts?.details, 9)).toEqual(camel(expected))
    expect(facts?.metadata.audio_duration).toBeCloseTo(Number(expected.duration_seconds), 8)
  })

  test.each(withExtension('wav').filter(([, { error }]) => error === undefined))(
    'the beginning of %s and its size are enough',
    async (path, expected) => {
      const facts = await describeSource('wav', bytesOf(path).subarray(0, 1000), { sizeBytes: expected.size })
      expect(rounded(facts?.details, 9)).toEqual(camel(expected))
    },
  )

  test.each(withExtension('ogg'))('the sound %s says what it is', async (path, expected) => {
    const facts = await describeSource('ogg', bytesOf(path))
    expect(rounded(facts?.details, 9)).toEqual(camel(expected))
    expect(facts?.metadata).toMatchObject({ sample_rate: expected.sample_rate, channel_count: expected.channels })
    expect(facts?.metadata.audio_duration).toBeCloseTo(Number(expected.duration_seconds), 8)
  })

  test.each(withExtension('glb', 'gltf'))('the model %s says what it is', (path, expected) => {
    const facts = readGltf(bytesOf(path), { resources: siblings(path) })
    expect(rounded(comparable(facts), 6)).toEqual(rounded(withoutSizes(camel(expected)), 6))
  })

  test.each(withExtension('glb', 'gltf'))(
    'the model %s alone gives the counts of its JSON and a box in centimetres',
    async (path, expected) => {
      const head = bytesOf(path).subarray(0, sourceHeadBytes(extension(path)))
      const facts = await describeSource(extension(path), head, { sizeBytes: expected.size })
      expect(facts?.metadata).toMatchObject({ tri_count: expected.triangles_in_scene, vert_count: expected.vertices_in_scene })
      const [width, height, depth] = (expected.bounds_in_scene as { size: number[] }).size.map((edge) => edge * 100)
      expect(facts?.metadata.bounds_x).toBeCloseTo(width ?? 0, 3)
      expect(facts?.metadata.bounds_y).toBeCloseTo(height ?? 0, 3)
      expect(facts?.metadata.bounds_z).toBeCloseTo(depth ?? 0, 3)
    },
  )

  test.each(withExtension('exr'))('the picture %s has its size, channels and compression', async (path, expected) => {
    const head = bytesOf(path).subarray(0, sourceHeadBytes(extension(path)))
    const facts = await describeSource(extension(path), head, { sizeBytes: expected.size })
    const { width, height, compression } = expected
    expect(facts?.metadata).toMatchObject({ texture_width: width, texture_height: height })
    const channels = (expected.channels as { name: string }[]).map(({ name }) => name)
    expect(facts?.details).toMatchObject({ format: 'exr', width, height, channels, compression })
  })
})

describe.runIf(folder !== '')('real FBX scenes', () => {
  test.each(withExtension('fbx'))('the model %s says what it is', async (path, expected) => {
    if (expected.error !== undefined) {
      await expect(describeSource('fbx', bytesOf(path))).rejects.toMatchObject({ name: 'FormatError', reason: 'damaged' })
      return
    }
    const facts = await describeSource('fbx', bytesOf(path))
    expect(rounded(facts?.details, 5)).toMatchObject(rounded(camel(expected), 5) as object)
    expect(facts?.metadata).toMatchObject({ tri_count: expected.triangles, vert_count: expected.control_points })
    expect(facts?.metadata.bone_count ?? 0).toBe(expected.limb_nodes)
  })

  test.each(withExtension('fbx').filter(([, { error }]) => error === undefined))(
    'the model %s is read piece by piece as it is at once',
    async (path) => {
      const bytes = bytesOf(path)
      const readAt = (into: Uint8Array, offset: number) => bytes.copy(into, 0, offset)
      const inPieces = await describeSource('fbx', bytes.subarray(0, 4096), { sizeBytes: bytes.length, readAt })
      expect(inPieces).toEqual(await describeSource('fbx', bytes))
    },
  )

  test('a scene is as large as its models show it, whatever unit and scale its meshes were made in', async () => {
    const sizeOf = async (path: string) => {
      const { bounds_x, bounds_y, bounds_z } = (await describeSource('fbx', bytesOf(path)))?.metadata ?? {}
      return [bounds_x, bounds_y, bounds_z].map((edge) => Math.round((edge ?? 0) * 10) / 10)
    }
    expect(await sizeOf('source/fbx/phong_cube.fbx')).toEqual([1, 1, 1])
    expect(await sizeOf('source/fbx/box.fbx')).toEqual([51.1, 40.6, 52.9])
    expect(await sizeOf('content/UXTools/Plugins/UXTools/Content/XRSimulation/Hand.fbx')).toEqual([13, 18.1, 7.2])
  })
})

function siblings(path: string): Map<string, Uint8Array> {
  const { externalFiles } = readGltf(bytesOf(path))
  return new Map(externalFiles.map((name) => [name, readFileSync(join(folder, dirname(path), name))]))
}

function comparable({ animationSeconds: _, externalFiles: __, bounds, ...facts }: GltfFacts): Record<string, unknown> {
  return {
    ...facts,
    boundsInMeshes: bounds.inMeshes,
    boundsInScene: bounds.inScene,
    boundsFrom: bounds.from,
    allPositionsFinite: bounds.positionsFinite,
  }
}

/** The other reader also gives the differences of the corners. */
function withoutSizes(facts: Record<string, unknown>): Record<string, unknown> {
  const box = (value: unknown) => {
    const { min, max } = value as { min: number[]; max: number[] }
    return { min, max }
  }
  return { ...facts, boundsInMeshes: box(facts.boundsInMeshes), boundsInScene: box(facts.boundsInScene) }
}
