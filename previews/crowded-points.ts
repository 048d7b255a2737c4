/**
 * How many triangles and vertices meet in the points of a mesh. What walks from triangle to triangle around each point takes as many steps as
 * the square of what meets there; what may also open seams, the cube.
 */

export interface Crowding {
  /** Corners in each point, squared, of all points together. */
  corners: number
  /** The cubes of vertices in each point, of those points where more meet than at any edge that someone modelled. */
  seams: number
}

const usualVertices = 32

/** Four times as many as there are vertices, a power of two: points that share a place by chance count as one, and are few. */
const placesFor = (vertices: number): number => 2 ** Math.ceil(Math.log2(Math.max(1024, vertices * 4)))

/** Vertices at one position are one point, whatever else they hold. */
export function crowdingOf(positions: Float32Array, indices: Uint32Array): Crowding {
  const vertices = positions.length / 3
  const bits = new Uint32Array(positions.buffer, positions.byteOffset, positions.length)
  const cornersAt = new Uint32Array(placesFor(vertices))
  const verticesAt = new Uint32Array(cornersAt.length)
  for (const vertex of indices) count(cornersAt, bits, vertex)
  for (let vertex = 0; vertex < vertices; vertex++) count(verticesAt, bits, vertex)
  const crowding = { corners: 0, seams: 0 }
  for (const corners of cornersAt) crowding.corners += corners ** 2
  for (const met of verticesAt) if (met > usualVertices) crowding.seams += met ** 3
  return crowding
}

function count(counts: Uint32Array, bits: Uint32Array, vertex: number): void {
  let hash = 0
  for (let at = vertex * 3; at < vertex * 3 + 3; at++) {
    hash = Math.imul(hash ^ (bits[at] ?? 0), 0x9e3779b1)
    hash ^= hash >>> 15
  }
  const place = (hash >>> 0) & (counts.length - 1)
  counts[place] = (counts[place] ?? 0) + 1
}
