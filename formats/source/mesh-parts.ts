// The meshes of a source file as one: placed as the scene shows them, in Unreal's axes, with one slot for each name of a material.
import { FormatError } from '../format-error.ts'
import type { Mesh } from './mesh.ts'
import { isMirroring, normalTransform, type Transform, transform } from './transform.ts'

/**
 * A mesh as its file stores it: in the file's axes, its triangles counter-clockwise where right-handed axes see them from outside. Corners
 * as in `Mesh`; every index of a position is already checked.
 */
export interface MeshPart {
  positions: Float32Array | Float64Array
  cornerPositions: Uint32Array
  /** What normals, uvs and colours are the values of: each corner has its own, or those of its position. */
  valuesOf: 'corners' | 'positions'
  /** Of any length; those without one, or that are no numbers, become those of their triangle. */
  normals: Float32Array | null
  /** v down. */
  uvs: readonly Float32Array[]
  colors: Float32Array | null
  /** For each triangle its material, as the file counts them; null where all have the first. */
  triangleMaterials: Uint16Array | null
}

export interface PlacedPart {
  part: MeshPart
  /** From the file's axes and unit to Unreal's axes and centimetres. */
  transform: Transform
  /** The names of the part's materials; a triangle whose material has none is in the slot `Default`. */
  materials: readonly string[]
}

const maxTriangles = 20_000_000
/** Of all arrays of the joined mesh. */
const maxMeshBytes = 512 * 1024 * 1024
/** As many as Unreal takes of a mesh. */
export const maxUvSets = 8
const maxSlots = 65_536
const unnamedSlot = 'Default'

/**
 * One mesh of all parts. Normals and colours are there when one part has them: others get those of their triangles, and white. Normals
 * have unit length. Throws FormatError `too-large` beyond 20 million triangles, 65,536 slots or 512 MiB, `damaged` for a corner whose
 * position is no number that a mesh can hold, `unsupported` where there is no triangle at all.
 */
export function joinParts(parts: readonly PlacedPart[], what: string): Mesh {
  const sizes = sizesOf(parts)
  refuse(sizes, what)
  const joining = new Joining(sizes, what)
  for (const part of parts) joining.add(part)
  return joining.mesh
}

/** Throws FormatError `too-large` for more triangles than a mesh may have: readers ask before they make room for them. */
export function refuseTriangles(triangles: number, what: string): void {
  if (triangles <= maxTriangles) return
  throw new FormatError('too-large', `The ${what} shows ${triangles} triangles, more than the ${maxTriangles} that can be read.`)
}

type Sizes = { positions: number; triangles: number; uvSets: number; hasNormals: boolean; hasColors: boolean }

function sizesOf(parts: readonly PlacedPart[]): Sizes {
  const sizes: Sizes = { positions: 0, triangles: 0, uvSets: 0, hasNormals: false, hasColors: false }
  for (const { part } of parts) {
    sizes.positions += part.positions.length / 3
    sizes.triangles += part.cornerPositions.length / 3
    sizes.uvSets = Math.min(maxUvSets, Math.max(sizes.uvSets, part.uvs.length))
    sizes.hasNormals ||= part.normals !== null
    sizes.hasColors ||= part.colors !== null
  }
  return sizes
}

function refuse({ positions, triangles, uvSets, hasNormals, hasColors }: Sizes, what: string): void {
  if (triangles === 0) throw new FormatError('unsupported', `The ${what} shows no triangle.`)
  refuseTriangles(triangles, what)
  const cornerBytes = 4 + 8 * uvSets + (hasNormals ? 12 : 0) + (hasColors ? 16 : 0)
  const bytes = positions * 12 + triangles * (2 + 3 * cornerBytes)
  if (bytes <= maxMeshBytes) return
  throw new FormatError(
    'too-large',
    `The mesh of the ${what} would take ${bytes} bytes, more than the ${maxMeshBytes} that it may.`,
  )
}

/** A mesh that is filled part by part. */
class Joining {
  readonly mesh: Mesh
  readonly #what: string
  readonly #slots = new Map<string, number>()
  #positions = 0
  #triangles = 0

  constructor({ positions, triangles, uvSets, hasNormals, hasColors }: Sizes, what: string) {
    this.#what = what
    const corners = triangles * 3
    this.mesh = {
      positions: new Float32Array(positions * 3),
      cornerPositions: new Uint32Array(corners),
      normals: hasNormals ? new Float32Array(corners * 3) : null,
      uvs: Array.from({ length: uvSets }, () => new Float32Array(corners * 2)),
      colors: hasColors ? new Float32Array(corners * 4).fill(1) : null,
      triangleSlots: new Uint16Array(triangles),
      slots: [],
    }
  }

  add(placed: PlacedPart): void {
    const { part, transform } = placed
    const corners = cornerOrder(part, isMirroring(transform))
    this.#addPositions(part, transform)
    this.#addCorners(part, corners)
    const values = part.valuesOf === 'corners' ? corners : corners.map((corner) => part.cornerPositions[corner] ?? 0)
    this.#addNormals(part, values, normalTransform(transform))
    const at = this.#triangles * 3
    for (const [set, uvs] of this.mesh.uvs.entries()) copyCorners(part.uvs[set], values, { into: uvs, at, size: 2 })
    copyCorners(part.colors, values, { into: this.mesh.colors, at, size: 4 })
    this.#addSlots(placed)
    this.#positions += part.positions.length / 3
    this.#triangles += corners.length / 3
  }

  #addPositions({ positions }: MeshPart, by: Transform): void {
    const [point, placed] = [new Float64Array(3), new Float64Array(3)]
    for (let at = 0; at < positions.length; at += 3) {
      for (let axis = 0; axis < 3; axis++) point[axis] = positions[at + axis] ?? 0
      transform(by, point, placed)
      this.mesh.positions.set(placed, this.#positions * 3 + at)
    }
  }

  #addCorners({ positions: { length }, cornerPositions }: MeshPart, corners: Uint32Array): void {
    const { positions, cornerPositions: into } = this.mesh
    let at = this.#triangles * 3
    for (const corner of corners) {
      const position = this.#positions + (cornerPositions[corner] ?? 0)
      for (let axis = 0; axis < 3; axis++)
        if (!Number.isFinite(positions[position * 3 + axis])) throw this.#damaged('has a corner without a finite position')
      into[at++] = position
    }
    // What is left is in no triangle.
    for (let place = this.#positions * 3; place < this.#positions * 3 + length; place++)
      if (!Number.isFinite(positions[place])) positions[place] = 0
  }

  #damaged(problem: string): FormatError {
    return new FormatError('damaged', `The ${this.#what} is damaged: it ${problem}.`)
  }

  #addNormals({ normals }: MeshPart, values: Uint32Array, by: Transform): void {
    if (this.mesh.normals === null) return
    const [normal, turned] = [new Float64Array(3), new Float64Array(3)]
    let to = this.#triangles * 3
    for (const value of values) {
      for (let axis = 0; axis < 3; axis++) normal[axis] = normals?.[value * 3 + axis] ?? 0
      transform(by, normal, turned)
      if (!toUnitLength(turned)) triangleNormal(this.mesh, Math.floor(to / 3), turned)
      this.mesh.normals.set(turned, to++ * 3)
    }
  }

  #addSlots({ part: { triangleMaterials, cornerPositions }, materials }: PlacedPart): void {
    const known = new Map<number, number>()
    for (let triangle = 0; triangle < cornerPositions.length / 3; triangle++) {
      const material = triangleMaterials?.[triangle] ?? 0
      const slot = known.get(material) ?? this.#slotOf(materials[material] || unnamedSlot)
      known.set(material, slot)
      this.mesh.triangleSlots[this.#triangles + triangle] = slot
    }
  }

  #slotOf(name: string): number {
    const known = this.#slots.get(name)
    if (known !== undefined) return known
    const slot = this.mesh.slots.push({ name, material: null }) - 1
    if (slot >= maxSlots) throw new FormatError('too-large', `The ${this.#what} has more than ${maxSlots} materials.`)
    this.#slots.set(name, slot)
    return slot
  }
}

/** A mirror turns triangles around. From right-handed axes to Unreal's is one mirror, which the winding of `Mesh` counts in. */
function cornerOrder({ cornerPositions: { length } }: MeshPart, isMirrored: boolean): Uint32Array {
  const corners = Uint32Array.from({ length }, (_, corner) => corner)
  if (isMirrored) return corners
  for (let corner = 0; corner < length; corner += 3) {
    corners[corner + 1] = corner + 2
    corners[corner + 2] = corner + 1
  }
  return corners
}

/** What is no number is left as it was. */
function copyCorners(
  values: Float32Array | null | undefined,
  places: Uint32Array,
  { into, at, size }: { into: Float32Array | null; at: number; size: number },
): void {
  if (!values || !into) return
  let to = at * size
  for (const place of places) {
    for (let part = 0; part < size; part++, to++) {
      const value = values[place * size + part] ?? 0
      if (Number.isFinite(value)) into[to] = value
    }
  }
}

/** False for one without a length. */
function toUnitLength(normal: Float64Array): boolean {
  const [x = 0, y = 0, z = 0] = normal
  const length = Math.sqrt(x * x + y * y + z * z)
  if (!(length > 0 && length < Infinity)) return false
  for (let axis = 0; axis < 3; axis++) normal[axis] = (normal[axis] ?? 0) / length
  return true
}

/** Upwards for a triangle without an area. Triangles are wound so that their corners turn around the normal to the left in Unreal's axes. */
function triangleNormal({ positions, cornerPositions }: Mesh, triangle: number, into: Float64Array): void {
  const at = (corner: number, axis: number) => positions[(cornerPositions[triangle * 3 + corner] ?? 0) * 3 + (axis % 3)] ?? 0
  const edge = (corner: number, axis: number) => at(corner, axis) - at(0, axis)
  for (let axis = 0; axis < 3; axis++) into[axis] = edge(2, axis + 1) * edge(1, axis + 2) - edge(2, axis + 2) * edge(1, axis + 1)
  if (!toUnitLength(into)) into.set([0, 0, 1])
}
