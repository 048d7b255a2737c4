// Meshes of real source files against their facts, and of files that lie: any bytes give a mesh or a FormatError. The real files are
// those of the folder that PH_FIXTURES names.
import { readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../formats/format-error.ts'
import type { Mesh } from '../../formats/source/mesh.ts'
import { describeSource, sourceMesh } from '../../formats/source-file.ts'
import { toBinaryFbx, toTextFbx } from '../../sample/fbx.ts'
import { toGlb } from '../../sample/model.ts'
import { toObj } from '../../sample/obj.ts'
import { box } from '../../sample/shape.ts'
import { surfaces } from '../../sample/surfaces.ts'
import { oldText, scene } from '../support/fbx.ts'
import { boxOf, facings, groups } from '../support/mesh.ts'

const folder = process.env.PH_FIXTURES ?? ''
const files: Record<string, { error?: string; extensions_required?: string[]; triangles_in_scene?: number }> =
  folder === '' ? {} : JSON.parse(readFileSync(join(folder, 'source-expected.json'), 'utf8')).files
const extension = (path: string): string => extname(path).slice(1).toLowerCase()
const models = Object.keys(files).filter((path) => ['fbx', 'glb', 'gltf', 'obj'].includes(extension(path)))
const readable = models.filter((path) => files[path]?.error === undefined)
const bytesOf = (path: string): Buffer => readFileSync(join(folder, path))

async function meshOf(path: string): Promise<Mesh> {
  const beside = (address: string) => readFileSync(join(folder, dirname(path), address))
  const mesh = await sourceMesh(extension(path), bytesOf(path), beside)
  if (mesh === null) throw new Error(`${path} gives no mesh`)
  return mesh
}

/** Triangles of collision shapes, which the facts count and nobody sees. */
const hiddenTriangles: Record<string, number> = { 'Plane.FBX': 12 }
const hiddenIn = (path: string) => hiddenTriangles[path.split('/').at(-1) ?? ''] ?? 0

describe.runIf(folder !== '')('real models', () => {
  test('there are as many as the readers were made for', () => {
    expect(readable.length).toBeGreaterThanOrEqual(20)
  })

  test.each(readable)('%s has as many triangles as its facts say, and is as large', async (path) => {
    const mesh = await meshOf(path)
    const metadata = (await describeSource(extension(path), bytesOf(path)))?.metadata
    expect(mesh.triangleSlots.length + hiddenIn(path)).toBe(metadata?.tri_count)
    const { min, max } = boxOf(mesh)
    const edges = max.map((high, axis) => high - (min[axis] ?? 0)).toSorted((a, b) => a - b)
    const stated = [metadata?.bounds_x, metadata?.bounds_y, metadata?.bounds_z].map(Number).toSorted((a, b) => a - b)
    // Draco rounds positions; what the file states was measured before.
    const rounding = files[path]?.extensions_required?.includes('KHR_draco_mesh_compression') ? 1e-4 : 1e-6
    for (const [axis, edge] of edges.entries()) expect(Math.abs(edge - (stated[axis] ?? 0))).toBeLessThan(1e-3 + edge * rounding)
  })

  test.each(readable)('%s faces the way its normals do', async (path) => {
    const mesh = await meshOf(path)
    if (mesh.normals === null) return
    const normals = groups(mesh.normals, 9)
    const sides = facings(mesh).map((facing, triangle) => {
      const first = normals[triangle] ?? []
      return [0, 3, 6].reduce((sum, at) => sum + facing.reduce((dot, part, axis) => dot + part * (first[at + axis] ?? 0), 0), 0)
    })
    const seen = sides.filter((side) => side !== 0)
    expect(seen.filter((side) => side > 0).length / Math.max(1, seen.length)).toBeGreaterThan(0.99)
    for (const normal of groups(mesh.normals, 3)) expect(Math.hypot(...normal)).toBeCloseTo(1, 2)
  })

  test.each(models.filter((path) => files[path]?.error !== undefined))('%s says that it is damaged', async (path) => {
    await expect(meshOf(path)).rejects.toMatchObject({ name: 'FormatError', reason: 'damaged' })
  })

  test('a glTF with a buffer beside it says which file it needs', async () => {
    const bytes = bytesOf('source/gltf/BoxTextured-glTF/BoxTextured.gltf')
    await expect(sourceMesh('gltf', bytes)).rejects.toMatchObject({
      reason: 'unsupported',
      message: expect.stringContaining('BoxTextured0.bin'),
    })
  })

  test('slots are named as the materials of the file', async () => {
    const names = async (path: string) => (await meshOf(path)).slots.map(({ name }) => name)
    expect(await names('source/fbx/spider.fbx')).toEqual(['BeinTex', 'Skin', 'Augentex', 'HLeibTex'])
    expect(await names('source/gltf/controller-oculus-go.glb')).toEqual(
      expect.arrayContaining(['mp', 'mp.trackpad', 'mp.trigger']),
    )
  })
})

const names = { model: 'Box', material: () => 'Oak' }
const shape = box([20, 30, 40], surfaces.oak)
const glb = await toGlb(shape, names)
const corpus: [string, string, Buffer][] = [
  ['a binary FBX', 'fbx', toBinaryFbx(scene())],
  ['a binary FBX with 64-bit sizes', 'fbx', toBinaryFbx(scene(), 7500)],
  ['a text FBX', 'fbx', Buffer.from(toTextFbx(scene()))],
  ['a text FBX of old', 'fbx', Buffer.from(oldText)],
  ['an OBJ', 'obj', Buffer.from(toObj(shape, names))],
  ['a GLB', 'glb', glb],
  ...(folder === ''
    ? []
    : ([
        ['a real binary FBX', 'fbx', bytesOf('source/fbx/box.fbx')],
        ['a real text FBX', 'fbx', bytesOf('source/fbx/cubes_with_names.fbx').subarray(0)],
        ['a real GLB', 'glb', bytesOf('source/gltf/BoxTextured.glb')],
        ['a real glTF', 'gltf', bytesOf('source/gltf/simple_skin/simple_skin.gltf')],
      ] as [string, string, Buffer][])),
]

/** A mesh whose every index is sound and every number finite, or the FormatError; anything else that escapes fails the test. */
async function outcome(ext: string, bytes: Uint8Array): Promise<Mesh | FormatError> {
  try {
    const mesh = await sourceMesh(ext, bytes)
    if (mesh === null) throw new Error(`${ext} gives no mesh`)
    const { positions, cornerPositions, normals, uvs, colors, triangleSlots, slots } = mesh
    const corners = triangleSlots.length * 3
    expect([cornerPositions.length, ...uvs.map(({ length }) => length / 2)]).toEqual(Array(1 + uvs.length).fill(corners))
    expect(cornerPositions.every((position) => position * 3 < positions.length)).toBe(true)
    expect(triangleSlots.every((slot) => slot < slots.length)).toBe(true)
    for (const numbers of [positions, normals, colors, ...uvs]) expect(numbers?.every(Number.isFinite) ?? true).toBe(true)
    return mesh
  } catch (error) {
    if (error instanceof FormatError) return error
    throw error
  }
}

describe.each(corpus)('%s', (_, ext, bytes) => {
  test('has a mesh to begin with', async () => {
    expect(await outcome(ext, bytes)).toMatchObject({ slots: expect.any(Array) })
  })

  test('with bytes changed at random gives a mesh or a reason', async () => {
    const change = fc.tuple(fc.nat(bytes.length - 1), fc.oneof(fc.nat(255), fc.constantFrom(0, 127, 128, 255)))
    const property = fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
      const lie = Buffer.from(bytes)
      for (const [at, value] of changes) lie[at] = value
      await outcome(ext, lie)
    })
    await fc.assert(property, { seed: 19, numRuns: bytes.length > 100_000 ? 40 : 300 })
  })

  test('with a field at an extreme gives a mesh or a reason', async () => {
    for (const extreme of [0xffffffff, 0x7fffffff, 0x7fc00000]) {
      for (let at = 0; at + 4 <= bytes.length; at += Math.max(1, Math.floor(bytes.length / 250))) {
        const lie = Buffer.from(bytes)
        lie.writeUInt32LE(extreme, at)
        await outcome(ext, lie)
      }
    }
  })

  test('cut anywhere gives a mesh or a reason', async () => {
    const step = Math.max(1, Math.floor(bytes.length / 200))
    for (let length = 0; length < bytes.length; length += step) await outcome(ext, bytes.subarray(0, length))
  })
})

test.each(['fbx', 'obj', 'glb', 'gltf'])('a .%s that is a Git LFS pointer, or empty, is refused', async (ext) => {
  const pointer = Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n')
  expect(await outcome(ext, pointer)).toMatchObject({ reason: 'git-lfs-pointer' })
  expect(await outcome(ext, Buffer.alloc(0))).toMatchObject({ name: 'FormatError' })
})

test('files that are no model give no mesh', async () => {
  for (const ext of ['png', 'wav', 'stl', 'txt']) expect(await sourceMesh(ext, Buffer.alloc(9))).toBe(null)
})

test('more bytes than any model has are too large', async () => {
  const claim = Object.defineProperty(Buffer.alloc(60), 'length', { value: 2 ** 30 })
  await expect(sourceMesh('obj', claim)).rejects.toMatchObject({ name: 'FormatError', reason: 'too-large' })
})
