/** Meshes in which very many triangles meet in one point: what walks around points would take the square or the cube of them. */
import { expect, test } from 'vitest'
import { readObjMesh } from '../../formats/obj/geometry.ts'
import type { Mesh } from '../../formats/source/mesh.ts'
import { crowdingOf } from '../../previews/crowded-points.ts'
import { meshGlb } from '../../previews/glb.ts'
import { mostSteps } from '../../previews/simplify.ts'
import { visibleTriangles } from '../../previews/visible-triangles.ts'
import { weldMesh } from '../../previews/weld.ts'
import { glbIssues } from '../support/glb-issues.ts'

const coarsely = 'So many triangles meet in one point that they were simplified coarsely.'

/** One polygon to a line, each as long as lines may be, until there are so many bytes. */
function polygons(vertices: readonly string[], cornersOf: (line: number) => readonly number[], bytes: number): Buffer {
  const lines: string[] = [...vertices]
  for (let written = 0; written < bytes; written += lines.at(-1)?.length ?? 0)
    lines.push(`f ${cornersOf(lines.length).join(' ')}`)
  return Buffer.from(`${lines.join('\n')}\n`)
}

const around = (count: number, z: (at: number) => number): string[] =>
  Array.from({ length: count }, (_, at) => {
    const angle = (at / count) * 2 * Math.PI
    return `v ${Math.cos(angle)} ${Math.sin(angle)} ${z(at)}`
  })

const steps = (mesh: Mesh) => {
  const { positions, indices } = weldMesh(mesh)
  return crowdingOf(positions, indices)
}

test('polygons of 9 MB over three points become a preview, which says how it was made', async () => {
  const corners = Array.from({ length: 60_000 }, (_, at) => (at % 3) + 1)
  const mesh = readObjMesh(polygons(['v 0 0 0', 'v 100 0 0', 'v 100 100 0'], () => corners, 9_000_000))
  expect(mesh.triangleSlots.length).toBeGreaterThan(1_000_000)
  expect(steps(mesh).corners).toBeGreaterThan(100 * mostSteps.corners)
  const { glb, triangles, reduced } = await meshGlb(mesh)
  expect(triangles).toBeGreaterThan(0)
  expect(triangles).toBeLessThanOrEqual(220_000)
  expect(reduced[0]).toBe(coarsely)
  expect(await glbIssues(glb)).toEqual([])
})

test('a fan whose blades do not join is simplified without opening seams around its middle', async () => {
  const count = 4000
  const corners = Array.from({ length: count }, (_, at) => at + 1)
  const mesh = readObjMesh(
    polygons(
      around(count, (at) => at % 2),
      () => corners,
      1,
    ),
  )
  const { corners: meeting, seams } = steps(mesh)
  expect([meeting < mostSteps.corners, seams > mostSteps.seams]).toEqual([true, true])
  const { triangles, reduced } = await meshGlb(mesh, { maxTriangles: 400 })
  expect(triangles).toBeLessThanOrEqual(440)
  expect(reduced[0]).toBe(coarsely)
})

test.each([1, 4])('steps of a mesh as people model it grow with its triangles: %s times as many', (times) => {
  const edge = 100 * Math.sqrt(times)
  const at = (x: number, y: number) => y * (edge + 1) + x + 1
  const vertices = Array.from({ length: (edge + 1) ** 2 }, (_, one) => `v ${one % (edge + 1)} ${Math.floor(one / (edge + 1))} 0`)
  const quads = Array.from({ length: edge ** 2 }, (_, one) => {
    const [x, y] = [one % edge, Math.floor(one / edge)]
    return `f ${at(x, y)} ${at(x + 1, y)} ${at(x + 1, y + 1)} ${at(x, y + 1)}`
  })
  const { corners, seams } = steps(readObjMesh(Buffer.from([...vertices, ...quads].join('\n'))))
  expect(corners / (2 * edge ** 2)).toBeLessThan(24)
  expect(seams).toBe(0)
})

/** Upright slivers from the lowest row to the highest, and one triangle in front of them. */
function slivers(count: number, { edge }: { edge: number }) {
  const x = new Float64Array(count * 3 + 3)
  const y = new Float64Array(x.length)
  const nearness = new Float64Array(x.length)
  for (let corner = 0; corner < x.length; corner++) {
    const isLast = corner >= count * 3
    x[corner] = isLast ? ([0, edge, 0][corner % 3] ?? 0) : 0.6 + (corner % 3) * 1e-6
    y[corner] = [0, 0, edge][corner % 3] ?? 0
    nearness[corner] = isLast ? 2 : 1
  }
  const cornerPositions = Uint32Array.from({ length: x.length }, (_, at) => at)
  const size = { width: edge, height: edge }
  return visibleTriangles({ cornerPositions } as Mesh, { x, y, nearness } as never, size)
}

test('rows in which a sliver has no sample count as work, so that a heap of slivers is left off like any other', () => {
  const edge = 1024
  expect(slivers(100, { edge }).includes(100)).toBe(true)
  expect(slivers(60_000, { edge }).includes(60_000)).toBe(false)
})
