/** Which side of a triangle is its front: viewers take it from the order of the corners, and light the other side from behind. */
import type { WeldedMesh } from './weld.ts'

/**
 * The triangles of a mesh, those turned whose corners all have normals that point to the back: some tools write the order of corners
 * carelessly, because engines that draw both sides do not show it.
 */
export function facingIndices({ indices, positions, normals }: WeldedMesh): Uint32Array {
  const facing = indices.slice()
  const face = new Float64Array(3)
  const isBehind = (vertex: number): boolean => {
    let cosine = 0
    for (let axis = 0; axis < 3; axis++) cosine += (face[axis] ?? 0) * (normals[vertex * 3 + axis] ?? 0)
    return cosine < 0
  }
  for (let at = 0; at + 2 < indices.length; at += 3) {
    const [a, b, c] = [indices[at] ?? 0, indices[at + 1] ?? 0, indices[at + 2] ?? 0]
    for (let axis = 0; axis < 3; axis++) face[axis] = faceNormal(positions, { a, b, c }, axis)
    if (!(isBehind(a) && isBehind(b) && isBehind(c))) continue
    facing[at + 1] = c
    facing[at + 2] = b
  }
  return facing
}

/** In the axes of Unreal, which are mirrored. */
function faceNormal(positions: Float32Array, { a, b, c }: { a: number; b: number; c: number }, axis: number): number {
  const [next, last] = [(axis + 1) % 3, (axis + 2) % 3]
  const edge = (to: number, part: number) => (positions[to * 3 + part] ?? 0) - (positions[a * 3 + part] ?? 0)
  return edge(c, next) * edge(b, last) - edge(c, last) * edge(b, next)
}
