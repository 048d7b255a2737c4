// Triangles of OBJ files.
import { expect, test } from 'vitest'
import { readObjMesh } from '../../formats/obj/geometry.ts'
import { toObj } from '../../sample/obj.ts'
import { box } from '../../sample/shape.ts'
import { surfaces } from '../../sample/surfaces.ts'
import { boxOf, cornersOf, facings, groups } from '../support/mesh.ts'

const refusal = (reason: string) => expect.objectContaining({ name: 'FormatError', reason })
const read = (...lines: string[]) => readObjMesh(Buffer.from(lines.join('\n')))
const square = ['v 0 0 0', 'v 2 0 0', 'v 2 1 0', 'v 0 1 0']

test('Y is up, and a unit is a centimetre', () => {
  const mesh = read(...square, 'f 1 2 3 4')
  expect(cornersOf(mesh)).toEqual([
    [0, 0, 0],
    [2, 0, 0],
    [2, 0, 1],
    [0, 0, 0],
    [2, 0, 1],
    [0, 0, 1],
  ])
  expect(facings(mesh)).toEqual(Array(2).fill([0, 2, 0]))
  expect(mesh).toMatchObject({ normals: null, uvs: [], colors: null, slots: [{ name: 'Default', material: null }] })
})

test('a unit that a comment states counts, one behind the first vertex does not', () => {
  expect(boxOf(read('# File units = meters', ...square, 'f 1 2 3 4')).max).toEqual([200, 0, 100])
  expect(boxOf(read(...square, '# File units = meters', 'f 1 2 3 4')).max).toEqual([2, 0, 1])
})

test('corners may have coordinates, normals, both or neither', () => {
  const values = ['vt 0.25 0.25', 'vt 1 1 0.5', 'vn 0 0 1', 'vn 0 3 0']
  const mesh = read(...square, ...values, 'f 1/1/1 2/2/2 3//2', 'f 1/2 2 3')
  expect(groups(mesh.uvs[0], 2)).toEqual([
    [0.25, 0.75],
    [1, 0],
    [0, 1],
    [1, 0],
    [0, 1],
    [0, 1],
  ])
  expect(groups(mesh.normals, 3)).toEqual([
    [0, 1, 0],
    [0, 0, 1],
    [0, 0, 1],
    [0, 1, 0],
    [0, 1, 0],
    [0, 1, 0],
  ])
})

test('negative places count back from the last value so far', () => {
  const mesh = read(...square, 'vt 0 1', 'f -4/-1 -3/-1 -2/-1', 'v 9 9 9', 'f -4 -3 -1')
  expect(cornersOf(mesh)).toEqual([
    [0, 0, 0],
    [2, 0, 0],
    [2, 0, 1],
    [2, 0, 0],
    [2, 0, 1],
    [9, 9, 9],
  ])
})

test('polygons are cut inside their edges, lines go on behind a backslash, and what is no face is passed over', () => {
  const arrow = ['v 0 0 0', 'v 4 -2 0', 'v 1 0 0', 'v 4 2 0']
  const mesh = read('o Arrow', 'g parts', ...arrow, 's 1', 'l 1 2', 'p 1', 'f 1 2 \\', '3 4 # all', 'fo 1 2 4', 'f 1 2')
  expect(facings(mesh).map(([, y]) => y)).toEqual([2, 2, 16])
})

test('every name of a material is a slot, in the order of their faces', () => {
  const mesh = read(...square, 'f 1 2 3', 'usemtl Dark oak', 'f 1 2 3', 'usemtl Brass', 'usemtl Dark oak', 'f 1 2 3 4')
  expect(mesh.slots.map(({ name }) => name)).toEqual(['Default', 'Dark oak'])
  expect([...mesh.triangleSlots]).toEqual([0, 1, 1, 1])
})

test('a sample prop is as large as it was made, and its normals are those of its sides', () => {
  const shape = box([20, 30, 40], surfaces.oak)
  const mesh = readObjMesh(Buffer.from(toObj(shape, { model: 'Box', material: () => 'Oak' })))
  const { min, max } = boxOf(mesh)
  expect(max.map((high, axis) => Math.round((high - (min[axis] ?? 0)) * 100)).toSorted()).toEqual([2000, 3000, 4000])
  const sides = facings(mesh).map((facing) => facing.map((part) => Math.sign(Math.round(part))))
  expect(groups(mesh.normals, 3).filter((_, corner) => corner % 3 === 0)).toEqual(sides)
})

test.each(['f 1 2 9', 'f 1 2 0', 'f 1 2 -5', 'f 1 2 x', 'f 1 2 3.5', 'f 1 2 1/1/1/1', 'f 1 2 99999999999999999999'])(
  'the face %s is damage',
  (face) => {
    expect(() => read(...square, face)).toThrow(refusal('damaged'))
  },
)

test('coordinates and normals that are not there are none', () => {
  expect(read(...square, 'f 1/7/7 2/-1/-1 3/0/0')).toMatchObject({ uvs: [], normals: null })
})

test('a vertex that is no number is damage where a face has it', () => {
  expect(() => read('v 0 0', 'v 1 0 0', 'v nan 1 0', 'f 1 2 3')).toThrow(refusal('damaged'))
  expect(() => read('v 0 0 0', 'v 1e999 0 0', 'v 1 1 0', 'f 1 2 3')).toThrow(refusal('damaged'))
  expect(read('v x y z', ...square, 'f 2 3 4').triangleSlots.length).toBe(1)
})

test('a file without a face, or that is no text, is refused', () => {
  expect(() => read(...square)).toThrow(refusal('unsupported'))
  expect(() => readObjMesh(Buffer.alloc(10))).toThrow(refusal('not-this-format'))
})

test('more materials than any model has are too many', () => {
  const uses = Array.from({ length: 10_001 }, (_, at) => `usemtl M${at}`)
  expect(() => read(...square, ...uses)).toThrow(refusal('too-large'))
})
