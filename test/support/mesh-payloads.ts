// Payloads of meshes, for tests: raw meshes and both forms of mesh descriptions, whole and with what is wrong in them.
import { PackageBytes } from '../../sample/package-bytes.ts'

/** A mesh by ids; null is an id that is not in use. Values belong to vertex instances. */
export type Shape = {
  vertices: readonly (readonly number[] | null)[]
  /** Of each instance its vertex. */
  instances: readonly (number | null)[]
  /** Instances of each polygon's corners. The new form takes triangles only. */
  polygons: readonly ({ corners: readonly number[]; group: number } | null)[]
  groups: readonly (string | null)[]
  normals?: readonly (readonly number[])[]
  uvSets?: readonly (readonly (readonly number[])[])[]
  colors?: readonly (readonly number[])[]
}

/** Flat polygons in the plane z = 0, looking up, each corner with its own instance. */
export function flatShape(...polygons: [x: number, y: number][][]): Shape {
  const points = polygons.flat()
  let next = 0
  return {
    vertices: points.map(([x, y]) => [x, y, 0]),
    instances: points.map((_, i) => i),
    polygons: polygons.map((polygon) => ({ corners: polygon.map(() => next++), group: 0 })),
    groups: ['Wood'],
  }
}

type Attribute = {
  name: string
  type: number
  /** How many values an element has; 1 where it is left out. */
  extent?: number
  channels: readonly (readonly (readonly number[])[])[]
  names?: readonly string[]
}

const widths: Record<number, number> = { 0: 4, 1: 3, 2: 2, 3: 1, 4: 1, 7: 16 }

/** Corners of a polygon that is not convex. */
export const outline: [x: number, y: number][] = [
  [0, 0],
  [4, 2],
  [0, 4],
  [1, 3],
  [1, 1],
]

const cornerValues = (count: number): Partial<Shape> => ({
  normals: Array.from({ length: count }, () => [0, 0, 1]),
  uvSets: [Array.from({ length: count }, (_, i) => [i, i])],
  colors: Array.from({ length: count }, () => [0.5, 1, 0, 1]),
})

/** Shapes with all that corners can have. */
export const polygonShape: Shape = { ...flatShape(outline, outline.slice(0, 3)), ...cornerValues(8) }
export const triangleShape: Shape = { ...flatShape(outline.slice(0, 3), outline.slice(1, 4)), ...cornerValues(6) }
export const rawTriangle: RawShape = {
  positions: [0, 0, 0, 1, 0, 0, 1, 1, 0],
  corners: [0, 1, 2],
  materials: [0],
  normals: [0, 0, 1, 0, 0, 1, 0, 0, 1],
  uvSets: [[0, 0, 1, 0, 1, 1]],
  colors: [0, 1, 2].map((red) => [0, 0, red, 255]),
}

/** In the form of engines before 5.0; `editor` is the version of the editor's part. */
export function oldDescription(shape: Shape, editor: number): Buffer {
  const bytes = new PackageBytes(false)
  const set = (count: number, attributes: readonly Attribute[]) => {
    bytes.i32(count, attributes.length)
    for (const attribute of attributes) putAttribute(bytes, attribute, { count, form: 'old' })
  }
  putBits(bytes, shape.vertices)
  putBits(bytes, shape.instances)
  for (const vertex of shape.instances) if (vertex !== null) bytes.i32(vertex)
  putBits(bytes, [null, 1])
  bytes.i32(0, 1) // an edge
  const hasTriangles = editor >= 35
  putBits(bytes, shape.polygons)
  for (const polygon of shape.polygons) {
    if (polygon === null) continue
    const corners = hasTriangles && polygon.corners.length === 3 ? [] : polygon.corners
    bytes.i32(corners.length, ...corners)
    if (editor < 30) bytes.i32(1, 2, 0, 1) // a hole of two corners
    bytes.i32(polygon.group)
  }
  putBits(bytes, shape.groups)
  set(shape.vertices.length, [
    { name: 'Position ', type: 1, channels: [shape.vertices.map((at) => at ?? [0, 0, 0])] },
    { name: 'CornerSharpness', type: 3, channels: [shape.vertices.map(() => [0])] },
  ])
  set(shape.instances.length, instanceAttributes(shape))
  set(2, [{ name: 'IsHard', type: 5, channels: [[[1], [0]]] }])
  set(shape.polygons.length, [{ name: 'PolygonMatrix', type: 7, channels: [[]] }])
  set(shape.groups.length, [groupNames(shape)])
  if (hasTriangles) putTriangles(bytes, shape)
  return bytes.toBuffer()
}

/** Fans, with one deleted triangle before them. */
function putTriangles(bytes: PackageBytes, { polygons }: Shape): void {
  const triangles = polygons.flatMap((polygon, id) =>
    (polygon?.corners.slice(2) ?? []).map((corner, i) => [polygon?.corners[0] ?? 0, polygon?.corners[i + 1] ?? 0, corner, id]),
  )
  putBits(bytes, [null, ...triangles])
  for (const triangle of triangles) bytes.i32(...triangle)
  bytes.i32(triangles.length, 0)
}

/** In the form of engines from 5.0 on; `main` is the version of the main branch's part. */
export function newDescription(shape: Shape, main: number): Buffer {
  const bytes = new PackageBytes(false)
  const kind = (name: string, ids: readonly unknown[], attributes: readonly Attribute[]) => {
    bytes.string(`${name} `).i32(1)
    putBits(bytes, ids)
    bytes.i32(0, ids.length, attributes.length)
    for (const attribute of attributes) putAttribute(bytes, attribute, { count: ids.length, form: main >= 123 ? 'named' : 'new' })
  }
  const { polygons } = shape
  bytes.i32(7)
  kind('Vertices', shape.vertices, [{ name: 'Position ', type: 1, channels: [shape.vertices.map((at) => at ?? [0, 0, 0])] }])
  const vertexIndex = { name: 'VertexIndex', type: 4, channels: [shape.instances.map((vertex) => [vertex ?? -1])] }
  kind('VertexInstances', shape.instances, [vertexIndex, ...instanceAttributes(shape)])
  kind('UVs', [], [{ name: 'UVCoordinate', type: 2, channels: [[]] }])
  kind('Edges', [], [{ name: 'IsHard', type: 5, channels: [[]] }])
  kind('Triangles', polygons, [
    { name: 'VertexInstanceIndex', type: 4, extent: 3, channels: [polygons.map((polygon) => polygon?.corners ?? [-1, -1, -1])] },
    { name: 'PolygonGroupIndex', type: 4, channels: [polygons.map((polygon) => [polygon?.group ?? -1])] },
  ])
  kind('Polygons', [], [])
  kind('PolygonGroups', shape.groups, [groupNames(shape)])
  return bytes.toBuffer()
}

function instanceAttributes({ normals, uvSets, colors }: Shape): Attribute[] {
  return [
    ...(uvSets ? [{ name: 'TextureCoordinate', type: 2, channels: uvSets }] : []),
    ...(normals ? [{ name: 'Normal', type: 1, channels: [normals] }] : []),
    ...(colors ? [{ name: 'Color', type: 0, channels: [colors] }] : []),
  ]
}

function groupNames({ groups }: Shape): Attribute {
  return {
    name: 'ImportedMaterialSlotName',
    type: 6,
    channels: [],
    names: groups.map((name) => (name === null ? 'None' : `${name} `)),
  }
}

function putBits(bytes: PackageBytes, ids: readonly unknown[]): void {
  bytes.i32(ids.length)
  for (let start = 0; start < ids.length; start += 32) {
    const word = ids.slice(start, start + 32).reduce((bits: number, id, bit) => (id === null ? bits : bits | (1 << bit)), 0)
    bytes.u32(word >>> 0)
  }
}

function putAttribute(
  bytes: PackageBytes,
  attribute: Attribute,
  { count, form }: { count: number; form: 'old' | 'new' | 'named' },
): void {
  const { type, names, extent = 1 } = attribute
  bytes.string(attribute.name).u32(type)
  if (form !== 'old') bytes.u32(extent)
  bytes.i32(count, names ? 1 : attribute.channels.length)
  if (names) {
    if (form !== 'old') bytes.i32(1)
    if (form === 'named') bytes.i32(0)
    bytes.i32(names.length)
    for (const name of names) bytes.string(name)
    bytes.string('None')
  }
  for (const values of names ? [] : attribute.channels) {
    if (form !== 'old') bytes.i32(extent)
    bytes.i32(type === 5 ? 1 : 4 * (widths[type] ?? 0), values.length * extent)
    for (const value of values.flat()) putNumber(bytes, type, value)
  }
  if (!names) bytes.raw(Buffer.alloc(type === 5 ? 4 : 4 * (widths[type] ?? 0)))
  bytes.u32(3)
}

function putNumber(bytes: PackageBytes, type: number, value: number): void {
  if (type === 4) bytes.i32(value)
  else if (type === 5) bytes.raw(Uint8Array.of(value))
  else bytes.raw(floats(value))
}

function floats(...values: number[]): Buffer {
  return Buffer.from(Float32Array.from(values).buffer)
}

export type RawShape = {
  positions: readonly number[]
  corners: readonly number[]
  materials: readonly number[]
  normals?: readonly number[]
  uvSets?: readonly (readonly number[])[]
  /** Blue, green, red, alpha. */
  colors?: readonly (readonly number[])[]
  /** Null writes the version that has none. */
  materialNumbers?: readonly number[] | null
}

/** A raw mesh, up to 4.21. */
export function rawMesh(shape: RawShape): Buffer {
  const numbers = shape.materialNumbers === undefined ? [] : shape.materialNumbers
  const bytes = new PackageBytes(false).i32(numbers === null ? 0 : 1, 0)
  const list = (width: number, values: readonly number[]) => bytes.i32(values.length / width).raw(floats(...values))
  bytes.i32(shape.materials.length, ...shape.materials)
  bytes.i32(shape.materials.length, ...shape.materials.map(() => 0)) // smoothing groups
  list(3, shape.positions)
  bytes.i32(shape.corners.length, ...shape.corners)
  bytes.i32(0, 0) // tangents
  list(3, shape.normals ?? [])
  for (let set = 0; set < 8; set++) list(2, shape.uvSets?.[set] ?? [])
  const colors = shape.colors ?? []
  bytes.i32(colors.length).raw(Uint8Array.from(colors.flat()))
  if (numbers !== null) bytes.i32(numbers.length, ...numbers)
  return bytes.toBuffer()
}
