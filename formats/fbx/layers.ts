// What an FBX mesh says of its corners beside where they lie: normals, texture coordinates, colours and materials, each in a layer that
// maps values to corners in one of several ways.
// Source: "FbxLayerElement" (mapping and reference modes), FBX SDK help.
import type { FileWindow } from '../file-window.ts'
import { maxUvSets } from '../source/mesh-parts.ts'
import { readWholeList } from './numbers.ts'
import { child, children, type FbxRecord, lastText, type NumberList, type RecordFilter } from './records.ts'

const layer = (values: string, index: string): RecordFilter => ({
  MappingInformationType: {},
  ReferenceInformationType: {},
  [values]: 'numbers',
  [index]: 'numbers',
})

/** The layers that are read, as part of a filter of records. */
export const layerFilter = {
  LayerElementNormal: layer('Normals', 'NormalsIndex'),
  LayerElementUV: layer('UV', 'UVIndex'),
  LayerElementColor: layer('Colors', 'ColorIndex'),
  LayerElementMaterial: layer('Materials', 'MaterialsIndex'),
} satisfies RecordFilter

/** The corners of triangles: which corner of a polygon each is, in the order of the file, and which polygon each triangle is part of. */
export type TriangleCorners = {
  corners: Uint32Array
  /** The position of each. */
  vertices: Uint32Array
  polygons: Uint32Array
}

/** Values of one layer, `size` numbers each, and how they are found. */
type Layer = { mapping: Mapping; values: Float64Array; index: Float64Array | null; size: number }
type Mapping = 'corner' | 'vertex' | 'polygon' | 'all'

const mappings: Record<string, Mapping> = {
  ByPolygonVertex: 'corner',
  ByVertice: 'vertex',
  ByVertex: 'vertex',
  ByPolygon: 'polygon',
  AllSame: 'all',
}

/** Every list of numbers in the layers of a mesh, to be counted before it is read. */
export function layerLists(mesh: FbxRecord): NumberList[] {
  const layers = Object.keys(layerFilter).flatMap((name) => children(mesh, name))
  return layers.flatMap((one) => one.children.map(({ numbers }) => numbers)).filter((numbers) => numbers !== null)
}

/** x, y, z for each corner; null without a layer that can be read. */
export async function readNormals(file: FileWindow, mesh: FbxRecord, at: TriangleCorners): Promise<Float32Array | null> {
  const layer = await readLayer(file, children(mesh, 'LayerElementNormal')[0], {
    values: 'Normals',
    index: 'NormalsIndex',
    size: 3,
  })
  return layer && gather(layer, at, [0, 0, 0])
}

/** u and v of each corner, v down, for the first sets. */
export async function readUvs(file: FileWindow, mesh: FbxRecord, at: TriangleCorners): Promise<Float32Array[]> {
  const sets: Float32Array[] = []
  for (const record of children(mesh, 'LayerElementUV').slice(0, maxUvSets)) {
    const layer = await readLayer(file, record, { values: 'UV', index: 'UVIndex', size: 2 })
    if (layer === null) continue
    const uvs = gather(layer, at, [0, 1])
    for (let v = 1; v < uvs.length; v += 2) uvs[v] = 1 - (uvs[v] ?? 0)
    sets.push(uvs)
  }
  return sets
}

/** r, g, b, a of each corner. Colours stand in the file as screens show them, and are taken as Unreal's importer takes them. */
export async function readColors(file: FileWindow, mesh: FbxRecord, at: TriangleCorners): Promise<Float32Array | null> {
  const layer = await readLayer(file, children(mesh, 'LayerElementColor')[0], { values: 'Colors', index: 'ColorIndex', size: 4 })
  if (layer === null) return null
  const colors = gather(layer, at, [1, 1, 1, 1])
  for (let part = 0; part < colors.length; part++) {
    const stored = Math.min(1, Math.max(0, colors[part] ?? 1))
    colors[part] = part % 4 === 3 ? stored : linear(stored)
  }
  return colors
}

/** The inverse of the transfer function of sRGB (IEC 61966-2-1). */
const linear = (shown: number): number => (shown <= 0.04045 ? shown / 12.92 : ((shown + 0.055) / 1.055) ** 2.4)

/** For each triangle its material, as the model counts them; null where all have the first. */
export async function readMaterials(file: FileWindow, mesh: FbxRecord, at: TriangleCorners): Promise<Uint16Array | null> {
  const record = children(mesh, 'LayerElementMaterial')[0]
  const layer = await readLayer(file, record, { values: 'Materials', index: 'MaterialsIndex', size: 1 })
  // Here the values themselves are indexes, of the model's materials.
  if (layer === null || (layer.mapping !== 'polygon' && layer.mapping !== 'all')) return null
  return Uint16Array.from(at.polygons, (polygon) => {
    const material = layer.values[layer.mapping === 'all' ? 0 : polygon] ?? 0
    return material >= 0 && material < 65_536 ? material : 0
  })
}

type Named = { values: string; index: string; size: number }

/** Null for a layer that is not there or maps its values to something else, such as edges. */
async function readLayer(file: FileWindow, record: FbxRecord | undefined, { values, index, size }: Named): Promise<Layer | null> {
  const mapping = mappings[lastText(child(record, 'MappingInformationType'))]
  const valueList = child(record, values)?.numbers
  if (!mapping || !valueList) return null
  const indexList = child(record, index)?.numbers
  const isIndexed = /^Index/.test(lastText(child(record, 'ReferenceInformationType')))
  return {
    mapping,
    size,
    values: await readWholeList(file, valueList),
    index: isIndexed && indexList ? await readWholeList(file, indexList) : null,
  }
}

/** The values of each corner. A corner that the layer has none for gets `missing`. */
function gather({ mapping, values, index, size }: Layer, at: TriangleCorners, missing: readonly number[]): Float32Array {
  const gathered = new Float32Array(at.corners.length * size)
  for (let corner = 0; corner < at.corners.length; corner++) {
    const place = placeOf(mapping, at, corner)
    const value = (index === null ? place : (index[place] ?? -1)) * size
    const isThere = value >= 0 && value + size <= values.length
    for (let part = 0; part < size; part++) {
      gathered[corner * size + part] = (isThere ? values[value + part] : missing[part]) ?? 0
    }
  }
  return gathered
}

function placeOf(mapping: Mapping, at: TriangleCorners, corner: number): number {
  if (mapping === 'corner') return at.corners[corner] ?? 0
  if (mapping === 'vertex') return at.vertices[corner] ?? 0
  return mapping === 'polygon' ? (at.polygons[Math.floor(corner / 3)] ?? 0) : 0
}
