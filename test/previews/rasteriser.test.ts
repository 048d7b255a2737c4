/** Drawings of meshes: what is seen where, in which colour, and that no mesh is too odd to be drawn. */
import { expect, test } from 'vitest'
import type { Mesh } from '../../formats/source/mesh.ts'
import { type DrawingOptions, drawMesh, MeshDrawer, threeQuarterView } from '../../previews/rasteriser.ts'
import { box, leaf, meshOf, moved, sphere, type Triangle } from '../support/meshes.ts'

/** Small, as most of what is looked for does not depend on the size. */
function draw(mesh: Mesh, options: DrawingOptions = {}) {
  const { width, height, channels, samples } = drawMesh(mesh, { edgePx: 64, ...options })
  expect([channels, samples.kind, samples.values.length]).toEqual([4, 'u8', width * height * 4])
  const at = (column: number, row: number) => [
    ...samples.values.subarray((row * width + column) * 4, (row * width + column) * 4 + 4),
  ]
  const seen = Array.from({ length: width * height }, (_, pixel) => pixel).filter((pixel) => samples.values[pixel * 4 + 3] !== 0)
  const columns = seen.map((pixel) => pixel % width)
  const rows = seen.map((pixel) => Math.floor(pixel / width))
  const least = (values: number[]) => values.reduce((a, b) => Math.min(a, b), width)
  const most = (values: number[]) => values.reduce((a, b) => Math.max(a, b), -1)
  const bounds = { left: least(columns), right: most(columns), top: least(rows), bottom: most(rows) }
  return { width, height, at, seen: seen.length, bounds, values: Buffer.from(samples.values) }
}

const brightness = ([red = 0, green = 0, blue = 0]: number[]): number => red + green + blue

test('a picture has 512 x 512 pixels and no background', () => {
  const { width, height, at } = draw(meshOf(sphere()), { edgePx: undefined })
  expect([width, height]).toEqual([512, 512])
  expect(at(0, 0)).toEqual([0, 0, 0, 0])
  expect(at(256, 256)[3]).toBe(255)
})

test('the mesh is in the middle and fills the picture but for a margin, whatever its size and wherever it stands', () => {
  const ball = sphere()
  for (const scale of [1e-6, 1, 1e6, 1e30]) {
    const scaled = ball.map((triangle) =>
      triangle.map(({ at, ...rest }) => ({ ...rest, at: at.map((value) => (value + 500) * scale) })),
    )
    const { bounds } = draw(meshOf(scaled as Triangle[]))
    expect(bounds).toEqual({ left: 1, right: 62, top: 1, bottom: 62 })
  }
})

test('edges are smooth: pixels that are covered in part are transparent in part', () => {
  const { values } = draw(meshOf(sphere()))
  const alphas = new Set([...values].filter((_, at) => at % 4 === 3))
  expect([...alphas].sort((a, b) => a - b)).toEqual([0, 64, 128, 191, 255])
})

test('what is nearer hides what is behind, in any order', () => {
  const near = moved(leaf(40, 40), [0, 0, 50])
  const far = moved(leaf(80, 80), [0, 0, 0])
  const looks = [{ color: [1, 0, 0, 1] as const }, { color: [0, 0, 1, 1] as const }]
  const nearFirst = draw(meshOf([...near, ...far], { slotOf: (triangle) => (triangle < 2 ? 0 : 1) }), { pitch: 90, looks })
  const farFirst = draw(meshOf([...far, ...near], { slotOf: (triangle) => (triangle < 2 ? 1 : 0) }), { pitch: 90, looks })
  expect(nearFirst.at(32, 32)[2]).toBe(0)
  expect(nearFirst.at(32, 32)[0]).toBeGreaterThan(100)
  expect(farFirst.values.equals(nearFirst.values)).toBe(true)
})

test('yaw 0 looks at the side that faces along X, with Y at its left; 90 at the one that faces along Y; pitch 90 from above', () => {
  const colors = [
    [0.3, 0, 0],
    [1, 0, 0],
    [0, 0.3, 0],
    [0, 1, 0],
    [0, 0, 0.3],
    [0, 0, 1],
  ].map(([r = 0, g = 0, b = 0]) => ({ color: [r, g, b, 1] as const }))
  const cube = meshOf(box(), { slotOf: (triangle) => Math.floor(triangle / 2) })
  const middle = (view: DrawingOptions) => draw(cube, { looks: colors, ...view }).at(32, 32)
  const channelOf = (pixel: number[]) => pixel.slice(0, 3).findIndex((value) => value > 0)
  const sides = [
    { yaw: 0, pitch: 0 },
    { yaw: 90, pitch: 0 },
    { yaw: 0, pitch: 90 },
  ]
  expect(sides.map((view) => channelOf(middle(view)))).toEqual([0, 1, 2])
  const backs = [
    { yaw: 180, pitch: 0 },
    { yaw: -90, pitch: 0 },
    { yaw: 0, pitch: -90 },
  ]
  expect(backs.map((view) => channelOf(middle(view)))).toEqual([0, 1, 2])
  for (const [index, view] of sides.entries())
    expect(brightness(middle(view))).toBeGreaterThan(brightness(middle(backs[index] ?? {})))
  const wing = meshOf([...box(20, 20, 20), ...moved(box(5, 5, 5), [0, 100, 0])], {
    slotOf: (triangle) => (triangle < 12 ? 0 : 1),
  })
  const { at } = draw(wing, { yaw: 0, pitch: 0, looks: [{ color: [1, 0, 0, 1] }, { color: [0, 1, 0, 1] }] })
  const row = Array.from({ length: 64 }, (_, column) => at(column, 32))
  const [small, large] = [row.findIndex(([, green = 0]) => green > 0), row.findIndex(([red = 0]) => red > 0)]
  expect(small).toBeGreaterThanOrEqual(0)
  expect(large).toBeGreaterThanOrEqual(0)
  expect(small).toBeLessThan(large)
})

test('light comes from above on the left, and is smooth over smooth normals', () => {
  const { at } = draw(meshOf(sphere()), { pitch: 0 })
  expect(brightness(at(20, 14))).toBeGreaterThan(brightness(at(32, 32)))
  expect(brightness(at(32, 32))).toBeGreaterThan(brightness(at(40, 56)))
  for (let column = 20; column < 44; column++)
    expect(Math.abs(brightness(at(column, 32)) - brightness(at(column + 1, 32)))).toBeLessThan(24)
})

test('a leaf is lit on the side that is looked at', () => {
  const [above, below] = [draw(meshOf(leaf()), { pitch: 60 }), draw(meshOf(leaf()), { pitch: -60 })]
  expect(brightness(above.at(32, 32))).toBeGreaterThan(200)
  expect(brightness(below.at(32, 32))).toBeGreaterThan(200)
})

test('colours that were painted are seen, but for slots whose colour or texture is known', () => {
  const painted = meshOf(leaf(50, 50), { colorOf: ({ uv: [u = 0] }) => [u < 0.5 ? 0.99 : 0, u < 0.5 ? 0 : 0.99, 0, 1] })
  const view = { yaw: 0, pitch: 90 }
  const free = draw(painted, view)
  // Seen from above with X, which is the direction of u, downwards.
  expect(free.at(32, 4)[0]).toBeGreaterThan(150)
  expect(free.at(32, 4)[1]).toBeLessThan(100)
  expect(free.at(32, 60)[1]).toBeGreaterThan(150)
  const known = draw(painted, { ...view, looks: [{ color: [0, 0, 1, 1] }] })
  expect(known.at(32, 32).slice(0, 2)).toEqual([0, 0])
  const values = Uint8Array.of(255, 0, 0, 255, 0, 255, 0, 255)
  const texture = { width: 2, height: 1, channels: 4 as const, samples: { kind: 'u8' as const, values } }
  const textured = draw(meshOf(leaf(50, 50)), { ...view, looks: [{ texture }] })
  expect([textured.at(32, 4)[1], textured.at(32, 60)[0]]).toEqual([0, 0])
  expect(textured.at(32, 4)[0]).toBeGreaterThan(100)
})

test('a turntable keeps its distance: a pole that turns does not grow', () => {
  const bar = meshOf(box(100, 10, 10))
  const heights = [0, 30, 60, 90].map((yaw) => {
    const { bounds } = draw(bar, { yaw, pitch: 0, framing: 'turning' })
    return bounds.bottom - bounds.top
  })
  expect(Math.max(...heights)).toBeLessThan(14)
  expect(draw(bar, { yaw: 90, pitch: 0, framing: 'turning' }).bounds.left).toBeGreaterThanOrEqual(1)
})

/** Which part of a picture is covered, from 0 to 1 along both sides. */
function extent(
  drawer: MeshDrawer,
  view: DrawingOptions,
  { width, height, which = 0 }: { width: number; height: number; which?: number },
) {
  const { samples } = drawer.draw({ ...threeQuarterView, ...view }, { width, height }, which)
  const seen = Array.from({ length: width * height }, (_, pixel) => pixel).filter((pixel) => samples.values[pixel * 4 + 3] !== 0)
  const range = (values: number[]) => Math.max(...values) - Math.min(...values) + 1
  return {
    x: range(seen.map((pixel) => pixel % width)) / width,
    y: range(seen.map((pixel) => Math.floor(pixel / width))) / height,
  }
}

test('a wide picture is filled as wide as a whole turn allows, and nothing leaves it on the way', () => {
  const table = new MeshDrawer([{ mesh: meshOf(box(50, 100, 10)), looks: [] }])
  const size = { width: 160, height: 40 }
  const zoom = table.turningZoom(18, size)
  expect(zoom).toBeGreaterThan(1.3)
  const turned = [0, 30, 60, 90, 120, 150].map((yaw) => extent(table, { yaw, pitch: 18, framing: 'turning', zoom }, size))
  expect(Math.max(...turned.map(({ y }) => y))).toBeLessThan(1)
  expect(Math.max(...turned.map(({ y }) => y))).toBeGreaterThan(0.7)
  expect(Math.max(...turned.map(({ x }) => x))).toBeLessThan(1)
})

test('meshes that are drawn side by side share one scale: half as high is seen half as high', () => {
  const both = new MeshDrawer([
    { mesh: meshOf(box(20, 20, 80)), looks: [] },
    { mesh: meshOf(box(20, 20, 40)), looks: [] },
  ])
  const size = { width: 64, height: 64 }
  const [tall, low] = [0, 1].map((which) => extent(both, { pitch: 0 }, { ...size, which }).y)
  expect(tall).toBeGreaterThan(0.9)
  expect((low ?? 0) / (tall ?? 1)).toBeCloseTo(0.5, 1)
})

test('a pole thinner than a pixel and a leaf from its side are still seen', () => {
  const pole = draw(meshOf(box(0.01, 0.01, 500)))
  expect(pole.bounds).toMatchObject({ top: 1, bottom: 62 })
  expect(pole.seen).toBeGreaterThanOrEqual(62)
  expect(draw(meshOf(leaf()), { yaw: 0, pitch: 0 }).bounds).toMatchObject({ left: 1, right: 62 })
})

test.each([
  ['no triangles', meshOf([])],
  ['triangles in one point', meshOf(leaf(0, 0))],
  ['no position', { ...meshOf(leaf()), positions: new Float32Array() }],
  ['positions that are no numbers', { ...meshOf(leaf()), positions: new Float32Array(12).fill(Number.NaN) }],
  ['infinite positions', { ...meshOf(leaf()), positions: new Float32Array(12).fill(Number.POSITIVE_INFINITY) }],
  ['corners that are nowhere', { ...meshOf(leaf()), cornerPositions: new Uint32Array(6).fill(4_000_000_000) }],
])('a mesh with %s is a picture with at most a dot in it', (_, mesh) => {
  expect(draw(mesh).seen).toBeLessThanOrEqual(4)
})

test('a triangle that is nowhere does not disturb the others', () => {
  const whole = draw(meshOf(box()))
  for (const strange of [Number.NaN, Number.NEGATIVE_INFINITY]) {
    const mesh = meshOf([...box(), ...moved(leaf(), [0, 0, 60])])
    mesh.positions.fill(strange, 24)
    expect(draw(mesh).values.equals(whole.values)).toBe(true)
  }
})

test('values of corners that are no numbers, slots that are not there and lists that are too short are drawn as if they were plain', () => {
  const plain = draw(meshOf(leaf()))
  const normals = new Float32Array(18).fill(Number.NaN)
  const odd = [
    { ...meshOf(leaf()), normals },
    { ...meshOf(leaf()), normals: new Float32Array(3), slots: [], triangleSlots: new Uint16Array() },
  ]
  for (const mesh of odd) expect(draw(mesh).values.equals(plain.values)).toBe(true)
  const texture = {
    width: 2,
    height: 2,
    channels: 4 as const,
    samples: { kind: 'u8' as const, values: new Uint8Array(16).fill(255) },
  }
  const uvs = [new Float32Array(12).fill(Number.NaN)]
  expect(draw({ ...meshOf(leaf()), uvs }, { looks: [{ texture }] }).seen).toBe(plain.seen)
  expect(draw(meshOf(leaf()), { yaw: Number.NaN, pitch: Number.POSITIVE_INFINITY }).seen).toBeGreaterThan(0)
})

test('a mesh of the greatest numbers there are is drawn', () => {
  const most = 3.4e38
  const mesh = meshOf(
    leaf(2, 2).map((triangle) =>
      triangle.map(({ at, ...rest }) => ({ ...rest, at: at.map((value) => value * most) })),
    ) as Triangle[],
  )
  expect(draw(mesh, { pitch: 80 }).seen).toBeGreaterThan(1000)
})

test('a hundred thousand triangles that each fill the picture end', () => {
  const [first, second] = leaf(100, 100)
  const { cornerPositions, ...rest } = meshOf([first, second] as Triangle[])
  const corners = new Uint32Array(600_000)
  for (let at = 0; at < corners.length; at += 6) corners.set(cornerPositions, at)
  expect(draw({ ...rest, cornerPositions: corners, normals: null, uvs: [] }, { pitch: 90, edgePx: 512 }).seen).toBeGreaterThan(
    100_000,
  )
})
