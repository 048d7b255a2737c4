// What a library wants of a file, made of it in threads: the preview, the thumbnail, or why there is none.
import { createHash } from 'node:crypto'
import { extname, join } from 'node:path'
import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { readWav } from '../../formats/wav.ts'
import { isCertain, type MadeMedia } from '../../previews/threads/media-order.ts'
import { SourceThreads } from '../../previews/threads/source-threads.ts'
import type { SourceAnswer } from '../../previews/threads/source-worker.ts'
import { glbIssues } from '../support/glb-issues.ts'
import { noisyPng, wavOf } from '../support/media.ts'
import { sourcePackages } from '../support/payload-fixtures.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const threads = new SourceThreads({ threads: 1 })
afterAll(() => threads.end())

const pyramid = 'v 0 0 0\nv 10 0 0\nv 0 10 0\nv 3 3 9\nf 1 2 4\nf 2 3 4\nf 3 1 4\nf 1 3 2\n'
const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex')

function order(name: string, bytes: string | Uint8Array, hash = sha256(bytes)): Promise<SourceAnswer> {
  // As in the content cache: the name of the file is that of its bytes.
  const folder = temporaryFolder({ bytes })
  return threads.run({ want: 'media', path: join(folder, 'bytes'), name, hash, preview: true, thumbnail: true })
}

async function media(name: string, bytes: string | Uint8Array, hash?: string): Promise<MadeMedia> {
  const answer = await order(name, bytes, hash)
  if (answer.kind !== 'media') throw new Error(JSON.stringify(answer))
  return answer.media
}

test('a mesh becomes a GLB, and its thumbnail a drawing of 512 x 512 on a transparent ground', async () => {
  const { preview, thumbnail = new Uint8Array(), lacks } = await media('Hut.obj', pyramid)
  expect(lacks).toBeUndefined()
  expect(preview).toMatchObject({ kind: 'glb', measures: { triangles: 4 }, reduced: [] })
  expect(await glbIssues(preview?.bytes ?? new Uint8Array())).toEqual([])
  const { width, height, channels } = await sharp(thumbnail).metadata()
  expect({ width, height, channels }).toEqual({ width: 512, height: 512, channels: 4 })
  const { data } = await sharp(thumbnail).extractChannel(3).raw().toBuffer({ resolveWithObject: true })
  expect(data[0]).toBe(0)
  expect(data[256 * 512 + 256]).toBe(255)
})

test('a sound becomes a WAV and a picture of its loudness, a picture a PNG of its size and one that fits into 512', async () => {
  const sound = await media('Bell.wav', wavOf({ frames: 4000 }))
  expect(sound.preview?.kind).toBe('audio')
  expect(readWav(Buffer.from(sound.preview?.bytes ?? []), sound.preview?.bytes.length ?? 0)).toMatchObject({ channels: 1 })
  expect((await sharp(sound.thumbnail).metadata()).width).toBe(512)
  const picture = await media('Rust.png', await noisyPng(1024, 600))
  expect(picture.preview).toMatchObject({ kind: 'image', measures: { width: 1024, height: 600 } })
  expect(await sharp(picture.thumbnail).metadata()).toMatchObject({ format: 'png', width: 512, height: 300 })
})

test('a file that holds something else by now is left alone, and nothing is said of the version', async () => {
  const { preview, thumbnail, lacks } = await media('Hut.obj', pyramid, sha256('another'))
  expect({ preview, thumbnail }).toEqual({})
  expect(lacks?.reason).toBe('changed')
  expect(lacks && isCertain(lacks)).toBe(false)
})

test('a model whose buffers are elsewhere can be made where they are: that there is none is not certain', async () => {
  const gltf = {
    asset: { version: '2.0' },
    buffers: [{ uri: 'Hut.bin', byteLength: 36 }],
    bufferViews: [{ buffer: 0, byteLength: 36 }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3' }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
    nodes: [{ mesh: 0 }],
    scenes: [{ nodes: [0] }],
    scene: 0,
  }
  const { lacks } = await media('Hut.gltf', JSON.stringify(gltf))
  expect(lacks).toMatchObject({ reason: 'beside', message: expect.stringContaining('Hut.bin') })
  expect(lacks && isCertain(lacks)).toBe(false)
})

test('a hostile package gives a reason that lies in its bytes, and the thread goes on with the next file', async () => {
  const hostile = Buffer.alloc(200_000, 0xff)
  hostile.writeUInt32LE(0x9e2a83c1, 0)
  hostile.writeInt32LE(-8, 4)
  const { preview, thumbnail, lacks } = await media('SM_Trap.uasset', hostile)
  expect({ preview, thumbnail }).toEqual({})
  expect(lacks && isCertain(lacks)).toBe(true)
  expect((await media('Hut.obj', pyramid)).preview?.kind).toBe('glb')
})

test('a file that takes too long ends its thread, and another thread does the next', async () => {
  const impatient = new SourceThreads({ threads: 1, limitMs: 1 })
  const path = join(temporaryFolder({ 'Hut.obj': pyramid }), 'Hut.obj')
  const one = { want: 'media', path, hash: sha256(pyramid), preview: true, thumbnail: true } as const
  expect(await impatient.run(one)).toMatchObject({ kind: 'failed', reason: 'timeout' })
  await impatient.end()
  expect(await threads.run(one)).toMatchObject({ kind: 'media' })
})

const real = sourcePackages('Texture2D', 'SoundWave', 'StaticMesh', 'SkeletalMesh')

test.runIf(real.length > 0)(
  'real packages have the thumbnail of the editor where they have one, and a preview of their kind',
  async () => {
    const kinds: Record<string, string> = { Texture2D: 'image', SoundWave: 'audio', StaticMesh: 'glb', SkeletalMesh: 'glb' }
    for (const { path, bytes, expected } of real.filter((one) => one.bytes.length < 300_000)) {
      const made = await media(`Asset${extname(path)}`, new Uint8Array(bytes))
      expect(made.preview?.kind, path).toBe(kinds[expected.class])
      expect(made.thumbnail, path).toBeDefined()
    }
  },
)
