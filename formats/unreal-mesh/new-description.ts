// Mesh descriptions as engines from 5.0 on store them: element kinds by name, of which everything is an attribute.
import { FormatError } from '../format-error.ts'
import type { PackageReader } from '../uasset/reader.ts'
import { type AttributeSet, boundedCount, readAttributes } from './attributes.ts'
import { type ElementTable, rowsOf, valuesOf } from './description-tables.ts'
import { IdSet } from './id-set.ts'
import { checkTriangleCount, type MeshTables } from './mesh-tables.ts'
import type { NumberRows } from './number-rows.ts'

/** The main branch's version from which names carry a number of their own. */
const nameVersion = 123
const maxKinds = 64
const maxKindChannels = 256

/** `main` is the version of the main branch's part. Throws FormatError. What stands behind the last element kind is not looked at: some files have more. */
export function readNewDescription(reader: PackageReader, main: number): MeshTables {
  const kinds = readKinds(reader, main)
  const kind = (name: string): ElementTable => {
    const table = kinds.get(name)
    if (table === undefined) throw new FormatError('damaged', `The mesh is damaged: it has no ${name}.`)
    return table
  }
  const [vertices, instances, triangles] = [kind('Vertices'), kind('VertexInstances'), kind('Triangles')]
  const values = valuesOf({ vertices, instances, groups: kind('PolygonGroups') })
  checkTriangleCount(triangles.ids.count, values)
  return { ...values, ...readCorners({ vertices, instances, triangles }) }
}

function readKinds(reader: PackageReader, main: number): Map<string, ElementTable> {
  const kinds = new Map<string, ElementTable>()
  const form = { hasExtent: true, hasNameVersion: main >= nameVersion }
  for (let left = boundedCount(reader, 'element kinds', maxKinds); left > 0; left--) {
    const name = reader.string().trim()
    const channels = boundedCount(reader, 'channels', maxKindChannels)
    for (let channel = 0; channel < channels; channel++) {
      const ids = IdSet.read(reader, name)
      reader.skip(4) // holes
      const attributes = readAttributes(reader, form)
      if (channel === 0) kinds.set(name, { ids, attributes })
    }
  }
  return kinds
}

type Kinds = { vertices: ElementTable; instances: ElementTable; triangles: ElementTable }

function readCorners({
  vertices,
  instances,
  triangles,
}: Kinds): Pick<MeshTables, 'cornerPositions' | 'cornerRows' | 'triangleGroups'> {
  const count = triangles.ids.count
  const vertexRows = needed(instances.attributes, 'VertexIndex', 1)
  const cornerRows = needed(triangles.attributes, 'VertexInstanceIndex', 3)
  const groupRows = needed(triangles.attributes, 'PolygonGroupIndex', 1)
  if (count > cornerRows.count || count > groupRows.count)
    throw new FormatError('damaged', `The mesh is damaged: it has ${count} triangles, and corners for ${cornerRows.count}.`)
  const corners = {
    cornerPositions: new Uint32Array(3 * count),
    cornerRows: new Uint32Array(3 * count),
    triangleGroups: new Int32Array(count),
  }
  let at = 0
  for (const triangle of triangles.ids) {
    if (triangle >= cornerRows.count || triangle >= groupRows.count)
      throw new FormatError('damaged', `The mesh is damaged: triangle ${triangle} has no corners or no group.`)
    corners.triangleGroups[at / 3] = groupRows.integer(triangle, 0)
    for (let corner = 0; corner < 3; corner++) {
      const instance = cornerRows.integer(triangle, corner)
      const vertex = instances.ids.rank(instance) < 0 || instance >= vertexRows.count ? -1 : vertexRows.integer(instance, 0)
      corners.cornerRows[at] = instance
      corners.cornerPositions[at] = vertices.ids.rank(vertex) < 0 ? -1 : vertex
      at++
    }
  }
  return corners
}

function needed(attributes: AttributeSet, name: string, width: number): NumberRows {
  const rows = rowsOf(attributes, name, width)
  if (rows === null) throw new FormatError('damaged', `The mesh is damaged: it has no ${name}.`)
  return rows
}
