// What a mesh comes to: triangles, those among them with an area, and its box.
import type { Mesh } from './mesh.ts'

export type MeshMeasures = {
  triangles: number
  /** Without those of which two corners lie in one place. */
  trianglesNotDegenerate: number
  /** In centimetres, Unreal's axes; null without triangles. */
  bounds: { min: [number, number, number]; max: [number, number, number] } | null
}

/** So far apart, in centimetres, are corners that lie in different places. */
const samePlace = 1e-5

export function measureMesh({ positions, cornerPositions }: Mesh): MeshMeasures {
  const isSame = (a: number, b: number): boolean => {
    const [p, q] = [3 * (cornerPositions[a] ?? 0), 3 * (cornerPositions[b] ?? 0)]
    for (let axis = 0; axis < 3; axis++) {
      if (!(Math.abs((positions[p + axis] ?? 0) - (positions[q + axis] ?? 0)) < samePlace)) return false
    }
    return true
  }
  let degenerate = 0
  for (let corner = 0; corner < cornerPositions.length; corner += 3) {
    if (isSame(corner, corner + 1) || isSame(corner + 1, corner + 2) || isSame(corner + 2, corner)) degenerate++
  }
  const triangles = cornerPositions.length / 3
  return { triangles, trianglesNotDegenerate: triangles - degenerate, bounds: boundsOf(positions) }
}

function boundsOf(positions: Float32Array): MeshMeasures['bounds'] {
  if (positions.length === 0) return null
  const min: [number, number, number] = [Infinity, Infinity, Infinity]
  const max: [number, number, number] = [-Infinity, -Infinity, -Infinity]
  for (let i = 0; i < positions.length; i++) {
    const [axis, value] = [i % 3, positions[i] ?? 0]
    if (value < (min[axis] ?? 0)) min[axis] = value
    if (value > (max[axis] ?? 0)) max[axis] = value
  }
  return { min, max }
}
