/** Meshes as readers of source data give them, made from formulas. */
import type { Mesh } from '../../formats/source/mesh.ts'

/** Position, normal, texture coordinate. */
export type Corner = { at: number[]; normal: number[]; uv: number[] }
export type Triangle = [Corner, Corner, Corner]

type Surface = (u: number, v: number) => Omit<Corner, 'uv'>

/** Equal positions become one; `slotOf` says the slot of each triangle, `colorOf` the colour of each corner. */
export function meshOf(
  triangles: readonly Triangle[],
  { slotOf = () => 0, colorOf }: { slotOf?: (triangle: number) => number; colorOf?: (corner: Corner) => number[] } = {},
): Mesh {
  const known = new Map<string, number>()
  const corners = triangles.flat()
  const cornerPositions = Uint32Array.from(corners, ({ at }) => {
    const number = known.get(at.join()) ?? known.size
    known.set(at.join(), number)
    return number
  })
  const triangleSlots = Uint16Array.from(triangles, (_, index) => slotOf(index))
  return {
    positions: Float32Array.from([...known.keys()].flatMap((key) => key.split(',').map(Number))),
    cornerPositions,
    normals: Float32Array.from(corners.flatMap(({ normal }) => normal)),
    uvs: [Float32Array.from(corners.flatMap(({ uv }) => uv))],
    colors: colorOf ? Float32Array.from(corners.flatMap(colorOf)) : null,
    triangleSlots,
    slots: Array.from({ length: triangleSlots.reduce((most, slot) => Math.max(most, slot), 0) + 1 }, (_, slot) => ({
      name: `Part${slot}`,
      material: null,
    })),
  }
}

/** A surface in `columns` x `rows` squares; corners run as Unreal's do, so that (c - a) x (b - a) points outwards. */
export function surface(of: Surface, columns: number, rows: number): Triangle[] {
  const corner = (u: number, v: number): Corner => ({ ...of(u, v), uv: [u, v] })
  return Array.from({ length: columns * rows }, (_, index) => {
    const [u, v] = [(index % columns) / columns, Math.floor(index / columns) / rows]
    const [a, b] = [corner(u, v), corner(u + 1 / columns, v)]
    const [c, d] = [corner(u + 1 / columns, v + 1 / rows), corner(u, v + 1 / rows)]
    return [outwards([a, b, c]), outwards([a, c, d])]
  }).flat()
}

function outwards([a, b, c]: Triangle): Triangle {
  const normal = cross(minus(c.at, a.at), minus(b.at, a.at))
  const meant = [0, 1, 2].map((axis) => (a.normal[axis] ?? 0) + (b.normal[axis] ?? 0) + (c.normal[axis] ?? 0))
  const cosine = normal.reduce((sum, value, axis) => sum + value * (meant[axis] ?? 0), 0)
  return cosine < 0 ? [a, c, b] : [a, b, c]
}

const minus = (a: number[], b: number[]): number[] => a.map((value, axis) => value - (b[axis] ?? 0))

const cross = ([ax = 0, ay = 0, az = 0]: number[], [bx = 0, by = 0, bz = 0]: number[]): number[] => [
  ay * bz - az * by,
  az * bx - ax * bz,
  ax * by - ay * bx,
]

/** Centimetres from the middle to the sides along X, Y and Z; twelve triangles, two for each side: -X, X, -Y, Y, -Z, Z. */
export function box(x = 50, y = 50, z = 50): Triangle[] {
  return [0, 1, 2].flatMap((axis) =>
    [-1, 1].flatMap((side) =>
      surface(
        (u, v) => {
          const unit = [0, 0, 0]
          unit[axis] = side
          unit[(axis + 1) % 3] = u * 2 - 1
          unit[(axis + 2) % 3] = v * 2 - 1
          const [ux = 0, uy = 0, uz = 0] = unit
          return { at: [ux * x, uy * y, uz * z], normal: [0, 1, 2].map((one) => (one === axis ? side : 0)) }
        },
        1,
        1,
      ),
    ),
  )
}

/** Squares around and from pole to pole; at the poles one triangle of each has no area. */
export function sphere(radius = 50, columns = 32, rows = 16): Triangle[] {
  const round = (value: number) => Math.fround(Math.abs(value) < 1e-9 ? 0 : value)
  return surface(
    (u, v) => {
      const [around, above] = [(u % 1) * 2 * Math.PI, (v - 0.5) * Math.PI]
      const normal = [Math.cos(around) * Math.cos(above), Math.sin(around) * Math.cos(above), Math.sin(above)].map(round)
      return { at: normal.map((value) => value * radius), normal }
    },
    columns,
    rows,
  )
}

/** A flat leaf that looks up. */
export const leaf = (width = 30, length = 80): Triangle[] =>
  surface((u, v) => ({ at: [(u - 0.5) * width, (v - 0.5) * length, 0], normal: [0, 0, 1] }), 1, 1)

export const moved = (triangles: readonly Triangle[], by: readonly number[]): Triangle[] => {
  const corner = ({ at, ...rest }: Corner): Corner => ({ ...rest, at: at.map((value, axis) => value + (by[axis] ?? 0)) })
  return triangles.map(([a, b, c]) => [corner(a), corner(b), corner(c)])
}
