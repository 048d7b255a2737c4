// Mesh descriptions and raw meshes: from tables with holes, polygons and names to triangles of corners.
import { describe, expect, test } from 'vitest'
import type { Mesh } from '../../formats/source/mesh.ts'
import { measureMesh } from '../../formats/source/mesh-measures.ts'
import { readMeshDescription } from '../../formats/unreal-mesh/mesh-description.ts'
import { readRawMesh } from '../../formats/unreal-mesh/raw-mesh.ts'
import { flatShape, newDescription, oldDescription, type RawShape, rawMesh, type Shape } from '../support/mesh-payloads.ts'

/** Two triangles of a unit square with a hole in every table, and values that differ at each corner. */
const square: Shape = {
  vertices: [null, [0, 0, 1], [1, 0, 1], [1, 1, 1], null, [0, 1, 1]],
  instances: [1, null, 2, 3, 1, 3, 5],
  polygons: [null, { corners: [0, 2, 3], group: 2 }, { corners: [4, 5, 6], group: 1 }],
  groups: [null, 'Oak', 'Iron'],
  normals: Array.from({ length: 7 }, (_, i) => (i === 6 ? [0, 1, 0] : [0, 0, 1])),
  uvSets: [0, 10].map((set) => Array.from({ length: 7 }, (_, i) => [set + i, 0 - i])),
  colors: Array.from({ length: 7 }, (_, i) => [i / 8, 0, 2, 1]),
}

const forms: [string, (shape: Shape) => Uint8Array, { main: number; editor: number }][] = [
  ['an old description that lists polygons with holes', (shape) => oldDescription(shape, 28), { main: -1, editor: 28 }],
  ['an old description that lists polygons', (shape) => oldDescription(shape, 34), { main: -1, editor: 34 }],
  ['an old description that lists triangles', (shape) => oldDescription(shape, 38), { main: 3, editor: 38 }],
  ['a new description', (shape) => newDescription(shape, 119), { main: 119, editor: 40 }],
  ['a new description of 5.8', (shape) => newDescription(shape, 123), { main: 123, editor: 40 }],
]

/** Places of all corners, and of each triangle its slot's name. */
function trianglesOf(mesh: Mesh): [slot: string | undefined, corners: number[][]][] {
  const place = (corner: number) => [...mesh.positions.slice(3 * corner, 3 * corner + 3)]
  return Array.from(mesh.triangleSlots, (slot, t) => [
    mesh.slots[slot]?.name,
    Array.from(mesh.cornerPositions.slice(3 * t, 3 * t + 3), place),
  ])
}

describe.each(forms)('%s', (_, write, versions) => {
  const read = (shape: Shape, options?: Parameters<typeof readMeshDescription>[2]) =>
    readMeshDescription(write(shape), versions, options)

  test('gives its triangles in the order of the file, with positions that are used and no others', () => {
    const mesh = read(square)
    expect(trianglesOf(mesh)).toEqual([
      [
        'Iron',
        [
          [0, 0, 1],
          [1, 0, 1],
          [1, 1, 1],
        ],
      ],
      [
        'Oak',
        [
          [0, 0, 1],
          [1, 1, 1],
          [0, 1, 1],
        ],
      ],
    ])
    expect(mesh.positions).toHaveLength(12)
  })

  test('gives every corner its own normal, UVs and colour', () => {
    const mesh = read(square)
    expect([...(mesh.normals ?? [])].slice(12)).toEqual([0, 0, 1, 0, 1, 0])
    expect(mesh.uvs.map((set) => [...set])).toEqual([
      [0, 0, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6],
      [10, 0, 12, -2, 13, -3, 14, -4, 15, -5, 16, -6],
    ])
    expect([...(mesh.colors ?? [])].slice(4, 8)).toEqual([0.25, 0, 1, 1])
  })

  test('has no normals, UVs or colours where the file has none', () => {
    expect(
      read(
        flatShape([
          [0, 0],
          [1, 0],
          [0, 1],
        ]),
      ),
    ).toMatchObject({ normals: null, uvs: [], colors: null })
    const zeros = Array.from({ length: 7 }, () => [0, 0, 0])
    const white = Array.from({ length: 7 }, () => [1, 1, 1, 1])
    expect(read({ ...square, normals: zeros, colors: white })).toMatchObject({ normals: null, colors: null })
  })
})

describe.each(forms)('the asset of %s', (_, write, versions) => {
  const read = (shape: Shape, options?: Parameters<typeof readMeshDescription>[2]) =>
    readMeshDescription(write(shape), versions, options)

  test('gives names and materials of slots, by imported name, by name, or by number', () => {
    const slots = [
      { name: 'Wrong', importedName: 'Elm', material: '/Game/M_Elm' },
      { name: 'Frame', importedName: 'OAK', material: '/Game/M_Oak' },
      { name: 'iron', importedName: null, material: null },
    ]
    expect(read(square, { scale: [1, 1, 1], slots }).slots).toEqual([
      { name: 'Frame', material: '/Game/M_Oak' },
      { name: 'iron', material: null },
    ])
    const unnamed = { ...square, groups: ['None', 'None', 'None'] }
    expect(read(unnamed, { scale: [1, 1, 1], slots }).slots.map(({ name }) => name)).toEqual(['Frame', 'iron'])
    expect(read(unnamed).slots.map(({ name }) => name)).toEqual(['MaterialSlot_1', 'MaterialSlot_2'])
  })

  test('scales positions, and normals with them', () => {
    const slope = { ...square, normals: square.normals?.map(() => [Math.SQRT1_2, 0, Math.SQRT1_2]) ?? [] }
    const mesh = read(slope, { scale: [2, 3, 0.5], slots: [] })
    expect(measureMesh(mesh).bounds).toEqual({ min: [0, 0, 0.5], max: [2, 3, 0.5] })
    const [x = 0, y = 0, z = 0] = mesh.normals ?? []
    expect([x / z, y]).toEqual([expect.closeTo(0.25), 0])
    expect(Math.hypot(x, y, z)).toBeCloseTo(1)
  })

  test('mirrors it so that it is still seen from outside', () => {
    const mesh = read(square, { scale: [-1, 1, 1], slots: [] })
    expect(trianglesOf(mesh)[0]).toEqual([
      'Iron',
      [
        [-0, 0, 1],
        [-1, 1, 1],
        [-1, 0, 1],
      ],
    ])
    expect([...(mesh.normals ?? [])].slice(0, 3)).toEqual([-0, 0, 1])
    expect([...(mesh.uvs[0] ?? [])].slice(0, 6)).toEqual([0, 0, 3, -3, 2, -2])
  })
})

describe.each(forms.slice(0, 3))('%s', (_, write, versions) => {
  test('may have polygons of any corners, concave ones too', () => {
    const square: [number, number][] = [
      [0, 0],
      [0, 2],
      [2, 2],
      [2, 0],
    ]
    const arrow: [number, number][] = [
      [0, 0],
      [4, 2],
      [0, 4],
      [1, 3],
      [1, 1],
    ]
    const mesh = readMeshDescription(write(flatShape(square, arrow, square.slice(1))), versions)
    expect(measureMesh(mesh)).toMatchObject({ triangles: 6, trianglesNotDegenerate: 6, bounds: { max: [4, 4, 0] } })
  })
})

test('a normal that is none stands upright on its triangle, others are brought to length 1', () => {
  const normals = [[0, 0, -4], [], [Number.NaN, 0, 1], [0, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]].map(
    (normal) => normal ?? [0, 0, 0],
  )
  normals[1] = [0, 0, 0]
  const mesh = readMeshDescription(newDescription({ ...square, normals }, 119), { main: 119, editor: 40 })
  // In Unreal's axes, which are left-handed, a triangle that runs counterclockwise from above looks down.
  expect([...(mesh.normals ?? [])].slice(0, 12)).toEqual([0, 0, -1, 0, 0, -1, 0, 0, -1, 0, 1, 0])
})

test('a normal that is none looks away from its triangle along all three axes', () => {
  const slope: Shape = {
    ...flatShape([
      [0, 0],
      [1, 0],
      [0, 1],
    ]),
    vertices: [
      [1, 0, 0],
      [0, 2, 0],
      [0, 0, 4],
    ],
    normals: [
      [0, 0, 0],
      [0, 0, 0],
      [0, 0, 1],
    ],
  }
  const [x = 0, y = 0, z = 0] = readMeshDescription(newDescription(slope, 119), { main: 119, editor: 40 }).normals ?? []
  expect([x / z, y / z, Math.sign(z)]).toEqual([expect.closeTo(4), expect.closeTo(2), -1])
})

test('UVs and colours that are no numbers become 0', () => {
  const uvSets = [Array.from({ length: 7 }, () => [Number.NaN, Infinity])]
  const colors = Array.from({ length: 7 }, () => [Number.NaN, -1, 0.5, 1])
  const mesh = readMeshDescription(newDescription({ ...square, uvSets, colors }, 119), { main: 119, editor: 40 })
  expect([...(mesh.uvs[0] ?? [])].every((value) => value === 0)).toBe(true)
  expect([...(mesh.colors ?? [])].slice(0, 4)).toEqual([0, 0, 0.5, 1])
})

test('what stands behind the last element kind is not looked at', () => {
  const longer = Buffer.concat([newDescription(square, 123), Buffer.alloc(4607, 255)])
  expect(readMeshDescription(longer, { main: 123, editor: 40 }).triangleSlots).toHaveLength(2)
})

test('a mesh without triangles has neither box nor slots', () => {
  const mesh = readMeshDescription(newDescription({ ...square, polygons: [] }, 119), { main: 119, editor: 40 })
  expect(measureMesh(mesh)).toEqual({ triangles: 0, trianglesNotDegenerate: 0, bounds: null })
  expect(mesh.slots).toEqual([])
})

test('triangles of which two corners lie in one place are counted apart', () => {
  const flat = flatShape(
    [
      [0, 0],
      [1, 0],
      [0, 1],
    ],
    [
      [0, 0],
      [1, 0],
      [1, 0],
    ],
  )
  const mesh = readMeshDescription(newDescription(flat, 119), { main: 119, editor: 40 })
  expect(measureMesh(mesh)).toMatchObject({ triangles: 2, trianglesNotDegenerate: 1 })
})

describe('a raw mesh', () => {
  const raw: RawShape = {
    positions: [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0],
    corners: [0, 1, 2, 0, 2, 3],
    materials: [1, 0],
    normals: Array.from({ length: 6 }, () => [0, 0, 1]).flat(),
    uvSets: [Array.from({ length: 12 }, (_, i) => i), [], Array.from({ length: 12 }, (_, i) => -i)],
    colors: Array.from({ length: 6 }, () => [0, 128, 255, 51]),
  }

  test('gives its triangles with normals, UVs, and colours made linear', () => {
    const mesh = readRawMesh(rawMesh(raw))
    expect(trianglesOf(mesh)).toEqual([
      [
        'MaterialSlot_1',
        [
          [0, 0, 0],
          [1, 0, 0],
          [1, 1, 0],
        ],
      ],
      [
        'MaterialSlot_0',
        [
          [0, 0, 0],
          [1, 1, 0],
          [0, 1, 0],
        ],
      ],
    ])
    expect([...(mesh.normals ?? [])].slice(15)).toEqual([0, 0, 1])
    expect(mesh.uvs.map((set) => set[3])).toEqual([3, -3])
    expect([...(mesh.colors ?? [])].slice(0, 4)).toEqual([1, expect.closeTo(0.2158605), 0, expect.closeTo(0.2)])
  })

  test('of the older version, and with nothing but shape, reads as well', () => {
    const { positions, corners, materials } = raw
    const mesh = readRawMesh(rawMesh({ positions, corners, materials, materialNumbers: null }))
    expect(mesh).toMatchObject({ normals: null, uvs: [], colors: null, triangleSlots: Uint16Array.of(1, 0) })
  })

  test('may say which of the imported materials its numbers mean', () => {
    const slots = ['A', 'B', 'C', 'D'].map((name) => ({ name, importedName: null, material: `/Game/M_${name}` }))
    const mesh = readRawMesh(rawMesh({ ...raw, materialNumbers: [3, 2] }), { scale: [1, 1, 1], slots })
    expect(mesh.slots).toEqual([
      { name: 'C', material: '/Game/M_C' },
      { name: 'D', material: '/Game/M_D' },
    ])
    expect([...mesh.triangleSlots]).toEqual([0, 1])
  })
})
