// What a material paints a mesh with: the texture or colour that its base colour leads to. The graph itself is not evaluated.
import { inKnownLayout } from '../uasset/header.ts'
import {
  asColor,
  type BaseColor,
  baseColorOf,
  type MaterialColor,
  type MaterialTexture,
  parameterOf,
  textureOf,
} from './material-graph.ts'
import { referencedPackage } from './material-reference.ts'
import { type OpenPackage, openPackage } from './package.ts'
import { type Properties, readObjectProperties } from './properties.ts'

export interface MaterialFacts {
  /** Whether it cuts holes where its opacity is low; null where an instance leaves that to its parent. */
  isMasked: boolean | null
  /** Of an instance: the package of the material that it changes. */
  parent: string | null
  /** Of a graph; null for instances, and where nothing was found. */
  baseColor: BaseColor | null
  /** Of an instance: the values it sets; of a graph: all of its named ones. In the order of the file. */
  textures: MaterialTexture[]
  colors: MaterialColor[]
}

/** Graphs of real materials have up to some hundred expressions. */
const maxExpressions = 20_000

/**
 * The facts of a package whose main asset is a material or an instance of one; undefined for all others. `bytes` is the whole file and `stem`
 * its name without extension. Throws FormatError, as `readSource` does.
 */
export function readMaterial(bytes: Uint8Array, { stem }: { stem: string }): MaterialFacts | undefined {
  const opened = openPackage(bytes)
  const index = opened.exports.mainAssetIndex(stem)
  if (index === undefined) return undefined
  try {
    const kind = opened.className(index)
    if (kind === 'Material') return graphFacts(opened, index)
    return kind === 'MaterialInstanceConstant' ? instanceFacts(opened, index) : undefined
  } catch (error) {
    throw inKnownLayout(opened.summary, error)
  }
}

function graphFacts(from: OpenPackage, index: number): MaterialFacts {
  const material = readObjectProperties(from.object(index))
  const textures: MaterialTexture[] = []
  const colors: MaterialColor[] = []
  for (let at = 0; at < Math.min(from.exports.count, maxExpressions); at++) {
    if (!/^MaterialExpression.*Parameter/.test(from.className(at))) continue
    const expression = readObjectProperties(from.object(at))
    const texture = textureOf(from, expression, true)
    const color = expression.tuple('DefaultValue')
    if (texture) textures.push(texture)
    if (color) colors.push({ parameter: parameterOf(expression), color: asColor(color) })
  }
  const blend = material.text('BlendMode')
  const held = material.object('EditorOnlyData') ?? 0
  const inputs = held > 0 ? readObjectProperties(from.object(held - 1)) : material
  return { isMasked: blend === 'BLEND_Masked', parent: null, baseColor: baseColorOf(from, inputs), textures, colors }
}

function instanceFacts(from: OpenPackage, index: number): MaterialFacts {
  const instance = readObjectProperties(from.object(index))
  const values = (name: string) => (instance.structs(name) ?? []).map((value) => ({ value, parameter: nameOf(value) }))
  const textures = values('TextureParameterValues').flatMap(({ value, parameter }) => {
    const found = referencedPackage(from, value.object('ParameterValue') ?? 0)
    return found === null ? [] : [{ parameter, package: found }]
  })
  const colors = values('VectorParameterValues').flatMap(({ value, parameter }) => {
    const color = value.tuple('ParameterValue')
    return color ? [{ parameter, color: asColor(color) }] : []
  })
  const overrides = instance.struct('BasePropertyOverrides')
  const isMasked = overrides?.bool('bOverride_BlendMode') ? overrides.text('BlendMode') === 'BLEND_Masked' : null
  const parent = referencedPackage(from, instance.object('Parent') ?? 0)
  return { isMasked, parent, baseColor: null, textures, colors }
}

/** Since 4.19 the name of a parameter stands in a struct. */
const nameOf = (value: Properties): string | null =>
  value.struct('ParameterInfo')?.text('Name') ?? value.text('ParameterName') ?? null
