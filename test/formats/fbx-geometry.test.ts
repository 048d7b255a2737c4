// Triangles of FBX scenes: every way to say where corners lie and what they have.
import { describe, expect, test } from 'vitest'
import { readFbxMesh } from '../../formats/fbx/geometry.ts'
import { type FbxNode, type FbxWritable, toBinaryFbx, toTextFbx } from '../../sample/fbx.ts'
import { geometry, link, model, oldScene, oldText, properties, property, scene } from '../support/fbx.ts'
import { boxOf, cornersOf, facings, groups } from '../support/mesh.ts'

const refusal = (reason: string) => expect.objectContaining({ name: 'FormatError', reason })
const read = (nodes: FbxNode[], version?: number) => readFbxMesh(toBinaryFbx(nodes, version))

/** A square and a triangle beside it: two polygons, seven corners, three triangles. */
const shape = {
  vertices: Float64Array.of(0, 0, 0, 2, 0, 0, 2, 2, 0, 0, 2, 0, 4, 0, 0),
  corners: Int32Array.of(0, 1, 2, ~3, 1, 4, ~2),
}
/** The corners of its three triangles, as the file counts them. */
const corners = [0, 1, 2, 0, 2, 3, 4, 5, 6]
const vertices = [0, 1, 2, 0, 2, 3, 1, 4, 2]
const polygons = [0, 0, 0, 0, 0, 0, 1, 1, 1]

type Modes = { mapping: string; reference: string; values: [string, FbxWritable]; index?: [string, FbxWritable] }
const layer = (name: string, { mapping, reference, values, index }: Modes): FbxNode => [
  name,
  [{ int: 0 }],
  [
    ['MappingInformationType', [mapping]],
    ['ReferenceInformationType', [reference]],
    [values[0], [values[1]]],
    ...(index ? [[index[0], [index[1]]] as FbxNode] : []),
  ],
]
const withLayers = (...layers: FbxNode[]) => scene({ objects: [geometry(1n, shape, layers), model(2n)] })

const numbered = (count: number, of: (value: number) => number[]) =>
  Float64Array.from({ length: count }, (_, at) => at).reduce((list: number[], value) => list.concat(of(value)), [])
/** Texture coordinates that tell which value they are. */
const uvValues = (count: number) => Float64Array.from(numbered(count, (value) => [value / 8, 1]))

describe.each([
  ['ByPolygonVertex', corners, 7],
  ['ByVertice', vertices, 5],
  ['ByVertex', vertices, 5],
  ['ByPolygon', polygons, 2],
  ['AllSame', Array(9).fill(0), 1],
])('values mapped %s', (mapping, places, count) => {
  const us = async (given: Omit<Modes, 'mapping'>) => {
    const nodes = withLayers(layer('LayerElementUV', { mapping, ...given }))
    const binary = await read(nodes)
    expect(await readFbxMesh(Buffer.from(toTextFbx(nodes)))).toEqual(binary)
    return groups(binary.uvs[0], 2).map(([u = 0]) => u * 8)
  }

  test('directly are those of the corners', async () => {
    expect(await us({ reference: 'Direct', values: ['UV', uvValues(count)] })).toEqual(places)
  })

  test('by an index are those that it names', async () => {
    const index = Int32Array.from({ length: count }, (_, at) => count - 1 - at)
    const found = await us({ reference: 'IndexToDirect', values: ['UV', uvValues(count)], index: ['UVIndex', index] })
    expect(found).toEqual(places.map((place) => count - 1 - place))
  })

  test('beyond what is there are none', async () => {
    const index = Int32Array.from({ length: count }, () => 99)
    expect(await us({ reference: 'IndexToDirect', values: ['UV', uvValues(count)], index: ['UVIndex', index] })).toEqual(
      Array(9).fill(0),
    )
    expect(await us({ reference: 'Direct', values: ['UV', Float64Array.of()] })).toEqual(Array(9).fill(0))
  })
})

test('values mapped to edges are left out', async () => {
  const edges = layer('LayerElementUV', { mapping: 'ByEdge', reference: 'Direct', values: ['UV', uvValues(7)] })
  expect((await read(withLayers(edges))).uvs).toEqual([])
})

test('v runs down, and every set is kept in its order', async () => {
  const set = (v: number) =>
    layer('LayerElementUV', { mapping: 'AllSame', reference: 'Direct', values: ['UV', Float64Array.of(0.5, v)] })
  const { uvs } = await read(withLayers(set(0.25), set(1)))
  expect(uvs.map((values) => [...values.subarray(0, 2)])).toEqual([
    [0.5, 0.75],
    [0.5, 0],
  ])
})

test('normals turn with the axes, have unit length, and may come by an index', async () => {
  const values: Modes['values'] = ['Normals', Float64Array.of(0, 0, 3, 0, 4, 0)]
  const index: Modes['index'] = ['NormalsIndex', Int32Array.of(0, 1)]
  const { normals } = await read(
    withLayers(layer('LayerElementNormal', { mapping: 'ByPolygon', reference: 'IndexToDirect', values, index })),
  )
  expect(groups(normals, 3)).toEqual([...Array(6).fill([0, 1, 0]), ...Array(3).fill([0, 0, 1])])
})

test('colours become linear, alpha stays, and what is beyond 0 and 1 is cut off', async () => {
  const values: Modes['values'] = ['Colors', Float64Array.of(0.5, 0.02, 7, 0.5)]
  const { colors } = await read(withLayers(layer('LayerElementColor', { mapping: 'AllSame', reference: 'Direct', values })))
  expect(groups(colors, 4)[0]).toEqual([0.214, 0.002, 1, 0.5])
})

const material = (id: bigint, name: string): FbxNode => ['Material', [id, `${name}\0\x01Material`, '']]

test('triangles are in slots by the names of the model’s materials', async () => {
  const values: Modes['values'] = ['Materials', Int32Array.of(1, 0)]
  const layers = [layer('LayerElementMaterial', { mapping: 'ByPolygon', reference: 'IndexToDirect', values })]
  const objects = [geometry(1n, shape, layers), model(2n), model(3n), material(4n, 'Oak'), material(5n, 'Brass')]
  const links = [link(1n, 2n), link(4n, 2n), link(5n, 2n), link(1n, 3n), link(5n, 3n)]
  const mesh = await read(scene({ objects, links }))
  expect(mesh.slots.map(({ name }) => name)).toEqual(['Brass', 'Oak', 'Default'])
  expect([...mesh.triangleSlots]).toEqual([0, 0, 1, 2, 2, 0])
  expect(await readFbxMesh(Buffer.from(toTextFbx(scene({ objects, links }))))).toEqual(mesh)
})

test('one material for all polygons is one slot', async () => {
  const values: Modes['values'] = ['Materials', Int32Array.of(1)]
  const layers = [layer('LayerElementMaterial', { mapping: 'AllSame', reference: 'IndexToDirect', values })]
  const objects = [geometry(1n, shape, layers), model(2n), material(4n, 'Oak'), material(5n, 'Brass')]
  const mesh = await read(scene({ objects, links: [link(1n, 2n), link(4n, 2n), link(5n, 2n)] }))
  expect(mesh.slots).toEqual([{ name: 'Brass', material: null }])
})

const settings = (...list: FbxNode[]) => [['GlobalSettings', [], [properties(...list)]] as FbxNode]
const withSettings = (...list: FbxNode[]) => [...settings(...list), ...scene().filter(([name]) => name !== 'GlobalSettings')]
const axes = (up: number, front: [number, number], coord: number) => [
  property('UpAxis', { int: up }),
  property('FrontAxis', { int: front[0] }),
  property('FrontAxisSign', { int: front[1] }),
  property('CoordAxis', { int: coord }),
]

test.each<[string, { list: FbxNode[]; corner: number[]; facing: number[] }]>([
  ['Y up', { list: [], corner: [2, 0, 1], facing: [0, 2, 0] }],
  ['Y up in words', { list: axes(1, [2, 1], 0), corner: [2, 0, 1], facing: [0, 2, 0] }],
  ['Z up', { list: axes(2, [1, -1], 0), corner: [2, -1, 0], facing: [0, 0, 2] }],
  ['X up', { list: axes(0, [2, 1], 1), corner: [1, 0, 2], facing: [0, 2, 0] }],
  ['axes that contradict each other', { list: axes(1, [1, -1], 1), corner: [2, 0, 1], facing: [0, 2, 0] }],
  ['another unit', { list: [property('UnitScaleFactor', 4)], corner: [8, 0, 4], facing: [0, 32, 0] }],
  ['a unit of nothing', { list: [property('UnitScaleFactor', 0)], corner: [2, 0, 1], facing: [0, 2, 0] }],
])('a file with %s stands upright in centimetres', async (_, { list, corner, facing }) => {
  const mesh = await read(withSettings(...list))
  expect(groups(mesh.positions, 3)[2]).toEqual(corner)
  expect(facings(mesh)).toEqual([facing, facing])
})

test('the sign of each axis counts, and left-handed files show the same side', async () => {
  const list = [property('UpAxisSign', { int: -1 }), property('CoordAxisSign', { int: -1 })]
  expect(groups((await read(withSettings(...list))).positions, 3)[2]).toEqual([-2, 0, -1])
  const left = await read(withSettings(property('FrontAxisSign', { int: -1 })))
  expect(facings(left)).toEqual(Array(2).fill([0, -2, 0]))
})

test('a mesh is shown at every model, moved, scaled and mirrored as the model is', async () => {
  const objects = [
    geometry(1n),
    model(2n, { placed: [property('Lcl Translation', 10, 0, 0)] }),
    model(3n, { placed: [property('Lcl Scaling', -1, 1, 1), property('GeometricTranslation', 0, 5, 0)] }),
  ]
  const mesh = await read(scene({ objects, links: [link(1n, 2n), link(1n, 3n), link(3n, 2n)] }))
  expect(boxOf(mesh)).toEqual({ min: [8, 0, 0], max: [12, 0, 6] })
  expect(facings(mesh).every(([, y]) => y === 2)).toBe(true)
})

test('a mesh that no model shows is shown as it is, where nothing else is', async () => {
  expect(boxOf(await read(scene({ objects: [geometry(1n)], links: [] })))).toEqual({ min: [0, 0, 0], max: [2, 0, 1] })
  const two = scene({ objects: [geometry(1n), geometry(3n), model(2n, { placed: [property('Lcl Translation', 10, 0, 0)] })] })
  expect(boxOf(await read(two))).toEqual({ min: [10, 0, 0], max: [12, 0, 1] })
})

test('collision shapes and coarse levels of detail are left out, unless there is nothing else', async () => {
  const shapes = [model(2n, { name: 'UCX_Square_01' }), model(3n), model(4n), model(5n, { kind: 'LodGroup' })]
  const links = [link(1n, 2n), link(1n, 3n), link(1n, 4n), link(4n, 5n), link(3n, 5n)]
  expect((await read(scene({ objects: [geometry(1n), ...shapes], links }))).triangleSlots.length).toBe(2)
  const alone = scene({ objects: [geometry(1n), model(2n, { name: 'UCX_Square_01' })] })
  expect((await read(alone)).triangleSlots.length).toBe(2)
})

test('files from before FBX 7 give the same, as text and binary', async () => {
  const mesh = await readFbxMesh(Buffer.from(oldText))
  expect(mesh.slots).toEqual([{ name: 'Oak', material: null }])
  expect(groups(mesh.positions, 3)[2]).toEqual([50.8, 12.7, 25.4])
  expect(cornersOf(await read(oldScene(), 6100))).toEqual(cornersOf(await read(scene())))
})

test('polygons of any number of corners are cut into triangles, concave ones inside their edges', async () => {
  const arrow = {
    vertices: Float64Array.of(0, 0, 0, 4, -2, 0, 1, 0, 0, 4, 2, 0),
    corners: Int32Array.of(0, 1, 2, ~3, 0, ~1, 0, 1, ~3),
  }
  const mesh = await read(scene({ objects: [geometry(1n, arrow), model(2n)] }))
  expect(facings(mesh).map(([, y]) => y)).toEqual([2, 2, 16])
})

test.each([
  ['beyond the positions', Int32Array.of(0, 1, ~9)],
  ['that is no number', 'a'],
])('a polygon with a corner %s is damage', async (_, listed) => {
  const bytes =
    typeof listed === 'string'
      ? Buffer.from(toTextFbx(scene()).replace('0,1,2,-4', '0,x,2,-4'))
      : toBinaryFbx(scene({ objects: [geometry(1n, { ...shape, corners: listed }), model(2n)] }))
  await expect(readFbxMesh(bytes)).rejects.toMatchObject(refusal('damaged'))
})

test('models in a circle are damage', async () => {
  const links = [link(1n, 2n), link(2n, 3n), link(3n, 2n)]
  await expect(read(scene({ objects: [geometry(1n), model(2n), model(3n)], links }))).rejects.toMatchObject(refusal('damaged'))
})

test('a scene without a triangle, and lists too long to be read, are refused', async () => {
  await expect(read(scene({ objects: [model(2n)] }))).rejects.toMatchObject(refusal('unsupported'))
  const bytes = toBinaryFbx(scene())
  bytes.writeUInt32LE(300_000_000, bytes.indexOf('Vertices') + 'Vertices'.length + 1)
  await expect(readFbxMesh(bytes)).rejects.toMatchObject(refusal('too-large'))
  bytes.writeUInt32LE(30_000, bytes.indexOf('Vertices') + 'Vertices'.length + 1)
  await expect(readFbxMesh(bytes)).rejects.toMatchObject(refusal('damaged'))
})

test('more triangles than can be read, by many places of one mesh, are too large', async () => {
  const many = { vertices: new Float64Array(9), corners: new Int32Array(300_000).map((_, at) => (at % 3 === 2 ? ~2 : at % 3)) }
  const ids = Array.from({ length: 201 }, (_, at) => BigInt(at + 2))
  const nodes = scene({ objects: [geometry(1n, many), ...ids.map((id) => model(id))], links: ids.map((id) => link(1n, id)) })
  await expect(read(nodes)).rejects.toMatchObject(refusal('too-large'))
})
