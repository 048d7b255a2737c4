// Polygons cut into triangles: none lost, none outside, none twice.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PolygonCutter } from '../../formats/unreal-mesh/polygon.ts'

type Point = [number, number]

const cut = (points: readonly Point[]) => new PolygonCutter().cut(points.flatMap(([x, y]) => [x, y, 0]))
const area = (points: readonly Point[]) =>
  points.reduce((sum, [x, y], i) => {
    const [nextX, nextY] = points[(i + 1) % points.length] ?? [0, 0]
    return sum + (x * nextY - nextX * y) / 2
  }, 0)

/** Areas of the triangles, with the polygon's own sign where they run as it does. */
function areas(points: readonly Point[]): number[] {
  const triangles = cut(points)
  return Array.from({ length: triangles.length / 3 }, (_, t) =>
    area(triangles.slice(3 * t, 3 * t + 3).map((corner) => points[corner] ?? [0, 0])),
  )
}

const house: Point[] = [
  [0, 0],
  [4, 0],
  [4, 3],
  [2, 5],
  [0, 3],
]
const arrow: Point[] = [
  [0, 0],
  [4, 2],
  [0, 4],
  [1, 3],
  [1, 1],
]

test.each([
  ['a convex polygon', house],
  ['a concave polygon', arrow],
  ['a concave polygon that runs the other way', [...arrow].reverse()],
  [
    'a polygon with corners on its edges',
    [
      [0, 0],
      [1, 0],
      [2, 0],
      [2, 1],
      [2, 2],
      [0, 2],
    ],
  ],
] as [string, Point[]][])('%s becomes triangles that cover it and nothing else', (_, points) => {
  const whole = area(points)
  expect(areas(points)).toHaveLength(points.length - 2)
  expect(areas(points).reduce((sum, one) => sum + one, 0)).toBeCloseTo(whole)
  expect(areas(points).filter((one) => one * whole < 0)).toEqual([])
})

test('a polygon that stands upright is cut as one that lies flat', () => {
  const lying = cut(arrow)
  expect(new PolygonCutter().cut(arrow.flatMap(([x, y]) => [7, x, y]))).toEqual(lying)
  expect(new PolygonCutter().cut(arrow.flatMap(([x, y]) => [y, 7, x]))).toEqual(lying)
})

test('less than three corners are no triangle', () => {
  expect(cut(house.slice(0, 2))).toEqual([])
  expect(cut([])).toEqual([])
})

test('any stars are covered, whatever their spikes', () => {
  const radii = fc.array(fc.double({ min: 0.2, max: 10, noNaN: true }), { minLength: 3, maxLength: 40 })
  fc.assert(
    fc.property(radii, (spikes) => {
      const points = spikes.map((radius, i): Point => {
        const angle = (2 * Math.PI * i) / spikes.length
        return [radius * Math.cos(angle), radius * Math.sin(angle)]
      })
      expect(areas(points).filter((one) => one < -1e-9)).toEqual([])
      expect(areas(points).reduce((sum, one) => sum + one, 0)).toBeCloseTo(area(points), 6)
    }),
    { seed: 3, numRuns: 500 },
  )
})

test('corners in one place, on one line, crossing or without numbers still give a triangle for each corner but two', () => {
  const odd: Point[][] = [
    Array.from({ length: 50 }, (): Point => [1, 1]),
    Array.from({ length: 50 }, (_, i): Point => [i, 0]),
    Array.from({ length: 50 }, (_, i): Point => [i % 7, i % 5]),
    Array.from({ length: 50 }, (): Point => [Number.NaN, Infinity]),
  ]
  for (const points of odd) expect(areas(points)).toHaveLength(48)
})

test('a polygon of a hundred thousand corners ends', () => {
  const points = Array.from({ length: 100_000 }, (_, i): Point => [i % 317, (i * 7) % 211])
  expect(cut(points)).toHaveLength(3 * 99_998)
})
