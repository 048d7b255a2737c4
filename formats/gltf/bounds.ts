// The boxes around a glTF's meshes and around its scene, in metres and the file's own axes (Y up).
// gltf-transform puts the scene together and measures it, from vertices that are read and bounded here.
import { type Accessor, type bbox, Document, getBounds, type Mesh, type Node, type Scene } from '@gltf-transform/core'
import { components } from './accessors.ts'
import type { GltfAccessor, GltfFile, GltfNode } from './json.ts'
import type { PlacedNode } from './nodes.ts'

export type Box = { min: number[]; max: number[] }

export type GltfBounds = {
  /** Around every mesh as it was made, untransformed; null without any, or when there is too much to measure. */
  inMeshes: Box | null
  inScene: Box | null
  /** `accessor min/max` when vertices were compressed, not at hand or too many: exact unless a node turns its mesh askew. */
  from: 'vertices' | 'accessor min/max'
  positionsFinite: boolean
}

/** Nodes, meshes, primitives and their transforms: more, beyond half a second and 100 MB, are not measured at all. */
const maxParts = 20_000
/** Beyond these, taking about half a second, the boxes that the file itself gives for its vertices must do. */
const maxVertices = 5_000_000

/** `placed` are the scene's nodes, parents first; `vertices` how many would be visited. Throws nothing: what is not measured has no box. */
export function gltfBounds(file: GltfFile, placed: PlacedNode[], vertices: number): GltfBounds {
  const primitivesOf = (mesh: number | undefined) => file.json.meshes?.[mesh ?? -1]?.primitives.length ?? 0
  const meshCount = file.json.meshes?.length ?? 0
  let parts = placed.length + meshCount
  for (let mesh = 0; mesh < meshCount; mesh++) parts += primitivesOf(mesh)
  for (const { index } of placed) parts += primitivesOf(file.json.nodes?.[index]?.mesh)
  if (parts > maxParts) return { inMeshes: null, inScene: null, from: 'accessor min/max', positionsFinite: true }
  return measure(file, placed, new Positions(file, vertices <= maxVertices))
}

function measure(file: GltfFile, placed: PlacedNode[], positions: Positions): GltfBounds {
  const document = new Document()
  const meshes = (file.json.meshes ?? []).map(({ primitives }) => {
    const mesh = document.createMesh()
    for (const { attributes } of primitives) {
      const accessor = positions.accessor(document, attributes.POSITION)
      if (accessor) mesh.addPrimitive(document.createPrimitive().setAttribute('POSITION', accessor))
    }
    return mesh
  })
  const boxes = meshes.map((mesh) => measurable(getBounds(document.createNode().setMesh(mesh)))).filter((box) => box !== null)
  return {
    inMeshes: boxes.length === 0 ? null : boxes.reduce(union),
    inScene: measurable(getBounds(buildScene(document, file, { placed, meshes }))),
    from: positions.from,
    positionsFinite: positions.finite,
  }
}

function buildScene(document: Document, { json }: GltfFile, { placed, meshes }: { placed: PlacedNode[]; meshes: Mesh[] }): Scene {
  const scene = document.createScene()
  const made = new Map<number, Node>()
  for (const { index, parent } of placed) {
    const source = json.nodes?.[index] ?? {}
    const node = placeNode(document.createNode(), source).setMesh(meshes[source.mesh ?? -1] ?? null)
    made.set(index, node)
    const above = parent === null ? scene : made.get(parent)
    above?.addChild(node)
  }
  return scene
}

function placeNode(node: Node, { matrix, translation, rotation, scale }: GltfNode): Node {
  if (matrix) return node.setMatrix(matrix as Parameters<Node['setMatrix']>[0])
  if (translation) node.setTranslation(translation as Parameters<Node['setTranslation']>[0])
  if (rotation) node.setRotation(rotation as Parameters<Node['setRotation']>[0])
  if (scale) node.setScale(scale as Parameters<Node['setScale']>[0])
  return node
}

/** The vertices of each accessor once: as stored where that is possible, else the eight corners of the box the file gives. */
class Positions {
  from: GltfBounds['from'] = 'vertices'
  finite = true
  readonly #file: GltfFile
  readonly #exact: boolean
  readonly #known = new Map<number, Accessor | null>()

  constructor(file: GltfFile, exact: boolean) {
    this.#file = file
    this.#exact = exact
  }

  accessor(document: Document, index: number | undefined): Accessor | null {
    const source = index === undefined ? undefined : this.#file.json.accessors?.[index]
    if (index === undefined || source === undefined) return null
    const known = this.#known.get(index)
    if (known !== undefined) return known
    const stored = this.#exact ? storedPositions(this.#file, source) : null
    if (stored?.some((value) => !Number.isFinite(value))) this.finite = false
    if (stored === null) this.from = 'accessor min/max'
    const array = stored ?? cornerPositions(source)
    const accessor = array && document.createAccessor().setType('VEC3').setArray(array)
    this.#known.set(index, accessor)
    return accessor
  }
}

/** Null unless every byte lies in a buffer that is at hand, uncompressed. */
function storedPositions({ json, buffers }: GltfFile, accessor: GltfAccessor): Float32Array<ArrayBuffer> | null {
  const view = json.bufferViews?.[accessor.bufferView ?? -1]
  const component = components[accessor.componentType]
  if (!view || !component || view.extensions !== undefined || accessor.sparse !== undefined || accessor.type !== 'VEC3')
    return null
  const elementBytes = 3 * component.bytes
  const stride = view.byteStride ?? elementBytes
  const start = accessor.byteOffset ?? 0
  const end = accessor.count === 0 ? start : start + stride * (accessor.count - 1) + elementBytes
  const bytes = buffers[view.buffer]
  const offset = view.byteOffset ?? 0
  if (stride < elementBytes || end > view.byteLength || bytes === undefined || offset + view.byteLength > bytes.length)
    return null
  const data = new DataView(bytes.buffer, bytes.byteOffset + offset, view.byteLength)
  const positions = new Float32Array(accessor.count * 3)
  for (let at = 0; at < positions.length; at++) {
    const stored = component.read(data, start + Math.floor(at / 3) * stride + (at % 3) * component.bytes)
    positions[at] = accessor.normalized ? Math.max(stored / component.normalizedMax, -1) : stored
  }
  return positions
}

function cornerPositions({ min, max, normalized, componentType }: GltfAccessor): Float32Array<ArrayBuffer> | null {
  if (min?.length !== 3 || max?.length !== 3) return null
  const unit = normalized ? (components[componentType]?.normalizedMax ?? 1) : 1
  const corners = Array.from({ length: 24 }, (_, at) => {
    const ends = (Math.floor(at / 3) >> (at % 3)) & 1 ? max : min
    return Math.max((ends[at % 3] ?? 0) / unit, normalized ? -1 : Number.NEGATIVE_INFINITY)
  })
  return new Float32Array(corners)
}

/** Null for a box around nothing, and for one beyond the orbit of Neptune. */
function measurable({ min, max }: bbox): Box | null {
  return [...min, ...max].every((value) => Math.abs(value) <= 4.5e12) ? { min, max } : null
}

function union(a: Box, b: Box): Box {
  return {
    min: a.min.map((value, axis) => Math.min(value, b.min[axis] ?? value)),
    max: a.max.map((value, axis) => Math.max(value, b.max[axis] ?? value)),
  }
}
