// What both forms of a mesh description have: element kinds with ids and attributes.
import { FormatError } from '../format-error.ts'
import type { AttributeSet } from './attributes.ts'
import type { IdSet } from './id-set.ts'
import type { SlotReference } from './material-slots.ts'
import type { MeshTables } from './mesh-tables.ts'
import type { NumberRows } from './number-rows.ts'

/** Ids of an element kind that are in use, and what belongs to them. */
export type ElementTable = { ids: IdSet; attributes: AttributeSet }

/** Values of vertices and corners, and the slots, by the names that the engine gives their attributes. */
export function valuesOf(kinds: {
  vertices: ElementTable
  instances: ElementTable
  groups: ElementTable
}): Pick<MeshTables, 'positions' | 'normals' | 'uvs' | 'colors' | 'groups'> {
  const { vertices, instances, groups } = kinds
  const positions = rowsOf(vertices.attributes, 'Position', 3)
  if (positions === null) throw new FormatError('damaged', 'The mesh is damaged: its vertices have no positions.')
  const colors = rowsOf(instances.attributes, 'Color', 4)
  const uvs = instances.attributes.get('TextureCoordinate')?.channels ?? []
  return {
    positions,
    normals: rowsOf(instances.attributes, 'Normal', 3),
    uvs: uvs.filter(({ width }) => width === 2),
    colors: colors && { rows: colors, toLinear: (rows, row, channel) => rows.float(row, channel) },
    groups: { get: (id) => slotReference(groups, id) },
  }
}

/** The first channel of an attribute; null when there is none of that many numbers. */
export function rowsOf(attributes: AttributeSet, name: string, width: number): NumberRows | null {
  const rows = attributes.get(name)?.channels[0]
  return rows?.width === width ? rows : null
}

function slotReference({ ids, attributes }: ElementTable, id: number): SlotReference | undefined {
  if (ids.rank(id) < 0) return undefined
  return { name: attributes.get('ImportedMaterialSlotName')?.names[id] ?? null, index: id }
}
