// glTF and GLB: what a model says of itself. Counts come from the JSON alone, so external, compressed and cut-off buffers do
// not matter to them; the boxes are exact where the vertices are at hand.
// Source: glTF 2.0 specification, Khronos Group.
import { type GltfBounds, gltfBounds } from './bounds.ts'
import { type GltfFile, type GltfJson, type GltfPrimitive, openGltf } from './json.ts'
import { damaged, item, placedNodes } from './nodes.ts'

export type GltfFacts = {
  format: 'gltf' | 'glb'
  version: string
  generator: string | null
  copyright: string | null
  meshes: number
  nodes: number
  primitives: number
  /** Every mesh once. */
  trianglesInMeshes: number
  verticesInMeshes: number
  /** As shown: a mesh counts as often as nodes of the default scene use it. */
  trianglesInScene: number
  verticesInScene: number
  materials: number
  materialNames: string[]
  alphaModes: string[]
  doubleSided: boolean[]
  textures: number
  images: number
  animations: number
  /** The end of the longest animation, in seconds; null without one. */
  animationSeconds: number | null
  skins: number
  /** Distinct nodes that are joints of a skin. */
  joints: number
  extensionsUsed: string[]
  extensionsRequired: string[]
  /** Metres, Y up. */
  bounds: GltfBounds
  /** Files beside this one that it needs: buffers and images, as relative addresses, decoded. */
  externalFiles: string[]
}

export type GltfOptions = {
  /** External buffers by their address in the file. */
  resources?: Map<string, Uint8Array>
}

/** Some thirty years: a key beyond is no time. */
const maxSeconds = 1e9

/**
 * What a glTF or GLB says of itself. `bytes` may be the beginning of a GLB as far as its JSON (below 16 MiB), the boxes are
 * then those that the file gives for its vertices; a .gltf has to be whole.
 * Throws FormatError `not-this-format`, `unsupported`, `truncated`, `damaged` or `too-large`.
 */
export function readGltf(bytes: Uint8Array, options: GltfOptions = {}): GltfFacts {
  const file = openGltf(bytes, options.resources ?? new Map())
  const { json } = file
  const placed = placedNodes(json)
  const meshes = (json.meshes ?? []).map(({ primitives }) => countMesh(json, primitives))
  const shown = placed.flatMap(({ index }) => {
    const mesh = json.nodes?.[index]?.mesh
    return mesh === undefined ? [] : [item(meshes, mesh, 'mesh')]
  })
  const materials = json.materials ?? []
  const verticesToVisit = sum(meshes, 'vertices') + sum(shown, 'vertices')
  if (!Number.isSafeInteger(verticesToVisit + sum(shown, 'triangles'))) throw damaged('it counts more vertices than there can be')
  return {
    format: file.format,
    version: json.asset.version,
    generator: json.asset.generator ?? null,
    copyright: json.asset.copyright ?? null,
    meshes: meshes.length,
    nodes: json.nodes?.length ?? 0,
    primitives: sum(meshes, 'primitives'),
    trianglesInMeshes: sum(meshes, 'triangles'),
    verticesInMeshes: sum(meshes, 'vertices'),
    trianglesInScene: sum(shown, 'triangles'),
    verticesInScene: sum(shown, 'vertices'),
    materials: materials.length,
    materialNames: materials.map(({ name }) => name ?? ''),
    alphaModes: materials.map(({ alphaMode }) => alphaMode ?? 'OPAQUE'),
    doubleSided: materials.map(({ doubleSided }) => doubleSided ?? false),
    textures: json.textures?.length ?? 0,
    images: json.images?.length ?? 0,
    animations: json.animations?.length ?? 0,
    animationSeconds: animationSeconds(json),
    skins: json.skins?.length ?? 0,
    joints: new Set(json.skins?.flatMap(({ joints }) => joints)).size,
    extensionsUsed: json.extensionsUsed ?? [],
    extensionsRequired: json.extensionsRequired ?? [],
    bounds: gltfBounds(file, placed, verticesToVisit),
    externalFiles: externalFiles(file),
  }
}

type MeshCounts = { primitives: number; triangles: number; vertices: number }

function countMesh(json: GltfJson, primitives: GltfPrimitive[]): MeshCounts {
  const counts = { primitives: primitives.length, triangles: 0, vertices: 0 }
  for (const { attributes, indices, mode = 4 } of primitives) {
    if (attributes.POSITION === undefined) continue
    const vertices = item(json.accessors ?? [], attributes.POSITION, 'accessor').count
    const corners = indices === undefined ? vertices : item(json.accessors ?? [], indices, 'accessor').count
    counts.vertices += vertices
    if (mode === 4) counts.triangles += Math.floor(corners / 3)
    if (mode === 5 || mode === 6) counts.triangles += Math.max(0, corners - 2)
  }
  return counts
}

/** The times of an animation's keys are the input of its samplers; their accessor must give the last as `max` (section 5.1). */
function animationSeconds(json: GltfJson): number | null {
  let end: number | null = null
  for (const { samplers = [] } of json.animations ?? []) {
    for (const { input } of samplers) {
      const last = item(json.accessors ?? [], input, 'accessor').max?.[0]
      if (last !== undefined && last <= maxSeconds) end = Math.max(end ?? 0, last)
    }
  }
  return end
}

function externalFiles({ json }: GltfFile): string[] {
  const uris = [...(json.buffers ?? []), ...(json.images ?? [])].map(({ uri }) => uri)
  const relative = uris.filter((uri) => uri !== undefined && !/^[a-z][a-z0-9+.-]*:/i.test(uri)).map((uri) => decode(uri ?? ''))
  return [...new Set(relative)]
}

function decode(uri: string): string {
  try {
    return decodeURIComponent(uri)
  } catch {
    return uri
  }
}

function sum<K extends string>(list: Record<K, number>[], key: K): number {
  return list.reduce((total, entry) => total + entry[key], 0)
}
