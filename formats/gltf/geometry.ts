// The triangles of a glTF or GLB file in Unreal's axes and centimetres.
// Source: glTF 2.0 specification, Khronos Group, sections 3.6 and 3.7.
import { FormatError } from '../format-error.ts'
import { type ReadBeside, relativeAddress } from '../source/look.ts'
import type { Mesh } from '../source/mesh.ts'
import { joinParts, type MeshPart, maxUvSets, type PlacedPart, refuseTriangles } from '../source/mesh-parts.ts'
import { product, type Transform } from '../source/transform.ts'
import { Accessors, sparseOf } from './accessors.ts'
import { bufferOf, dracoView, unpack } from './compressed.ts'
import { type GltfFile, type GltfJson, type GltfNode, type GltfPrimitive, openGltf } from './json.ts'
import { damaged, item, placedNodes } from './nodes.ts'

const what = 'glTF file'
/** Metres to centimetres; (x, y, z) becomes (x, z, y), as Unreal's importer does it. */
const toUnreal: Transform = [100, 0, 0, 0, 0, 0, 100, 0, 0, 100, 0, 0]
/** Primitives, each as often as the scene shows it. */
const maxParts = 200_000
/** Of all files beside the one that is read. */
const maxBufferBytes = 512 * 1024 * 1024

/**
 * What a glTF or GLB shows, as one mesh with a slot for each name of a material: the default scene, or, where that shows nothing, every
 * mesh as it was made. Y is up, the unit a metre. Meshes stand as their nodes do; skins and morph targets are at rest.
 * Throws FormatError: those of `readGltf`; `unsupported` for buffers not at hand, and without a triangle.
 */
export async function readGltfMesh(bytes: Uint8Array, readBeside?: ReadBeside): Promise<Mesh> {
  const file = openGltf(bytes, new Map())
  const shown = shownPrimitives(file.json)
  const primitives = new Set(shown.map(({ primitive }) => primitive))
  const views = neededViews(file.json, primitives)
  await readBuffers(file, views, readBeside)
  await unpack(file, primitives, views)
  const accessors = new Accessors(file)
  const parts = new Map<GltfPrimitive, MeshPart>()
  const placed = shown.map(({ primitive, transform }): PlacedPart => {
    const part = parts.get(primitive) ?? readPart(accessors, primitive)
    parts.set(primitive, part)
    return { part, transform, materials: [materialName(file.json, primitive.material)] }
  })
  return joinParts(placed, what)
}

type ShownPrimitive = { primitive: GltfPrimitive; transform: Transform }

/** Those that are made of triangles. */
function shownPrimitives(json: GltfJson): ShownPrimitive[] {
  const shown: ShownPrimitive[] = []
  let triangles = 0
  const add = (index: number, transform: Transform) => {
    for (const primitive of item(json.meshes ?? [], index, 'mesh').primitives) {
      const count = countTriangles(json, primitive)
      triangles += count
      refuseTriangles(triangles, what)
      if (count > 0 && shown.push({ primitive, transform }) > maxParts)
        throw new FormatError('too-large', `The glTF file shows more than ${maxParts} parts of meshes.`)
    }
  }
  const placed = placedNodes(json)
  const transforms = new Map<number, Transform>()
  for (const { index, parent } of placed) {
    const node = item(json.nodes ?? [], index, 'node')
    const above = parent === null ? toUnreal : (transforms.get(parent) ?? toUnreal)
    const transform = product(above, ownTransform(node))
    transforms.set(index, transform)
    if (node.mesh !== undefined) add(node.mesh, transform)
  }
  if (shown.length === 0) for (const index of (json.meshes ?? []).keys()) add(index, toUnreal)
  return shown
}

function countTriangles(json: GltfJson, { attributes, indices, mode = 4 }: GltfPrimitive): number {
  if (attributes.POSITION === undefined) return 0
  const corners = item(json.accessors ?? [], indices ?? attributes.POSITION, 'accessor').count
  return mode === 4 ? Math.floor(corners / 3) : mode === 5 || mode === 6 ? Math.max(0, corners - 2) : 0
}

function ownTransform({ matrix, translation = [], rotation = [], scale = [] }: GltfNode): Transform {
  if (matrix) return Array.from({ length: 12 }, (_, at) => matrix[(at % 4) * 4 + Math.floor(at / 4)] ?? 0)
  const [x = 0, y = 0, z = 0, w = 1] = rotation
  const turned = [
    [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
    [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
    [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
  ]
  return turned.flatMap((row, at) => [...row.map((cell, column) => cell * (scale[column] ?? 1)), translation[at] ?? 0])
}

/** Views of buffers in which the primitives lie. */
function neededViews(json: GltfJson, primitives: Iterable<GltfPrimitive>): Set<number> {
  const views = new Set<number | undefined>()
  const accessors = new Set<number>()
  for (const primitive of primitives) {
    views.add(dracoView(primitive))
    for (const index of [...Object.values(primitive.attributes), primitive.indices ?? -1]) accessors.add(index)
  }
  for (const index of accessors) {
    const accessor = json.accessors?.[index]
    const sparse = accessor && sparseOf(accessor)
    for (const view of [accessor?.bufferView, sparse?.indices.bufferView, sparse?.values.bufferView]) views.add(view)
  }
  return new Set([...views].filter((view) => view !== undefined))
}

/** Reads the files beside this one in which the views lie. */
async function readBuffers({ json, buffers }: GltfFile, views: Iterable<number>, readBeside?: ReadBeside): Promise<void> {
  if (readBeside === undefined) return
  const needed = new Set([...views].map((index) => bufferOf(json, index)))
  const read = new Map<string, Uint8Array | undefined>()
  let readBytes = 0
  for (const [index, { uri }] of (json.buffers ?? []).entries()) {
    if (!needed.has(index) || buffers[index] !== undefined || uri === undefined || relativeAddress(uri) === null) continue
    const bytes = read.has(uri) ? read.get(uri) : await readBeside(decoded(uri))
    if (!read.has(uri)) readBytes += bytes?.length ?? 0
    if (readBytes > maxBufferBytes)
      throw new FormatError('too-large', `The files beside the glTF file have ${readBytes} bytes, too many to be read.`)
    read.set(uri, bytes)
    buffers[index] = bytes
  }
}

function readPart(accessors: Accessors, { attributes, indices, mode }: GltfPrimitive): MeshPart {
  const positions = accessors.vectors(attributes.POSITION ?? -1, 'VEC3')
  const { NORMAL: normal, COLOR_0: color } = attributes
  const uvs: Float32Array[] = []
  for (let set = attributes.TEXCOORD_0; set !== undefined && uvs.length < maxUvSets; set = attributes[`TEXCOORD_${uvs.length}`])
    uvs.push(accessors.vectors(set, 'VEC2'))
  return {
    positions,
    cornerPositions: triangleCorners(indices === undefined ? null : accessors.indices(indices), positions.length / 3, mode ?? 4),
    valuesOf: 'positions',
    normals: normal === undefined ? null : accessors.vectors(normal, 'VEC3'),
    uvs,
    colors: color === undefined ? null : accessors.colors(color),
    triangleMaterials: null,
  }
}

/** Lists, strips and fans of triangles, all with their first corner where the specification has it. */
function triangleCorners(indices: ArrayLike<number> | null, positions: number, mode: number): Uint32Array {
  const listed = indices?.length ?? positions
  const triangles = mode === 4 ? Math.floor(listed / 3) : Math.max(0, listed - 2)
  const corners = new Uint32Array(triangles * 3)
  for (let at = 0; at < corners.length; at++) {
    const [triangle, corner] = [Math.floor(at / 3), at % 3]
    const place = mode === 4 ? at : mode === 5 ? stripPlace(triangle, corner) : fanPlace(triangle, corner)
    const position = indices === null ? place : (indices[place] ?? Number.NaN)
    if (!(position < positions && Number.isInteger(position)))
      throw damaged(`a triangle names position ${position} of ${positions}`)
    corners[at] = position
  }
  return corners
}

const stripPlace = (triangle: number, corner: number) =>
  triangle + (corner === 0 ? 0 : (corner === 1) === (triangle % 2 === 0) ? 1 : 2)
const fanPlace = (triangle: number, corner: number) => (corner === 2 ? 0 : triangle + corner + 1)

/** Materials without a name are told apart by their number. */
export function materialName({ materials = [] }: GltfJson, index: number | undefined): string {
  return index === undefined ? '' : item(materials, index, 'material').name || `Material ${index}`
}

export function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri)
  } catch {
    return uri
  }
}
