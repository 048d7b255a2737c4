/** Meshes that were made to cost a viewer, or the one who makes the GLB, far more than they show. */
import { expect, test } from 'vitest'
import type { Mesh } from '../../formats/source/mesh.ts'
import { meshGlb } from '../../previews/glb.ts'
import { weldMesh } from '../../previews/weld.ts'
import { glbIssues } from '../support/glb-issues.ts'

/** Loose triangles. */
function triangles(count: number, at: (value: number) => number, slots: Mesh['slots'] = [{ name: 'Oak', material: null }]): Mesh {
  return {
    positions: Float32Array.from({ length: count * 9 }, (_, value) => at(value)),
    cornerPositions: Uint32Array.from({ length: count * 3 }, (_, corner) => corner),
    normals: null,
    uvs: [],
    colors: null,
    triangleSlots: Uint16Array.from({ length: count }, (_, triangle) => triangle % slots.length),
    slots,
  }
}

/** A float of these bits. */
const floatOf = (bits: number): number => new Float32Array(Uint32Array.of(bits).buffer)[0] ?? 0

/** What the table of corners makes of values before the last, as weld.ts has it. */
function hashOf(words: readonly number[]): number {
  return words.reduce((hash, word) => {
    const mixed = Math.imul(hash ^ word, 0x9e3779b1)
    return mixed ^ (mixed >>> 15)
  }, 0)
}

const bitsOf = (value: number): number => new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0

test('corners whose values were chosen to look alike to a table are joined as far as they are found soon', () => {
  const distinct = 3000
  const points: number[] = []
  // The last value of each corner undoes what the first two made of the hash.
  for (let seed = 1; points.length < distinct * 3; seed++) {
    const last = (hashOf([bitsOf(seed), bitsOf(seed * 3)]) ^ bitsOf(1)) >>> 0
    if (Number.isFinite(floatOf(last)) && Math.abs(floatOf(last)) > 1e-3) points.push(seed, seed * 3, floatOf(last))
  }
  // Each triangle is there twice.
  const mesh = triangles((2 * distinct) / 3, (value) => points[value % points.length] ?? 0)
  const normals = mesh.positions.map((_, at) => (at % 3 === 2 ? 1 : 0))
  const welded = weldMesh({ ...mesh, normals })
  expect(welded).toMatchObject({ dropped: 0, indices: { length: 2 * distinct } })
  expect(welded.slots.length).toBeGreaterThan(1.5 * distinct)
  for (const [corner, vertex] of welded.indices.entries())
    expect(welded.positions.subarray(vertex * 3, vertex * 3 + 3)).toEqual(mesh.positions.subarray(corner * 3, corner * 3 + 3))
  const usual = triangles(2000, (value) => value)
  const twice = { ...usual, cornerPositions: usual.cornerPositions.map((corner) => corner % 3000) }
  expect(weldMesh({ ...twice, normals }).slots.length).toBe(3000)
})

test('of more materials than a viewer draws the first are kept, and that is said', async () => {
  const slots = Array.from({ length: 3000 }, (_, at) => ({ name: `M${at}`, material: null }))
  const { glb, triangles: shown, reduced } = await meshGlb(triangles(3000, (value) => (value * 7919) % 1000, slots))
  expect(shown).toBe(3000)
  expect(reduced).toEqual(['Of 3000 materials the first 1024 were kept.'])
  const json = JSON.parse(Buffer.from(glb).toString('utf8', 20, 20 + Buffer.from(glb).readUInt32LE(12))) as {
    materials: unknown[]
  }
  expect(json.materials).toHaveLength(1024)
  expect(await glbIssues(glb)).toEqual([])
})

test('a name that is longer than the mesh is cut', async () => {
  const { glb, reduced } = await meshGlb(
    triangles(2, (value) => value * value, [{ name: 'x'.repeat(1_000_000), material: null }]),
  )
  expect(glb.length).toBeLessThan(10_000)
  expect(reduced).toEqual([])
})

test('a mesh that does not become as small as it has to is refused, not tried again for ever', async () => {
  const slots = Array.from({ length: 500 }, (_, at) => ({ name: `M${at}`, material: null }))
  const mesh = triangles(500, (value) => (value * 7919) % 1000, slots)
  expect((await meshGlb(mesh, { maxBytes: 2000 })).glb.length).toBeLessThanOrEqual(2000)
  await expect(meshGlb(mesh, { maxBytes: 200 })).rejects.toMatchObject({ name: 'FormatError', reason: 'too-large' })
})
