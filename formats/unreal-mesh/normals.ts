// Normals of corners: of unit length, whatever the file holds.
import type { Mesh } from '../source/mesh.ts'
import type { NumberRows } from './number-rows.ts'

type Shape = Pick<Mesh, 'positions' | 'cornerPositions'>
type Vector = [number, number, number]

/** So far a stored length may be from 1 to be kept as it is. */
const tolerance = 1e-3

/**
 * Normals of all corners from the rows that `cornerRows` names, scaled as the positions are. One that is zero or no number becomes that
 * of its triangle. Null when none is a direction.
 */
export function cornerNormals(
  shape: Shape,
  { rows, cornerRows, scale }: { rows: NumberRows; cornerRows: Uint32Array; scale: readonly [number, number, number] },
): Float32Array | null {
  const factors = normalFactors(scale)
  const normals = new Float32Array(3 * cornerRows.length)
  let found = false
  for (let corner = 0; corner < cornerRows.length; corner++) {
    const row = cornerRows[corner] ?? 0
    const x = rows.float(row, 0) * factors[0]
    const y = rows.float(row, 1) * factors[1]
    const z = rows.float(row, 2) * factors[2]
    const length = Math.sqrt(x * x + y * y + z * z)
    if (!isDirection(length)) continue
    found = true
    const factor = Math.abs(length - 1) < tolerance ? 1 : 1 / length
    normals[3 * corner] = x * factor
    normals[3 * corner + 1] = y * factor
    normals[3 * corner + 2] = z * factor
  }
  if (!found) return null
  fillMissing(normals, shape)
  return normals
}

function fillMissing(normals: Float32Array, shape: Shape): void {
  for (let at = 0; at < normals.length; at += 3) {
    if (normals[at] !== 0 || normals[at + 1] !== 0 || normals[at + 2] !== 0) continue
    normals.set(triangleNormal(shape, 3 * Math.floor(at / 9)), at)
  }
}

function isDirection(length: number): boolean {
  return length > 0 && length < Infinity
}

/** Normals of scaled positions stay upright when they are scaled by the other two factors; a mirror turns them with the mesh. */
function normalFactors([x, y, z]: readonly [number, number, number]): Vector {
  const side = x * y * z < 0 ? -1 : 1
  if (x === y && y === z) return [side, side, side]
  return [side * y * z, side * x * z, side * x * y]
}

/** Of the triangle that begins at a corner, as seen from outside; upwards where it has no area. */
function triangleNormal({ positions, cornerPositions }: Shape, first: number): Vector {
  const point = (corner: number): Vector => {
    const at = 3 * (cornerPositions[first + corner] ?? 0)
    return [positions[at] ?? 0, positions[at + 1] ?? 0, positions[at + 2] ?? 0]
  }
  const [a, b, c] = [point(0), point(1), point(2)]
  const [u, v] = [b.map((value, axis) => value - (a[axis] ?? 0)), c.map((value, axis) => value - (a[axis] ?? 0))]
  const [ux, uy, uz, vx, vy, vz] = [...u, ...v] as [number, number, number, number, number, number]
  const [x, y, z] = [uz * vy - uy * vz, ux * vz - uz * vx, uy * vx - ux * vy]
  const length = Math.sqrt(x * x + y * y + z * z)
  return isDirection(length) ? [x / length, y / length, z / length] : [0, 0, 1]
}
