// The triangles of an FBX file, binary or text, in Unreal's axes and centimetres.
import { FileWindow } from '../file-window.ts'
import { FormatError } from '../format-error.ts'
import type { Mesh } from '../source/mesh.ts'
import { joinParts, type MeshPart, type PlacedPart, refuseTriangles } from '../source/mesh-parts.ts'
import { product, still, type Transform } from '../source/transform.ts'
import { triangulation } from '../source/triangulate.ts'
import { layerFilter, layerLists, readColors, readMaterials, readNormals, readUvs, type TriangleCorners } from './layers.ts'
import { listNumbers, readWholeList } from './numbers.ts'
import { axisProperties, placementProperties, unrealTransform } from './placement.ts'
import { child, damagedFbx, type FbxRecord, propertiesOf, type RecordFilter } from './records.ts'
import { FbxGraph, readScene } from './scene.ts'

const propertyFilter = (names: Set<string>) => ({ Properties70: { P: names }, Properties60: { Property: names } })
const settings = propertyFilter(axisProperties)
const mesh = { Vertices: 'numbers', PolygonVertexIndex: 'numbers', ...layerFilter } satisfies RecordFilter
const recordFilter = {
  FBXHeaderExtension: { FBXVersion: {} },
  GlobalSettings: settings,
  Objects: {
    Geometry: mesh,
    Model: { ...mesh, ...propertyFilter(placementProperties) },
    Material: {},
    GlobalSettings: settings,
  },
  Connections: { C: {}, Connect: {} },
}

/** Of all meshes that are shown: 512 MiB as doubles, some four million triangles with normals and texture coordinates. */
const maxNumbers = 64 * 1024 * 1024
const what = 'FBX file'

/**
 * What an FBX file shows, as one mesh: every mesh at every model that shows it, or, where none does, as it is stored. Collision shapes
 * (UCX_, UBX_, USP_, UCP_) and all levels of detail but the finest are left out where something else is shown. Axes and unit are those
 * of the file's settings, see `unrealTransform`. Throws FormatError: those of `readFbx`; `unsupported` without a triangle.
 */
export async function readFbxMesh(bytes: Uint8Array): Promise<Mesh> {
  const file = new FileWindow(bytes, { sizeBytes: bytes.length }, what)
  const { root, isWhole } = readScene(file, bytes.length, recordFilter)
  if (!isWhole) throw new FormatError('too-large', `The FBX file is a text of ${bytes.length} bytes, too many to be read.`)
  const stated = propertiesOf(child(root, 'GlobalSettings') ?? child(child(root, 'Objects'), 'GlobalSettings'))
  const places = shownPlaces(new FbxGraph(root), unrealTransform(stated))
  const lists = [...places.keys()].flatMap((record) => [...outlineLists(record), ...layerLists(record)])
  const listed = lists.reduce((sum, list) => sum + listNumbers(list), 0)
  if (listed > maxNumbers) throw new FormatError('too-large', `The FBX file lists ${listed} numbers, too many to be read.`)
  const parts: PlacedPart[] = []
  let triangles = 0
  for (const [record, shown] of places) {
    const part = await readPart(file, record)
    triangles += (part.cornerPositions.length / 3) * shown.length
    refuseTriangles(triangles, what)
    parts.push(...shown.map((place) => ({ ...place, part })))
  }
  return joinParts(parts, what)
}

type Place = Omit<PlacedPart, 'part'>

function outlineLists(record: FbxRecord) {
  const lists = [child(record, 'Vertices')?.numbers, child(record, 'PolygonVertexIndex')?.numbers]
  return lists.filter((list) => list !== null && list !== undefined)
}

/** Where each mesh is shown. */
function shownPlaces(graph: FbxGraph, toUnreal: Transform): Map<FbxRecord, Place[]> {
  const hidden = graph.hiddenModels()
  const places = new Map<FbxRecord, Place[]>()
  const place = (isShown: (model: string) => boolean) => {
    for (const record of graph.meshes) {
      const models = graph.modelsOf(record).filter(isShown)
      if (models.length > 0)
        places.set(
          record,
          models.map((model) => placeAt(graph, model, toUnreal)),
        )
    }
  }
  place((model) => !hidden.has(model))
  if (places.size === 0) place(() => true)
  if (places.size === 0)
    for (const record of graph.meshes) places.set(record, [{ transform: product(toUnreal, still), materials: [] }])
  return places
}

function placeAt(graph: FbxGraph, model: string, toUnreal: Transform): Place {
  const transform = graph.transformOfMesh(model)
  if (transform === null) throw damagedFbx('a model with a mesh stands in a circle of models, or below too many')
  return { transform: product(toUnreal, transform), materials: graph.materialsOf(model) }
}

async function readPart(file: FileWindow, record: FbxRecord): Promise<MeshPart> {
  const [vertices, corners] = [child(record, 'Vertices')?.numbers, child(record, 'PolygonVertexIndex')?.numbers]
  const numbers = vertices ? await readWholeList(file, vertices) : new Float64Array()
  const positions = numbers.subarray(0, numbers.length - (numbers.length % 3))
  const at = cutPolygons(corners ? await readWholeList(file, corners) : new Float64Array(), positions)
  return {
    positions,
    cornerPositions: at.vertices,
    valuesOf: 'corners',
    normals: await readNormals(file, record, at),
    uvs: await readUvs(file, record, at),
    colors: await readColors(file, record, at),
    triangleMaterials: await readMaterials(file, record, at),
  }
}

/** `indexes` are of positions; the last of each polygon is negative, and stands for -1 minus itself. */
function cutPolygons(indexes: Float64Array, positions: Float64Array): TriangleCorners {
  const triangles = countTriangles(indexes)
  const at = {
    corners: new Uint32Array(triangles * 3),
    vertices: new Uint32Array(triangles * 3),
    polygons: new Uint32Array(triangles),
  }
  const vertexOf = (corner: number) => {
    const index = indexes[corner] ?? Number.NaN
    const vertex = index < 0 ? -1 - index : index
    if (Number.isInteger(vertex) && vertex * 3 < positions.length) return vertex
    throw damagedFbx(`a polygon names position ${vertex} of ${positions.length / 3}`)
  }
  const triangulate = triangulation((corner) => {
    const start = vertexOf(corner) * 3
    return [positions[start] ?? 0, positions[start + 1] ?? 0, positions[start + 2] ?? 0]
  })
  let written = 0
  for (const { number, start, end } of polygons(indexes)) {
    at.polygons.fill(number, written / 3, written / 3 + Math.max(0, end - start - 2))
    for (const corner of triangulate(Array.from({ length: end - start }, (_, index) => start + index))) {
      at.corners[written] = corner
      at.vertices[written++] = vertexOf(corner)
    }
  }
  return at
}

/** Corners of one polygon: more than any has. */
const maxPolygonCorners = 1_000_000

/** Every polygon that ends, by its corners. */
function* polygons(indexes: Float64Array): Generator<{ number: number; start: number; end: number }> {
  let [number, start] = [0, 0]
  for (let at = 0; at < indexes.length; at++) {
    if (!((indexes[at] ?? 0) < 0)) continue
    yield { number: number++, start, end: at + 1 }
    start = at + 1
  }
}

function countTriangles(indexes: Float64Array): number {
  let triangles = 0
  for (const { start, end } of polygons(indexes)) {
    if (end - start > maxPolygonCorners) throw damagedFbx(`a polygon has ${end - start} corners`)
    triangles += Math.max(0, end - start - 2)
  }
  refuseTriangles(triangles, what)
  return triangles
}
