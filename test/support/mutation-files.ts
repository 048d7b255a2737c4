// Small files of every format that source data are read of, for mutations: the suite does without real ones.

import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { toBinaryFbx, toTextFbx } from '../../sample/fbx.ts'
import { toFbx } from '../../sample/fbx-model.ts'
import { toGlb } from '../../sample/model.ts'
import { toObj } from '../../sample/obj.ts'
import { texturePicture, toTga } from '../../sample/picture.ts'
import { box } from '../../sample/shape.ts'
import { toWav } from '../../sample/sound.ts'
import { surfaces } from '../../sample/surfaces.ts'
import { oldScene, oldText, scene } from './fbx.ts'
import { codedArray, huffmanArray, type Lengths, manySymbols, rawArray } from './kraken-arrays.ts'
import { type Command, compressedBuffer, krakenStream, lzChunk } from './kraken-streams.ts'
import { newDescription, oldDescription, outline, polygonShape, rawMesh, rawTriangle, triangleShape } from './mesh-payloads.ts'
import { toHdr, toPsd } from './pictures.ts'
import { sample } from './samples.ts'
import { byteBulk, editorBulk, int64, type ObjectBytes, type SourceSpec, sourcePackage, stem, trailer } from './source-package.ts'

type Made = { name: string; reader: string; bytes: Buffer }

const { sizePx, rgba } = texturePicture(surfaces.mossyRock, 8)
const oak = { model: 'Box', material: () => 'Oak' }

export async function madeFiles(): Promise<Made[]> {
  const shape = box([20, 30, 40], surfaces.oak)
  const picture = () => sharp(rgba, { raw: { width: sizePx, height: sizePx, channels: 4 } })
  const glb = await toGlb(shape, oak)
  const files: [string, Buffer][] = [
    ['a.png', await picture().png().toBuffer()],
    ['interlaced.png', await picture().png({ progressive: true }).toBuffer()],
    ['palette.png', await picture().png({ palette: true }).toBuffer()],
    ['wide.png', await picture().toColourspace('rgb16').png().toBuffer()],
    ['a.jpg', await picture().jpeg().toBuffer()],
    ['progressive.jpg', await picture().jpeg({ progressive: true }).toBuffer()],
    ['a.tga', toTga({ sizePx, rgba }, false)],
    ['packed.tga', toTga({ sizePx, rgba }, true)],
    ['a.wav', toWav({ sampleRate: 8000, samples: new Float32Array(60) })],
    ['a.glb', glb],
    ['a.gltf', embedded(glb)],
    ['a.fbx', toFbx(shape, oak)],
    ['wide.fbx', toBinaryFbx(scene(), 7500)],
    ['text.fbx', Buffer.from(toTextFbx(scene()))],
    ['old.fbx', toBinaryFbx(oldScene(), 6100)],
    ['oldtext.fbx', Buffer.from(oldText)],
    ['a.obj', toObj(shape, oak)],
    ['a.hdr', toHdr({ width: 10, height: 2 }, new Uint8Array(80).fill(100), true)],
    [
      'a.psd',
      toPsd({
        width: 4,
        height: 2,
        bitDepth: 8,
        mode: 3,
        planes: [1, 2, 3].map((shade) => Buffer.alloc(8, shade)),
        packed: true,
      }),
    ],
    ...encoded.map((name): [string, Buffer] => [name, sample(name)]),
  ]
  const sources = files.map(([name, bytes]) => ({ name, reader: name.slice(name.indexOf('.') + 1), bytes }))
  return [...(await madePackages(await picture().png().toBuffer())), ...sources]
}

const encoded = ['tone.ogg', 'tone.opus', 'tone.flac', 'tone.mp3', 'ramp-piz.exr', 'ramp-dwab.exr']

/** A glTF whose buffer is text. */
function embedded(glb: Buffer): Buffer {
  const length = glb.readUInt32LE(12)
  const json = JSON.parse(glb.toString('utf8', 20, 20 + length)) as { buffers: { uri?: string }[] }
  const [buffer] = json.buffers
  if (buffer) buffer.uri = `data:application/octet-stream;base64,${glb.subarray(28 + length).toString('base64')}`
  return Buffer.from(JSON.stringify(json))
}

export function madePayloads(): Made[] {
  return [
    { name: 'made', reader: 'raw mesh', bytes: rawMesh(rawTriangle) },
    { name: 'made', reader: 'old mesh, polygons', bytes: oldDescription(polygonShape, 28) },
    { name: 'made', reader: 'old mesh', bytes: oldDescription(triangleShape, 38) },
    { name: 'made', reader: 'new mesh', bytes: newDescription(triangleShape, 121) },
    { name: 'made', reader: 'new mesh, 5.8', bytes: newDescription(triangleShape, 123) },
    { name: 'plain', reader: 'kraken', bytes: packed(pattern(6000), 'plain') },
    { name: 'differences', reader: 'kraken', bytes: packed(pattern(6000), 'differences') },
  ]
}

/** Repeats after 37 bytes. */
const pattern = (length: number) => Buffer.from(Array.from({ length }, (_, i) => ((i % 37) * (i % 37)) & 0xff))

/** A compressed buffer of a pattern, with arrays of every coding. */
function packed(bytes: Buffer, literals: 'plain' | 'differences'): Buffer {
  const allBytes: Lengths = Array.from({ length: 256 }, (_, symbol) => [symbol, 8])
  const commands: Command[] = [{ literals: 100, match: 300, offset: 37 }]
  for (const match of [5, 700, 40, 9, 12, 2000]) commands.push({ literals: 7, match, offset: 74 })
  const array = (list: Uint8Array, name: string) => {
    if (name === 'literals') return huffmanArray(list, { lengths: allBytes, head: manySymbols(allBytes), streams: 6 })
    if (name !== 'commands') return rawArray(list)
    return codedArray(3, Buffer.concat([Buffer.of(0), list, Buffer.of(list.length, 0x10)]), { rawBytes: list.length })
  }
  const stream = krakenStream(lzChunk(bytes, { commands, literals, array }))
  return compressedBuffer({ blocks: [stream], rawSize: bytes.length })
}

const describedAs =
  ({ size, format, compression }: { size: number; format: string; compression: string }) =>
  (out: ObjectBytes) =>
    out.struct('Source', 'TextureSource', (source) => {
      source.int('SizeX', size).int('SizeY', size)
      source.property('Format', ['ByteProperty', ['ETextureSourceFormat']], (value) => value.name(format))
      source.property('CompressionFormat', ['ByteProperty', ['ETextureSourceCompressionFormat']], (value) =>
        value.name(compression),
      )
    })

async function madePackages(png: Buffer): Promise<Made[]> {
  const kraken = pattern(64 * 64 * 4)
  const wav = toWav({ sampleRate: 8000, samples: new Float32Array(60) })
  const deltas = Buffer.from(wav)
  deltas.writeUInt16LE(0xffff, 20)
  const inTrailer = (payload: Buffer) => ({
    data: (out: ObjectBytes) => editorBulk(out.u8(0).u8(0), payload.length),
    tail: trailer(payload),
  })
  const specs: [string, SourceSpec][] = [
    ['Texture2D', { ...texture('4.27.2', { size: 8, format: 'TSF_BGRA8', compression: 'TSCF_PNG' }), ...behind(png, false) }],
    [
      'Texture2D',
      { ...texture('4.27.2', { size: 32, format: 'TSF_RGBA16F', compression: 'TSCF_None' }), ...behind(pattern(8192), true) },
    ],
    ['Texture2D', { ...texture('5.3.2', { size: 8, format: 'TSF_BGRA8', compression: 'TSCF_PNG' }), ...inTrailer(png) }],
    ['Texture2D', { ...texture('5.7.4', { size: 64, format: 'TSF_BGRA8', compression: 'TSCF_UEDELTA' }), ...inTrailer(kraken) }],
    ['SoundWave', sound({ engine: '5.4.4', versions: { main: 119, framework: 37 } }, deltas)],
    ['SoundWave', sound({ engine: '4.27.2', versions: { framework: 37 } }, wav)],
    [
      'StaticMesh',
      staticMesh({ engine: '4.22.3', versions: { editor: 24, rendering: 26 } }, (out) => bulkAtOnce(out, rawMesh(rawTriangle))),
    ],
    [
      'StaticMesh',
      staticMesh({ engine: '4.22.3', versions: { editor: 30, rendering: 28 } }, (out) =>
        bulkAtOnce(out.i32(1), oldDescription(triangleShape, 30)),
      ),
    ],
    ['SkeletalMesh', skeletalMesh()],
  ]
  const described = newDescription(triangleShape, 119)
  specs.push(['StaticMesh', ownPayload(described)])
  return Promise.all(specs.map(async ([reader, spec]) => ({ name: `${stem}.uasset`, reader, bytes: await sourcePackage(spec) })))
}

const texture = (engine: string, about: Parameters<typeof describedAs>[0]) => ({
  assetClass: 'Texture2D',
  engine,
  properties: describedAs(about),
  ...(engine.startsWith('5') && { versions: { main: 119 } }),
})

/** At the end of the file, in chunks of zlib where that is wanted. */
function behind(payload: Buffer, isDeflated: boolean): Pick<SourceSpec, 'data' | 'tail'> {
  const deflated = deflateSync(payload)
  const numbers = [0x9e2a83c1, 131_072, deflated.length, payload.length, deflated.length, payload.length]
  const tail = isDeflated ? Buffer.concat([...numbers.map(int64), deflated]) : payload
  const sizes = { flags: isDeflated ? 3 : 1, rawSize: payload.length, storedSize: tail.length }
  return { data: (out) => byteBulk(out.u8(0).u8(0), sizes), tail }
}

function sound(spec: Pick<SourceSpec, 'engine' | 'versions'>, wav: Buffer): SourceSpec {
  const isOld = spec.engine.startsWith('4')
  return {
    assetClass: 'SoundWave',
    ...spec,
    data: (out) =>
      isOld
        ? byteBulk(out.u32(0), { flags: 1, rawSize: wav.length, storedSize: wav.length })
        : editorBulk(out.u32(0), wav.length),
    tail: isOld ? wav : trailer(wav),
  }
}

const bulkAtOnce = (out: ObjectBytes, payload: Buffer) =>
  out.u32(0).i32(payload.length, payload.length).i64(0).raw(payload).raw(Buffer.alloc(20))

/** Of one slot, with its payload in its own data. */
function staticMesh(spec: Pick<SourceSpec, 'engine' | 'versions'>, payload: (out: ObjectBytes) => void): SourceSpec {
  return {
    assetClass: 'StaticMesh',
    ...spec,
    properties: (out) => models(out, 0),
    data: (out) => {
      out.u8(0).u8(0).i32(0, 0, 0).string('old').u32(7).raw(Buffer.alloc(16)).i32(2, 1, 2)
      payload(out)
    },
  }
}

/** From 5.0 on an object of its own holds the payload; here it is the mesh itself. */
function ownPayload(payload: Buffer): SourceSpec {
  return {
    assetClass: 'StaticMesh',
    engine: '5.3.2',
    versions: { main: 119, editor: 40 },
    properties: (out) => models(out, 1),
    data: (out) => editorBulk(out, payload.length),
    tail: trailer(payload),
  }
}

function models(out: ObjectBytes, holder: number): void {
  const model = (into: ObjectBytes) => {
    into.struct('BuildSettings', 'MeshBuildSettings', (settings) =>
      settings.property('BuildScale3D', ['StructProperty', ['Vector']], (value) => value.f32(1, 2, 1)),
    )
    into.property('StaticMeshDescriptionBulkData', ['ObjectProperty'], (value) => value.i32(holder)).name('None')
  }
  const slot = (into: ObjectBytes) => {
    into.property('MaterialInterface', ['ObjectProperty'], (value) => value.i32(-1))
    into.property('MaterialSlotName', ['NameProperty'], (value) => value.name('Wood')).name('None')
  }
  out.structs('SourceModels', 'StaticMeshSourceModel', [model]).structs('StaticMaterials', 'StaticMaterial', [slot, slot])
}

/** Of 4.20: one bone, two sections of a triangle each. */
function skeletalMesh(): SourceSpec {
  const data = (out: ObjectBytes) => {
    out.u8(0).u8(0).f32(0, 0, 0, 1, 1, 1, 1)
    out.i32(1, 0).raw(Buffer.alloc(24)) // a material
    out.i32(1).name('root').i32(-1).string('').i32(1).raw(Buffer.alloc(40)).i32(1).name('root').i32(0)
    out.i32(1).u8(0).u8(0).i32(2)
    for (const material of [0, 1]) section(out, material)
    out.i32(6, 0, 1, 2, 3, 4, 5)
  }
  return { assetClass: 'SkeletalMesh', engine: '4.22.3', versions: { skeletalMesh: 16, rendering: 26 }, data }
}

function section(out: ObjectBytes, material: number): void {
  out
    .u8(0)
    .u8(0)
    .u16(material)
    .u32(3 * material)
    .u32(1)
    .u8(0)
    .i32(0, 3)
  for (const [x = 0, y = 0] of outline.slice(0, 3)) {
    out.f32(x, y, 5, 1, 0, 0, 0, 1, 0, 0, 0, 1, -1, x, y, 0, 0, 0, 0, 0, 0)
    out.u8(0).u8(0).u8(255).u8(255).raw(Buffer.alloc(16))
  }
  out.i32(1).u16(0).i32(3, 1, 1).raw(Buffer.alloc(64)).raw(Buffer.alloc(22)).i32(0)
}
