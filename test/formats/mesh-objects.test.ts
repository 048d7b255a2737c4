// Static and skeletal meshes in layouts of which no real package is at hand, and objects that lie.
import { describe, expect, test } from 'vitest'
import { measureMesh } from '../../formats/source/mesh-measures.ts'
import { readSkeletalMesh } from '../../formats/uasset-data/skeletal-mesh.ts'
import { readStaticMesh, type StaticMeshSource } from '../../formats/uasset-data/static-mesh.ts'
import { type ObjectBytes, type PackageOfObjects, packageOfObjects, type Versions } from '../support/mesh-objects.ts'
import { flatShape, newDescription, oldDescription, rawMesh } from '../support/mesh-payloads.ts'

const triangle: [number, number][] = [
  [0, 0],
  [0, 2],
  [2, 0],
]
const raw = rawMesh({ positions: [0, 0, 0, 0, 2, 0, 2, 0, 0], corners: [0, 1, 2], materials: [0] })
const none = Buffer.alloc(0)

type StaticParts = { scale?: number[]; holder?: number; cooked?: number; models?: (bytes: ObjectBytes) => void }

/** A static mesh of one slot, with what the engine writes behind its properties. */
function staticMesh(from: PackageOfObjects, { scale = [1, 1, 1], holder, cooked = 0, models }: StaticParts): Buffer {
  const settings = from
    .write()
    .struct(
      'BuildScale3D',
      'Vector',
      from
        .write()
        .f32(...scale)
        .toBuffer(),
    )
    .name('None')
    .toBuffer()
  const model = from.write().struct('BuildSettings', 'MeshBuildSettings', settings)
  if (holder !== undefined) model.object('StaticMeshDescriptionBulkData', holder)
  const material = importOf(from, '/Game/M_Oak')
  const slot = from
    .write()
    .object('MaterialInterface', material)
    .text('MaterialSlotName', 'Frame')
    .text('ImportedMaterialSlotName', 'Wood')
  const bytes = from
    .write()
    .structs('SourceModels', 'StaticMeshSourceModel', [model.name('None').toBuffer()])
    .structs('StaticMaterials', 'StaticMaterial', [slot.name('None').toBuffer()])
    .end()
  bytes.u8(0, 0).i32(cooked, 0, 0).string('old').u32(7).raw(Buffer.alloc(16)).i32(2, 1, 2)
  models?.(bytes)
  return bytes.toBuffer()
}

/** The reference to the object in an imported package. */
function importOf(from: PackageOfObjects, name: string): number {
  const { imports } = from
  for (let index = 0; index < imports.count; index++)
    if (imports.packageOf(index) === name && imports.objectName(index) !== name) return -index - 1
  throw new Error(`Nothing of ${name} is imported.`)
}

async function readStatic(versions: Versions, parts: StaticParts, holder: Buffer = none): Promise<StaticMeshSource> {
  const from = await packageOfObjects(versions)
  from.objects.push(staticMesh(from, parts), holder)
  return readStaticMesh(from.object(0))
}

/** The object that holds the payload of a static mesh from 5.0 on. */
async function holderOf(versions: Versions, payload: Buffer): Promise<Buffer> {
  const from = await packageOfObjects(versions)
  return from.write().end().bulk(payload).raw(Buffer.alloc(20)).toBuffer()
}

describe('a static mesh', () => {
  const v420 = { editor: 24, rendering: 26 }
  const v422 = { editor: 30, rendering: 28 }
  const early = { editor: 40, rendering: 45, main: 26 }

  test('of 4.20 keeps a raw mesh within itself', async () => {
    const source = await readStatic(v420, { models: (bytes) => bytes.bulk(raw).raw(Buffer.alloc(20)) })
    expect(source).toMatchObject({
      encoding: 'raw',
      payloadId: null,
      mesh: { slots: [{ name: 'Frame', material: '/Game/M_Oak' }] },
    })
    expect(measureMesh(source.mesh)).toMatchObject({ triangles: 1, bounds: { max: [2, 2, 0] } })
  })

  test('of 4.22 keeps an old description within itself', async () => {
    const payload = oldDescription(flatShape(triangle), 30)
    const source = await readStatic(v422, { scale: [1, 3, 1], models: (bytes) => bytes.i32(1).bulk(payload) })
    expect(source).toMatchObject({ encoding: 'md', buildScale: [1, 3, 1], mesh: { slots: [{ name: 'Frame' }] } })
    expect(measureMesh(source.mesh)).toMatchObject({ triangles: 1, bounds: { max: [2, 6, 0] } })
  })

  test('of the early access to 5.0 keeps a new description in old bulk data of an object of its own', async () => {
    const holder = await holderOf(early, newDescription(flatShape(triangle), 26))
    const source = await readStatic(early, { holder: 2 }, holder)
    expect(source).toMatchObject({ encoding: 'md', mesh: { slots: [{ name: 'Frame', material: '/Game/M_Oak' }] } })
    expect(measureMesh(source.mesh)).toMatchObject({ triangles: 1 })
  })

  test('without a source, or cooked, is unsupported', async () => {
    const unsupported = expect.objectContaining({ name: 'FormatError', reason: 'unsupported' })
    await expect(readStatic(v422, { models: (bytes) => bytes.i32(0) })).rejects.toEqual(unsupported)
    await expect(readStatic(v420, { models: (bytes) => bytes.bulk(none) })).rejects.toEqual(unsupported)
    await expect(readStatic(v420, { cooked: 1, models: (bytes) => bytes.bulk(raw) })).rejects.toEqual(unsupported)
    for (const holder of [undefined, 0, -1]) await expect(readStatic(early, { holder })).rejects.toEqual(unsupported)
    await expect(readStatic(early, { holder: 2 }, await holderOf(early, none))).rejects.toEqual(unsupported)
  })

  test('whose scale is no number, or whose payload does not fit, is damaged', async () => {
    const damaged = expect.objectContaining({ name: 'FormatError', reason: 'damaged' })
    const scale = [1, Number.NaN, 1]
    await expect(readStatic(v420, { scale, models: (bytes) => bytes.bulk(raw) })).rejects.toEqual(damaged)
    await expect(readStatic(v420, { models: (bytes) => bytes.u32(0).i32(900, 900).i64(0) })).rejects.toEqual(damaged)
    await expect(readStatic(early, { holder: 3 })).rejects.toEqual(damaged)
  })
})

type SkeletalParts = { indices?: number[]; triangles?: number; firstIndex?: number; sections?: number; x?: number }

/** A skeletal mesh of 4.20: one bone, two sections of a triangle each. */
function skeletalMesh(from: PackageOfObjects, parts: SkeletalParts): Buffer {
  const { indices = [0, 1, 2, 3, 4, 5], triangles = 1, firstIndex = 3, sections = 2, x = 2 } = parts
  const bytes = from.write().end().u8(0, 0).f32(0, 0, 0, 1, 1, 1, 1)
  bytes.i32(2)
  bytes.i32(importOf(from, '/Game/M_Oak')).name('Frame').name('Wood').raw(Buffer.alloc(24))
  bytes.i32(0).name('None').name('None').raw(Buffer.alloc(24))
  bytes.i32(1).name('root').i32(-1).string('').i32(1).raw(Buffer.alloc(40)).i32(1).name('root').i32(0)
  bytes.i32(1).u8(0, 0).i32(sections)
  putSection(bytes, { material: 1, firstIndex: 0, triangles: 1, x: 2 })
  putSection(bytes, { material: 0, firstIndex, triangles, x })
  bytes.i32(indices.length, ...indices)
  return bytes.toBuffer()
}

function putSection(bytes: ObjectBytes, section: { material: number; firstIndex: number; triangles: number; x: number }): void {
  bytes.u8(0, 0).u16(section.material).u32(section.firstIndex).u32(section.triangles).u8(0).i32(1, 1, 0, 3)
  for (const [x, y] of [
    [0, 0],
    [0, 2],
    [section.x, 0],
  ]) {
    bytes
      .f32(x ?? 0, y ?? 0, 5)
      .f32(1, 0, 0, 0, 1, 0, 0, 0, 1, -1)
      .f32(x ?? 0, y ?? 0, 0, 0, 0, 0, 0, 0)
    bytes.u8(0, 0, 255, 255).raw(Buffer.alloc(16))
  }
  bytes.i32(1).u16(0).i32(3, 1)
  bytes.i32(1).raw(Buffer.alloc(64)).raw(Buffer.alloc(22)) // cloth
  bytes.i32(1, 7, 2, 1, 2) // overlapping vertices
  bytes.i32(0, -1)
}

describe('a skeletal mesh', () => {
  const v420 = { editor: 24, rendering: 26, release: 13, skeletalMesh: 16, recomputeTangent: 1, overlappingVertices: 1 }
  const read = async (parts: SkeletalParts, versions: Versions = v420) => {
    const from = await packageOfObjects(versions)
    from.objects.push(skeletalMesh(from, parts))
    return readSkeletalMesh(from.object(0))
  }

  test('of 4.20 has sections with slots, vertices and bones', async () => {
    const { mesh, ...counts } = await read({})
    expect(counts).toEqual({ bones: 1, sections: 2, vertices: 6, payloadId: null })
    expect(measureMesh(mesh)).toMatchObject({ triangles: 2, bounds: { min: [0, 0, 5], max: [2, 2, 5] } })
    expect([...mesh.triangleSlots]).toEqual([1, 0])
    expect(mesh.slots).toEqual([
      { name: 'Frame', material: '/Game/M_Oak' },
      { name: 'MaterialSlot_1', material: null },
    ])
  })

  test('has UVs as far as they are used, normals, and colours with red first', async () => {
    const { mesh } = await read({})
    expect(mesh.uvs.map((set) => [...set])).toEqual([[0, 0, 0, 2, 2, 0, 0, 0, 0, 2, 2, 0]])
    expect([...(mesh.normals ?? [])].slice(15)).toEqual([0, 0, 1])
    expect([...(mesh.colors ?? [])].slice(0, 4)).toEqual([1, 0, 0, 1])
  })

  test('of an engine before 4.20, or without sections, is unsupported', async () => {
    const unsupported = expect.objectContaining({ name: 'FormatError', reason: 'unsupported' })
    await expect(read({}, { ...v420, skeletalMesh: 15 })).rejects.toEqual(unsupported)
    await expect(read({}, { ...v420, rendering: 25 })).rejects.toEqual(unsupported)
    await expect(read({ sections: 0 })).rejects.toEqual(unsupported)
  })

  test('whose sections and indices lead to what is not there is damaged', async () => {
    const lies: SkeletalParts[] = [
      { indices: [0, 1, 2, 3, 4, 6] },
      { indices: [0, 1, 2, 3, 4, -1] },
      { firstIndex: 4 },
      { firstIndex: 0xffffffff },
      { triangles: 2 },
      { sections: 1_000_000_000 },
      { x: Number.NaN },
      { x: Infinity },
    ]
    for (const lie of lies)
      await expect(read(lie)).rejects.toEqual(expect.objectContaining({ name: 'FormatError', reason: 'damaged' }))
    await expect(read({ triangles: 1_000_000_000 })).rejects.toEqual(expect.objectContaining({ reason: 'too-large' }))
  })
})
