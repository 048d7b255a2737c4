// A section of a skeletal mesh: triangles of one material, and the vertices that they are made of.
import { FormatError } from '../format-error.ts'
import { customVersion } from '../uasset/custom-versions.ts'
import type { ObjectReader } from './package.ts'

export type SkeletalSection = {
  /** Number of a material of the mesh. */
  material: number
  /** Number of its first corner in the mesh's list of indices. */
  firstIndex: number
  triangles: number
  /** Its vertices, `vertexBytesOf` each. */
  vertices: Uint8Array
}

/** Older layouts have more fields; 4.20 and later do not write them. */
const oldest = { skeletalMesh: 16, rendering: 26 }
/** The editor's version from which two more numbers, and user data of sections, are there. */
export const userDataSince = 37
const clothBytes = 64

/** Throws FormatError `unsupported` for packages of engines before 4.20. */
export function checkSectionVersions(object: ObjectReader): void {
  const [mesh, rendering] = [object.version(customVersion.skeletalMesh), object.version(customVersion.rendering)]
  if (mesh < oldest.skeletalMesh || rendering < oldest.rendering)
    throw new FormatError(
      'unsupported',
      `The ${object.what} is of an engine before 4.20, whose skeletal meshes this reader does not know.`,
    )
}

/** Bytes of a vertex: position, two tangents, normal, four sets of UVs, colour, bones and their weights. */
export function vertexBytesOf(object: ObjectReader): number {
  const animation = object.version(customVersion.animObject)
  const influences = animation < 5 ? 8 : 12
  const weightBytes = object.version(customVersion.main) < 90 ? 1 : 2
  return 12 + 12 + 12 + 16 + 32 + 4 + influences * ((animation < 4 ? 1 : 2) + weightBytes)
}

/** Reads a section, of which each field is there from a version of its part on. Throws FormatError. */
export function readSection(object: ObjectReader): SkeletalSection {
  const since = (part: keyof typeof customVersion, version: number) => object.version(customVersion[part]) >= version
  object.skip(2) // what was stripped
  const [material, firstIndex, triangles] = [object.u16(), object.u32(), object.u32()]
  if (!since('skeletalMesh', 18)) object.skip(1) // how triangles are sorted
  if (since('recomputeTangent', 1)) object.bool32()
  if (since('recomputeTangent', 2)) object.skip(1)
  if (since('editor', 8)) object.bool32() // casts shadows
  if (since('main', 54)) object.bool32() // visible to rays
  object.skip(4) // first vertex
  const vertexBytes = vertexBytesOf(object)
  const vertices = object.take(vertexBytes * object.count('vertices', vertexBytes))
  if (since('animObject', 4)) object.bool32()
  object.skip(2 * object.count('bones of a section', 2))
  object.skip(8) // vertices, largest number of influences
  skipCloth(object, since('ue5Release', 15))
  object.skip(2 + 20) // cloth asset
  if (since('overlappingVertices', 1)) skipOverlaps(object)
  if (since('release', 12)) object.bool32() // disabled
  object.skip(4) // LOD from which it is generated
  if (since('editor', userDataSince)) object.skip(8) // section that it was before it was split
  return { material, firstIndex, triangles, vertices }
}

function skipCloth(object: ObjectReader, forEachLod: boolean): void {
  const lists = forEachLod ? object.count('lists of cloth', 4) : 1
  for (let left = lists; left > 0; left--) object.skip(clothBytes * object.count('cloth vertices', clothBytes))
}

function skipOverlaps(object: ObjectReader): void {
  for (let left = object.count('overlapping vertices', 8); left > 0; left--) {
    object.skip(4)
    object.skip(4 * object.count('vertices that overlap', 4))
  }
}
