// glTF files whose meshes are compressed by Draco or whose buffers are by meshopt, made by the encoders of both; and such that lie.
import draco from 'draco3dgltf'
import { MeshoptEncoder } from 'meshoptimizer/encoder'
import { beforeAll, describe, expect, test } from 'vitest'
import { openDecoder } from '../../formats/gltf/draco.ts'
import { readGltfMesh } from '../../formats/gltf/geometry.ts'
import { boxOf } from '../support/mesh.ts'

const refusal = (reason: string) => expect.objectContaining({ name: 'FormatError', reason })

/** A grid of squares: enough points for both to have something to do. */
const edge = 12
const points = Float32Array.from({ length: edge * edge * 3 }, (_, at) => {
  const point = Math.floor(at / 3)
  return [point % edge, Math.sin(point), Math.floor(point / edge)][at % 3] ?? 0
})
const corners = Uint32Array.from(
  Array.from({ length: (edge - 1) ** 2 }, (_, square) => {
    const first = Math.floor(square / (edge - 1)) * edge + (square % (edge - 1))
    return [first, first + 1, first + edge, first + 1, first + edge + 1, first + edge]
  }).flat(),
)

type Change = (json: ReturnType<typeof shell>) => void

const shell = (views: object[], primitive: object, byteLength: number) => ({
  asset: { version: '2.0' },
  buffers: [{ byteLength, uri: '' }],
  bufferViews: views as Record<string, unknown>[],
  accessors: [
    { componentType: 5126, type: 'VEC3', count: points.length / 3, bufferView: 0 as number | undefined },
    { componentType: 5125, type: 'SCALAR', count: corners.length, bufferView: 1 as number | undefined },
  ],
  meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1, ...primitive }] }],
})

function fileOf(bytes: Uint8Array, json: ReturnType<typeof shell>, change: Change = () => {}): Buffer {
  json.buffers[0] = {
    byteLength: bytes.length,
    uri: `data:application/octet-stream;base64,${Buffer.from(bytes).toString('base64')}`,
  }
  change(json)
  return Buffer.from(JSON.stringify(json))
}

/** `method`: 0 writes triangles one after the other, 1 walks from one to the next. */
async function dracoBytes(method: number): Promise<Uint8Array> {
  const module = await draco.createEncoderModule()
  const [encoder, builder, mesh, out] = [
    new module.Encoder(),
    new module.MeshBuilder(),
    new module.Mesh(),
    new module.DracoInt8Array(),
  ]
  builder.AddFacesToMesh(mesh, corners.length / 3, corners)
  builder.AddFloatAttribute(mesh, module.POSITION, points.length / 3, 3, points)
  encoder.SetEncodingMethod(method)
  encoder.SetAttributeQuantization(module.POSITION, 14)
  const length = encoder.EncodeMeshToDracoBuffer(mesh, out)
  return Uint8Array.from({ length }, (_, at) => out.GetValue(at) & 255)
}

const methods = { sequential: 0, edgebreaker: 1 }
let made: Record<string, Uint8Array>
beforeAll(async () => {
  await MeshoptEncoder.ready
  made = { sequential: await dracoBytes(0), edgebreaker: await dracoBytes(1) }
})

function dracoFile(method: string, change?: Change, bytes = made[method] ?? new Uint8Array()): Buffer {
  const extensions = { KHR_draco_mesh_compression: { bufferView: 0, attributes: { POSITION: 0 } } }
  const json = shell([{ buffer: 0, byteLength: bytes.length }], { extensions }, bytes.length)
  for (const accessor of json.accessors) accessor.bufferView = undefined
  return fileOf(bytes, json, change)
}

function meshoptFile(change?: Change, changeBytes: (bytes: Buffer) => void = () => {}): Buffer {
  const positions = MeshoptEncoder.encodeGltfBuffer(new Uint8Array(points.buffer), points.length / 3, 12, 'ATTRIBUTES')
  const indices = MeshoptEncoder.encodeGltfBuffer(new Uint8Array(corners.buffer), corners.length, 4, 'TRIANGLES')
  const start = Math.ceil(positions.length / 4) * 4
  const bytes = Buffer.concat([positions, Buffer.alloc(start - positions.length), indices])
  const view = (compressed: object, raw: number) => ({
    buffer: 1,
    byteLength: raw,
    extensions: { EXT_meshopt_compression: { buffer: 0, ...compressed } },
  })
  const [count, listed] = [points.length / 3, corners.length]
  const views = [
    view({ byteLength: positions.length, byteStride: 12, count, mode: 'ATTRIBUTES' }, points.byteLength),
    view({ byteOffset: start, byteLength: indices.length, byteStride: 4, count: listed, mode: 'TRIANGLES' }, corners.byteLength),
  ]
  changeBytes(bytes)
  return fileOf(bytes, shell(views, {}, bytes.length), (json) => {
    json.buffers.push({ byteLength: points.byteLength + corners.byteLength } as (typeof json.buffers)[0])
    change?.(json)
  })
}

const highest = Math.max(...Array.from({ length: edge * edge }, (_, point) => Math.sin(point)))

async function expectGrid(file: Buffer): Promise<void> {
  const mesh = await readGltfMesh(file)
  expect(mesh.triangleSlots).toHaveLength(corners.length / 3)
  const { max } = boxOf(mesh)
  for (const [axis, value] of [edge - 1, edge - 1, highest].entries()) expect((max[axis] ?? 0) / 100).toBeCloseTo(value, 2)
}

test.each(Object.keys(methods))('a mesh that Draco wrote in its %s way is read', async (method) => {
  await expectGrid(dracoFile(method))
})

test('a primitive that Draco compressed leaves accessors of others alone', async () => {
  const both = dracoFile('edgebreaker', ({ meshes }) => {
    const [primitive] = meshes[0]?.primitives ?? []
    if (primitive) meshes[0]?.primitives.push({ ...primitive, attributes: { ...primitive.attributes } })
  })
  const { triangleSlots } = await readGltfMesh(both)
  expect(triangleSlots).toHaveLength((corners.length / 3) * 2)
})

test('buffers that meshopt compressed are read', async () => {
  await expectGrid(meshoptFile())
})

describe('files that lie', () => {
  const claims: [string, Change][] = [
    ['more triangles', ({ accessors: [, indices] }) => Object.assign(indices ?? {}, { count: corners.length + 3 })],
    ['fewer points', ({ accessors: [position] }) => Object.assign(position ?? {}, { count: 3 })],
    ['other numbers for each point', ({ accessors: [position] }) => Object.assign(position ?? {}, { type: 'VEC2' })],
    ['a view beyond its buffer', ({ bufferViews: [view] }) => Object.assign(view ?? {}, { byteLength: 1e6 })],
    ['an unknown part', ({ meshes }) => Object.assign(meshes[0]?.primitives[0] ?? {}, unknownPart)],
    ['no places', ({ meshes }) => Object.assign(meshes[0]?.primitives[0] ?? {}, noPlaces)],
  ]
  const unknownPart = { extensions: { KHR_draco_mesh_compression: { bufferView: 0, attributes: { POSITION: 7 } } } }
  const noPlaces = { extensions: { KHR_draco_mesh_compression: { bufferView: -1, attributes: [] } } }

  test.each(claims)('a Draco mesh with %s is damaged', async (_, change) => {
    for (const method of Object.keys(methods))
      await expect(readGltfMesh(dracoFile(method, change))).rejects.toThrow(refusal('damaged'))
  })

  test('a Draco mesh that claims a hundred million triangles is refused before memory is taken for it', async () => {
    const claimed = [0x80, 0xc2, 0xd7, 0x2f]
    const bytes = Uint8Array.of(...Buffer.from('DRACO'), 2, 2, 1, 0, 0, 0, ...claimed, ...claimed, 0, 0, 0, 0)
    const claim: Change = ({ accessors }) => {
      for (const accessor of accessors) accessor.count = 300_000_000
    }
    const before = process.memoryUsage().external
    for (const change of [undefined, claim])
      await expect(readGltfMesh(dracoFile('sequential', change, bytes))).rejects.toThrow(/damaged|more than|triangles/)
    expect(process.memoryUsage().external - before).toBeLessThan(64 * 1024 * 1024)
  })

  test('the decoder of Draco gets no more than its share of memory, whatever a mesh holds', async () => {
    const decoder = await openDecoder()
    expect(decoder._malloc(64 * 1024 * 1024)).toBeGreaterThan(0)
    expect(decoder._malloc(512 * 1024 * 1024)).toBe(0)
    expect(decoder.HEAPU8.length).toBeLessThan(384 * 1024 * 1024)
  })

  test.each<[string, Change]>([
    ['a stride that cannot be', ({ bufferViews: [view] }) => changeView(view, { byteStride: 6 })],
    ['an unknown mode', ({ bufferViews: [view] }) => changeView(view, { mode: 'OTHERS' })],
    ['too few bytes', ({ bufferViews: [view] }) => changeView(view, { byteLength: 20 })],
    ['more elements', ({ bufferViews: [view] }) => changeView(view, { count: 1e6 })],
  ])('a meshopt buffer with %s is damaged', async (_, change) => {
    await expect(readGltfMesh(meshoptFile(change))).rejects.toThrow(refusal('damaged'))
  })

  test('a meshopt buffer that unpacks to too much is refused', async () => {
    const huge = meshoptFile(({ bufferViews: [view] }) => changeView(view, { count: 1e9 }))
    await expect(readGltfMesh(huge)).rejects.toThrow(refusal('too-large'))
  })

  const changeView = (view: Record<string, unknown> | undefined, change: object) => {
    const { extensions } = view as { extensions: { EXT_meshopt_compression: object } }
    Object.assign(extensions.EXT_meshopt_compression, change)
  }
})
