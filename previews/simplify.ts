/** Fewer triangles that look like all of them, by meshoptimizer. */
import type { MeshoptSimplifier } from 'meshoptimizer/simplifier'
import { indicesBySlot, type WeldedMesh } from './weld.ts'

type Simplifier = typeof MeshoptSimplifier

/** How much a change of these counts beside a change of shape: creases and seams of the texture are kept, small waves are not. */
const weights = { normal: 0.5, uv: 0.5, color: 0.5 }
/** What a simplification may miss its number by before it is tried again with less care. */
const tolerance = 1.1

/** Indices of at most about `triangles` triangles, of the same vertices. Slots stay joined where they met. */
export async function simplifiedIndices(mesh: WeldedMesh, triangles: number): Promise<Uint32Array> {
  const { MeshoptSimplifier: simplifier } = await import('meshoptimizer/simplifier')
  await simplifier.ready
  const target = Math.max(1, triangles) * 3
  const { values, size, weight } = attributesOf(mesh)
  for (const flags of [['Prune'], ['Prune', 'Permissive']] as const) {
    const [indices] = simplifier.simplifyWithAttributes(
      mesh.indices,
      mesh.positions,
      3,
      values,
      size,
      weight,
      null,
      target,
      Number.MAX_VALUE,
      [...flags],
    )
    if (indices.length <= target * tolerance) return indices
  }
  return sloppy(simplifier, mesh, target)
}

/** Normals, the first texture coordinates and colours side by side. */
function attributesOf({ positions, normals, uvs: [uvs], colors }: WeldedMesh) {
  const parts = [
    { values: normals, size: 3, stored: 3, weight: weights.normal },
    ...(uvs === undefined ? [] : [{ values: uvs, size: 2, stored: 2, weight: weights.uv }]),
    ...(colors === null ? [] : [{ values: colors, size: 3, stored: 4, weight: weights.color }]),
  ]
  const size = parts.reduce((sum, part) => sum + part.size, 0)
  const vertices = positions.length / 3
  const values = new Float32Array(vertices * size)
  let first = 0
  for (const { values: from, size: width, stored } of parts) {
    for (let vertex = 0; vertex < vertices; vertex++)
      for (let at = 0; at < width; at++) values[vertex * size + first + at] = from[vertex * stored + at] ?? 0
    first += width
  }
  return { values, size, weight: parts.flatMap((part) => Array.from({ length: part.size }, () => part.weight)) }
}

/** Without regard to how triangles hang together, which is what is left for heaps of loose leaves; each slot by itself. */
function sloppy(simplifier: Simplifier, mesh: WeldedMesh, target: number): Uint32Array {
  const share = target / mesh.indices.length
  const parts = [...indicesBySlot(mesh, mesh.indices).values()].map((indices) => {
    const count = Math.max(3, Math.floor((indices.length * share) / 3) * 3)
    return simplifier.simplifySloppy(indices, mesh.positions, 3, null, count, Number.MAX_VALUE)[0]
  })
  const all = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0))
  let end = 0
  for (const part of parts) {
    all.set(part, end)
    end += part.length
  }
  return all
}
