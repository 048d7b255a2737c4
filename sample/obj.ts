// A shape as an OBJ model and its material library, in centimetres with Y up, as most programs write them.
import type { Finish } from './finish.ts'
import { modelParts } from './model.ts'
import type { Shape } from './shape.ts'

type Names = { model: string; material: (finish: Finish) => string }

const written = (values: readonly number[]) => values.map((value) => value.toFixed(4)).join(' ')

/** Names its material library `<model>.mtl`. */
export function toObj(shape: Shape, { model, material }: Names): Buffer {
  const lines = ['# Written by Prop House sample', '# This file uses centimeters as units', `mtllib ${model}.mtl`, `o ${model}`]
  let before = 1
  for (const { finish, corners, indices } of modelParts(shape)) {
    for (const {
      at: [x, y, z],
    } of corners)
      lines.push(`v ${written([x, z, -y])}`)
    for (const {
      normal: [x, y, z],
    } of corners)
      lines.push(`vn ${written([x, z, -y])}`)
    lines.push(`usemtl ${material(finish)}`)
    for (let at = 0; at < indices.length; at += 3) {
      const face = indices.slice(at, at + 3).map((index) => before + index)
      lines.push(`f ${face.map((corner) => `${corner}//${corner}`).join(' ')}`)
    }
    before += corners.length
  }
  return Buffer.from(`${lines.join('\n')}\n`)
}

export function toMtl(shape: Shape, { material }: Names): Buffer {
  const blocks = modelParts(shape).map(({ finish }) => {
    const color = finish.color([0, 0, 0]).map((value) => Math.min(1, value))
    return `newmtl ${material(finish)}\nKd ${written(color)}\nNs ${(finish.gloss * 900).toFixed(1)}\n`
  })
  return Buffer.from(blocks.join('\n'))
}
