// Polygons into triangles: every shape keeps its area, whatever way it lies in space.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { triangulation } from '../../formats/source/triangulate.ts'

type Point = readonly [x: number, y: number, z: number]
const flat = (...points: [number, number][]): Point[] => points.map(([x, y]) => [x, y, 0])
const cut = (points: readonly Point[]) => triangulation((corner) => points[corner] ?? [0, 0, 0])([...points.keys()])

/** Twice the areas of the triangles, seen along z: negative where one is wound the other way. */
function areas(points: readonly Point[], triangles: readonly number[]): number[] {
  const at = (index: number) => points[triangles[index] ?? 0] ?? [0, 0, 0]
  return Array.from({ length: triangles.length / 3 }, (_, triangle) => {
    const [a, b, c] = [at(triangle * 3), at(triangle * 3 + 1), at(triangle * 3 + 2)]
    return (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
  })
}
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

test('a convex polygon is cut into a fan around its first corner', () => {
  expect(cut(flat([0, 0], [2, 0], [2, 2], [0, 2]))).toEqual([0, 1, 2, 0, 2, 3])
  expect(cut(flat([0, 0], [2, 0], [3, 1], [2, 2], [0, 2]))).toEqual([0, 1, 2, 0, 2, 3, 0, 3, 4])
})

test('triangles name the corners of the polygon, not their places in it', () => {
  const triangulate = triangulation((corner) => [corner === 30 || corner === 20 ? 1 : 0, corner >= 20 ? 1 : 0, 0])
  expect(triangulate([10, 20, 30])).toEqual([10, 20, 30])
  expect(triangulate([10, 11])).toEqual([])
})

test('an arrow head is not covered beyond its edges', () => {
  const arrow = flat([0, 0], [4, -2], [1, 0], [4, 2])
  expect(areas(arrow, cut(arrow)).every((area) => area > 0)).toBe(true)
  const turned = arrow.toReversed()
  expect(areas(turned, cut(turned)).every((area) => area < 0)).toBe(true)
})

test.each([
  ['x', (u: number, v: number): Point => [5, u, v]],
  ['y', (u: number, v: number): Point => [v, 5, u]],
  ['z', (u: number, v: number): Point => [u, v, 5]],
  ['no axis', (u: number, v: number): Point => [u, v, u + v]],
])('a concave polygon across %s is cut as it is on paper', (_, place) => {
  const letter: [number, number][] = [
    [0, 0],
    [3, 0],
    [3, 1],
    [1, 1],
    [1, 2],
    [3, 2],
    [3, 3],
    [0, 3],
  ]
  const onPaper = cut(flat(...letter))
  expect(sum(areas(flat(...letter), onPaper))).toBe(14)
  expect(areas(flat(...letter), onPaper).every((area) => area > 0)).toBe(true)
  expect(cut(letter.map(([u, v]) => place(u, v)))).toEqual(onPaper)
})

test('a hole that a seam joins to the outline stays open', () => {
  const ring = flat([0, 0], [4, 0], [4, 4], [0, 4], [0, 0], [1, 1], [1, 3], [3, 3], [3, 1], [1, 1])
  const parts = areas(ring, cut(ring))
  expect(sum(parts)).toBe(24)
  expect(parts.every((area) => area >= 0)).toBe(true)
})

test('far from the origin a polygon is cut as it is there', () => {
  const arrow = flat([0, 0], [4, -2], [1, 0], [4, 2])
  expect(cut(arrow.map(([x, y, z]) => [x + 1e9, y - 1e9, z]))).toEqual(cut(arrow))
})

test('any outline that goes once around keeps its area', () => {
  const radius = fc.double({ min: 0.1, max: 10, noNaN: true })
  const property = fc.property(fc.array(radius, { minLength: 3, maxLength: 40 }), (radii) => {
    const points = radii.map((length, at): Point => {
      const angle = (at / radii.length) * 2 * Math.PI
      return [Math.cos(angle) * length, Math.sin(angle) * length, 0]
    })
    const parts = areas(points, cut(points))
    const fanned = areas(
      [[0, 0, 0], ...points],
      radii.flatMap((_, at) => [0, at + 1, ((at + 1) % radii.length) + 1]),
    )
    expect(sum(parts)).toBeCloseTo(sum(fanned), 6)
    expect(Math.min(...parts)).toBeGreaterThan(-1e-9)
  })
  fc.assert(property, { seed: 3, numRuns: 300 })
})

test('n corners give n - 2 triangles, wherever they lie', () => {
  const coordinate = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.constantFrom(Number.NaN, Infinity, -Infinity, 1e308))
  const polygon = fc.array(fc.tuple(coordinate, coordinate, coordinate), { maxLength: 30 })
  const property = fc.property(polygon, (points) => {
    const triangles = cut(points)
    expect(triangles.length).toBe(Math.max(0, points.length - 2) * 3)
    expect(triangles.every((corner) => corner in points)).toBe(true)
  })
  fc.assert(property, { seed: 4, numRuns: 500 })
})

test('polygons that would take for ever are cut by a fan', () => {
  const comb = Array.from({ length: 100_000 }, (_, at): Point => [at, at % 2 === 0 ? 0 : at * at, at % 3])
  expect(cut(comb).slice(0, 6)).toEqual([0, 1, 2, 0, 2, 3])
  expect(cut(comb).length).toBe(99_998 * 3)
})
