/** A mesh as GLB: metres, Y up, a primitive and a material for each slot (glTF 2.0). */
import {
  type Accessor,
  Document,
  Logger,
  NodeIO,
  type Primitive,
  type Texture,
  type TypedArray,
  VertexLayout,
} from '@gltf-transform/core'
import { limits } from '../contract/limits.ts'
import { FormatError } from '../formats/format-error.ts'
import type { Mesh } from '../formats/source/mesh.ts'
import { facingIndices } from './facing.ts'
import { simplified } from './simplify.ts'
import type { Color } from './surface.ts'
import { indicesBySlot, type WeldedMesh, weldMesh } from './weld.ts'

/** How a slot looks; what is not known stays a light grey. */
export interface SlotMaterial {
  color?: Color
  /** A PNG. Two slots with the same bytes object share one texture. */
  texture?: Uint8Array
  /** Where the texture's alpha cuts holes, as in leaves. */
  isMasked?: boolean
}

export interface GlbOptions {
  /** More are simplified to about so many. */
  maxTriangles?: number
  maxBytes?: number
  /** By slot. */
  materials?: readonly (SlotMaterial | undefined)[]
}

export interface Glb {
  glb: Uint8Array
  triangles: number
  vertices: number
  /** Triangles left out because they have no area. */
  dropped: number
  /** Triangles before it was simplified; as many as `triangles` where it was not. */
  sourceTriangles: number
  /** What was made less than the mesh has, in sentences; empty where nothing was. */
  reduced: string[]
}

/** What a viewer turns easily. */
const viewerTriangles = 200_000
/** More are drawn as one: each takes a viewer as long as a mesh. */
const mostSlots = 1024
const mostNameLetters = 200
/** Light grey, rough, no metal. */
const plainColor: Color = [0.6, 0.6, 0.6, 1]
const roughness = 0.85

/** The GLB of a mesh without a single triangle holds a scene with nothing to see. */
export async function meshGlb(whole: Mesh, options: GlbOptions = {}): Promise<Glb> {
  const { maxTriangles = viewerTriangles, maxBytes = limits.preview.glbBytes } = options
  const mesh = withFewSlots(whole)
  const joined = weldMesh(mesh)
  let welded = { ...joined, indices: facingIndices(joined) }
  const sourceTriangles = welded.indices.length / 3
  let { indices } = welded
  let { materials = [] } = options
  const reduced: string[] = []
  if (mesh !== whole) reduced.push(`Of ${whole.slots.length} materials the first ${mostSlots} were kept.`)
  if (sourceTriangles > maxTriangles) {
    const fewer = await simplified(welded, maxTriangles)
    indices = fewer.indices
    if (fewer.isCoarse) reduced.push('So many triangles meet in one point that they were simplified coarsely.')
  }
  let glb = await written({ mesh, welded, indices, materials })
  if (glb.length > maxBytes && welded.uvs.length > 1) {
    reduced.push(`Of ${welded.uvs.length} sets of texture coordinates the first was kept.`)
    welded = { ...welded, uvs: welded.uvs.slice(0, 1) }
    glb = await written({ mesh, welded, indices, materials })
  }
  if (glb.length > maxBytes && materials.some((material) => (material?.texture?.length ?? 0) > maxBytes / 4)) {
    reduced.push('Textures were left out.')
    materials = materials.map((material) => material && { ...material, texture: undefined })
    glb = await written({ mesh, welded, indices, materials })
  }
  while (glb.length > maxBytes && indices.length > 3) {
    const triangles = Math.floor((indices.length / 3) * Math.min(0.8, (maxBytes / glb.length) * 0.9))
    const { indices: fewer } = await simplified(welded, triangles)
    if (fewer.length === 0 || fewer.length >= indices.length) break
    indices = fewer
    glb = await written({ mesh, welded, indices, materials })
  }
  if (glb.length > maxBytes) throw new FormatError('too-large', `The mesh does not become a GLB of ${maxBytes} bytes.`)
  const triangles = indices.length / 3
  if (triangles < sourceTriangles) reduced.push(`${sourceTriangles} triangles were simplified to ${triangles}.`)
  return { glb, triangles, vertices: usedVertices(welded, indices), dropped: welded.dropped, sourceTriangles, reduced }
}

function withFewSlots(mesh: Mesh): Mesh {
  if (mesh.slots.length <= mostSlots) return mesh
  return { ...mesh, triangleSlots: mesh.triangleSlots.map((slot) => Math.min(slot, mostSlots - 1)) }
}

function usedVertices({ slots }: WeldedMesh, indices: Uint32Array): number {
  const isUsed = new Uint8Array(slots.length)
  for (const vertex of indices) isUsed[vertex] = 1
  return isUsed.reduce((sum, used) => sum + used, 0)
}

interface Content {
  mesh: Mesh
  welded: WeldedMesh
  indices: Uint32Array
  materials: readonly (SlotMaterial | undefined)[]
}

async function written({ mesh, welded, indices, materials }: Content): Promise<Uint8Array> {
  const document = new Document().setLogger(new Logger(Logger.Verbosity.SILENT))
  document.getRoot().getAsset().generator = 'Prop House'
  const node = document.createNode('mesh')
  document.getRoot().setDefaultScene(document.createScene().addChild(node))
  if (indices.length > 0) node.setMesh(document.createMesh('mesh'))
  const writer = new PrimitiveWriter(document, welded)
  const textures = new Map<Uint8Array, Texture>()
  for (const [slot, ofSlot] of indicesBySlot(welded, indices)) {
    const look = materials[slot] ?? {}
    const isPainted = welded.colors !== null && look.color === undefined && look.texture === undefined
    const primitive = writer.primitive(ofSlot, isPainted)
    const material = document
      .createMaterial(slotName(mesh, slot))
      .setBaseColorFactor([...(look.color ?? (isPainted || look.texture ? ([1, 1, 1, 1] as const) : plainColor))])
      .setMetallicFactor(0)
      .setRoughnessFactor(roughness)
      .setDoubleSided(true)
      .setAlphaMode(look.isMasked ? 'MASK' : 'OPAQUE')
    if (look.texture && welded.uvs.length > 0) {
      const texture = textures.get(look.texture) ?? document.createTexture(slotName(mesh, slot)).setImage(look.texture)
      textures.set(look.texture, texture.setMimeType('image/png'))
      material.setBaseColorTexture(texture)
    }
    node.getMesh()?.addPrimitive(primitive.setMaterial(material))
  }
  return new NodeIO().setVertexLayout(VertexLayout.SEPARATE).writeBinary(document)
}

function slotName(mesh: Mesh, slot: number): string {
  const { name = '', material = null } = mesh.slots[slot] ?? {}
  return (name || material?.split('/').at(-1) || `Slot ${slot}`).slice(0, mostNameLetters).toWellFormed()
}

/** Makes primitives of some triangles of a mesh, each with its own vertices only. */
class PrimitiveWriter {
  readonly #document: Document
  readonly #mesh: WeldedMesh
  /** Of each vertex of the mesh its number within the primitive + 1. */
  readonly #numbers: Uint32Array

  constructor(document: Document, mesh: WeldedMesh) {
    this.#document = document
    this.#mesh = mesh
    this.#numbers = new Uint32Array(mesh.slots.length)
  }

  primitive(indices: Uint32Array, isPainted: boolean): Primitive {
    const vertices: number[] = []
    const numbers = this.#numbers
    const own = indices.map((vertex) => {
      if (numbers[vertex] === 0) numbers[vertex] = vertices.push(vertex)
      return (numbers[vertex] ?? 1) - 1
    })
    const { positions, normals, uvs, colors } = this.#mesh
    // The largest number of each size is not an index (glTF 2.0, 3.7.2.1).
    const primitive = this.#document
      .createPrimitive()
      .setIndices(this.#accessor('SCALAR', vertices.length <= 65_535 ? new Uint16Array(own) : own))
      .setAttribute('POSITION', this.#accessor('VEC3', standing(gathered(positions, 3, vertices), 100)))
      .setAttribute('NORMAL', this.#accessor('VEC3', standing(gathered(normals, 3, vertices), 1)))
    for (const [set, values] of uvs.entries())
      primitive.setAttribute(`TEXCOORD_${set}`, this.#accessor('VEC2', gathered(values, 2, vertices)))
    if (isPainted && colors !== null) {
      const shades = gathered(colors, 4, vertices).map((value) => Math.round(value * 65_535))
      primitive.setAttribute('COLOR_0', this.#accessor('VEC4', new Uint16Array(shades)).setNormalized(true))
    }
    return primitive
  }

  #accessor(type: 'SCALAR' | 'VEC2' | 'VEC3' | 'VEC4', values: TypedArray): Accessor {
    const buffer = this.#document.getRoot().listBuffers()[0] ?? this.#document.createBuffer()
    return this.#document.createAccessor().setType(type).setArray(values).setBuffer(buffer)
  }
}

function gathered(values: Float32Array, size: number, vertices: readonly number[]): Float32Array<ArrayBuffer> {
  const out = new Float32Array(vertices.length * size)
  let to = 0
  for (const vertex of vertices) for (let at = vertex * size; at < vertex * size + size; at++) out[to++] = values[at] ?? 0
  return out
}

/** Z up becomes Y up, in place; the order of corners stays, as the exchange of two axes mirrors and both sides count differently. */
function standing(vectors: Float32Array<ArrayBuffer>, divisor: number): Float32Array<ArrayBuffer> {
  for (let at = 0; at < vectors.length; at += 3) {
    const right = vectors[at + 1] ?? 0
    vectors[at] = (vectors[at] ?? 0) / divisor
    vectors[at + 1] = (vectors[at + 2] ?? 0) / divisor
    vectors[at + 2] = right / divisor
  }
  return vectors
}
