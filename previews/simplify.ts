/** Fewer triangles that look like all of them, by meshoptimizer. */
import type { MeshoptSimplifier, SimplifierFlags } from 'meshoptimizer/simplifier'
import { type Crowding, crowdingOf } from './crowded-points.ts'
import { indicesBySlot, type WeldedMesh } from './weld.ts'

type Simplifier = typeof MeshoptSimplifier

/** How much a change of these counts beside a change of shape: creases and seams of the texture are kept, small waves are not. */
const weights = { normal: 0.5, uv: 0.5, color: 0.5 }
/** What a simplification may miss its number by before it is tried again with less care. */
const tolerance = 1.1

/** Steps of the simplifier, see `Crowding`: about a second each. A mesh that someone modelled needs a tenth of it. */
export const mostSteps: Crowding = { corners: 1_000_000_000, seams: 100_000_000 }

/** Indices of at most about `triangles` triangles, of the same vertices, and whether so many met in one point that they are coarse. */
export interface Simplified {
  indices: Uint32Array
  isCoarse: boolean
}

/** Slots stay joined where they met. */
export async function simplified(mesh: WeldedMesh, triangles: number): Promise<Simplified> {
  const { MeshoptSimplifier: simplifier } = await import('meshoptimizer/simplifier')
  await simplifier.ready
  const target = Math.max(1, triangles) * 3
  const { corners, seams } = crowdingOf(mesh.positions, mesh.indices)
  const isCrowded = corners > mostSteps.corners
  const ways = isCrowded ? [] : seams > mostSteps.seams ? [careful] : [careful, permissive]
  const attributes = attributesOf(mesh)
  for (const flags of ways) {
    const indices = carefully(simplifier, { mesh, attributes, target, flags })
    // Nothing at all is no picture of the mesh: small parts are pruned, and it may have no others.
    if (indices.length > 0 && indices.length <= target * tolerance) return { indices, isCoarse: false }
  }
  const indices = sloppy(simplifier, mesh, target)
  // Triangles that all lie in each other join to nothing: then the first of them are taken.
  const kept = indices.length === 0 && isCrowded ? mesh.indices.slice(0, target) : indices
  return { indices: kept, isCoarse: isCrowded || seams > mostSteps.seams }
}

const careful: SimplifierFlags[] = ['Prune']
const permissive: SimplifierFlags[] = ['Prune', 'Permissive']

interface Careful {
  mesh: WeldedMesh
  attributes: ReturnType<typeof attributesOf>
  target: number
  flags: SimplifierFlags[]
}

function carefully(simplifier: Simplifier, { mesh, attributes, target, flags }: Careful): Uint32Array {
  const { indices, positions } = mesh
  const { values, size, weight } = attributes
  return simplifier.simplifyWithAttributes(indices, positions, 3, values, size, weight, null, target, Number.MAX_VALUE, flags)[0]
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
