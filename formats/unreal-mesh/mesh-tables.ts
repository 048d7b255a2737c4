// From the tables of a mesh as a file holds them to a `Mesh`: every corner with values of its own.
import { FormatError } from '../format-error.ts'
import type { Mesh, MeshSlot } from '../source/mesh.ts'
import { type MaterialSlot, type SlotReference, slotFinder } from './material-slots.ts'
import { cornerNormals } from './normals.ts'
import type { NumberRows } from './number-rows.ts'

/** Triangles whose corners point to rows of values. Any number may be wrong: all are checked here. */
export type MeshTables = {
  /** Three for each triangle: rows of `positions`. They are changed. */
  cornerPositions: Uint32Array
  /** Three for each triangle: rows of `normals`, `uvs` and `colors`. */
  cornerRows: Uint32Array
  /** One for each triangle: a key of `groups`. */
  triangleGroups: Int32Array
  groups: { get(id: number): SlotReference | undefined }
  positions: NumberRows
  normals: NumberRows | null
  uvs: readonly NumberRows[]
  colors: { rows: NumberRows; toLinear: (rows: NumberRows, row: number, channel: number) => number } | null
}

/** What the asset adds to its mesh. */
export type MeshOptions = {
  /** Factors of all positions along x, y and z. */
  scale: readonly [number, number, number]
  slots: readonly MaterialSlot[]
}

export const unchanged: MeshOptions = { scale: [1, 1, 1], slots: [] }

/** Values of corners may take so many bytes: some three million triangles with normals and one set of UVs. */
const maxMeshBytes = 256 * 1024 * 1024
/** Meshes have eight sets at most; of more, the first eight are kept. */
const maxUvSets = 8
const maxSlots = 65_535

/**
 * Makes the mesh. Values that no viewer takes are made harmless: UVs and colours that are no numbers become 0, normals that are none
 * stand upright on their triangle. Positions have no substitute: throws FormatError `damaged` when one that a triangle uses is not
 * finite, or when a corner points to what is not there; `too-large` for more triangles than this reader accepts.
 */
export function toMesh(tables: MeshTables, options: MeshOptions): Mesh {
  const uvs = tables.uvs.slice(0, maxUvSets)
  checkTriangleCount(tables.triangleGroups.length, tables)
  for (const rows of [tables.normals, tables.colors?.rows, ...uvs]) if (rows) checkRows(tables.cornerRows, rows.count)
  const positions = usedPositions(tables, options.scale)
  const { triangleSlots, slots } = slotsOf(tables, options.slots)
  const shape = { positions, cornerPositions: tables.cornerPositions }
  if (isMirrored(options.scale)) for (const list of [tables.cornerPositions, tables.cornerRows]) turnTriangles(list)
  return {
    ...shape,
    normals:
      tables.normals && cornerNormals(shape, { rows: tables.normals, cornerRows: tables.cornerRows, scale: options.scale }),
    uvs: uvs.map((rows) => cornerUvs(tables.cornerRows, rows)),
    colors: cornerColors(tables),
    triangleSlots,
    slots,
  }
}

/** Refuses a number of triangles, whose corners have such values, before room is made for them. */
export function checkTriangleCount(triangles: number, values: Pick<MeshTables, 'normals' | 'uvs' | 'colors'>): void {
  const sets = Math.min(values.uvs.length, maxUvSets)
  const cornerBytes = 4 + (values.normals ? 12 : 0) + 8 * sets + (values.colors ? 16 : 0)
  if (triangles * 3 * cornerBytes > maxMeshBytes) throw tooManyTriangles(triangles)
}

function checkRows(cornerRows: Uint32Array, count: number): void {
  for (const row of cornerRows)
    if (row >= count) throw damaged(`a corner of a triangle has number ${row}, but there are values for ${count} corners only`)
}

/** Positions that corners use, scaled, in the order of first use; corners then point to these. */
function usedPositions({ positions, cornerPositions }: MeshTables, scale: MeshOptions['scale']): Float32Array {
  const numbers = new Uint32Array(positions.count)
  const used = new Uint32Array(Math.min(positions.count, cornerPositions.length))
  let count = 0
  for (let corner = 0; corner < cornerPositions.length; corner++) {
    const position = cornerPositions[corner] ?? 0
    if (position >= positions.count)
      throw damaged(`a triangle has its corner at position ${position}, but there are ${positions.count} positions`)
    if (numbers[position] === 0) {
      used[count++] = position
      numbers[position] = count
    }
    cornerPositions[corner] = (numbers[position] ?? 0) - 1
  }
  const values = new Float32Array(3 * count)
  for (let i = 0; i < values.length; i++) values[i] = positions.float(used[Math.floor(i / 3)] ?? 0, i % 3) * (scale[i % 3] ?? 1)
  if (!values.every(Number.isFinite)) throw damaged('a position is not a finite number')
  return values
}

function slotsOf(tables: MeshTables, assetSlots: readonly MaterialSlot[]): { triangleSlots: Uint16Array; slots: MeshSlot[] } {
  const order = distinct(tables.triangleGroups)
  if (order.length > maxSlots)
    throw new FormatError('too-large', `The mesh has parts for ${order.length} materials, more than this reader accepts.`)
  const numbers = new Map(order.map((group, number) => [group, number]))
  const find = slotFinder(assetSlots)
  const slots = order.map((group) => {
    const reference = tables.groups.get(group)
    if (reference === undefined) throw damaged(`a triangle belongs to group ${group}, which is not there`)
    return find(reference)
  })
  const triangleSlots = new Uint16Array(tables.triangleGroups.length)
  for (const [triangle, group] of tables.triangleGroups.entries()) triangleSlots[triangle] = numbers.get(group) ?? 0
  return { triangleSlots, slots }
}

/** Each once, in ascending order: by sorting, which takes no longer for numbers that were chosen to be slow in a set. */
function distinct(groups: Int32Array): number[] {
  return [
    ...groups
      .slice()
      .sort()
      .filter((group, at, all) => at === 0 || group !== all[at - 1]),
  ]
}

function isMirrored([x, y, z]: MeshOptions['scale']): boolean {
  return x * y * z < 0
}

/** Exchanges the last two corners of each triangle, so that a mirrored mesh is not seen from inside. */
function turnTriangles(corners: Uint32Array): void {
  for (let corner = 0; corner < corners.length; corner += 3) {
    const second = corners[corner + 1] ?? 0
    corners[corner + 1] = corners[corner + 2] ?? 0
    corners[corner + 2] = second
  }
}

function cornerUvs(cornerRows: Uint32Array, rows: NumberRows): Float32Array {
  const values = new Float32Array(2 * cornerRows.length)
  for (let corner = 0; corner < cornerRows.length; corner++) {
    const row = cornerRows[corner] ?? 0
    values[2 * corner] = finiteOrZero(rows.float(row, 0))
    values[2 * corner + 1] = finiteOrZero(rows.float(row, 1))
  }
  return values
}

/** Null when all are white, as they are in files where nobody painted the mesh. */
function cornerColors({ colors, cornerRows }: MeshTables): Float32Array | null {
  if (colors === null) return null
  const values = new Float32Array(4 * cornerRows.length)
  for (let i = 0; i < values.length; i++) {
    const value = finiteOrZero(colors.toLinear(colors.rows, cornerRows[i >> 2] ?? 0, i & 3))
    values[i] = Math.min(1, Math.max(0, value))
  }
  return values.every((value) => value === 1) ? null : values
}

function finiteOrZero(value: number): number {
  return Number.isFinite(value) ? value : 0
}

function tooManyTriangles(triangles: number): FormatError {
  return new FormatError('too-large', `The mesh has ${triangles} triangles, more than this reader accepts.`)
}

function damaged(problem: string): FormatError {
  return new FormatError('damaged', `The mesh is damaged: ${problem}.`)
}
