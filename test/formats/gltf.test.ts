// Models beyond what the real ones show.
import { expect, test } from 'vitest'
import { readGltf } from '../../formats/gltf/gltf.ts'
import { toGlb } from '../../sample/model.ts'
import { box, moved, turned } from '../../sample/shape.ts'
import { surfaces } from '../../sample/surfaces.ts'

const asset = { version: '2.0' }
const names = { model: 'Box', material: () => 'Oak' }
const textOf = (json: unknown) => Buffer.from(JSON.stringify(json))
const triangle = { attributes: { POSITION: 0 } }
const corners = [0, 0, 0, 2, 0, 0, 0, 1, 0]

/** One triangle in a scene; `given` replaces parts of it. */
function modelOf(given: Record<string, unknown>, stored: ArrayBufferView = Float32Array.from(corners)): Buffer {
  const bytes = Buffer.from(stored.buffer)
  return textOf({
    asset,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [triangle] }],
    accessors: [{ bufferView: 0, componentType: 5126, type: 'VEC3', count: 3 }],
    bufferViews: [{ buffer: 0, byteLength: bytes.length }],
    buffers: [{ byteLength: bytes.length, uri: `data:application/octet-stream;base64,${bytes.toString('base64')}` }],
    ...given,
  })
}
const boxOf = (bytes: Buffer) => readGltf(bytes).bounds

test('a turned box is measured by its vertices, and by the box it gives when only its beginning is there', async () => {
  const glb = await toGlb(moved(turned(box([100, 100, 100], surfaces.oak), 'z', 45), [0, 0, 20]), names)
  const diagonal = Math.SQRT1_2
  const whole = readGltf(glb)
  expect(whole).toMatchObject({ format: 'glb', trianglesInScene: 12, verticesInScene: 24, materialNames: ['Oak'] })
  expect(whole.bounds.from).toBe('vertices')
  expect(whole.bounds.inScene?.max[0]).toBeCloseTo(diagonal, 5)
  expect(whole.bounds.inScene?.max[1]).toBeCloseTo(1.2, 5)
  const head = readGltf(glb.subarray(0, 20 + glb.readUInt32LE(12)))
  expect(head).toEqual({ ...whole, bounds: { ...head.bounds } })
  expect(head.bounds).toMatchObject({ from: 'accessor min/max' })
  expect(head.bounds.inScene?.max[0]).toBeCloseTo(diagonal, 5)
})

test('nodes move, turn and scale what hangs below them', () => {
  const quarter = Math.SQRT1_2
  const nodes = [
    { children: [1], translation: [10, 0, 0] },
    { mesh: 0, rotation: [0, 0, quarter, quarter], scale: [3, 1, 1] },
  ]
  const { inScene, inMeshes } = boxOf(modelOf({ nodes }))
  expect(inMeshes).toEqual({ min: [0, 0, 0], max: [2, 1, 0] })
  expect(inScene?.min.map((value) => Math.round(value) + 0)).toEqual([9, 0, 0])
  expect(inScene?.max.map((value) => Math.round(value))).toEqual([10, 6, 0])
})

test('a mesh counts as often as the scene shows it, and once as a mesh', () => {
  const facts = readGltf(
    modelOf({ scenes: [{ nodes: [0, 1] }], nodes: [{ mesh: 0 }, { mesh: 0, translation: [5, 0, 0] }, { mesh: 0 }] }),
  )
  expect(facts).toMatchObject({ trianglesInMeshes: 1, trianglesInScene: 2, verticesInMeshes: 3, verticesInScene: 6 })
  expect(facts.bounds.inScene).toEqual({ min: [0, 0, 0], max: [7, 1, 0] })
})

test('a file without scenes is a set of meshes', () => {
  const facts = readGltf(modelOf({ scenes: undefined, nodes: undefined }))
  expect(facts).toMatchObject({ trianglesInMeshes: 1, trianglesInScene: 0 })
  expect(facts.bounds).toMatchObject({ inScene: null, inMeshes: { max: [2, 1, 0] } })
})

test.each([
  [4, 2],
  [5, 4],
  [6, 4],
  [1, 0],
])('six corners drawn in mode %i are %i triangles', (mode, triangles) => {
  const meshes = [{ primitives: [{ ...triangle, mode, indices: 1 }] }]
  const accessors = [
    { bufferView: 0, componentType: 5126, type: 'VEC3', count: 3 },
    { componentType: 5123, type: 'SCALAR', count: 6 },
  ]
  expect(readGltf(modelOf({ meshes, accessors })).trianglesInMeshes).toBe(triangles)
})

test('whole numbers stand for parts of one when they are normalized', () => {
  const accessors = [{ bufferView: 0, componentType: 5122, type: 'VEC3', count: 3, normalized: true }]
  const bounds = boxOf(modelOf({ accessors }, Int16Array.from([0, 0, 0, 32_767, 0, 0, 0, -32_768, 0])))
  expect(bounds).toMatchObject({ from: 'vertices', inMeshes: { min: [0, -1, 0], max: [1, 0, 0] } })
})

test('vertices that lie among other values are found by their stride', () => {
  const stored = Float32Array.from([0, 0, 0, 9, 9, 2, 0, 0, 9, 9, 0, 1, 0, 9, 9])
  expect(boxOf(modelOf({ bufferViews: [{ buffer: 0, byteLength: 60, byteStride: 20 }] }, stored)).inMeshes?.max).toEqual([
    2, 1, 0,
  ])
})

test.each([
  ['sparse', { sparse: { count: 1 } }, {}],
  ['compressed', {}, { extensions: { EXT_meshopt_compression: {} } }],
  ['outside of their buffer', { byteOffset: 4 }, {}],
  ['in a view that reaches past its buffer', {}, { byteLength: 4000 }],
  ['in a buffer that is not at hand', {}, { buffer: 1 }],
])('vertices that are %s are measured by the box the file gives', (_, accessor, view) => {
  const accessors = [
    { bufferView: 0, componentType: 5126, type: 'VEC3', count: 3, min: [-1, -2, -3], max: [1, 2, 3], ...accessor },
  ]
  const bounds = boxOf(modelOf({ accessors, bufferViews: [{ buffer: 0, byteLength: 36, ...view }] }))
  expect(bounds).toMatchObject({ from: 'accessor min/max', inScene: { min: [-1, -2, -3], max: [1, 2, 3] } })
})

test('a vertex at infinity is told, and not measured', () => {
  const bounds = boxOf(modelOf({}, Float32Array.from([0, 0, 0, Number.POSITIVE_INFINITY, 0, 0, 0, 1, 0])))
  expect(bounds).toMatchObject({ positionsFinite: false, inMeshes: null })
})

test('files beside it are named once each and decoded, what lies elsewhere or inside is not', () => {
  const images = [
    { uri: 'Wood%20Grain.png' },
    { uri: 'Wood%20Grain.png' },
    { uri: 'https://example.test/a.png' },
    { bufferView: 0 },
  ]
  const facts = readGltf(modelOf({ images, buffers: [{ byteLength: 36, uri: 'mesh.bin' }] }))
  expect(facts.externalFiles).toEqual(['mesh.bin', 'Wood Grain.png'])
})

test('an external buffer that is handed in is read', () => {
  const model = modelOf({ buffers: [{ byteLength: 36, uri: 'mesh.bin' }] })
  const resources = new Map([['mesh.bin', new Uint8Array(Float32Array.from(corners).buffer)]])
  expect(readGltf(model, { resources }).bounds).toMatchObject({ from: 'vertices', inMeshes: { max: [2, 1, 0] } })
})

test('the longest animation gives the length, joints count once', () => {
  const accessors = [
    { bufferView: 0, componentType: 5126, type: 'VEC3', count: 3 },
    { componentType: 5126, type: 'SCALAR', count: 2, max: [1.5] },
  ]
  const animations = [{ samplers: [{ input: 1 }] }, { samplers: [] }]
  const skins = [{ joints: [0, 1] }, { joints: [1] }]
  const nodes = [{ mesh: 0 }, {}]
  expect(readGltf(modelOf({ accessors, animations, skins, nodes }))).toMatchObject({ animationSeconds: 1.5, skins: 2, joints: 2 })
})

test('a part that is named and not there is damage', () => {
  const refused = expect.objectContaining({ name: 'FormatError', reason: 'damaged' })
  for (const broken of [
    { nodes: [{ mesh: 4 }] },
    { meshes: [{ primitives: [{ attributes: { POSITION: 7 } }] }] },
    { scenes: [{ nodes: [9] }] },
  ]) {
    expect(() => readGltf(modelOf(broken))).toThrow(refused)
  }
})
