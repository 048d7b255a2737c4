/** Normals of corners, all of unit length: those of the mesh where they are sound, else made from its triangles. */
import type { Mesh } from '../formats/source/mesh.ts'

/** Corners of faces that stand at more than 32 degrees to what is around them get the face's own normal: an edge stays an edge. */
const smoothestCosine = 0.85
/** Stored normals are off by rounding; beyond this they are made unit length again. */
const tolerance = 1e-4

/** x, y, z of each corner. Shares memory with the mesh where nothing had to be corrected. */
export function unitNormals(mesh: Mesh): Float32Array {
  const corners = mesh.cornerPositions.length
  if (mesh.normals === null || mesh.normals.length < corners * 3) return madeNormals(mesh)
  if (mesh.normals.length === corners * 3 && areUnit(mesh.normals)) return mesh.normals
  const normals = mesh.normals.slice(0, corners * 3)
  let made: Float32Array | undefined
  for (let at = 0; at < normals.length; at += 3) {
    if (normalise(normals, at)) continue
    made ??= madeNormals(mesh)
    normals.set(made.subarray(at, at + 3), at)
  }
  return normals
}

function areUnit(normals: Float32Array): boolean {
  for (let at = 0; at < normals.length; at += 3) {
    const x = normals[at] ?? 0
    const y = normals[at + 1] ?? 0
    const z = normals[at + 2] ?? 0
    if (!(Math.abs(x * x + y * y + z * z - 1) < tolerance)) return false
  }
  return true
}

/** False where there is no direction to keep. */
function normalise(vectors: Float32Array | Float64Array, at: number): boolean {
  const x = vectors[at] ?? 0
  const y = vectors[at + 1] ?? 0
  const z = vectors[at + 2] ?? 0
  const length = Math.sqrt(x * x + y * y + z * z)
  if (!(length > 1e-12 && length < Number.POSITIVE_INFINITY)) return false
  vectors[at] = x / length
  vectors[at + 1] = y / length
  vectors[at + 2] = z / length
  return true
}

function madeNormals(mesh: Mesh): Float32Array {
  const faces = faceNormals(mesh)
  const around = new Float32Array(mesh.positions.length)
  const { cornerPositions } = mesh
  for (let corner = 0; corner < cornerPositions.length; corner++) {
    const to = (cornerPositions[corner] ?? 0) * 3
    const from = Math.floor(corner / 3) * 3
    for (let axis = 0; axis < 3 && to + axis < around.length; axis++)
      around[to + axis] = (around[to + axis] ?? 0) + (faces[from + axis] ?? 0)
  }
  for (let at = 0; at < around.length; at += 3) normalise(around, at)
  const normals = new Float32Array(cornerPositions.length * 3)
  for (let corner = 0; corner < cornerPositions.length; corner++) {
    const face = Math.floor(corner / 3) * 3
    const smooth = (cornerPositions[corner] ?? 0) * 3
    let cosine = 0
    for (let axis = 0; axis < 3; axis++) cosine += (faces[face + axis] ?? 0) * (around[smooth + axis] ?? 0)
    const [from, at] = cosine > smoothestCosine ? [around, smooth] : [faces, face]
    for (let axis = 0; axis < 3; axis++) normals[corner * 3 + axis] = from[at + axis] ?? 0
  }
  return normals
}

/** One of each triangle, up where it has no area. Corners run counter-clockwise once the axes are those of glTF. */
function faceNormals({ positions, cornerPositions }: Mesh): Float32Array {
  const normals = new Float32Array(cornerPositions.length)
  const edge = new Float64Array(9)
  for (let at = 0; at + 2 < cornerPositions.length; at += 3) {
    for (let corner = 0; corner < 3; corner++) {
      const from = (cornerPositions[at + corner] ?? 0) * 3
      for (let axis = 0; axis < 3; axis++) edge[corner * 3 + axis] = positions[from + axis] ?? Number.NaN
    }
    const [ax = 0, ay = 0, az = 0, bx = 0, by = 0, bz = 0, cx = 0, cy = 0, cz = 0] = edge
    normals[at] = (cy - ay) * (bz - az) - (cz - az) * (by - ay)
    normals[at + 1] = (cz - az) * (bx - ax) - (cx - ax) * (bz - az)
    normals[at + 2] = (cx - ax) * (by - ay) - (cy - ay) * (bx - ax)
    if (normalise(normals, at)) continue
    normals.set([0, 0, 1], at)
  }
  return normals
}
