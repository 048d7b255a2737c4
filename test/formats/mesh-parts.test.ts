// Meshes of a file joined to one: every part in its place, facing its way, in the slots of its materials.
import { expect, test } from 'vitest'
import { joinParts, type MeshPart, type PlacedPart } from '../../formats/source/mesh-parts.ts'
import { still } from '../../formats/source/transform.ts'
import { cornersOf, facings, groups } from '../support/mesh.ts'

/** As a file with Y up is turned to Unreal's axes. */
const upright = [1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0]

/** A triangle that lies in x and y, seen from z. */
const triangle = (given: Partial<MeshPart> = {}): MeshPart => ({
  positions: Float64Array.of(0, 0, 0, 2, 0, 0, 0, 1, 0),
  cornerPositions: Uint32Array.of(0, 1, 2),
  valuesOf: 'corners',
  normals: null,
  uvs: [],
  colors: null,
  triangleMaterials: null,
  ...given,
})
const place = (part = triangle(), given: Partial<PlacedPart> = {}): PlacedPart => ({
  part,
  transform: upright,
  materials: ['Oak'],
  ...given,
})
const join = (...parts: PlacedPart[]) => joinParts(parts, 'file')

test('a part is placed, and faces as it did', () => {
  const mesh = join(place())
  expect(cornersOf(mesh)).toEqual([
    [0, 0, 0],
    [2, 0, 0],
    [0, 0, 1],
  ])
  expect(facings(mesh)).toEqual([[0, 2, 0]])
  expect(mesh).toMatchObject({ normals: null, uvs: [], colors: null, slots: [{ name: 'Oak', material: null }] })
})

test('a part that is mirrored once more is turned around, with the values of its corners', () => {
  const uvs = [Float32Array.of(0, 0, 1, 0, 0, 1)]
  const mesh = join(place(triangle({ uvs }), { transform: [-1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0] }))
  expect(cornersOf(mesh)).toEqual([
    [0, 0, 0],
    [0, 0, 1],
    [-2, 0, 0],
  ])
  expect(facings(mesh)).toEqual([[0, 2, 0]])
  expect(groups(mesh.uvs[0], 2)).toEqual([
    [0, 0],
    [0, 1],
    [1, 0],
  ])
})

test('normals stand upright on surfaces that are stretched askew, and have unit length', () => {
  const slope = triangle({
    positions: Float64Array.of(0, 0, 0, 1, 0, 1, 0, 1, 0),
    normals: Float32Array.of(-5, 0, 5, -5, 0, 5, -5, 0, 5),
  })
  const mesh = join(place(slope, { transform: [3, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0] }))
  const [x = 0, y = 0, z = 0] = facings(mesh)[0] ?? []
  const length = Math.hypot(x, y, z)
  const [normal = []] = groups(mesh.normals, 3)
  expect(Math.hypot(...normal)).toBeCloseTo(1, 2)
  expect(normal).toEqual([x, y, z].map((part) => Math.round((part / length) * 1000) / 1000 + 0))
})

test('values may be those of positions', () => {
  const part = triangle({
    ...{ cornerPositions: Uint32Array.of(2, 0, 1), valuesOf: 'positions' },
    ...{ normals: Float32Array.of(0, 0, 1, 0, 0, 2, 1, 0, 0), uvs: [Float32Array.of(0, 0, 0.5, 0, 1, 1)] },
    colors: Float32Array.of(1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0.5),
  })
  const mesh = join(place(part))
  expect(groups(mesh.normals, 3)).toEqual([
    [1, 0, 0],
    [0, 1, 0],
    [0, 1, 0],
  ])
  expect(groups(mesh.uvs[0], 2)).toEqual([
    [1, 1],
    [0, 0],
    [0.5, 0],
  ])
  expect(groups(mesh.colors, 4)).toEqual([
    [0, 0, 1, 0.5],
    [1, 0, 0, 1],
    [0, 1, 0, 1],
  ])
})

test('what one part has and another lacks is filled: its own facing, no coordinates, white', () => {
  const full = triangle({
    ...{
      normals: Float32Array.of(0, 0, -1, 0, 0, -1, 0, 0, -1),
      uvs: [new Float32Array(6).fill(0.5), new Float32Array(6).fill(0.25)],
    },
    colors: new Float32Array(12).fill(0.5),
  })
  const mesh = join(place(full), place(triangle({ uvs: [new Float32Array(6).fill(0.75)] })))
  expect(groups(mesh.normals, 3)).toEqual([...Array(3).fill([0, -1, 0]), ...Array(3).fill([0, 1, 0])])
  expect(mesh.uvs.map((set) => set[6])).toEqual([0.75, 0])
  expect(groups(mesh.colors, 4)[3]).toEqual([1, 1, 1, 1])
})

test('a normal without a length, or that is no number, becomes that of its triangle', () => {
  const mesh = join(place(triangle({ normals: Float32Array.of(0, 0, 0, Number.NaN, 1, 1, 0, 0, -1) })))
  expect(groups(mesh.normals, 3)).toEqual([
    [0, 1, 0],
    [0, 1, 0],
    [0, -1, 0],
  ])
  const flat = triangle({ positions: new Float64Array(9), normals: new Float32Array(9) })
  expect(groups(join(place(flat)).normals, 3)).toEqual([
    [0, 0, 1],
    [0, 0, 1],
    [0, 0, 1],
  ])
})

test('coordinates and colours that are no numbers are left out', () => {
  const part = triangle({
    uvs: [Float32Array.of(Number.NaN, 1, Infinity, 0, 1, 1)],
    colors: new Float32Array(12).fill(Number.NaN),
  })
  const mesh = join(place(part))
  expect(groups(mesh.uvs[0], 2)).toEqual([
    [0, 1],
    [0, 0],
    [1, 1],
  ])
  expect(groups(mesh.colors, 4)[0]).toEqual([1, 1, 1, 1])
})

test('materials of one name share a slot, and what has none is in a slot of its own', () => {
  const two = triangle({ cornerPositions: Uint32Array.of(0, 1, 2, 2, 1, 0), triangleMaterials: Uint16Array.of(1, 7) })
  const mesh = join(place(), place(two, { materials: ['Brass', 'Oak'] }), place(triangle(), { materials: ['Brass'] }))
  expect(mesh.slots.map(({ name }) => name)).toEqual(['Oak', 'Default', 'Brass'])
  expect([...mesh.triangleSlots]).toEqual([0, 0, 1, 2])
})

test('positions of later parts follow those before them', () => {
  const mesh = join(place(), place(triangle(), { transform: [1, 0, 0, 5, 0, 0, 1, 0, 0, 1, 0, 0] }))
  expect([...mesh.cornerPositions]).toEqual([0, 1, 2, 3, 4, 5])
  expect(cornersOf(mesh)[3]).toEqual([5, 0, 0])
})

test.each([Number.NaN, Infinity, 1e300])('a corner at %d is damage, a position that nobody uses is not', (value) => {
  const at = (...positions: number[]) => place(triangle({ positions: Float64Array.of(...positions) }), { transform: still })
  expect(() => join(at(0, 0, value, 1, 0, 0, 0, 1, 0))).toThrow(
    expect.objectContaining({ name: 'FormatError', reason: 'damaged' }),
  )
  expect([...join(at(0, 0, 0, 1, 0, 0, 0, 1, 0, value, 0, 2)).positions].every(Number.isFinite)).toBe(true)
})

test('no triangle is no mesh, and too many are too large, before room is made for them', () => {
  const none = place(triangle({ cornerPositions: Uint32Array.of() }))
  expect(() => join(none)).toThrow(expect.objectContaining({ name: 'FormatError', reason: 'unsupported' }))
  const many = triangle({ cornerPositions: new Uint32Array(300_000) })
  const times = (count: number, part: MeshPart) => Array.from({ length: count }, () => place(part))
  expect(() => join(...times(201, many))).toThrow(expect.objectContaining({ name: 'FormatError', reason: 'too-large' }))
  const wide = triangle({ positions: new Float64Array(3_000_000) })
  expect(() => join(...times(60, wide))).toThrow(expect.objectContaining({ name: 'FormatError', reason: 'too-large' }))
})
