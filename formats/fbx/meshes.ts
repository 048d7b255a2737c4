// The meshes of an FBX file: how many vertices, polygons and triangles, and the boxes around them.

import type { FileWindow } from '../file-window.ts'
import { type Transform, transform } from '../source/transform.ts'
import { listBytes, readNumbers } from './numbers.ts'
import type { NumberList } from './records.ts'

export type FbxMesh = {
  vertices: NumberList | null
  /** Indexes of vertices; the last of each polygon is negative. */
  corners: NumberList | null
  /** Where the scene shows it; null when that is not known. */
  transforms: (Transform | null)[]
}

export type Box = { min: number[]; max: number[] }

export type MeshFacts = {
  controlPoints: number | null
  polygons: number | null
  triangles: number | null
  /** Around the vertices as they are stored, and as the scene shows them. */
  stored: Box | null
  shown: Box | null
}

/** Of numbers in all, decompressed: some ten million triangles, two seconds. What is beyond is counted by its headers. */
const maxListBytes = 256 * 1024 * 1024
/** Vertices times the transforms that they are shown with: about half a second. */
const maxShownVertices = 20_000_000

/** Counts and measures. Throws FormatError `truncated` or `damaged` for lists that are not what they announce. */
export async function readMeshes(file: FileWindow, meshes: readonly FbxMesh[]): Promise<MeshFacts> {
  const lists = meshes.flatMap(({ vertices, corners }) => [vertices, corners]).filter((list) => list !== null)
  if (lists.reduce((sum, list) => sum + listBytes(list), 0) > maxListBytes) return announced(meshes)
  const shownVertices = meshes.reduce(
    (sum, { vertices, transforms }) => sum + (vertices ? listBytes(vertices) / 8 : 0) * transforms.length,
    0,
  )
  const isShown = shownVertices / 3 <= maxShownVertices && meshes.every(({ transforms }) => !transforms.includes(null))
  const [stored, shown] = [new GrowingBox(), new GrowingBox()]
  const polygons = new PolygonCount()
  let controlPoints = 0
  for (const { vertices, corners, transforms } of meshes) {
    const known = isShown ? transforms.filter((transform) => transform !== null) : []
    if (vertices) controlPoints += await measure(readNumbers(file, vertices), { stored, shown, transforms: known })
    if (corners) await polygons.count(readNumbers(file, corners))
  }
  return { controlPoints, polygons: polygons.polygons, triangles: polygons.triangles, stored: stored.box, shown: shown.box }
}

/** What the headers of the lists say without their numbers. */
function announced(meshes: readonly FbxMesh[]): MeshFacts {
  let numbers: number | null = 0
  for (const { vertices } of meshes) {
    if (vertices?.kind === 'text') numbers = null
    else if (numbers !== null) numbers += vertices?.count ?? 0
  }
  const controlPoints = numbers === null ? null : Math.floor(numbers / 3)
  return { controlPoints, polygons: null, triangles: null, stored: null, shown: null }
}

type Boxes = { stored: GrowingBox; shown: GrowingBox; transforms: Transform[] }

/** How many vertices there were. */
async function measure(batches: AsyncIterable<Float64Array>, { stored, shown, transforms }: Boxes): Promise<number> {
  const point = new Float64Array(3)
  const placed = new Float64Array(3)
  let numbers = 0
  for await (const batch of batches) {
    for (const value of batch) {
      point[numbers++ % 3] = value
      if (numbers % 3 !== 0) continue
      stored.add(point)
      for (const one of transforms) {
        transform(one, point, placed)
        shown.add(placed)
      }
    }
  }
  return Math.floor(numbers / 3)
}

class PolygonCount {
  polygons = 0
  triangles = 0

  async count(batches: AsyncIterable<Float64Array>): Promise<void> {
    let corners = 0
    for await (const batch of batches) {
      for (const index of batch) {
        corners++
        if (index >= 0) continue
        this.polygons++
        this.triangles += Math.max(0, corners - 2)
        corners = 0
      }
    }
  }
}

class GrowingBox {
  readonly #min = [Infinity, Infinity, Infinity]
  readonly #max = [-Infinity, -Infinity, -Infinity]

  add(point: Float64Array): void {
    for (let axis = 0; axis < 3; axis++) {
      const value = point[axis] ?? 0
      if (value < (this.#min[axis] ?? 0)) this.#min[axis] = value
      if (value > (this.#max[axis] ?? 0)) this.#max[axis] = value
    }
  }

  /** Null around nothing, and around what reaches to infinity. */
  get box(): Box | null {
    return [...this.#min, ...this.#max].every(Number.isFinite) ? { min: this.#min, max: this.#max } : null
  }
}
