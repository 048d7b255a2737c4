// FBX scenes beyond what the real ones show.
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { readFbx } from '../../formats/fbx/fbx.ts'
import { describeSource } from '../../formats/source-file.ts'
import { type FbxNode, toBinaryFbx, toTextFbx } from '../../sample/fbx.ts'
import { geometry, link, model, oldScene, oldText, properties, property, scene } from '../support/fbx.ts'

const refusal = (reason: string) => expect.objectContaining({ name: 'FormatError', reason })
const read = (nodes: FbxNode[], version?: number) => readFbx(toBinaryFbx(nodes, version))
const second = 46_186_158_000n

/** The box of the square in a model that is placed so, in whole numbers. */
async function boxOf(...placed: FbxNode[]) {
  const { boundsInScene } = await read(scene({ objects: [geometry(1n), model(2n, { placed })] }))
  return [boundsInScene?.min.map((value) => Math.round(value) + 0), boundsInScene?.max.map((value) => Math.round(value) + 0)]
}

const facts = {
  format: 'fbx',
  creator: 'A library',
  created: '2024-02-03T04:05:06',
  applicationName: 'Maker "X"',
  applicationVendor: 'Makers',
  applicationVersion: '2',
  geometries: 1,
  controlPoints: 4,
  polygons: 1,
  triangles: 2,
  models: 1,
  boundsGeometrySpace: { min: [0, 0, 0], max: [2, 1, 0] },
}

test.each([7100, 7400, 7500, 7700])('a binary scene of version %i and its text say the same', async (version) => {
  const [binary, text] = [toBinaryFbx(scene(), version), toTextFbx(scene(), version)]
  expect(await readFbx(binary)).toMatchObject({ ...facts, encoding: 'binary', version })
  expect(await readFbx(Buffer.from(text))).toEqual({ ...(await readFbx(binary)), encoding: 'ascii' })
})

test('a text from before FBX 7 keeps its meshes in models and its settings among the objects', async () => {
  expect(await readFbx(Buffer.from(oldText))).toMatchObject({
    ...{ encoding: 'ascii', version: 6100, models: 2, limbNodes: 1, materials: 1, geometries: 1, triangles: 2 },
    ...{ unitScaleFactor: 2.54, animationSeconds: 2, boundsInScene: { min: [0, 0, 5], max: [20, 10, 5] } },
  })
})

test('a binary file from before FBX 7 has its numbers one by one', async () => {
  expect(await read(oldScene(), 6100)).toMatchObject({
    version: 6100,
    controlPoints: 4,
    triangles: 2,
    boundsInScene: { max: [2, 1, 0] },
  })
})

test('the library is told sizes in centimetres, counts and the program', async () => {
  const described = await describeSource('fbx', toBinaryFbx(scene({ unit: 100 })))
  expect(described).toMatchObject({ assetClass: 'SourceMesh', format: 'fbx' })
  expect(described?.metadata).toEqual({
    ...{ tri_count: 2, vert_count: 4, material_count: 0, bounds_x: 200, bounds_y: 100, bounds_z: 0, source_app: 'Maker "X" 2' },
  })
})

test('a model is moved, turned and scaled, in this order from the outside', async () => {
  const [move, turn] = [property('Lcl Translation', 10, 0, 0), property('Lcl Rotation', 0, 0, 90)]
  expect(await boxOf(move, turn, property('Lcl Scaling', 5, 1, 1))).toEqual([
    [9, 0, 0],
    [10, 10, 0],
  ])
})

test('turns follow each other in the order the file names, where the file says that it names one', async () => {
  const turn = property('Lcl Rotation', 90, 90, 0)
  expect(await boxOf(turn)).toEqual([
    [0, 0, -2],
    [1, 0, 0],
  ])
  const order = property('RotationOrder', { int: 3 })
  expect(await boxOf(turn, order)).toEqual(await boxOf(turn))
  expect(await boxOf(turn, order, property('RotationActive', { int: 1 }))).toEqual([
    [0, 0, 0],
    [0, 2, 1],
  ])
})

test('pivots, offsets and the turns before and after count', async () => {
  const active = property('RotationActive', { int: 1 })
  const pivot = property('RotationPivot', 2, 0, 0)
  expect(await boxOf(property('Lcl Rotation', 0, 0, 180), pivot)).toEqual([
    [2, -1, 0],
    [4, 0, 0],
  ])
  const both = [property('PreRotation', 0, 0, 90), property('PostRotation', 0, 0, 90)]
  expect(await boxOf(active, ...both)).toEqual(await boxOf())
  expect(await boxOf(active, property('PostRotation', 0, 0, 90))).toEqual([
    [0, -2, 0],
    [1, 0, 0],
  ])
  const scale = [property('Lcl Scaling', 3, 1, 1), property('ScalingPivot', 2, 0, 0), property('ScalingOffset', 1, 0, 0)]
  expect(await boxOf(...scale)).toEqual([
    [-3, 0, 0],
    [3, 1, 0],
  ])
})

test('what moves a mesh alone does not move the models below it', async () => {
  const above = model(2n, { placed: [property('GeometricTranslation', 0, 0, 50), property('Lcl Translation', 0, 7, 0)] })
  const objects = [geometry(1n), geometry(3n), above, model(4n)]
  const links = [link(1n, 2n), link(3n, 4n), link(4n, 2n)]
  expect((await read(scene({ objects, links }))).boundsInScene).toEqual({ min: [0, 7, 0], max: [2, 8, 50] })
})

test('a mesh is measured at every place where it is shown, and counted once', async () => {
  const objects = [geometry(1n), model(2n), model(3n, { placed: [property('Lcl Translation', 0, 0, 9)] })]
  const shown = await read(scene({ objects, links: [link(1n, 2n), link(1n, 3n)] }))
  expect(shown).toMatchObject({ geometries: 1, triangles: 2, boundsInScene: { min: [0, 0, 0], max: [2, 1, 9] } })
})

test('models in a circle, or nested without end, are counted and not measured', async () => {
  const circle = scene({ objects: [geometry(1n), model(2n), model(3n)], links: [link(1n, 2n), link(2n, 3n), link(3n, 2n)] })
  expect(await read(circle)).toMatchObject({ triangles: 2, models: 2, boundsInScene: null })
  const ids = Array.from({ length: 2000 }, (_, at) => BigInt(at + 2))
  const deep = scene({
    objects: [geometry(1n), ...ids.map((id) => model(id))],
    links: [link(1n, 2n), ...ids.map((id) => link(id, id + 1n))],
  })
  expect(await read(deep)).toMatchObject({ models: 2000, boundsInScene: null })
})

test('blend shapes are no meshes; bones, materials and collision shapes are counted or told', async () => {
  const shape: FbxNode = ['Geometry', [9n, 'Smile\0\x01Geometry', 'Shape'], [['Vertices', [Float64Array.of(1, 2, 3)]]]]
  const objects = [
    geometry(1n),
    shape,
    model(2n, { name: 'UCX_Square' }),
    model(3n, { kind: 'LimbNode' }),
    ['Material', [4n, 'Oak', '']],
  ]
  expect(await read(scene({ objects: objects as FbxNode[] }))).toMatchObject({
    ...{ geometries: 1, controlPoints: 4, limbNodes: 1, materials: 1, hasCollision: true },
  })
  expect(await readFbx(Buffer.from(toTextFbx(scene({ objects: objects as FbxNode[] }))))).toMatchObject({ hasCollision: true })
})

test('the levels of detail of the model that has most are counted', async () => {
  const group = (id: bigint) => model(id, { kind: 'LodGroup' })
  const objects = [group(1n), group(2n), model(3n), model(4n), model(5n)]
  const links = [link(3n, 1n), link(4n, 2n), link(5n, 2n)]
  expect((await describeSource('fbx', toBinaryFbx(scene({ objects, links }))))?.metadata).toMatchObject({ lod_count: 2 })
})

test('the longest stack is the length of the animation, where anything is animated', async () => {
  const stack = (start: bigint, stop: bigint): FbxNode => [
    'AnimationStack',
    [start, 'Walk\0\x01AnimStack', ''],
    [properties(property('LocalStart', start), property('LocalStop', stop))],
  ]
  const stacks = [stack(second, second * 3n), stack(0n, second), stack(0n, 2n ** 62n)]
  expect(await read(scene({ objects: stacks }))).toMatchObject({ animationStacks: 3, animationSeconds: null })
  const curve: FbxNode = ['AnimationCurve', [8n, '\0\x01AnimCurve', ''], [['KeyTime', [Int32Array.of(1)]]]]
  expect(await read(scene({ objects: [...stacks, curve] }))).toMatchObject({ animationStacks: 3, animationSeconds: 2 })
})

test('polygons of any number of corners are counted, and cut into triangles', async () => {
  const corners = Int32Array.of(0, 1, 2, ~3, 0, 1, ~2, 0, ~1, ~1, 0, 1, 2, 3, ~0)
  const mesh = geometry(1n, { vertices: new Float64Array(12), corners })
  expect(await read(scene({ objects: [mesh] }))).toMatchObject({ polygons: 5, triangles: 2 + 1 + 0 + 0 + 3 })
})

test('a mesh that is shown too often to be measured everywhere is measured as it is', async () => {
  const ids = Array.from({ length: 700 }, (_, at) => BigInt(at + 2))
  const mesh = geometry(1n, { vertices: new Float64Array(90_000), corners: Int32Array.of(0, 1, ~2) })
  const shown = await read(scene({ objects: [mesh, ...ids.map((id) => model(id))], links: ids.map((id) => link(1n, id)) }))
  expect(shown).toMatchObject({ controlPoints: 30_000, boundsGeometrySpace: { max: [0, 0, 0] }, boundsInScene: null })
})

test('a size beyond any world is not told to the library', async () => {
  const vertices = Float64Array.of(0, 0, 0, 1e300, 1, 1)
  const described = await describeSource(
    'fbx',
    toBinaryFbx(scene({ objects: [geometry(1n, { vertices, corners: Int32Array.of() })] })),
  )
  expect(described?.metadata).toMatchObject({ vert_count: 2 })
  expect(described?.metadata).not.toHaveProperty('bounds_x')
})

test('vertices at infinity, and those that are no numbers, make no box', async () => {
  const at = (...vertices: number[]) =>
    scene({ objects: [geometry(1n, { vertices: Float64Array.from(vertices), corners: Int32Array.of() })], links: [] })
  expect(await read(at(0, 0, Infinity))).toMatchObject({ controlPoints: 1, boundsGeometrySpace: null })
  expect(await read(at(0, 0, Number.NaN))).toMatchObject({ controlPoints: 1, boundsGeometrySpace: null })
})

const many = 300_000
const large = scene({
  objects: [
    geometry(1n, {
      vertices: new Float64Array(many).map((_, at) => (at * 7919) % 1000),
      corners: new Int32Array(many).map((_, at) => (at % 3 === 2 ? ~at : at)),
    }),
    model(2n),
  ],
})

test.each([
  ['binary', toBinaryFbx(large)],
  ['text', Buffer.from(toTextFbx(large))],
])('a large %s file is read piece by piece', async (_, bytes) => {
  const asked: number[] = []
  const readAt = (into: Uint8Array, offset: number) => {
    asked.push(into.length)
    return bytes.copy(into, 0, offset)
  }
  const inPieces = await readFbx(bytes.subarray(0, 1000), { sizeBytes: bytes.length, readAt })
  expect(inPieces).toMatchObject({
    controlPoints: many / 3,
    polygons: many / 3,
    boundsInScene: { min: [0, 0, 0], max: [999, 999, 999] },
  })
  expect(inPieces).toEqual(await readFbx(bytes))
  expect(Math.max(...asked)).toBeLessThanOrEqual(256 * 1024)
})

test('a text too large to be read, or not at hand, is known by its beginning', async () => {
  const beginning = Buffer.from(toTextFbx(scene()))
  const readAt = () => expect.fail('the file is not read')
  const known = { creator: 'A library', applicationVersion: '2', triangles: null, boundsInScene: null }
  expect(await readFbx(beginning, { sizeBytes: 2 ** 33, readAt })).toMatchObject(known)
  expect(await readFbx(beginning.subarray(0, 700), { sizeBytes: 5000 })).toMatchObject(known)
})

test('more numbers than are worth reading are counted by their headers', async () => {
  const bytes = toBinaryFbx(scene())
  const at = bytes.indexOf('Vertices') + 'Vertices'.length
  bytes.writeUInt32LE(300_000_000, at + 1)
  expect(await readFbx(bytes)).toMatchObject({ controlPoints: 100_000_000, polygons: null, triangles: null, boundsInScene: null })
})

test.each([
  ['more', 9],
  ['fewer', 15],
])('an array that holds %s numbers than it announces is damage', async (_, announced) => {
  const bytes = toBinaryFbx(scene())
  bytes.writeUInt32LE(announced, bytes.indexOf('Vertices') + 'Vertices'.length + 1)
  await expect(readFbx(bytes)).rejects.toMatchObject(refusal('damaged'))
})

test('a compressed array that is broken is damage, small or large', async () => {
  for (const nodes of [scene(), large]) {
    const bytes = toBinaryFbx(nodes)
    bytes.fill(0xff, bytes.indexOf('Vertices') + 30, bytes.indexOf('Vertices') + 40)
    await expect(readFbx(bytes)).rejects.toMatchObject(refusal('damaged'))
  }
})

test('no more is decompressed than an array announces', async () => {
  const small = toBinaryFbx(
    scene({ objects: [geometry(1n, { vertices: new Float64Array(3_000_000), corners: Int32Array.of() })] }),
  )
  small.writeUInt32LE(9, small.indexOf('Vertices') + 'Vertices'.length + 1)
  const cause = expect.objectContaining({ code: 'ERR_BUFFER_TOO_LARGE' })
  await expect(readFbx(small)).rejects.toMatchObject({ name: 'FormatError', reason: 'damaged', cause })
  const vertices = new Float64Array(randomBytes(4_000_000).buffer.slice(0, 4_000_000))
  const streamed = toBinaryFbx(scene({ objects: [geometry(1n, { vertices, corners: Int32Array.of() })] }))
  streamed.writeUInt32LE(9, streamed.indexOf('Vertices') + 'Vertices'.length + 1)
  let read = 0
  const readAt = (into: Uint8Array, offset: number) => {
    read += into.length
    return streamed.copy(into, 0, offset)
  }
  await expect(readFbx(streamed.subarray(0, 1000), { sizeBytes: streamed.length, readAt })).rejects.toMatchObject(
    refusal('damaged'),
  )
  expect(read).toBeLessThan(1_000_000)
})

test('a record or array that reaches out of the record around it is damage', async () => {
  const bytes = toBinaryFbx(scene())
  const patched = (at: number, value: number) => {
    const lie = Buffer.from(bytes)
    lie.writeUInt32LE(value, at)
    return readFbx(lie)
  }
  const [name, objects] = [bytes.indexOf('Vertices'), bytes.indexOf('Objects')]
  await expect(patched(name + 'Vertices'.length + 9, 500)).rejects.toMatchObject(refusal('damaged'))
  await expect(patched(name - 5, 5000)).rejects.toMatchObject(refusal('damaged'))
  await expect(patched(name - 13, bytes.readUInt32LE(objects - 13) + 1)).rejects.toMatchObject(refusal('damaged'))
})

test('a file whose end is missing is cut off', async () => {
  const [binary, text] = [toBinaryFbx(scene()), Buffer.from(toTextFbx(scene()))]
  await expect(readFbx(binary.subarray(0, -200))).rejects.toMatchObject(refusal('truncated'))
  await expect(readFbx(text.subarray(0, text.indexOf('Connections') - 4))).rejects.toMatchObject(refusal('truncated'))
})

test('braces, colons and semicolons in texts and comments are none', async () => {
  const tricky = [property('UserNote', 'a { b : ; }'), property('Lcl Translation', 0, 0, 3)]
  const nodes = scene({ objects: [geometry(1n), model(2n, { placed: tricky })] })
  const text = toTextFbx(nodes).replace('Objects:', '; } Objects: {\nUnknown: "{" , T { Inner: "}" { ; }\n} }\nObjects:')
  expect((await readFbx(Buffer.from(text))).boundsInScene).toEqual({ min: [0, 0, 3], max: [2, 1, 3] })
})

test('other versions are not known, other files are none, and texts that make no sense are damage', async () => {
  await expect(read(scene(), 5800)).rejects.toMatchObject(refusal('unsupported'))
  await expect(read(scene(), 8000)).rejects.toMatchObject(refusal('unsupported'))
  await expect(readFbx(Buffer.from('; FBX 5.8.0 project file\n'))).rejects.toMatchObject(refusal('unsupported'))
  await expect(readFbx(Buffer.from('solid box\n'))).rejects.toMatchObject(refusal('not-this-format'))
  const header = '; FBX 7.4.0 project file\n'
  for (const wrong of ['}', 'Objects {', 'Objects: { "x": 1 }', ': 5'])
    await expect(readFbx(Buffer.from(header + wrong))).rejects.toMatchObject(refusal('damaged'))
  const blanked = Buffer.from(toBinaryFbx(scene()).map((byte) => (byte === 0 ? 0x20 : byte)))
  await expect(readFbx(blanked)).rejects.toMatchObject(refusal('damaged'))
})

test('more objects than any scene has are too much', async () => {
  await expect(
    readFbx(Buffer.concat([Buffer.from('; FBX 7.4.0 project file\n'), Buffer.alloc(12_600_000, 'a:\n')])),
  ).rejects.toMatchObject(refusal('too-large'))
  const objects = Array.from({ length: 350_000 }, (_, at): FbxNode => ['Material', [BigInt(at)]])
  await expect(read(scene({ objects }))).rejects.toMatchObject(refusal('too-large'))
})
