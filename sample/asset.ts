// One asset of the sample project: what its package says, how it looks, and the source files that lie beside it.
import type { Finish } from './finish.ts'
import { modelParts } from './model.ts'
import type { Picture } from './picture.ts'
import { boundsOf, type Shape } from './shape.ts'

export type SampleAsset = {
  packageName: string
  assetClass: string
  /** Where it is not the last part of the package name. */
  assetName?: string
  /** Of an actor: what the outliner calls it. */
  label?: string
  imports?: string[]
  tags?: Record<string, string>
  picture?: (sizePx: number) => Picture
  payloadBytes: number
  /** Files with the asset's own name beside its package, by extension. */
  sources?: Record<string, () => Buffer | Promise<Buffer>>
}

export type MeshFacts = { finishes: Finish[]; tags: Record<string, string>; payloadBytes: number }

/** What the editor's asset registry says of a mesh that looks like the shape, and how many bytes such a mesh takes. */
export function meshFacts(shape: Shape): MeshFacts {
  const parts = modelParts(shape)
  const vertices = parts.reduce((sum, { corners }) => sum + corners.length, 0)
  const triangles = parts.reduce((sum, { indices }) => sum + indices.length / 3, 0)
  const tags = {
    Triangles: String(triangles),
    Vertices: String(vertices),
    Materials: String(parts.length),
    LODs: triangles > 2000 ? '3' : '1',
    NaniteEnabled: triangles > 3000 ? 'True' : 'False',
    CollisionPrims: '1',
    ApproxSize: boundsOf(shape).size.map(Math.round).join('x'),
  }
  return { finishes: parts.map(({ finish }) => finish), tags, payloadBytes: 4000 + vertices * 48 + triangles * 12 }
}

/** Four bits a pixel, and a third more for the smaller copies. */
export function textureFacts(widthPx: number, format: 'DXT1' | 'BC5'): { tags: Record<string, string>; payloadBytes: number } {
  const bitsPerPixel = format === 'DXT1' ? 4 : 8
  return {
    tags: { Dimensions: `${widthPx}x${widthPx}`, Format: format, SRGB: format === 'DXT1' ? 'True' : 'False' },
    payloadBytes: Math.round((widthPx * widthPx * bitsPerPixel) / 6),
  }
}
