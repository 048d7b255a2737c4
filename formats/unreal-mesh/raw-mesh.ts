// The mesh of a static mesh as it was imported, up to 4.21: a raw mesh, which lists all values of all corners.
import type { Mesh } from '../source/mesh.ts'
import { PackageReader } from '../uasset/reader.ts'
import { checkTriangleCount, type MeshOptions, toMesh, unchanged } from './mesh-tables.ts'
import { NumberRows } from './number-rows.ts'

/** The version of raw meshes from which they say which imported material each number of a triangle means. */
const materialNumbers = 1
const uvSets = 8

/** Reads a payload. Throws FormatError `damaged`, or `too-large` beyond the limits of `toMesh`. */
export function readRawMesh(payload: Uint8Array, options: MeshOptions = unchanged): Mesh {
  const reader = new PackageReader(payload, { what: 'raw mesh', pastEnd: 'damaged' })
  const version = reader.i32()
  reader.skip(4) // licensee version
  const materials = readRows(reader, 'materials of triangles', 1)
  readRows(reader, 'smoothing groups', 1)
  const positions = readRows(reader, 'positions', 3)
  const corners = readRows(reader, 'corners', 1)
  const optional = (rows: NumberRows): NumberRows | null => (rows.count === 0 ? null : rows)
  readRows(reader, 'tangents', 3)
  readRows(reader, 'tangents', 3)
  const normals = optional(readRows(reader, 'normals', 3))
  const uvs = Array.from({ length: uvSets }, () => optional(readRows(reader, 'UVs', 2))).filter((rows) => rows !== null)
  const colors = optional(readRows(reader, 'colours', 1))
  const numbers = version >= materialNumbers ? readRows(reader, 'material numbers', 1) : null
  if (corners.count % 3 !== 0 || materials.count !== corners.count / 3)
    throw reader.damaged(`has ${corners.count} corners and ${materials.count} materials for its triangles`)
  const values = { normals, uvs, colors: colors && { rows: colors, toLinear: linearChannel } }
  checkTriangleCount(materials.count, values)
  return toMesh(
    {
      cornerPositions: Uint32Array.from({ length: corners.count }, (_, corner) => corners.integer(corner, 0)),
      cornerRows: Uint32Array.from({ length: corners.count }, (_, corner) => corner),
      triangleGroups: Int32Array.from({ length: materials.count }, (_, triangle) =>
        materialOf(materials.integer(triangle, 0), numbers),
      ),
      groups: { get: (index) => (index < 0 ? undefined : { name: null, index }) },
      positions,
      ...values,
    },
    options,
  )
}

function readRows(reader: PackageReader, of: string, width: number): NumberRows {
  const count = reader.count(of, 4 * width)
  const start = reader.offset
  reader.skip(count * 4 * width)
  return new NumberRows(reader.bytes, { start, count, width })
}

function materialOf(number: number, numbers: NumberRows | null): number {
  return numbers && number >= 0 && number < numbers.count ? numbers.integer(number, 0) : number
}

/** A channel of a colour of four bytes: blue, green, red as seen on a screen, and alpha as it is. */
export function linearChannel(rows: NumberRows, row: number, channel: number): number {
  const value = rows.byte(row, channel === 3 ? 3 : 2 - channel) / 255
  if (channel === 3) return value
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
}
