// What materials paint with: graphs and instances out of real packages, and ones that lead nowhere or in a circle.
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readMaterial } from '../../formats/uasset-data/material.ts'
import { baseColorOf } from '../../formats/uasset-data/material-graph.ts'
import { readObjectProperties } from '../../formats/uasset-data/properties.ts'
import { type ObjectBytes, type PackageOfObjects, packageOfObjects } from '../support/mesh-objects.ts'
import { fixtureFolder } from '../support/real-packages.ts'
import { sourcePackage, stem } from '../support/source-package.ts'

const factsOf = (path: string) =>
  readMaterial(readFileSync(join(fixtureFolder ?? '', 'content', `${path}.uasset`)), { stem: basename(path) })

describe.runIf(fixtureFolder)('materials saved by editors', () => {
  test('a base colour that is a texture', () => {
    const path = 'AirSim/Plugins/AirSim/Content/Models/QuadRotor1/Material_002'
    expect(factsOf(path)?.baseColor).toEqual({
      texture: { parameter: null, package: '/AirSim/Models/QuadRotor1/T_QuadCopter_Frame' },
      color: null,
    })
  })

  test('a texture that is multiplied by a colour, both of them parameters', () => {
    const path = 'UXTools/Plugins/UXToolsExamples/Content/Common/Assets/Materials/M_SimpleLit_Textured'
    expect(factsOf(path)?.baseColor).toEqual({
      texture: { parameter: 'Base Texture', package: '/Engine/EngineResources/Bad' },
      color: { parameter: 'Base Color', color: [1, 1, 1, 1] },
    })
  })

  test.each([
    ['before 5.1', 'UXTools/Plugins/UXTools/Content/Materials/M_SimpleLit_Color', [1, 1, 1, 1]],
    [
      'since 5.1, in an object of its own',
      'KawaiiPhysicsSample/Content/KawaiiPhysicsSample/Other/Stage/Material/M_Solid',
      [0.18, 0.18, 0.18, 1],
    ],
  ])('a colour that instances replace, %s', (_, path, color) => {
    const found = factsOf(path)?.baseColor?.color
    expect(found?.parameter).toBe('Base Color')
    expect(found?.color.map((light) => Math.round(light * 1000) / 1000)).toEqual(color)
  })

  test('a number alone is a grey', () => {
    const path = 'KawaiiPhysicsSample-2020/Content/KawaiiPhysicsSample/Chain/M_Metal_Lighter'
    expect(factsOf(path)).toMatchObject({
      parent: null,
      isMasked: false,
      baseColor: { texture: null, color: { color: [1, 1, 1, 1] } },
    })
  })

  test('an instance gives its parent and the values that it replaces', () => {
    const facts = factsOf('UXTools/Plugins/UXToolsExamples/Content/Common/Assets/CoffeeCup/MI_Coffee')
    expect(facts).toEqual({
      isMasked: null,
      parent: '/UXToolsExamples/Common/Assets/CoffeeCup/M_CoffeeCup',
      baseColor: null,
      textures: [{ parameter: 'ColorMap', package: '/UXToolsExamples/Common/Assets/CoffeeCup/T_CoffeeFoam' }],
      colors: [],
    })
  })

  test('a package of another class is no material', () => {
    expect(factsOf('UXTools/Plugins/UXToolsExamples/Content/Common/Assets/Cheese/SM_Cheese')).toBeUndefined()
  })
})

test.each(['4.26.2', '5.3.2', '5.5.4'])(
  'an instance that makes its material masked says so, in a package of %s',
  async (engine) => {
    const bytes = await sourcePackage({
      assetClass: 'MaterialInstanceConstant',
      engine,
      properties: (out) =>
        out.struct('BasePropertyOverrides', 'MaterialInstanceBasePropertyOverrides', (inner) =>
          inner
            .property('bOverride_BlendMode', ['BoolProperty'], true)
            .property('BlendMode', ['ByteProperty', ['EBlendMode']], (value) => value.name('BLEND_Masked')),
        ),
    })
    expect(readMaterial(bytes, { stem })).toMatchObject({ isMasked: true, parent: null })
  },
)

/** Expressions by number, from 1 on; each of a class, with what it is connected to. */
type Expression = { class: string; inputs?: number[]; constant?: number[] }

async function graph(expressions: readonly Expression[]): Promise<PackageOfObjects> {
  const from = await packageOfObjects({ core: 1 }, [
    'ExpressionInput',
    'A',
    'B',
    'LinearColor',
    'Constant',
    'BaseColor',
    'ColorMaterialInput',
  ])
  const classes = expressions.map((expression) => `MaterialExpression${expression.class}`)
  from.objects.push(...expressions.map((expression) => objectOf(from, expression).end().toBuffer()))
  return Object.assign(from, { className: (index: number) => classes[index] ?? '' })
}

function objectOf(from: PackageOfObjects, { inputs = [], constant }: Expression): ObjectBytes {
  const out = from.write()
  for (const [index, input] of inputs.entries())
    out.struct(index === 0 ? 'A' : 'B', 'ExpressionInput', from.write().i32(input).raw(Buffer.alloc(32)).toBuffer())
  if (constant)
    out.struct(
      'Constant',
      'LinearColor',
      from
        .write()
        .f32(...constant)
        .toBuffer(),
    )
  return out
}

async function baseColor(expressions: readonly Expression[]) {
  const from = await graph(expressions)
  const material = from.write().struct('BaseColor', 'ColorMaterialInput', from.write().i32(1).raw(Buffer.alloc(40)).toBuffer())
  from.objects.push(material.end().toBuffer())
  return baseColorOf(from, readObjectProperties(from.object(expressions.length)))
}

const red = [1, 0, 0, 1]

test('a graph that leads back to itself ends, with what else it leads to', async () => {
  expect(
    await baseColor([
      { class: 'Add', inputs: [1, 2] },
      { class: 'Constant3Vector', constant: red },
    ]),
  ).toEqual({
    texture: null,
    color: { parameter: null, color: red },
  })
  expect(
    await baseColor([
      { class: 'Add', inputs: [2, 2] },
      { class: 'Add', inputs: [1, 1] },
    ]),
  ).toBeNull()
})

test('a graph is followed through 256 expressions and no further', async () => {
  const chain = (length: number): Expression[] => [
    ...Array.from({ length: length - 1 }, (_, index) => ({ class: 'Saturate', inputs: [index + 2] })),
    { class: 'Constant3Vector', constant: red },
  ]
  expect((await baseColor(chain(256)))?.color?.color).toEqual(red)
  expect(await baseColor(chain(257))).toBeNull()
})

test('connections to objects that are not there lead nowhere', async () => {
  expect(await baseColor([{ class: 'Add', inputs: [-5, 0] }])).toBeNull()
})
