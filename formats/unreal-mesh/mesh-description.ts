// The mesh of a static mesh as it was imported, from 4.22 on: a mesh description, which knows vertices, polygons and their attributes.
import type { Mesh } from '../source/mesh.ts'
import { PackageReader } from '../uasset/reader.ts'
import { type MeshOptions, toMesh, unchanged } from './mesh-tables.ts'
import { readNewDescription } from './new-description.ts'
import { readOldDescription } from './old-description.ts'

/** Custom versions of the package that decide the layout; -1 where it has none. */
export type DescriptionVersions = { main: number; editor: number }

/** The main branch's version from which element kinds are stored by name. */
const kindsByName = 4

/**
 * Reads a payload. Both forms say the same: positions belong to vertices, other values to vertex instances, of which a vertex has one for
 * each corner that differs; triangles or polygons have instances as corners, and belong to polygon groups, one for each material slot.
 * Elements are known by ids, of which some may be out of use. Polygons are cut into triangles; `versions` are custom versions of the
 * package that holds the payload.
 *
 * Throws FormatError `damaged`, `unsupported` for attributes of unknown types, `too-large` beyond the limits of `toMesh`.
 */
export function readMeshDescription(payload: Uint8Array, versions: DescriptionVersions, options: MeshOptions = unchanged): Mesh {
  const reader = new PackageReader(payload, { what: 'mesh description', pastEnd: 'damaged' })
  const isNew = versions.main >= kindsByName
  const tables = isNew ? readNewDescription(reader, versions.main) : readOldDescription(reader, versions.editor)
  return toMesh(tables, options)
}
