// Mesh descriptions as engines before 5.0 store them: one table of ids and rows after the other, then the attributes of all.
import { FormatError } from '../format-error.ts'
import type { PackageReader } from '../uasset/reader.ts'
import { type AttributeSet, readAttributes } from './attributes.ts'
import { type ElementTable, valuesOf } from './description-tables.ts'
import { IdSet } from './id-set.ts'
import { checkTriangleCount, type MeshTables } from './mesh-tables.ts'
import { NumberRows } from './number-rows.ts'
import { PolygonCutter } from './polygon.ts'

/** Ids in use, and a row of numbers for each of them, in the order of the ids. */
type RowTable = { ids: IdSet; rows: NumberRows }

/** Where the polygons lie, and what they come to when they are cut. */
type Polygons = { ids: IdSet; start: number; triangles: number; groups: Int32Array }

type Corners = Pick<MeshTables, 'cornerPositions' | 'cornerRows' | 'triangleGroups'>

/** Editor versions that changed the layout. */
const noPolygonHoles = 30
const storedTriangles = 35

const attributeForm = { hasExtent: false, hasNameVersion: false }
const missing = 0xffffffff
/** More than any polygon that someone modelled. */
const maxPolygonCorners = 1_000_000

/** `editor` is the version of the editor's part. Throws FormatError. */
export function readOldDescription(reader: PackageReader, editor: number): MeshTables {
  const vertexIds = IdSet.read(reader, 'vertices')
  const instances = readRows(reader, 'vertex instances', 1)
  readRows(reader, 'edges', 2)
  const polygons = readPolygons(reader, editor)
  const groupIds = IdSet.read(reader, 'polygon groups')
  const readSet = (): AttributeSet => readAttributes(reader, attributeForm)
  const vertices: ElementTable = { ids: vertexIds, attributes: readSet() }
  const corners: ElementTable = { ids: instances.ids, attributes: readSet() }
  readSet() // of edges
  readSet() // of polygons
  const values = valuesOf({ vertices, instances: corners, groups: { ids: groupIds, attributes: readSet() } })
  const vertexOf = (instance: number): number => {
    const rank = instances.ids.rank(instance)
    const vertex = rank < 0 ? -1 : instances.rows.integer(rank, 0)
    return vertexIds.rank(vertex) < 0 ? missing : vertex
  }
  if (editor < storedTriangles) {
    checkTriangleCount(polygons.triangles, values)
    return { ...values, ...cutPolygons(reader, polygons, { editor, vertexOf, positions: values.positions }) }
  }
  const rows = readRows(reader, 'triangles', 4)
  checkTriangleCount(rows.ids.count, values)
  const triangles = readTriangles(rows, { reader, polygons, vertexOf })
  readSet() // of triangles
  return { ...values, ...triangles }
}

function readRows(reader: PackageReader, of: string, width: number): RowTable {
  const ids = IdSet.read(reader, of)
  const start = reader.offset
  reader.skip(ids.count * 4 * width)
  return { ids, rows: new NumberRows(reader.bytes, { start, count: ids.count, width }) }
}

/** Walks over the polygons, and keeps the group of each. */
function readPolygons(reader: PackageReader, editor: number): Polygons {
  const ids = IdSet.read(reader, 'polygons')
  const start = reader.offset
  if (ids.count * 8 > reader.left) throw reader.damaged(`counts ${ids.count} polygons, which do not fit`)
  const groups = new Int32Array(ids.count)
  let triangles = 0
  for (let polygon = 0; polygon < ids.count; polygon++) {
    const corners = skipCorners(reader, editor)
    if (corners.count > maxPolygonCorners)
      throw new FormatError('too-large', `The mesh has a polygon of ${corners.count} corners, more than this reader accepts.`)
    triangles += Math.max(0, corners.count - 2)
    groups[polygon] = reader.i32()
  }
  return { ids, start, triangles, groups }
}

/** Moves behind the corners of a polygon, to its group. */
function skipCorners(reader: PackageReader, editor: number): NumberRows {
  const count = reader.count('corners of a polygon', 4)
  const start = reader.offset
  reader.skip(4 * count)
  if (editor < noPolygonHoles)
    for (let holes = reader.count('holes of a polygon', 4); holes > 0; holes--)
      reader.skip(4 * reader.count('corners of a hole', 4))
  return new NumberRows(reader.bytes, { start, count, width: 1 })
}

function readTriangles(
  { ids, rows }: RowTable,
  { reader, polygons, vertexOf }: { reader: PackageReader; polygons: Polygons; vertexOf: (instance: number) => number },
): Corners {
  const corners = makeCorners(ids.count)
  for (let triangle = 0; triangle < ids.count; triangle++) {
    for (let corner = 0; corner < 3; corner++) {
      const instance = rows.integer(triangle, corner)
      corners.cornerRows[3 * triangle + corner] = instance
      corners.cornerPositions[3 * triangle + corner] = vertexOf(instance)
    }
    const polygon = polygons.ids.rank(rows.integer(triangle, 3))
    if (polygon < 0) throw reader.damaged(`has a triangle of polygon ${rows.integer(triangle, 3)}, which is not there`)
    corners.triangleGroups[triangle] = polygons.groups[polygon] ?? 0
  }
  return corners
}

function cutPolygons(
  reader: PackageReader,
  polygons: Polygons,
  mesh: { editor: number; vertexOf: (instance: number) => number; positions: NumberRows },
): Corners {
  const corners = makeCorners(polygons.triangles)
  const cutter = new PolygonCutter()
  const end = reader.offset
  let at = 0
  reader.seek(polygons.start)
  for (const group of polygons.groups) {
    const instances = skipCorners(reader, mesh.editor)
    reader.skip(4)
    const vertices = Array.from({ length: instances.count }, (_, i) => mesh.vertexOf(instances.integer(i, 0)))
    const points =
      instances.count > 3 ? vertices.flatMap((vertex) => pointAt(mesh.positions, vertex)) : new Array(3 * instances.count)
    for (const corner of cutter.cut(points)) {
      corners.cornerRows[at] = instances.integer(corner, 0)
      corners.cornerPositions[at] = vertices[corner] ?? missing
      corners.triangleGroups[Math.floor(at / 3)] = group
      at++
    }
  }
  reader.seek(end)
  return corners
}

function pointAt(positions: NumberRows, vertex: number): number[] {
  return vertex < positions.count ? [0, 1, 2].map((axis) => positions.float(vertex, axis)) : [0, 0, 0]
}

function makeCorners(triangles: number): Corners {
  return {
    cornerPositions: new Uint32Array(3 * triangles),
    cornerRows: new Uint32Array(3 * triangles),
    triangleGroups: new Int32Array(triangles),
  }
}
