// Source files that lie: any bytes give facts or a FormatError, in time and memory that are bounded.
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../formats/format-error.ts'
import { describeSource, type SourceFacts, sourceThumbnail } from '../../formats/source-file.ts'
import { toBinaryFbx, toTextFbx } from '../../sample/fbx.ts'
import { toGlb } from '../../sample/model.ts'
import { texturePicture, toTga } from '../../sample/picture.ts'
import { box } from '../../sample/shape.ts'
import { toWav } from '../../sample/sound.ts'
import { surfaces } from '../../sample/surfaces.ts'
import { oldScene, oldText, scene } from '../support/fbx.ts'
import { oggPage, vorbisHeader } from '../support/ogg.ts'

const { sizePx, rgba } = texturePicture(surfaces.mossyRock, 8)
const picture = () => sharp(rgba, { raw: { width: sizePx, height: sizePx, channels: 4 } })
const glb = await toGlb(box([20, 30, 40], surfaces.oak), { model: 'Box', material: () => 'Oak' })
const wav = toWav({ sampleRate: 8000, samples: new Float32Array(60) })
const rf64 = Buffer.concat([
  Buffer.from('RF64\xff\xff\xff\xffWAVEds64\x1c\0\0\0', 'latin1'),
  Buffer.from(BigUint64Array.of(200n, 120n, 60n).buffer),
  Buffer.alloc(4),
  wav.subarray(12),
])
const gltfJson = glb.subarray(20, 20 + glb.readUInt32LE(12))

const ogg = Buffer.concat([vorbisHeader(), oggPage({ granule: 24_000n, body: Buffer.alloc(300) })])
const obj = Buffer.from(
  '# File units = meters\nmtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 -2.5e0\nusemtl Oak\nf 1/1/1 2/2 \\\n 3\nfo 1 2 3\n',
)
const mtl = Buffer.from('newmtl Oak\nKd 1 1 1\nmap_Kd -o 1 2 3 -bm 0.5 oak.png\nbump oak_n.png\n')

const corpus: [string, string, Buffer][] = [
  ['a PNG', 'png', await picture().png().toBuffer()],
  ['an interlaced PNG', 'png', await picture().png({ progressive: true }).toBuffer()],
  ['a palette PNG', 'png', await picture().png({ palette: true }).toBuffer()],
  ['a JPEG', 'jpg', await picture().jpeg().toBuffer()],
  ['a progressive JPEG', 'jpg', await picture().jpeg({ progressive: true }).toBuffer()],
  ['a TGA', 'tga', toTga({ sizePx, rgba }, false)],
  ['a run-length TGA', 'tga', toTga({ sizePx, rgba }, true)],
  ['a WAV', 'wav', wav],
  ['an RF64 WAV', 'wav', rf64],
  ['an OGG', 'ogg', ogg],
  ['a binary FBX', 'fbx', toBinaryFbx(scene())],
  ['a binary FBX with 64-bit sizes', 'fbx', toBinaryFbx(scene(), 7500)],
  ['a text FBX', 'fbx', Buffer.from(toTextFbx(scene()))],
  ['a binary FBX of old', 'fbx', toBinaryFbx(oldScene(), 6100)],
  ['a text FBX of old', 'fbx', Buffer.from(oldText)],
  ['an OBJ', 'obj', obj],
  ['a material library', 'mtl', mtl],
  ['a GLB', 'glb', glb],
  ['a glTF', 'gltf', gltfJson],
]

/** Facts, or the FormatError of facts or picture; anything else that escapes fails the test. */
async function outcome(ext: string, bytes: Uint8Array, sizeBytes = bytes.length): Promise<SourceFacts | FormatError> {
  try {
    const facts = await describeSource(ext, bytes, { sizeBytes })
    if (facts === null) throw new Error(`${ext} is no source file`)
    expect(JSON.stringify(facts).length).toBeLessThan(20_000 + 16 * bytes.length)
    if (facts.pictured) await sourceThumbnail(ext, bytes)
    return facts
  } catch (error) {
    if (error instanceof FormatError) return error
    throw error
  }
}

describe.each(corpus)('%s', (_, ext, bytes) => {
  /** Where a reader may look: all of what tells about the rest, and some of the rest. */
  const head = Math.min(bytes.length, ext === 'fbx' ? 2500 : 500)

  test('is described to begin with', async () => {
    expect(await outcome(ext, bytes)).toMatchObject({ details: { format: expect.any(String) } })
  })

  test('cut anywhere is described or refused', async () => {
    for (let length = 0; length < bytes.length; length += length < head ? 1 : 61) {
      await outcome(ext, bytes.subarray(0, length))
      await outcome(ext, bytes.subarray(0, length), bytes.length)
    }
  })

  test('with any field at an extreme never breaks its reader', async () => {
    for (const extreme of [0xffffffff, 0x7fffffff, 0]) {
      for (let at = 0; at + 4 <= head; at++) {
        const lie = Buffer.from(bytes)
        lie.writeUInt32LE(extreme, at)
        await outcome(ext, lie)
      }
    }
  })

  test('with bytes changed at random never breaks its reader', async () => {
    const change = fc.tuple(fc.nat(head - 1), fc.nat(255))
    const property = fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
      const lie = Buffer.from(bytes)
      for (const [at, value] of changes) lie[at] = value
      await outcome(ext, lie)
    })
    await fc.assert(property, { seed: 5, numRuns: 300 })
  })

  test('with noise behind its beginning never breaks its reader', async () => {
    const property = fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), fc.nat(60), async (noise, kept) => {
      await outcome(ext, Buffer.concat([bytes.subarray(0, kept), noise]))
    })
    await fc.assert(property, { seed: 6, numRuns: 300 })
  })
})

describe.each(['png', 'jpg', 'tga', 'wav', 'ogg', 'opus', 'fbx', 'obj', 'mtl', 'glb', 'gltf'])('a .%s', (ext) => {
  test('that is a Git LFS pointer is refused as one', async () => {
    const pointer = Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n')
    expect(await outcome(ext, pointer)).toMatchObject({ reason: 'git-lfs-pointer' })
  })

  test('that is empty is refused', async () => {
    expect(await outcome(ext, Buffer.alloc(0))).toMatchObject({ name: 'FormatError' })
  })
})

/** A GLB of which only the JSON matters. */
function glbOf(json: unknown): Buffer {
  const text = Buffer.from(JSON.stringify(json))
  const header = Buffer.alloc(20)
  header.write('glTF', 'latin1')
  for (const [at, value] of [2, text.length + 20, text.length, 0x4e4f534a].entries()) header.writeUInt32LE(value, 4 + at * 4)
  return Buffer.concat([header, text])
}
const asset = { version: '2.0' }
const triangle = { attributes: { POSITION: 0 } }
const manyVertices = { componentType: 5126, type: 'VEC3', count: 4_000_000_000, min: [0, 0, 0], max: [1, 1, 1] }

test('a model that announces billions of vertices is measured by its own box, without making room for them', async () => {
  const json = {
    asset,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [triangle] }],
    accessors: [manyVertices],
  }
  const facts = await outcome(
    'glb',
    glbOf({ ...json, bufferViews: [{ buffer: 0, byteLength: 1 }], buffers: [{ byteLength: 1 }] }),
  )
  expect(facts).toMatchObject({ metadata: { vert_count: 4_000_000_000, bounds_x: 100 } })
})

test('more vertices than numbers can count are damage', async () => {
  const primitives = Array.from({ length: 3000 }, () => triangle)
  const nodes = Array.from({ length: 3000 }, () => ({ mesh: 0 }))
  const json = { asset, scenes: [{ nodes: [...nodes.keys()] }], nodes, meshes: [{ primitives }], accessors: [manyVertices] }
  expect(await outcome('glb', glbOf(json))).toMatchObject({ reason: 'damaged' })
})

test('nodes in a circle, or below two others, are damage', async () => {
  const circle = { asset, scenes: [{ nodes: [0] }], nodes: [{ children: [1] }, { children: [0] }] }
  expect(await outcome('glb', glbOf(circle))).toMatchObject({ reason: 'damaged' })
  const shared = { asset, scenes: [{ nodes: [0, 1] }], nodes: [{ children: [2] }, { children: [2] }, {}] }
  expect(await outcome('glb', glbOf(shared))).toMatchObject({ reason: 'damaged' })
})

test('nodes nested deeper than any skeleton are too much', async () => {
  const nodes = Array.from({ length: 5000 }, (_, index) => (index < 4999 ? { children: [index + 1] } : {}))
  expect(await outcome('glb', glbOf({ asset, scenes: [{ nodes: [0] }], nodes }))).toMatchObject({ reason: 'too-large' })
})

test('JSON nested without end, of another version, or of another shape is refused', async () => {
  expect(await outcome('gltf', Buffer.from('['.repeat(900_000)))).toMatchObject({ reason: 'not-this-format' })
  expect(await outcome('gltf', Buffer.from('{"asset":{"version":"1.0"}}'))).toMatchObject({ reason: 'unsupported' })
  expect(await outcome('gltf', Buffer.from('{"nodes":7}'))).toMatchObject({ reason: 'damaged' })
})

test('more JSON than any scene needs is too much, in bytes or in values', async () => {
  expect(await outcome('gltf', Buffer.alloc(33 * 1024 * 1024, ' '))).toMatchObject({ reason: 'too-large' })
  const empty = '[],'.repeat(1_100_000)
  expect(await outcome('gltf', Buffer.from(`{"asset":{"version":"2.0"},"x":[${empty}[]]}`))).toMatchObject({
    reason: 'too-large',
  })
})

test('a scene that places a mesh of many parts many times is counted, and not measured', async () => {
  const primitives = Array.from({ length: 2000 }, () => triangle)
  const nodes = Array.from({ length: 2000 }, () => ({ mesh: 0 }))
  const accessors = [{ ...manyVertices, count: 3 }]
  const json = { asset, scenes: [{ nodes: [...nodes.keys()] }], nodes, meshes: [{ primitives }], accessors }
  const facts = await outcome('glb', glbOf(json))
  expect(facts).toMatchObject({ metadata: { tri_count: 4_000_000 }, details: { bounds: { inScene: null, inMeshes: null } } })
  expect(facts).not.toHaveProperty('metadata.bounds_x')
})

/** A PNG that says it has other sides than it has. */
async function pngClaiming(width: number, height: number): Promise<Buffer> {
  const png = await picture().png().toBuffer()
  png.writeUInt32BE(width, 16)
  png.writeUInt32BE(height, 20)
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29)
  return png
}

test.each([
  [60_000, 60_000],
  [1_000_000, 12],
  [12, 1_000_000],
])('a picture of %i x %i pixels has facts and no thumbnail', async (width, height) => {
  const png = await pngClaiming(width, height)
  expect(await describeSource('png', png)).toMatchObject({ metadata: { texture_width: width, texture_height: height } })
  await expect(sourceThumbnail('png', png)).rejects.toMatchObject({ name: 'FormatError', reason: 'too-large' })
})

test('a picture that ends before its last line gives no thumbnail, and is not searched for the rest', async () => {
  await expect(sourceThumbnail('png', await pngClaiming(16_000, 16_000))).rejects.toMatchObject({ reason: 'damaged' })
})

test('an interlaced picture, which is decoded as a whole, may have fewer pixels than another', async () => {
  const bands = { create: { width: 5000, height: 5000, channels: 3, background: 'red' } } as const
  const interlaced = await sharp(bands).png({ progressive: true }).toBuffer()
  await expect(sourceThumbnail('png', interlaced)).rejects.toMatchObject({ name: 'FormatError', reason: 'too-large' })
  const plain = await sharp(bands).png().toBuffer()
  expect((await sharp((await sourceThumbnail('png', plain)) ?? undefined).metadata()).width).toBe(512)
})

test('a small TGA whose packets stand for a gigapixel gets no thumbnail', async () => {
  const tga = toTga({ sizePx, rgba }, true)
  tga.writeUInt16LE(65_535, 12)
  tga.writeUInt16LE(65_535, 14)
  await expect(sourceThumbnail('tga', tga)).rejects.toMatchObject({ name: 'FormatError', reason: 'too-large' })
})

test('only pictures are decoded as pictures, whatever a file is called', async () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
  await expect(sourceThumbnail('png', svg)).rejects.toMatchObject({ name: 'FormatError', reason: 'not-this-format' })
  expect(await sourceThumbnail('svg', svg)).toBe(null)
})
