// Files that would cost far more than they hold: what is asked for many times is read once, and what is announced is checked first.
import { expect, test } from 'vitest'
import { readFbxMesh } from '../../formats/fbx/geometry.ts'
import type { FbxRecord } from '../../formats/fbx/records.ts'
import { FbxGraph } from '../../formats/fbx/scene.ts'
import { readGltfMesh } from '../../formats/gltf/geometry.ts'
import { imagePixels } from '../../formats/image.ts'
import { rgba8, rgba8Rows } from '../../formats/source/rgba8.ts'
import { PackageReader } from '../../formats/uasset/reader.ts'
import { readMeshDescription } from '../../formats/unreal-mesh/mesh-description.ts'
import { toBinaryFbx } from '../../sample/fbx.ts'
import { PackageBytes } from '../../sample/package-bytes.ts'
import { geometry, scene } from '../support/fbx.ts'
import { flatShape, newDescription, oldDescription } from '../support/mesh-payloads.ts'

const refusal = (reason: string) => expect.objectContaining({ name: 'FormatError', reason })
const MiB = 1024 * 1024

/** Positions of one triangle in each of many buffers, all of which are the same file. */
function gltfOf(buffers: number): Buffer {
  const each = <T>(one: (index: number) => T) => Array.from({ length: buffers }, (_, index) => one(index))
  return Buffer.from(
    JSON.stringify({
      asset: { version: '2.0' },
      meshes: [{ primitives: each((index) => ({ attributes: { POSITION: index } })) }],
      accessors: each((bufferView) => ({ bufferView, componentType: 5126, count: 3, type: 'VEC3' })),
      bufferViews: each((buffer) => ({ buffer, byteLength: 36 })),
      buffers: each((index) => ({ uri: index < buffers / 2 ? 'a.bin' : 'b.bin', byteLength: 36 })),
    }),
  )
}

test('a file beside a glTF is read once, however many buffers it is named for', async () => {
  const asked: string[] = []
  const positions = Buffer.from(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0).buffer)
  const readBeside = (address: string) => {
    asked.push(address)
    return positions
  }
  const mesh = await readGltfMesh(gltfOf(200), readBeside)
  expect(mesh.triangleSlots).toHaveLength(200)
  expect(asked).toEqual(['a.bin', 'b.bin'])
})

test('the files beside a glTF have a limit all together', async () => {
  const large = new Uint8Array(300 * MiB)
  await expect(readGltfMesh(gltfOf(4), () => large)).rejects.toEqual(refusal('too-large'))
})

test('what a primitive has beside its triangles is looked at once, however often it is shown', async () => {
  const attributes = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`_${at}`, 0]))
  const json = {
    asset: { version: '2.0' },
    scenes: [{ nodes: Array.from({ length: 50_000 }, (_, at) => at) }],
    nodes: Array.from({ length: 50_000 }, () => ({ mesh: 0 })),
    meshes: [{ primitives: [{ attributes: { ...attributes, POSITION: 0 } }] }],
    accessors: [{ componentType: 5126, count: 3, type: 'VEC3' }],
  }
  const mesh = await readGltfMesh(Buffer.from(JSON.stringify(json)), () => undefined)
  expect(mesh.triangleSlots).toHaveLength(50_000)
})

const record = (name: string, values: FbxRecord['values'], children: FbxRecord[] = []): FbxRecord => ({
  name,
  values,
  children,
  numbers: null,
})

test('the materials and the place of an FBX model are found once, however many meshes stand in it', () => {
  const materials = Array.from({ length: 1000 }, (_, at) => record('Material', [10 + at, `M${at}\0\x01Material`, '']))
  const links = [...materials.map(({ values: [key] }) => record('C', ['OO', key ?? 0, 1]))]
  const objects = record('Objects', [], [record('Model', [1, 'Shelf\0\x01Model', 'Mesh']), ...materials])
  const graph = new FbxGraph(record('', [], [objects, record('Connections', [], links)]))
  expect(graph.materialsOf('1')).toHaveLength(1000)
  expect(graph.materialsOf('1')).toBe(graph.materialsOf('1'))
  expect(graph.transformOfMesh('1')).not.toBeNull()
  expect(graph.transformOfMesh('1')).toBe(graph.transformOfMesh('1'))
})

test('an FBX list that announces more numbers than its bytes can hold is damaged before room is made for them', async () => {
  const file = toBinaryFbx(scene({ objects: [geometry(1n)], links: [] }))
  const at = file.indexOf('Vertices') + 'Vertices'.length + 1
  const announced = 50_000_000
  for (const encoding of [0, 1]) {
    const lie = Buffer.from(file)
    lie.writeUInt32LE(announced, at)
    lie.writeUInt32LE(encoding, at + 4)
    const before = process.memoryUsage().arrayBuffers
    await expect(readFbxMesh(lie)).rejects.toThrow(/too few for what it announces/)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * MiB)
  }
})

test('triangles of a mesh description that have no corners are damaged before room is made for them', () => {
  const outline: [number, number][] = [
    [0, 0],
    [4, 2],
    [0, 4],
  ]
  const whole = newDescription(flatShape(outline), 119)
  const count = 4_000_000
  const start = whole.indexOf('Triangles') + 'Triangles '.length + 1 + 4
  const ids = new PackageBytes(false)
    .i32(count)
    .raw(Buffer.alloc(count / 8, 255))
    .toBuffer()
  const lie = Buffer.concat([whole.subarray(0, start), ids, whole.subarray(start + 8)])
  const read = (bytes: Buffer) => readMeshDescription(bytes, { main: 119, editor: 40 })
  expect(read(whole).triangleSlots).toHaveLength(1)
  const before = process.memoryUsage().arrayBuffers
  expect(() => read(lie)).toThrow(/has 4000000 triangles, and corners for 1/)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * MiB)
})

test('a polygon of more than a million corners is too large', () => {
  const corners = Array.from({ length: 3 }, (_, at): [number, number] => [at, at * at])
  const whole = oldDescription(flatShape(corners), 28)
  const count = 1_000_001
  const list = new PackageBytes(false)
    .i32(count)
    .raw(Buffer.alloc(4 * count))
    .toBuffer()
  const at = whole.indexOf(new PackageBytes(false).i32(3, 0, 1, 2).toBuffer())
  const lie = Buffer.concat([whole.subarray(0, at), list, whole.subarray(at + 16)])
  expect(() => readMeshDescription(lie, { main: -1, editor: 28 })).toThrow(refusal('too-large'))
})

test('a text of a package that is longer than a string can be is damaged, whatever the bytes at hand', () => {
  const bytes = Buffer.alloc(65 * MiB + 4, 65)
  bytes.writeInt32LE(65 * MiB)
  expect(() => new PackageReader(bytes, { what: 'package' }).string()).toThrow(refusal('damaged'))
  bytes.writeInt32LE(-0x8000_0000)
  expect(() => new PackageReader(bytes, { what: 'package' }).string()).toThrow(refusal('damaged'))
})

test('a picture whose pixels would take more than 512 MiB is not decoded', async () => {
  const facts = { format: 'png', width: 16_384, height: 16_384, bitDepth: 8, color: 'rgba', interlaced: false } as const
  for (const layout of [
    { channels: 4, bits: 8 },
    { channels: 4, bits: 16 },
  ] as const)
    await expect(imagePixels(Buffer.alloc(0), facts, layout)).rejects.toEqual(refusal('too-large'))
})

test('a picture on a screen is the same in bands of rows as at once', () => {
  const values = Uint16Array.from({ length: 3000 * 200 }, (_, at) => (at * 40_503) & 0xffff)
  for (const kind of ['u16', 'half'] as const) {
    const picture = { width: 3000, height: 200, channels: 1, samples: { kind, values } } as const
    const bands = [...rgba8Rows(picture)]
    expect(bands.length).toBeGreaterThan(1)
    expect(Buffer.concat(bands).equals(rgba8(picture))).toBe(true)
  }
})
