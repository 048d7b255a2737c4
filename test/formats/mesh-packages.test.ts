// Meshes out of packages saved by editors of 4.9 to 5.7, against what an independent reader found in them.
import { expect, test } from 'vitest'
import { FormatError } from '../../formats/format-error.ts'
import type { Mesh } from '../../formats/source/mesh.ts'
import { measureMesh } from '../../formats/source/mesh-measures.ts'
import { readSource, type Source } from '../../formats/uasset-data/source.ts'
import { type SourcePackage, sourcePackages } from '../support/payload-fixtures.ts'
import { fixtureFolder, realPackages } from '../support/real-packages.ts'

const ifReal = test.runIf(fixtureFolder)

type MeshSource = Extract<Source, { kind: 'mesh' }>

async function readMesh({ bytes, stem }: { bytes: Uint8Array; stem: string }): Promise<MeshSource> {
  const source = await readSource(bytes, { stem })
  return source?.kind === 'mesh' ? source : expect.fail(`${stem} is no mesh`)
}

const rounded = (values: readonly number[] | undefined) => values?.map((value) => Math.round(value * 1000) / 1000 + 0)

/** The fields of an expectation that the mesh decides. */
function described(source: MeshSource): Record<string, unknown> {
  const { triangles, trianglesNotDegenerate, bounds } = measureMesh(source.mesh)
  if ('bones' in source) {
    const { bones, sections, vertices } = source
    return { class: source.class, triangles, bones, sections, vertices }
  }
  return {
    class: source.class,
    triangles,
    triangles_not_degenerate: trianglesNotDegenerate,
    bounds_min_cm: rounded(bounds?.min),
    bounds_max_cm: rounded(bounds?.max),
    build_scale: source.buildScale,
    source: source.encoding,
  }
}

async function expectAll(packages: SourcePackage[]): Promise<void> {
  const ours = await Promise.all(packages.map(async (one) => [one.path, described(await readMesh(one))]))
  const theirs = packages.map(({ path, expected }) => {
    const { engine, tag_nanite, tag_triangles, ...rest } = expected as Record<string, unknown>
    const fields = Object.entries(rest).map(([name, value]) => [
      name,
      name.startsWith('bounds') ? rounded(value as number[]) : value,
    ])
    return [path, Object.fromEntries(fields)]
  })
  expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(theirs))
}

ifReal('the 40 static meshes have the triangles, the box and the scale that they were imported with', async () => {
  const meshes = sourcePackages('StaticMesh')
  expect(meshes).toHaveLength(40)
  await expectAll(meshes)
})

ifReal('the 9 skeletal meshes have the triangles, vertices, sections and bones that the editor counted', async () => {
  const meshes = sourcePackages('SkeletalMesh')
  expect(meshes).toHaveLength(9)
  await expectAll(meshes)
})

ifReal('normals of almost all triangles look to the side from which they run clockwise, as Unreal sees front faces', async () => {
  for (const one of sourcePackages('StaticMesh', 'SkeletalMesh')) {
    const { mesh } = await readMesh(one)
    expect([one.path, sharesSide(mesh) > 0.7]).toEqual([one.path, true])
  }
})

/** Of all triangles, how many lie as the normals of their first corners say. */
function sharesSide({ positions, cornerPositions, normals }: Mesh): number {
  const triangles = cornerPositions.length / 3
  let agreeing = 0
  for (let t = 0; t < triangles; t++) {
    const [a, b, c] = [0, 1, 2].map((corner) => positions.subarray(3 * (cornerPositions[3 * t + corner] ?? 0)))
    const edge = (to: Float32Array | undefined, axis: number) => (to?.[axis] ?? 0) - (a?.[axis] ?? 0)
    let side = 0
    for (let axis = 0; axis < 3; axis++) {
      const [u, v] = [(axis + 1) % 3, (axis + 2) % 3]
      side += (edge(c, u) * edge(b, v) - edge(c, v) * edge(b, u)) * (normals?.[9 * t + axis] ?? 0)
    }
    if (side >= 0) agreeing++
  }
  return agreeing / triangles
}

ifReal('slots have the names and the materials of the asset', async () => {
  const slotsOf = async (name: string) => {
    const found = sourcePackages('StaticMesh', 'SkeletalMesh').find(({ stem }) => stem === name)
    return (await readMesh(found ?? expect.fail(`${name} is not among the fixtures`))).mesh.slots
  }
  expect(await slotsOf('SM_Cheese')).toEqual([
    { name: 'Material_37', material: '/UXToolsExamples/Common/Assets/Cheese/MI_Cheese' },
    { name: 'Material_38', material: '/UXTools/Materials/MI_SimpleLit_Black' },
  ])
  expect(await slotsOf('camera')).toHaveLength(6)
  expect(await slotsOf('VortexGimble')).toEqual([
    { name: 'VexRings', material: '/Game/ArtistDropbox/VexRings' },
    { name: 'VexCube', material: '/Game/ArtistDropbox/VexCube' },
  ])
})

ifReal(
  'static meshes of engines from 4.9 to 4.18, which keep raw meshes, have the triangles and the size of their tags',
  async () => {
    const known = new Set(sourcePackages('StaticMesh').map(({ path }) => path))
    const old = realPackages().filter(({ path, expected }) => expected.asset_class === 'StaticMesh' && !known.has(path))
    expect(old).toHaveLength(5)
    for (const one of old) {
      const source = await readMesh(one)
      const { Triangles: triangles = '', ApproxSize: size = '' } = one.expected.asset_registry_tags
      const { bounds, ...measures } = measureMesh(source.mesh)
      expect([one.path, 'encoding' in source && source.encoding, `${measures.triangles}`]).toEqual([one.path, 'raw', triangles])
      const sides = bounds?.max.map((max, axis) => max - (bounds.min[axis] ?? 0)) ?? []
      for (const [axis, side] of `${size}`.split('x').entries())
        expect(Math.abs(Number(side) - (sides[axis] ?? 0))).toBeLessThan(1)
      expect(source.mesh.normals).toHaveLength(9 * measures.triangles)
    }
  },
)

/** Small packages of each layout, changed at random behind their versions. */
ifReal('packages changed at random give a mesh or a FormatError', async () => {
  const layouts = new Map<string, { bytes: Uint8Array; stem: string }>()
  for (const one of [...realPackages(), ...sourcePackages('StaticMesh', 'SkeletalMesh')]) {
    if (one.bytes.length > 80_000) continue
    const key = 'asset_class' in one.expected ? one.expected.asset_class : `${one.expected.class} ${one.expected.engine}`
    if (/^(Static|Skeletal)Mesh/.test(key) && !layouts.has(key)) layouts.set(key, one)
  }
  expect(layouts.size).toBeGreaterThan(4)
  const random = randomNumbers(23)
  const outcomes = { meshes: 0, errors: 0 }
  for (const { bytes, stem } of layouts.values()) {
    for (let run = 0; run < 400; run++) {
      const copy = Buffer.from(bytes)
      for (let changes = 1 + (random() % 4); changes > 0; changes--) change(copy, random)
      const source = await readSource(copy, { stem }).catch((error: unknown) => {
        if (error instanceof FormatError) return error
        throw error
      })
      if (source instanceof FormatError) outcomes.errors++
      else if (source?.kind === 'mesh') outcomes.meshes++
    }
  }
  expect(Math.min(outcomes.meshes, outcomes.errors)).toBeGreaterThan(100)
})

/** A byte, or a number of four bytes at an extreme. */
function change(bytes: Buffer, random: () => number): void {
  const at = random() % (bytes.length - 4)
  if (random() % 2 === 0) bytes[at] = random()
  else bytes.writeUInt32LE([0, 0xffffffff, 0x7fffffff, 1_000_000_000, 0x7fc00000][random() % 5] ?? 0, at)
}

/** The same numbers each time: a linear congruence of 32 bits. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state >>> 8
  }
}
