/** Meshes as GLB: what a viewer gets, checked by the validator of the format's own makers. */
import { type Document, NodeIO } from '@gltf-transform/core'
import { expect, test } from 'vitest'
import type { Mesh } from '../../formats/source/mesh.ts'
import { type GlbOptions, meshGlb } from '../../previews/glb.ts'
import { glbIssues } from '../support/glb-issues.ts'
import { pngOf } from '../support/media.ts'
import { box, type Corner, leaf, meshOf, moved, sphere, surface, type Triangle } from '../support/meshes.ts'

/** Written, found without an error, and read again. */
async function opened(mesh: Mesh, options?: GlbOptions) {
  const made = await meshGlb(mesh, options)
  expect(await glbIssues(made.glb)).toEqual([])
  return { ...made, document: await new NodeIO().readBinary(made.glb) }
}

const primitivesOf = (document: Document) =>
  document
    .getRoot()
    .listMeshes()
    .flatMap((mesh) => mesh.listPrimitives())
const attribute = (document: Document, name: string, primitive = 0) => [
  ...(primitivesOf(document)[primitive]?.getAttribute(name)?.getArray() ?? []),
]

test('equal corners are one vertex: a box has 24 of them and 12 triangles', async () => {
  const { document, triangles, vertices, dropped, sourceTriangles, reduced } = await opened(meshOf(box()))
  expect({ triangles, vertices, dropped, sourceTriangles, reduced }).toEqual({
    triangles: 12,
    vertices: 24,
    dropped: 0,
    sourceTriangles: 12,
    reduced: [],
  })
  expect(attribute(document, 'POSITION')).toHaveLength(72)
  expect(primitivesOf(document)[0]?.getIndices()?.getArray()).toBeInstanceOf(Uint16Array)
})

test('corners that differ in one value only, whichever, stay apart, also between slots', async () => {
  const plain = meshOf(leaf())
  expect((await opened(plain)).vertices).toBe(4)
  const changed = (change: (mesh: Mesh) => void) => {
    const mesh = meshOf(leaf(), { colorOf: ({ uv: [u = 0] }) => [u, 0.5, 0.5, 1] })
    change(mesh)
    return mesh
  }
  const shared = [...plain.cornerPositions].findIndex((position, corner) => plain.cornerPositions.indexOf(position) < corner)
  const changes = [
    (mesh: Mesh) => mesh.normals?.set([0, 1, 0], shared * 3),
    (mesh: Mesh) => mesh.uvs[0]?.set([0.3], shared * 2),
    (mesh: Mesh) => mesh.colors?.set([0.3], shared * 4 + 3),
  ]
  for (const change of changes) expect((await opened(changed(change))).vertices).toBe(5)
  expect((await opened(meshOf(leaf(), { slotOf: (triangle) => triangle }))).vertices).toBe(6)
})

test('Unreal centimetres with Z up become metres with Y up, and sides still face outwards', async () => {
  const { document } = await opened(meshOf(box(100, 200, 300)))
  const positions = attribute(document, 'POSITION')
  const most = (axis: number) => Math.max(...positions.filter((_, at) => at % 3 === axis))
  expect([most(0), most(1), most(2)]).toEqual([1, 3, 2])
  expectOutwards(document)
})

test('triangles whose corners run against their normals are turned, so that no viewer shows them from behind', async () => {
  const careless = box().map(([a, b, c], triangle): Triangle => (triangle % 3 === 0 ? [a, c, b] : [a, b, c]))
  const { document, triangles } = await opened(meshOf(careless))
  expect(triangles).toBe(12)
  expectOutwards(document)
})

function expectOutwards(document: Document): void {
  const positions = attribute(document, 'POSITION')
  const normals = attribute(document, 'NORMAL')
  const indices = [...(primitivesOf(document)[0]?.getIndices()?.getArray() ?? [])]
  const point = (values: number[], vertex = 0) => values.slice(vertex * 3, vertex * 3 + 3)
  for (let at = 0; at < indices.length; at += 3) {
    const [a = [], b = [], c = []] = indices.slice(at, at + 3).map((vertex) => point(positions, vertex))
    const [u = [], v = []] = [b, c].map((corner) => corner.map((value, axis) => value - (a[axis] ?? 0)))
    const [ux = 0, uy = 0, uz = 0, vx = 0, vy = 0, vz = 0] = [...u, ...v]
    const face = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx]
    const normal = point(normals, indices[at])
    expect(face.reduce((sum, value, axis) => sum + value * (normal[axis] ?? 0), 0)).toBeGreaterThan(0)
  }
}

test('the order of corners and the texture coordinates stay as they are', async () => {
  const corner = (number: number) => ({ at: [number, number * number, 5], normal: [0, 0, -1], uv: [number, 0.25] })
  const mesh = meshOf([[corner(0), corner(1), corner(2)]])
  const { document } = await opened(mesh)
  expect([...(primitivesOf(document)[0]?.getIndices()?.getArray() ?? [])]).toEqual([0, 1, 2])
  expect(attribute(document, 'TEXCOORD_0')).toEqual([0, 0.25, 1, 0.25, 2, 0.25])
  expect(attribute(document, 'POSITION').map((value) => Number(value.toFixed(4)))).toEqual([
    0, 0.05, 0, 0.01, 0.05, 0.01, 0.02, 0.05, 0.04,
  ])
})

test('each slot that has triangles is a primitive with a material of its name, the plain ones neither dark nor metal', async () => {
  const mesh = meshOf(box(), { slotOf: (triangle) => (triangle < 4 ? 0 : 3) })
  mesh.slots = [
    { name: 'Wood', material: '/Game/M_Wood' },
    { name: 'Unused', material: null },
    { name: '', material: null },
    { name: '', material: '/Game/M_Iron' },
  ]
  const { document } = await opened(mesh)
  const materials = primitivesOf(document).map((primitive) => primitive.getMaterial())
  expect(materials.map((material) => material?.getName())).toEqual(['Wood', 'M_Iron'])
  expect(materials.map((material) => material?.getMetallicFactor())).toEqual([0, 0])
  expect(primitivesOf(document).map((primitive) => primitive.getIndices()?.getCount())).toEqual([12, 24])
})

test('a slot gets the colour or the texture that is known of it; a texture that two share is stored once', async () => {
  const texture = await pngOf(8, 8)
  const mesh = meshOf(box(), { slotOf: (triangle) => Math.floor(triangle / 4) })
  const { document } = await opened(mesh, {
    materials: [{ texture, isMasked: true }, { color: [0.1, 0.2, 0.3, 1] }, { texture }],
  })
  expect(document.getRoot().listTextures()).toHaveLength(1)
  const [first, second] = primitivesOf(document).map((primitive) => primitive.getMaterial())
  expect(Buffer.from(first?.getBaseColorTexture()?.getImage() ?? []).equals(texture)).toBe(true)
  expect(first?.getAlphaMode()).toBe('MASK')
  expect(second?.getBaseColorFactor()).toEqual([0.1, 0.2, 0.3, 1])
  expect(second?.getBaseColorTexture()).toBe(null)
  const bare = { ...mesh, uvs: [] }
  expect((await opened(bare, { materials: [{ texture }] })).document.getRoot().listTextures()).toEqual([])
})

test('colours that somebody painted are kept, within 0 and 1; one value for all and masks of pure colours are nobody’s paint', async () => {
  const painted = meshOf(leaf(), { colorOf: ({ uv: [u = 0] }) => [u * 3, Number.NaN, 0.5, 1] })
  const { document } = await opened(painted)
  expect(primitivesOf(document)[0]?.getAttribute('COLOR_0')?.getElement(0, [])).toEqual([0, 0, 32768 / 65535, 1])
  const reds = attribute(document, 'COLOR_0').filter((_, at) => at % 4 === 0)
  expect(reds.sort((one, other) => one - other)).toEqual([0, 0, 65_535, 65_535])
  const known = await opened(painted, { materials: [{ color: [1, 0, 0, 1] }] })
  expect(attribute(known.document, 'COLOR_0')).toEqual([])
  const wind = ({ uv: [u = 0, v = 0] }: Corner) => (u + v === 2 ? [0.5, 0.5, 0, 1] : [u, 0, 1, v])
  for (const colorOf of [() => [0.5, 0.5, 0.5, 0], () => [0, 0, 0, 0], wind]) {
    const { document: unpainted } = await opened(meshOf(leaf(), { colorOf }))
    expect(attribute(unpainted, 'COLOR_0')).toEqual([])
  }
})

test('triangles without area, or with corners that are nowhere, are dropped and counted', async () => {
  const mesh = meshOf([...box(), ...leaf(200, 0.000005), ...leaf(90, 90), ...leaf(91, 91)])
  mesh.positions[(mesh.cornerPositions[14 * 3] ?? 0) * 3] = Number.NaN
  mesh.cornerPositions[16 * 3 + 1] = 4_000_000_000
  const { triangles, dropped } = await opened(mesh)
  expect(triangles + dropped).toBe(18)
  expect(triangles).toBe(13)
})

test('a mesh without any triangle gives a scene with nothing to see', async () => {
  const empty = await opened(meshOf([]))
  expect([empty.triangles, empty.vertices, empty.document.getRoot().listMeshes().length]).toEqual([0, 0, 0])
  expect((await opened(meshOf(leaf(0, 0)))).dropped).toBe(2)
})

test('normals that are zero, no numbers or not there are made from the triangles; long ones are made unit length', async () => {
  const faulty = meshOf(leaf())
  faulty.normals?.set([0, 0, 0, Number.NaN, 0, 0, 0, 0, 7])
  for (const mesh of [faulty, { ...meshOf(leaf()), normals: null }]) {
    const { document } = await opened(mesh)
    const normals = attribute(document, 'NORMAL')
    expect(normals.filter((_, at) => at % 3 === 1).every((up) => Math.abs(up - 1) < 1e-6)).toBe(true)
  }
  const cube = await opened({ ...meshOf(box()), normals: null })
  expect(cube.vertices).toBe(24)
})

test('more than 65,535 vertices of a slot have 32-bit indices', async () => {
  const { document, vertices } = await opened(
    meshOf(surface((u, v) => ({ at: [u * 100, v * 100, 0], normal: [0, 0, 1] }), 255, 256)),
  )
  expect(vertices).toBe(256 * 257)
  expect(primitivesOf(document)[0]?.getIndices()?.getArray()).toBeInstanceOf(Uint32Array)
})

test('a large mesh is simplified to about as many triangles as a viewer turns easily, keeps its shape and its slots, and says so', async () => {
  const mesh = meshOf(sphere(50, 128, 128), { slotOf: (triangle) => (triangle % 256 < 128 ? 0 : 1) })
  const { document, triangles, sourceTriangles, dropped, reduced } = await opened(mesh, { maxTriangles: 2000 })
  expect(sourceTriangles + dropped).toBe(128 * 128 * 2)
  expect(triangles).toBeGreaterThan(1000)
  expect(triangles).toBeLessThanOrEqual(2200)
  expect(reduced).toEqual([`${sourceTriangles} triangles were simplified to ${triangles}.`])
  expect(primitivesOf(document)).toHaveLength(2)
  for (const primitive of [0, 1]) {
    const positions = attribute(document, 'POSITION', primitive)
    for (let at = 0; at < positions.length; at += 3) expect(Math.hypot(...positions.slice(at, at + 3))).toBeCloseTo(0.5, 3)
  }
})

test('a heap of loose leaves, which nothing joins, is simplified too', async () => {
  const leaves = Array.from({ length: 3000 }, (_, index) =>
    moved(leaf(3, 8), [(index % 50) * 10, Math.floor(index / 50) * 10, index]),
  ).flat()
  const { triangles } = await opened(meshOf(leaves, { slotOf: (triangle) => triangle % 3 }), { maxTriangles: 600 })
  expect(triangles).toBeGreaterThan(0)
  expect(triangles).toBeLessThanOrEqual(660)
})

test('a GLB that would be too large gives up further texture coordinates, then large textures, then triangles', async () => {
  const ball = meshOf(sphere(50, 64, 64))
  const [uv = new Float32Array()] = ball.uvs
  const many = { ...ball, uvs: [uv, uv, uv, uv] }
  const whole = await opened(many)
  const fewer = await opened(many, { maxBytes: whole.glb.length - 1 })
  expect(fewer.reduced).toEqual(['Of 4 sets of texture coordinates the first was kept.'])
  expect(fewer.glb.length).toBeLessThan(whole.glb.length)
  const texture = Buffer.concat([await pngOf(8, 8), Buffer.alloc(100_000)])
  const bare = await opened(ball, { maxBytes: 250_000, materials: [{ texture }] })
  expect(bare.reduced).toEqual(['Textures were left out.'])
  const small = await opened(ball, { maxBytes: 40_000 })
  expect(small.glb.length).toBeLessThanOrEqual(40_000)
  expect(small.reduced).toEqual([`${small.sourceTriangles} triangles were simplified to ${small.triangles}.`])
})
