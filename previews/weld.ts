/** A mesh with its equal corners joined: vertices and triangles, as viewers and simplifiers take them. */
import type { Mesh } from '../formats/source/mesh.ts'
import { unitNormals } from './normals.ts'
import { paintedColors } from './surface.ts'

/** In centimetres and the mesh's own axes; every value is finite. A vertex belongs to one slot, so that slots can be told apart. */
export interface WeldedMesh {
  /** Three vertices of each triangle, in the order of the mesh. */
  indices: Uint32Array
  positions: Float32Array
  normals: Float32Array
  uvs: Float32Array[]
  /** r, g, b, a from 0 to 1; null where nobody painted any. */
  colors: Float32Array | null
  slots: Uint16Array
  /** Triangles that have no area or whose corners are nowhere. */
  dropped: number
}

/** In centimetres: corners nearer than this are one point. */
const samePoint = 1e-5
/**
 * Places of the table that are looked at for one corner. Values that were chosen to have one hash would make it look at all others: what
 * is not found so soon stays a vertex of its own. Other meshes never need half as many.
 */
const mostLooks = 128

/** Values of corners, by corner or by what `cornerPositions` names. */
interface Stream {
  values: Float32Array
  size: number
  isPosition: boolean
}

export function weldMesh(mesh: Mesh): WeldedMesh {
  const streams = streamsOf(mesh)
  const table = new CornerTable(mesh, streams)
  const triangles = Math.floor(mesh.cornerPositions.length / 3)
  const indices = new Uint32Array(triangles * 3)
  let end = 0
  for (let triangle = 0; triangle < triangles; triangle++) {
    if (!hasArea(mesh, triangle)) continue
    for (let corner = triangle * 3; corner < triangle * 3 + 3; corner++) indices[end++] = table.vertexOf(corner)
  }
  const { corners } = table
  const [positions, normals, ...others] = streams.map((stream) => gathered(mesh, stream, corners))
  const uvs = others.slice(0, mesh.uvs.length)
  const colors = others[mesh.uvs.length] ?? null
  for (let at = 0; colors !== null && at < colors.length; at++) colors[at] = Math.min(1, Math.max(0, colors[at] ?? 0))
  return {
    indices: indices.slice(0, end),
    positions: positions ?? new Float32Array(),
    normals: normals ?? new Float32Array(),
    uvs,
    colors,
    slots: slotsOf(mesh, corners),
    dropped: triangles - end / 3,
  }
}

/** Triangles of each slot, in their order. */
export function indicesBySlot({ slots }: WeldedMesh, indices: Uint32Array): Map<number, Uint32Array> {
  const counts = new Map<number, number>()
  const slotAt = (at: number) => slots[indices[at] ?? 0] ?? 0
  for (let at = 0; at < indices.length; at += 3) counts.set(slotAt(at), (counts.get(slotAt(at)) ?? 0) + 3)
  const parts = new Map([...counts].sort(([a], [b]) => a - b).map(([slot, count]) => [slot, new Uint32Array(count)]))
  const ends = new Map<number, number>()
  for (let at = 0; at < indices.length; at += 3) {
    const end = ends.get(slotAt(at)) ?? 0
    parts.get(slotAt(at))?.set(indices.subarray(at, at + 3), end)
    ends.set(slotAt(at), end + 3)
  }
  return parts
}

function streamsOf(mesh: Mesh): Stream[] {
  const colors = paintedColors(mesh)
  return [
    { values: mesh.positions, size: 3, isPosition: true },
    { values: unitNormals(mesh), size: 3, isPosition: false },
    ...mesh.uvs.map((values) => ({ values, size: 2, isPosition: false })),
    ...(colors === null ? [] : [{ values: colors, size: 4, isPosition: false }]),
  ]
}

/** Of each vertex the values of its first corner; what is no number becomes 0. */
function gathered(mesh: Mesh, { values, size, isPosition }: Stream, corners: readonly number[]): Float32Array {
  const out = new Float32Array(corners.length * size)
  let to = 0
  for (const corner of corners) {
    const from = (isPosition ? (mesh.cornerPositions[corner] ?? 0) : corner) * size
    for (let at = from; at < from + size; at++) {
      const value = values[at] ?? 0
      out[to++] = Number.isFinite(value) ? value : 0
    }
  }
  return out
}

function slotsOf({ triangleSlots }: Mesh, corners: readonly number[]): Uint16Array {
  const slots = new Uint16Array(corners.length)
  for (let vertex = 0; vertex < slots.length; vertex++) slots[vertex] = triangleSlots[Math.floor((corners[vertex] ?? 0) / 3)] ?? 0
  return slots
}

/** False for a triangle with two corners in one point, or with a corner that is nowhere. */
function hasArea({ positions, cornerPositions }: Mesh, triangle: number): boolean {
  for (let side = 0; side < 3; side++) {
    const from = (cornerPositions[triangle * 3 + side] ?? 0) * 3
    const to = (cornerPositions[triangle * 3 + ((side + 1) % 3)] ?? 0) * 3
    let farthest = 0
    for (let axis = 0; axis < 3; axis++) {
      const distance = Math.abs((positions[from + axis] ?? Number.NaN) - (positions[to + axis] ?? Number.NaN))
      if (!(distance < Number.POSITIVE_INFINITY)) return false
      farthest = Math.max(farthest, distance)
    }
    if (farthest <= samePoint) return false
  }
  return true
}

/** Finds the vertex of a corner by all of its values: an open hash table that grows with the vertices, not with the corners. */
class CornerTable {
  /** Of each vertex its first corner. */
  readonly corners: number[] = []
  readonly #mesh: Mesh
  readonly #streams: { bits: Uint32Array; size: number; isPosition: boolean }[]
  /** Vertex + 1, or 0 where a place is free. */
  #places = new Uint32Array(1024)
  /** Of each vertex; -1 for one that is not in the table. */
  readonly #hashes: number[] = []

  constructor(mesh: Mesh, streams: readonly Stream[]) {
    this.#mesh = mesh
    this.#streams = streams.map(({ values, ...rest }) => ({
      bits: new Uint32Array(values.buffer, values.byteOffset, values.length),
      ...rest,
    }))
  }

  vertexOf(corner: number): number {
    const hash = this.#hash(corner)
    const mask = this.#places.length - 1
    let place = hash & mask
    let looks = 0
    for (let found = this.#places[place] ?? 0; found !== 0 && looks < mostLooks; found = this.#places[place] ?? 0) {
      if (this.#hashes[found - 1] === hash && this.#equal(this.corners[found - 1] ?? 0, corner)) return found - 1
      place = (place + 1) & mask
      looks++
    }
    this.corners.push(corner)
    this.#hashes.push(looks < mostLooks ? hash : -1)
    if (looks < mostLooks) this.#places[place] = this.corners.length
    if (this.corners.length * 2 > this.#places.length) this.#grow()
    return this.corners.length - 1
  }

  #grow(): void {
    this.#places = new Uint32Array(this.#places.length * 4)
    const mask = this.#places.length - 1
    for (let vertex = 0; vertex < this.#hashes.length; vertex++) {
      const hash = this.#hashes[vertex] ?? -1
      if (hash < 0) continue
      let place = hash & mask
      while (this.#places[place] !== 0) place = (place + 1) & mask
      this.#places[place] = vertex + 1
    }
  }

  #slot(corner: number): number {
    return this.#mesh.triangleSlots[(corner / 3) | 0] ?? 0
  }

  #hash(corner: number): number {
    let hash = this.#slot(corner)
    for (const { bits, size, isPosition } of this.#streams) {
      const from = (isPosition ? (this.#mesh.cornerPositions[corner] ?? 0) : corner) * size
      for (let at = from; at < from + size; at++) {
        hash = Math.imul(hash ^ sameZero(bits[at] ?? 0), 0x9e3779b1)
        hash ^= hash >>> 15
      }
    }
    return hash >>> 0
  }

  #equal(one: number, other: number): boolean {
    if (this.#slot(one) !== this.#slot(other)) return false
    for (const { bits, size, isPosition } of this.#streams) {
      const { cornerPositions } = this.#mesh
      const a = (isPosition ? (cornerPositions[one] ?? 0) : one) * size
      const b = (isPosition ? (cornerPositions[other] ?? 0) : other) * size
      if (a === b) continue
      for (let at = 0; at < size; at++) if (sameZero(bits[a + at] ?? 0) !== sameZero(bits[b + at] ?? 0)) return false
    }
    return true
  }
}

/** The bits of a float, where minus zero is zero. */
const sameZero = (bits: number): number => (bits === 0x8000_0000 ? 0 : bits)
