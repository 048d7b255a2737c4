// Meshes that lie: any bytes give a mesh or a FormatError, in time and memory that the bytes at hand bound.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../formats/format-error.ts'
import type { Mesh } from '../../formats/source/mesh.ts'
import { measureMesh } from '../../formats/source/mesh-measures.ts'
import { readMeshDescription } from '../../formats/unreal-mesh/mesh-description.ts'
import { readRawMesh } from '../../formats/unreal-mesh/raw-mesh.ts'
import { PackageBytes } from '../../sample/package-bytes.ts'
import {
  flatShape,
  newDescription,
  oldDescription,
  outline,
  polygonShape,
  rawMesh,
  rawTriangle,
  type Shape,
  triangleShape,
} from '../support/mesh-payloads.ts'

const triangle = outline.slice(0, 3)

type Reader = (bytes: Uint8Array) => Mesh
const oldReader: Reader = (bytes) => readMeshDescription(bytes, { main: -1, editor: 28 })
const triangleReader: Reader = (bytes) => readMeshDescription(bytes, { main: -1, editor: 38 })
const newReader: Reader = (bytes) => readMeshDescription(bytes, { main: 119, editor: 40 })
const corpus: [string, Buffer, Reader][] = [
  ['an old description of polygons', oldDescription(polygonShape, 28), oldReader],
  ['an old description of triangles', oldDescription(triangleShape, 38), triangleReader],
  ['a new description', newDescription(triangleShape, 119), newReader],
  ['a raw mesh', rawMesh(rawTriangle), (bytes) => readRawMesh(bytes)],
]

/** The mesh, sound in itself and no larger than a factor of the bytes; or the FormatError. Anything else fails the test. */
function outcome(bytes: Uint8Array, read: Reader): Mesh | FormatError {
  try {
    const mesh = read(bytes)
    const corners = mesh.cornerPositions.length
    const perCorner = 16 + 12 + 8 * mesh.uvs.length + 16
    expect(corners * perCorner).toBeLessThan(64 * bytes.length)
    expect([corners % 3, mesh.triangleSlots.length]).toEqual([0, corners / 3])
    expect(mesh.cornerPositions.every((position) => 3 * position + 2 < mesh.positions.length)).toBe(true)
    expect(mesh.triangleSlots.every((slot) => slot < mesh.slots.length)).toBe(true)
    for (const list of [mesh.positions, mesh.normals, mesh.colors, ...mesh.uvs])
      expect(list?.every(Number.isFinite) ?? true).toBe(true)
    measureMesh(mesh)
    return mesh
  } catch (error) {
    if (error instanceof FormatError) return error
    throw error
  }
}

function withNumber(bytes: Uint8Array, at: number, value: number): Buffer {
  const copy = Buffer.from(bytes)
  copy.writeInt32LE(value, at)
  return copy
}

describe.each(corpus)('%s', (_, bytes, read) => {
  test('is whole to begin with', () => {
    expect(outcome(bytes, read)).not.toBeInstanceOf(FormatError)
  })

  test('cut anywhere is damage', () => {
    for (let length = 0; length < bytes.length; length++)
      expect([length, outcome(bytes.subarray(0, length), read)]).toMatchObject([length, { reason: 'damaged' }])
  })

  test('with any 32-bit number at an extreme never breaks the reader', () => {
    for (const extreme of [0x7fffffff, -0x80000000, -1, 1_000_000_000, 0x00ffffff, 7])
      for (let at = 0; at + 4 <= bytes.length; at++) outcome(withNumber(bytes, at, extreme), read)
  })

  test('with bytes of it changed at random never breaks the reader', () => {
    const change = fc.tuple(fc.nat(bytes.length - 1), fc.nat(255))
    const property = fc.property(fc.array(change, { minLength: 1, maxLength: 12 }), (changes) => {
      const copy = Buffer.from(bytes)
      for (const [at, value] of changes) copy[at] = value
      outcome(copy, read)
    })
    fc.assert(property, { seed: 19, numRuns: 3000 })
  })
})

test('a corner, a triangle or a group that points to what is not there is damage', () => {
  const lies: Shape[] = [
    { ...triangleShape, instances: [0, 1, 2, 3, 4, 6] },
    { ...triangleShape, instances: [0, 1, 2, 3, 4, -1] },
    { ...triangleShape, vertices: [...triangleShape.vertices.slice(0, 5), null] },
    { ...triangleShape, instances: [...triangleShape.instances.slice(0, 5), null] },
    { ...triangleShape, polygons: [{ corners: [0, 1, 6], group: 0 }] },
    { ...triangleShape, polygons: [{ corners: [0, 1, -1], group: 0 }] },
    { ...triangleShape, polygons: [{ corners: [0, 1, 2], group: 1 }] },
    { ...triangleShape, polygons: [{ corners: [0, 1, 2], group: -1 }] },
    { ...triangleShape, groups: [null] },
    { ...triangleShape, normals: [[0, 0, 1]] },
    { ...triangleShape, uvSets: [[[0, 0]]] },
    { ...triangleShape, colors: [] },
  ]
  for (const lie of lies) {
    expect([lie, outcome(newDescription(lie, 119), newReader)]).toMatchObject([{}, { reason: 'damaged' }])
    expect([lie, outcome(oldDescription(lie, 38), triangleReader)]).toMatchObject([{}, { reason: 'damaged' }])
    expect([lie, outcome(oldDescription(lie, 28), oldReader)]).toMatchObject([{}, { reason: 'damaged' }])
  }
  for (const corner of [3, -1])
    expect(outcome(rawMesh({ ...rawTriangle, corners: [0, 1, corner] }), readRawMesh)).toMatchObject({ reason: 'damaged' })
  for (const lie of [
    { materials: [-1] },
    { materials: [0, 0] },
    { corners: [0, 1, 2, 0] },
    { normals: [0, 0, 1] },
    { uvSets: [[0, 0]] },
  ])
    expect([lie, outcome(rawMesh({ ...rawTriangle, ...lie }), readRawMesh)]).toMatchObject([{}, { reason: 'damaged' }])
})

test('a position that is no finite number is damage where a triangle uses it, and nothing where none does', () => {
  for (const wrong of [Number.NaN, Infinity, -Infinity]) {
    const used = { ...triangleShape, vertices: [[wrong, 0, 0], ...triangleShape.vertices.slice(1)] }
    expect(outcome(newDescription(used, 119), newReader)).toMatchObject({ reason: 'damaged' })
    expect(
      outcome(oldDescription({ ...polygonShape, vertices: [[wrong, 0, 0], ...polygonShape.vertices.slice(1)] }, 28), oldReader),
    ).toMatchObject({
      reason: 'damaged',
    })
    expect(
      outcome(rawMesh({ ...rawTriangle, positions: [...rawTriangle.positions.slice(0, 8), wrong] }), readRawMesh),
    ).toMatchObject({
      reason: 'damaged',
    })
    const unused = { ...triangleShape, vertices: [...triangleShape.vertices, [wrong, 0, 0]] }
    expect(outcome(newDescription(unused, 119), newReader)).not.toBeInstanceOf(FormatError)
  }
  const scaled = (): Mesh =>
    readMeshDescription(newDescription(triangleShape, 119), { main: 119, editor: 40 }, { scale: [1e39, 1, 1], slots: [] })
  expect(scaled).toThrow(expect.objectContaining({ reason: 'damaged' }))
})

test('a billion triangles, corners or ids are refused before room is made for them', () => {
  const before = process.memoryUsage().arrayBuffers
  const bytes = new PackageBytes(false).i32(1, 0, 1_000_000_000).toBuffer()
  expect(outcome(bytes, readRawMesh)).toMatchObject({ reason: 'damaged' })
  for (const read of [oldReader, triangleReader]) {
    const ids = new PackageBytes(false).i32(1_000_000_000).toBuffer()
    expect(outcome(ids, read)).toMatchObject({ reason: 'damaged' })
  }
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024)
})

test('more triangles than this reader accepts are too large, though the file has them', () => {
  const count = 24_000_000
  const whole = oldDescription(flatShape(triangle), 38)
  // The table of triangles comes last: the two ids that it has are replaced by many, of which all bytes are there.
  const tail = 4 + 4 + 16 + 8
  const table = Buffer.alloc(4 + count / 8 + 16 * count, 0)
  table.writeInt32LE(count, 0)
  table.fill(255, 4, 4 + count / 8)
  const bytes = Buffer.concat([whole.subarray(0, whole.length - tail), table, Buffer.alloc(8)])
  expect(outcome(bytes, triangleReader)).toMatchObject({ reason: 'too-large' })
})

test('more corner values than this reader accepts are too large, though no value is there twice', () => {
  const count = 3_000_000
  const sets = 8
  const shape = flatShape(triangle)
  const whole = newDescription({ ...shape, uvSets: Array.from({ length: sets }, () => [0, 1, 2].map(() => [0, 0])) }, 119)
  const row = Buffer.alloc(12 * count)
  for (let t = 0; t < count; t++) row.writeInt32LE(1, 12 * t + 4)
  for (let t = 0; t < count; t++) row.writeInt32LE(2, 12 * t + 8)
  const at = whole.indexOf('Triangles')
  expect(at).toBeGreaterThan(0)
  const table = new PackageBytes(false)
    .string('Triangles')
    .i32(1, count)
    .raw(Buffer.alloc(count / 8, 255))
    .i32(0, count, 2)
  table
    .string('VertexInstanceIndex')
    .u32(4)
    .i32(3, count, 1, 3, 4, 3 * count)
    .raw(row)
    .i32(0, 0)
  table
    .string('PolygonGroupIndex')
    .u32(4)
    .i32(1, count, 1, 1, 4, count)
    .raw(Buffer.alloc(4 * count))
    .i32(0, 0)
  const behind = whole.indexOf('Polygons ') - 4
  const bytes = Buffer.concat([whole.subarray(0, at - 4), table.toBuffer(), whole.subarray(behind)])
  expect(outcome(bytes, newReader)).toMatchObject({ reason: 'too-large' })
})

test('attributes, channels and names beyond all reason are refused, and unknown types are unsupported', () => {
  const vertices = (attribute: (bytes: PackageBytes) => void) => {
    const bytes = new PackageBytes(false).i32(1).string('Vertices').i32(1, 0, 0, 0)
    attribute(bytes)
    return bytes.raw(Buffer.alloc(8_000_000)).toBuffer()
  }
  expect(
    outcome(
      vertices((bytes) => bytes.i32(1000)),
      newReader,
    ),
  ).toMatchObject({ reason: 'too-large' })
  const typed = (type: number, ...rest: number[]) =>
    vertices((bytes) =>
      bytes
        .i32(1)
        .string('Odd')
        .i32(type, 1, 0, ...rest),
    )
  expect(outcome(typed(1, 1000), newReader)).toMatchObject({ reason: 'too-large' })
  expect(outcome(typed(6, 1, 1, 1_000_000), newReader)).toMatchObject({ reason: 'too-large' })
  expect(outcome(typed(9, 1, 1, 12, 0), newReader)).toMatchObject({ reason: 'unsupported' })
  expect(outcome(typed(1, 1, 1, 24, 0), newReader)).toMatchObject({ reason: 'unsupported' })
  expect(outcome(typed(1, 1, 0, 12, 1), newReader)).toMatchObject({ reason: 'damaged' })
})

test('a polygon may have as many corners as the file has room for, and ends', () => {
  const wild = Array.from({ length: 60_000 }, (_, i): [number, number] => [Math.sin(i * i), Math.cos(i * 3)])
  const mesh = outcome(oldDescription(flatShape(wild), 28), oldReader)
  expect(mesh).toMatchObject({ cornerPositions: { length: 3 * 59_998 } })
})
