// The source of a skeletal mesh: its first LOD as the editor keeps it, in the pose in which it was imported.
import { FormatError } from '../format-error.ts'
import type { Mesh } from '../source/mesh.ts'
import { customVersion } from '../uasset/custom-versions.ts'
import type { MaterialSlot } from '../unreal-mesh/material-slots.ts'
import { checkTriangleCount, toMesh } from '../unreal-mesh/mesh-tables.ts'
import { NumberRows } from '../unreal-mesh/number-rows.ts'
import { linearChannel } from '../unreal-mesh/raw-mesh.ts'
import { referencedPackage } from './material-reference.ts'
import type { ObjectReader } from './package.ts'
import { readObjectProperties } from './properties.ts'
import { checkSectionVersions, readSection, type SkeletalSection, userDataSince, vertexBytesOf } from './skeletal-section.ts'

/** Numbers of LOD 0, which is in the object's own data: it has no payload. */
export type SkeletalMeshSource = { bones: number; sections: number; vertices: number; payloadId: null; mesh: Mesh }

/** Real meshes have a few dozen; each is a material more to draw. */
const maxSections = 4096
const uvSets = 4
/** A section without vertices takes more. */
const sectionBytes = 60
/** Where values stand in a vertex, in bytes. */
const at = { position: 0, normal: 36, uvs: 52, color: 84 }

/** Reads LOD 0 of a skeletal mesh from the beginning of its data. Throws FormatError. */
export function readSkeletalMesh(object: ObjectReader): SkeletalMeshSource {
  checkSectionVersions(object)
  readObjectProperties(object)
  object.skip(2) // what was stripped
  const wide = object.versions.ue5 >= 1004
  object.skip(7 * (wide ? 8 : 4)) // bounds
  const slots = readMaterials(object)
  const bones = readBones(object, wide)
  enterFirstLod(object)
  const sections = readSections(object)
  if (object.version(customVersion.editor) >= userDataSince) skipUserData(object)
  const indices = new NumberRows(object.bytes, readList(object))
  const vertexBytes = vertexBytesOf(object)
  const vertices = Buffer.concat(sections.map((section) => section.vertices))
  const mesh = toMesh(tablesOf({ sections, indices, vertices, vertexBytes }), { scale: [1, 1, 1], slots })
  return { bones, sections: sections.length, vertices: vertices.length / vertexBytes, payloadId: null, mesh }
}

function readMaterials(object: ObjectReader): MaterialSlot[] {
  const [editor, core] = [object.version(customVersion.editor), object.version(customVersion.core)]
  const slots: MaterialSlot[] = []
  for (let left = object.count('materials', 4); left > 0; left--) {
    object.package.countParts(1)
    const material = referencedPackage(object.package, object.i32())
    const name = editor >= 8 ? object.name() : null
    const importedName = editor >= 8 && (core < 3 || object.bool32()) ? object.name() : null
    if (object.version(customVersion.rendering) >= 10) object.skip(24) // density of UVs
    if (object.version(customVersion.fortnite) >= 196) object.skip(4) // overlay
    slots.push({ name, importedName, material })
  }
  return slots
}

/** How many bones there are; leaves the reader behind the skeleton. */
function readBones(object: ObjectReader, wide: boolean): number {
  const bones = object.count('bones', 12)
  for (let left = bones; left > 0; left--) {
    object.skip(12) // name, parent
    if (object.versions.ue4 >= 370) object.skipString()
  }
  const poseBytes = 10 * (wide ? 8 : 4)
  object.skip(poseBytes * object.count('bones in their pose', poseBytes))
  object.skip(12 * object.count('names of bones', 12))
  return bones
}

/** Two bytes of what was stripped stand before the number of LODs from 4.22 on, both zero. */
function enterFirstLod(object: ObjectReader): void {
  const start = object.offset
  if (object.u16() !== 0) object.seek(start)
  object.skip(4) // LODs
  object.skip(2) // what was stripped
}

function readSections(object: ObjectReader): SkeletalSection[] {
  const count = object.count('sections', sectionBytes)
  if (count === 0) throw new FormatError('unsupported', `The ${object.what} has no source in the package.`)
  if (count > maxSections)
    throw new FormatError('too-large', `The ${object.what} has ${count} sections, more than this reader accepts.`)
  return Array.from({ length: count }, () => readSection(object))
}

function skipUserData(object: ObjectReader): void {
  const since = (part: keyof typeof customVersion, version: number) => object.version(customVersion[part]) >= version
  const bytes = 4 + 2 + 4 + (since('recomputeTangent', 2) ? 1 : 0) + 4 + (since('main', 54) ? 4 : 0) + 4 + 4 + 2 + 20
  object.skip(bytes * object.count('user data of sections', bytes))
}

function readList(object: ObjectReader): { start: number; count: number; width: number } {
  const count = object.count('indices', 4)
  const start = object.offset
  object.skip(4 * count)
  return { start, count, width: 1 }
}

type Lod = { sections: SkeletalSection[]; indices: NumberRows; vertices: Uint8Array; vertexBytes: number }

function tablesOf({ sections, indices, vertices, vertexBytes }: Lod): Parameters<typeof toMesh>[0] {
  const rows = (start: number, width: number) =>
    new NumberRows(vertices, { start, width, count: vertices.length / vertexBytes, stride: vertexBytes / 4 })
  const sets = Array.from({ length: uvSets }, (_, set) => rows(at.uvs + 8 * set, 2))
  const values = {
    normals: rows(at.normal, 3),
    uvs: sets.slice(0, usedSets(sets)),
    colors: { rows: rows(at.color, 1), toLinear: linearChannel },
  }
  const triangles = sections.reduce((sum, section) => sum + section.triangles, 0)
  checkTriangleCount(triangles, values)
  const corners = new Uint32Array(3 * triangles)
  const triangleGroups = new Int32Array(triangles)
  let triangle = 0
  for (const section of sections) {
    if (section.firstIndex + 3 * section.triangles > indices.count)
      throw new FormatError('damaged', `The mesh is damaged: a section has ${section.triangles} triangles, which are not there.`)
    for (let i = 0; i < 3 * section.triangles; i++) corners[3 * triangle + i] = indices.integer(section.firstIndex + i, 0)
    triangleGroups.fill(section.material, triangle, triangle + section.triangles)
    triangle += section.triangles
  }
  return {
    cornerPositions: corners,
    cornerRows: corners.slice(),
    triangleGroups,
    groups: { get: (index) => ({ name: null, index }) },
    positions: rows(at.position, 3),
    ...values,
  }
}

/** All vertices have room for four sets; sets behind the last one that says something are not in use. */
function usedSets(sets: readonly NumberRows[]): number {
  const isUsed = (rows: NumberRows): boolean => {
    for (let row = 0; row < rows.count; row++) if (rows.float(row, 0) !== 0 || rows.float(row, 1) !== 0) return true
    return false
  }
  return sets.findLastIndex(isUsed) + 1
}
