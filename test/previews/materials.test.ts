/** The colours and textures of meshes: out of the packages beside them, and what becomes of packages that lead nowhere. */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { NodeIO } from '@gltf-transform/core'
import { describe, expect, test } from 'vitest'
import { openPackage } from '../../formats/uasset-data/package.ts'
import { readSource } from '../../formats/uasset-data/source.ts'
import { convert } from '../../previews/convert.ts'
import { drawMesh } from '../../previews/rasteriser.ts'
import { drawnLooks } from '../../previews/slot-surfaces.ts'
import { readFileSource } from '../../previews/source-data/file-source.ts'
import { type FindPackage, slotSurfaces } from '../../previews/source-data/materials.ts'
import { packagesBeside } from '../../previews/source-data/project-packages.ts'
import { glbIssues } from '../support/glb-issues.ts'
import { box, meshOf, sphere } from '../support/meshes.ts'
import { fixtureFolder } from '../support/real-packages.ts'
import { type ObjectBytes, sourcePackage } from '../support/source-package.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const inContent = (path: string) => join(fixtureFolder ?? '', 'content', `${path}.uasset`)

async function surfacesOf(path: string) {
  const source = await readSource(readFileSync(inContent(path)), { stem: basename(path) })
  if (source?.kind !== 'mesh') throw new Error('no mesh')
  return slotSurfaces(source.mesh, packagesBeside(inContent(path)))
}

describe.runIf(fixtureFolder)('meshes saved by editors', () => {
  test('an instance of a material of another plugin gives its colour', async () => {
    const [cheese, black] = await surfacesOf('UXTools/Plugins/UXToolsExamples/Content/Common/Assets/Cheese/SM_Cheese')
    expect(cheese?.color?.map((light) => Math.round(light * 100))).toEqual([69, 59, 6, 100])
    expect(black).toBeUndefined()
  })

  test('the instance of an instance gives the texture of the material behind both', async () => {
    const [cup, coffee] = await surfacesOf('UXTools/Plugins/UXToolsExamples/Content/Common/Assets/CoffeeCup/SM_CoffeeCup')
    expect(cup?.texture).toMatchObject({ width: 580, height: 580 })
    expect(coffee?.texture).toBe(cup?.texture)
  })

  test('the GLB of a mesh has its material, and its texture once', async () => {
    const path = inContent('UXTools/Plugins/UXToolsExamples/Content/Common/Assets/CoffeeCup/SM_CoffeeCup')
    const source = await readFileSource(path)
    if (source === undefined) throw new Error('no source')
    const { bytes } = await convert(source, packagesBeside(path))
    expect(await glbIssues(bytes)).toEqual([])
    const root = (await new NodeIO().readBinary(bytes)).getRoot()
    expect(root.listTextures().map((texture) => texture.getSize())).toEqual([[580, 580]])
    expect(root.listMaterials().map((material) => material.getBaseColorTexture())).toEqual([
      root.listTextures()[0],
      root.listTextures()[0],
    ])
  })
})

/** A mesh whose only slot has this material. */
const meshWith = (material: string) => ({ ...meshOf(box(1, 1, 1)), slots: [{ name: 'Body', material }] })

const engine = '5.5.4'

/** An instance of a package's material, which may be its own. */
async function instance(parent: string, values: (out: ObjectBytes) => void = () => {}): Promise<Buffer> {
  const spec = { assetClass: 'MaterialInstanceConstant', engine, imports: [parent] }
  const { imports } = openPackage(await sourcePackage(spec))
  const index = Array.from({ length: imports.count }, (_, at) => at).findLast((at) => imports.packageOf(at) === parent) ?? -1
  return sourcePackage({
    ...spec,
    properties: (out) => {
      out.property('Parent', ['ObjectProperty'], (value) => value.i32(-index - 1))
      values(out)
    },
  })
}

const finder = (packages: Record<string, Uint8Array>): FindPackage & { found: string[] } => {
  const found: string[] = []
  const find = async (name: string) => {
    found.push(name)
    return packages[name]
  }
  return Object.assign(find, { found })
}

const named = (parameter: string, color: number[]) => (out: ObjectBytes) =>
  out
    .struct('ParameterInfo', 'MaterialParameterInfo', (inner) =>
      inner.property('Name', ['NameProperty'], (value) => value.name(parameter)),
    )
    .property('ParameterValue', ['StructProperty', ['LinearColor']], (value) => value.f32(...color))
    .name('None')

test('where no graph is to be had, values that are called base colour count; light beyond white is white, and no number is black', async () => {
  const find = finder({
    '/Game/MI_Oak': await instance('/Game/M_Gone', (out) =>
      out.structs('VectorParameterValues', 'VectorParameterValue', [
        named('EdgeTint', [1, 1, 1, 1]),
        named('BaseColour', [7, Number.NaN, -1, 0]),
      ]),
    ),
  })
  expect(await slotSurfaces(meshWith('/Game/MI_Oak'), find)).toEqual([{ color: [1, 0, 0, 1], isMasked: false }])
})

test('instances that are each other’s parents are given up after twelve', async () => {
  const find = finder({ '/Game/A': await instance('/Game/B'), '/Game/B': await instance('/Game/A') })
  expect(await slotSurfaces(meshWith('/Game/A'), find)).toEqual([undefined])
  expect(find.found).toHaveLength(12)
})

test('a material that is damaged, or none, leaves its slot plain', async () => {
  const good = await instance('/Game/M_Gone')
  const damaged = finder({ '/Game/A': good.subarray(0, 700), '/Game/B': Buffer.from('not a package') })
  expect(await slotSurfaces(meshWith('/Game/A'), damaged)).toEqual([undefined])
  expect(await slotSurfaces(meshWith('/Game/B'), damaged)).toEqual([undefined])
})

test('a texture is drawn with 8 bits and at most 512 pixels a side', () => {
  const samples = { kind: 'u16', values: new Uint16Array(1024 * 2).fill(65_535) } as const
  const texture = { width: 1024, height: 2, channels: 1, samples } as const
  const [look, other] = drawnLooks([
    { texture, isMasked: false },
    { texture, isMasked: true },
  ])
  expect(look?.texture).toMatchObject({ width: 512, height: 1, samples: { kind: 'u8', values: new Uint8Array(512).fill(255) } })
  expect(other?.texture).toBe(look?.texture)
})

test('a white thing is drawn bright and nowhere cut off: its form is seen', () => {
  const looks = drawnLooks([{ color: [1, 1, 1, 1], isMasked: false }])
  const { values } = drawMesh(meshOf(sphere()), { looks, edgePx: 64 }).samples
  const shades = [...values].filter((_, at) => at % 4 === 0 && values[at + 3] === 255)
  expect(shades.filter((shade) => shade === 255)).toEqual([])
  expect(shades.filter((shade) => shade > 220).length).toBeGreaterThan(shades.length / 10)
  expect(drawnLooks([{ color: [0, 0.4, 0.8, 1], isMasked: false }])[0]?.color).toEqual([0, 0.4, 0.8, 1])
})

test('packages are found in the project and its plugins, and nowhere else', async () => {
  const project = temporaryFolder({
    'secret.uasset': 'secret',
    'Game/Content/Props/SM_Cup.uasset': 'mesh',
    'Game/Content/Props/M_Cup.uasset': 'cup',
    'Game/Plugins/Wood/Content/M_Oak.uasset': 'oak',
    'Game/Plugins/Shared/Stone/Content/M_Slate.uasset': 'slate',
  })
  const inProject = packagesBeside(join(project, 'Game/Content/Props/SM_Cup.uasset'))
  const inPlugin = packagesBeside(join(project, 'Game/Plugins/Shared/Stone/Content/SM_Wall.uasset'))
  const textOf = async (find: FindPackage, name: string) => String(await find(name))
  for (const find of [inProject, inPlugin]) {
    expect(await textOf(find, '/Game/Props/M_Cup')).toBe('cup')
    expect(await textOf(find, '/Wood/M_Oak')).toBe('oak')
    expect(await textOf(find, '/Stone/M_Slate')).toBe('slate')
    for (const name of ['/Game/../../secret', '/../secret', '/Game/Props', 'Game/Props/M_Cup', '/Engine/M_Grid', ''])
      expect(await find(name)).toBeUndefined()
  }
  expect(await packagesBeside(join(project, 'secret.uasset'))('/Game/Props/M_Cup')).toBeUndefined()
})
