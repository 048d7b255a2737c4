// What tests ask of a mesh: the box around what it shows, and which way its triangles face.
import type { Mesh } from '../../formats/source/mesh.ts'

/** x, y, z of each corner, triangle by triangle. */
export function cornersOf({ positions, cornerPositions }: Mesh): [number, number, number][] {
  return Array.from(cornerPositions, (position) => {
    const [x = Number.NaN, y = Number.NaN, z = Number.NaN] = positions.subarray(position * 3, position * 3 + 3)
    return [x, y, z]
  })
}

/** Around the corners: positions that no triangle uses do not count. */
export function boxOf(mesh: Mesh): { min: number[]; max: number[] } {
  const box = { min: [Infinity, Infinity, Infinity], max: [-Infinity, -Infinity, -Infinity] }
  for (const corner of cornersOf(mesh)) {
    box.min = box.min.map((low, axis) => Math.min(low, corner[axis] ?? low))
    box.max = box.max.map((high, axis) => Math.max(high, corner[axis] ?? high))
  }
  return box
}

/** The normal of each triangle, not of unit length, on the side from which Unreal shows it. */
export function facings(mesh: Mesh): [number, number, number][] {
  const corners = cornersOf(mesh)
  return Array.from({ length: corners.length / 3 }, (_, triangle) => {
    const [a = [0, 0, 0], b = [0, 0, 0], c = [0, 0, 0]] = corners.slice(triangle * 3, triangle * 3 + 3)
    const [ux, uy, uz] = [c[0] - a[0], c[1] - a[1], c[2] - a[2]]
    const [vx, vy, vz] = [b[0] - a[0], b[1] - a[1], b[2] - a[2]]
    return [uy * vz - uz * vy + 0, uz * vx - ux * vz + 0, ux * vy - uy * vx + 0]
  })
}

/** Values of corners in groups of `size`, rounded to thousandths. */
export function groups(values: ArrayLike<number> | null | undefined, size: number): number[][] {
  const rounded = Array.from(values ?? [], (value) => Math.round(value * 1000) / 1000 + 0)
  return Array.from({ length: rounded.length / size }, (_, at) => rounded.slice(at * size, (at + 1) * size))
}
