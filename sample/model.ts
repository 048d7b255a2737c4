// A shape as a model: equal corners joined, and written as a GLB file.
import { Document, Logger, NodeIO } from '@gltf-transform/core'
import type { Finish } from './finish.ts'
import type { Corner, Shape } from './shape.ts'

/** Corners and triangles of one finish. */
export type ModelPart = { finish: Finish; corners: Corner[]; indices: number[] }

export function modelParts(shape: Shape): ModelPart[] {
  type Growing = ModelPart & { known: Map<string, number> }
  const parts = new Map<Finish, Growing>()
  for (const { corners, finish } of shape) {
    const part: Growing = parts.get(finish) ?? { finish, corners: [], indices: [], known: new Map() }
    parts.set(finish, part)
    for (const corner of corners) {
      const key = [...corner.at, ...corner.normal].map((value) => value.toFixed(3)).join(' ')
      const index = part.known.get(key) ?? part.corners.push(corner) - 1
      part.known.set(key, index)
      part.indices.push(index)
    }
  }
  return [...parts.values()]
}

/** A GLB in metres with Y up; surfaces are coloured by their corners. */
export async function toGlb(shape: Shape, names: { model: string; material: (finish: Finish) => string }): Promise<Buffer> {
  const document = new Document().setLogger(new Logger(Logger.Verbosity.SILENT))
  document.getRoot().getAsset().generator = 'Prop House sample'
  const buffer = document.createBuffer()
  const mesh = document.createMesh(names.model)
  for (const { finish, corners, indices } of modelParts(shape)) {
    const vectors = (of: (corner: Corner) => readonly number[]) =>
      document
        .createAccessor()
        .setType('VEC3')
        .setBuffer(buffer)
        .setArray(new Float32Array(corners.flatMap((corner) => of(corner))))
    const material = document.createMaterial(names.material(finish)).setRoughnessFactor(1 - finish.gloss * 0.8)
    const primitive = document
      .createPrimitive()
      .setAttribute(
        'POSITION',
        vectors(({ at: [x, y, z] }) => [x / 100, z / 100, -y / 100]),
      )
      .setAttribute(
        'NORMAL',
        vectors(({ normal: [x, y, z] }) => [x, z, -y]),
      )
      .setAttribute(
        'COLOR_0',
        vectors(({ grain }) => finish.color(grain).map((value) => Math.min(1, value))),
      )
      .setIndices(document.createAccessor().setBuffer(buffer).setArray(new Uint32Array(indices)))
      .setMaterial(material)
    mesh.addPrimitive(primitive)
  }
  document.createScene().addChild(document.createNode(names.model).setMesh(mesh))
  return Buffer.from(await new NodeIO().writeBinary(document))
}
