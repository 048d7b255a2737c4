// Triangles of glTF and GLB files.
import { expect, test } from 'vitest'
import { readGltfMesh } from '../../formats/gltf/geometry.ts'
import { toGlb } from '../../sample/model.ts'
import { box } from '../../sample/shape.ts'
import { surfaces } from '../../sample/surfaces.ts'
import { boxOf, cornersOf, facings, groups } from '../support/mesh.ts'

const refusal = (reason: string) => expect.objectContaining({ name: 'FormatError', reason })

type Stored = Float32Array | Uint32Array | Uint16Array | Uint8Array | Int8Array | Int16Array
const componentTypes = [
  [Int8Array, 5120],
  [Uint8Array, 5121],
  [Int16Array, 5122],
  [Uint16Array, 5123],
  [Uint32Array, 5125],
  [Float32Array, 5126],
] as const

/** A file whose buffer is made of arrays, one accessor for each; `json` has the rest. */
class Model {
  readonly accessors: object[] = []
  readonly views: object[] = []
  readonly #bytes: Buffer[] = []
  #length = 0

  view(array: Stored, more = {}): number {
    const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength)
    this.#bytes.push(bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4))
    this.views.push({ buffer: 0, byteOffset: this.#length, byteLength: bytes.length, ...more })
    this.#length += Math.ceil(bytes.length / 4) * 4
    return this.views.length - 1
  }

  add(type: 'SCALAR' | 'VEC2' | 'VEC3' | 'VEC4', array: Stored, more = {}): number {
    const size = type === 'SCALAR' ? 1 : Number(type.slice(3))
    const componentType = componentTypes.find(([kind]) => array instanceof kind)?.[1]
    this.accessors.push({ bufferView: this.view(array), componentType, type, count: array.length / size, ...more })
    return this.accessors.length - 1
  }

  json(more: object, uri?: string): Buffer {
    const buffer = {
      byteLength: this.#length,
      uri: uri ?? `data:application/octet-stream;base64,${this.bytes.toString('base64')}`,
    }
    const { accessors, views: bufferViews } = this
    return Buffer.from(JSON.stringify({ asset: { version: '2.0' }, accessors, bufferViews, buffers: [buffer], ...more }))
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#bytes)
  }
}

const square = Float32Array.of(0, 0, 0, 2, 0, 0, 2, 1, 0, 0, 1, 0)

/** A square of four positions with what a test adds to its primitive, shown by nodes. */
function squareOf(given: (model: Model) => object = () => ({}), more: object = {}): Buffer {
  const model = new Model()
  const POSITION = model.add('VEC3', square)
  const { attributes = {}, ...rest } = { attributes: {}, ...given(model) }
  const primitive = { attributes: { POSITION, ...attributes }, ...rest }
  return model.json({ meshes: [{ primitives: [primitive] }], ...more })
}
const indexed = (list: number[], mode?: number) => (model: Model) => ({
  indices: model.add('SCALAR', Uint16Array.from(list)),
  mode,
})

test('Y is up, and metres become centimetres', async () => {
  const mesh = await readGltfMesh(squareOf(indexed([0, 1, 2, 0, 2, 3])))
  expect(cornersOf(mesh)).toEqual([
    [0, 0, 0],
    [200, 0, 0],
    [200, 0, 100],
    [0, 0, 0],
    [200, 0, 100],
    [0, 0, 100],
  ])
  expect(facings(mesh)).toEqual(Array(2).fill([0, 20_000, 0]))
  expect(mesh).toMatchObject({ normals: null, uvs: [], colors: null, slots: [{ name: 'Default', material: null }] })
})

test.each([
  ['a list without indices', undefined, 4, [0, 1, 2]],
  ['a list that ends inside a triangle', [0, 1, 2, 3, 0], 4, [0, 1, 2]],
  ['a strip', [0, 1, 3, 2], 5, [0, 1, 3, 1, 2, 3]],
  ['a strip without indices', undefined, 5, [0, 1, 2, 1, 3, 2]],
  ['a fan', [0, 1, 2, 3], 6, [1, 2, 0, 2, 3, 0]],
] as [string, number[] | undefined, number, number[]][])('triangles come from %s', async (...row) => {
  const [, list, mode, corners] = row
  const mesh = await readGltfMesh(squareOf(list ? indexed(list, mode) : () => ({ mode })))
  expect([...mesh.cornerPositions]).toEqual(corners)
})

test('points and lines are no triangles', async () => {
  for (const mode of [0, 1, 2, 3])
    await expect(readGltfMesh(squareOf(() => ({ mode })))).rejects.toMatchObject(refusal('unsupported'))
})

test('corners have the normals, coordinates and colours of their positions', async () => {
  const bytes = squareOf((model) => ({
    attributes: {
      NORMAL: model.add('VEC3', Float32Array.of(0, 0, 1, 0, 0, 1, 0, 2, 0, 0, 0, 0)),
      TEXCOORD_0: model.add('VEC2', Float32Array.of(0, 0, 1, 0, 1, 1, 0, 1)),
      TEXCOORD_1: model.add('VEC2', Uint8Array.of(0, 0, 255, 0, 255, 51, 0, 255), { normalized: true }),
      COLOR_0: model.add('VEC3', Uint16Array.of(65_535, 0, 0, 0, 13_107, 0, 0, 0, 0, 0, 0, 0), { normalized: true }),
    },
  }))
  const mesh = await readGltfMesh(bytes)
  expect(groups(mesh.normals, 3)).toEqual([
    [0, 1, 0],
    [0, 1, 0],
    [0, 0, 1],
  ])
  expect(groups(mesh.uvs[0], 2)).toEqual([
    [0, 0],
    [1, 0],
    [1, 1],
  ])
  expect(groups(mesh.uvs[1], 2)).toEqual([
    [0, 0],
    [1, 0],
    [1, 0.2],
  ])
  expect(groups(mesh.colors, 4)).toEqual([
    [1, 0, 0, 1],
    [0, 0.2, 0, 1],
    [0, 0, 0, 1],
  ])
})

test('signed numbers are normalized down to -1, and alpha and light beyond 1 are cut off', async () => {
  const bytes = squareOf((model) => ({
    attributes: {
      TEXCOORD_0: model.add('VEC2', Int8Array.of(-128, 127, 0, 0, 0, 0, 0, 0), { normalized: true }),
      COLOR_0: model.add(
        'VEC4',
        Float32Array.from({ length: 16 }, (_, at) => [3, 0.5, -1, 0.25][at % 4] ?? 0),
      ),
    },
  }))
  const mesh = await readGltfMesh(bytes)
  expect(groups(mesh.uvs[0], 2)[0]).toEqual([-1, 1])
  expect(groups(mesh.colors, 4)[0]).toEqual([1, 0.5, 0, 0.25])
})

test('interleaved values are found by the stride of their view', async () => {
  const model = new Model()
  const rows = Float32Array.of(0, 0, 0, 9, 2, 0, 0, 9, 2, 1, 0, 9)
  const bufferView = model.view(rows, { byteStride: 16 })
  const accessors = [{ bufferView, componentType: 5126, type: 'VEC3', count: 3 }]
  const mesh = await readGltfMesh(model.json({ accessors, meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }] }))
  expect(cornersOf(mesh)).toEqual([
    [0, 0, 0],
    [200, 0, 0],
    [200, 0, 100],
  ])
})

test('sparse accessors replace what they name, of stored values or of zeros', async () => {
  const sparseOf = (model: Model, places: number[]) => ({
    count: places.length,
    indices: { bufferView: model.view(Uint8Array.from(places)), componentType: 5121 },
    values: { bufferView: model.view(Float32Array.from(places.flatMap((place) => [place, 7, 0]))) },
  })
  const meshes = [{ primitives: [{ attributes: { POSITION: 0 } }] }]
  const model = new Model()
  model.add('VEC3', square, { sparse: sparseOf(model, [1]) })
  expect(cornersOf(await readGltfMesh(model.json({ meshes })))).toEqual([
    [0, 0, 0],
    [100, 0, 700],
    [200, 0, 100],
  ])
  const zeros = new Model()
  const accessors = [{ componentType: 5126, type: 'VEC3', count: 3, sparse: sparseOf(zeros, [1, 2]) }]
  expect(cornersOf(await readGltfMesh(zeros.json({ meshes, accessors })))).toEqual([
    [0, 0, 0],
    [100, 0, 700],
    [200, 0, 700],
  ])
  const beyond = [{ ...accessors[0], count: 2, sparse: sparseOf(zeros, [1, 2]) }]
  const pair = [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }]
  const indices = { bufferView: zeros.view(Uint8Array.of(0, 1, 0)), componentType: 5121, type: 'SCALAR', count: 3 }
  await expect(readGltfMesh(zeros.json({ meshes: pair, accessors: [...beyond, indices] }))).rejects.toMatchObject(
    refusal('damaged'),
  )
})

const nodesOf = (...nodes: object[]) => ({ scenes: [{ nodes: [0] }], nodes })

test('nodes move, turn and scale what hangs below them', async () => {
  const turned = { translation: [0, 0, 1], rotation: [0, 0, Math.SQRT1_2, Math.SQRT1_2], scale: [2, 1, 1], children: [1] }
  const mesh = await readGltfMesh(squareOf(undefined, nodesOf(turned, { mesh: 0, translation: [1, 0, 0] })))
  expect(cornersOf(mesh).map((corner) => corner.map((part) => Math.round(part) + 0))).toEqual([
    [0, 100, 200],
    [0, 100, 600],
    [-100, 100, 600],
  ])
})

test('a matrix has its columns one after the other', async () => {
  const matrix = [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]
  const mesh = await readGltfMesh(squareOf(undefined, nodesOf({ mesh: 0, matrix })))
  expect(cornersOf(mesh)).toEqual([
    [500, 700, 600],
    [500, 700, 800],
    [400, 700, 800],
  ])
})

test('a mirrored mesh still faces as its normals do, and one mesh stands in many places', async () => {
  const nodes = [
    { mesh: 0, scale: [-1, 1, 1], children: [1] },
    { mesh: 0, translation: [0, 0, 1] },
  ]
  const mesh = await readGltfMesh(squareOf(undefined, nodesOf(...nodes)))
  expect(facings(mesh)).toEqual(Array(2).fill([0, 20_000, 0]))
  expect(boxOf(mesh)).toEqual({ min: [-200, 0, 0], max: [0, 100, 100] })
})

test('materials are slots by their names, those without by their number', async () => {
  const model = new Model()
  const attributes = { POSITION: model.add('VEC3', square) }
  const primitives = [0, 1, 2, undefined, 0].map((material) => ({ attributes, material }))
  const mesh = await readGltfMesh(model.json({ meshes: [{ primitives }], materials: [{ name: 'Oak' }, {}, { name: 'Oak' }] }))
  expect(mesh.slots.map(({ name }) => name)).toEqual(['Oak', 'Material 1', 'Default'])
  expect([...mesh.triangleSlots]).toEqual([0, 1, 0, 2, 0])
})

test('a sample prop is as large as it was made', async () => {
  const mesh = await readGltfMesh(await toGlb(box([20, 30, 40], surfaces.oak), { model: 'Box', material: () => 'Oak' }))
  const { min, max } = boxOf(mesh)
  expect(max.map((high, axis) => Math.round((high - (min[axis] ?? 0)) * 100)).toSorted()).toEqual([2000, 3000, 4000])
  expect(mesh).toMatchObject({ slots: [{ name: 'Oak' }] })
})

function besideOf(address: string, more = {}) {
  const model = new Model()
  const attributes = { POSITION: model.add('VEC3', square) }
  return { json: model.json({ meshes: [{ primitives: [{ attributes }] }], ...more }, address), bytes: model.bytes }
}

test('a buffer beside the file is asked for by its decoded address', async () => {
  const { json, bytes } = besideOf('my%20parts/mesh.bin')
  const asked: string[] = []
  const mesh = await readGltfMesh(json, async (address) => {
    asked.push(address)
    return bytes
  })
  expect(asked).toEqual(['my parts/mesh.bin'])
  expect(mesh.triangleSlots.length).toBe(1)
})

test.each(['mesh.bin', 'https://example.com/mesh.bin', '/etc/mesh.bin', 'file:mesh.bin'])(
  'without the buffer %s the file names it',
  async (address) => {
    const { json } = besideOf(address)
    const readBeside = address === 'mesh.bin' ? () => undefined : () => expect.fail('only files beside the model are read')
    for (const read of [undefined, readBeside])
      await expect(readGltfMesh(json, read)).rejects.toMatchObject({
        name: 'FormatError',
        reason: 'unsupported',
        message: expect.stringContaining(address),
      })
  },
)

test.each<[string, (model: Model) => object]>([
  ['an index beyond the positions', indexed([0, 1, 4])],
  ['an index that is no whole number', (model) => ({ indices: model.add('SCALAR', Float32Array.of(0, 1, 1.5)) })],
  ['indices that are vectors', (model) => ({ indices: model.add('VEC3', Uint16Array.of(0, 1, 2, 0, 1, 2, 0, 1, 2)) })],
  [
    'more elements than its view holds',
    (model) => ({ indices: model.add('SCALAR', Uint16Array.of(0, 1, 2), { count: 4_000_000 }) }),
  ],
  ['numbers of an unknown type', (model) => ({ indices: model.add('SCALAR', Uint16Array.of(0, 1, 2), { componentType: 5124 }) })],
  [
    'a sparse accessor that does not say what it replaces',
    (model) => ({ indices: model.add('SCALAR', Uint16Array.of(0, 1, 2), { sparse: { count: 1 } }) }),
  ],
  ['an accessor that is not there', () => ({ attributes: { NORMAL: 9 } })],
  ['a material that is not there', () => ({ material: 3 })],
])('%s is damage', async (_, given) => {
  await expect(readGltfMesh(squareOf(given))).rejects.toMatchObject(refusal('damaged'))
})

test('billions of elements without bytes are too large', async () => {
  const json = { asset: { version: '2.0' }, meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }] }
  const read = (count: number) =>
    readGltfMesh(Buffer.from(JSON.stringify({ ...json, accessors: [{ componentType: 5126, type: 'VEC3', count }] })))
  await expect(read(4_000_000_000)).rejects.toMatchObject(refusal('too-large'))
  await expect(read(50_000_000)).rejects.toMatchObject(refusal('too-large'))
})
