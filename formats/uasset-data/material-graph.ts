// The graph of a material: which texture or colour its base colour leads to. Nothing is evaluated; the nearest one counts.
import { referencedPackage } from './material-reference.ts'
import type { OpenPackage } from './package.ts'
import { type Properties, readObjectProperties } from './properties.ts'

/** Red, green, blue, alpha: linear light, as the engine stores it; no bounds. */
export type LinearColor = [number, number, number, number]

/** `parameter` is the name by which instances replace the value; null where they cannot. */
export interface MaterialTexture {
  parameter: string | null
  /** Long name of the texture's package. */
  package: string
}

export interface MaterialColor {
  parameter: string | null
  color: LinearColor
}

/** With both, the texture is multiplied by the colour. */
export interface BaseColor {
  texture: MaterialTexture | null
  color: MaterialColor | null
}

/** Expressions that are looked at on the way; graphs branch, and may lead back. */
const maxSteps = 256
/** What a parameter is called that has no name of its own. */
const unnamed = 'Param'

/** Begins at the inputs of a material: what it is lit with, or what shines of itself. Null where they lead to neither. */
export function baseColorOf(from: OpenPackage, inputs: Properties): BaseColor | null {
  for (const name of ['BaseColor', 'EmissiveColor']) {
    const color = inputs.inputColor(name)
    if (color) return { texture: null, color: { parameter: null, color: ofBytes(color) } }
    const found = new Walk(from).look(inputs.input(name))
    if (found.texture || found.color) return found
  }
  return null
}

/** The texture of an expression; undefined where it has none. */
export function textureOf(from: OpenPackage, expression: Properties, isParameter: boolean): MaterialTexture | undefined {
  const found = referencedPackage(from, expression.object('Texture') ?? 0)
  return found === null ? undefined : { parameter: isParameter ? parameterOf(expression) : null, package: found }
}

export const parameterOf = (expression: Properties): string => expression.text('ParameterName') ?? unnamed

export const asColor = ([red = 0, green = 0, blue = 0, alpha = 1]: readonly number[]): LinearColor => [red, green, blue, alpha]

/** A screen's bytes as linear light. */
const ofBytes = ([red = 0, green = 0, blue = 0, alpha = 255]: readonly number[]): LinearColor => {
  const light = (byte: number) => (byte / 255) ** 2.2
  return [light(red), light(green), light(blue), alpha / 255]
}

const nothing: BaseColor = { texture: null, color: null }

/** Each expression is looked at once. */
class Walk {
  readonly #from: OpenPackage
  readonly #seen = new Set<number>()

  constructor(from: OpenPackage) {
    this.#from = from
  }

  /** `reference` counts as those of `Properties.object`. */
  look(reference = 0): BaseColor {
    const index = reference - 1
    if (index < 0 || this.#seen.has(index) || this.#seen.size >= maxSteps) return nothing
    this.#seen.add(index)
    const kind = this.#from.className(index).replace('MaterialExpression', '')
    const expression = readObjectProperties(this.#from.object(index))
    const isParameter = kind.includes('Parameter')
    const texture = textureOf(this.#from, expression, isParameter)
    if (texture) return { texture, color: null }
    const color = colorOf(kind, expression)
    if (color) return { texture: null, color: { parameter: isParameter ? parameterOf(expression) : null, color } }
    const inputs = expression.inputNames().map((name) => expression.input(name))
    return kind === 'Multiply' ? this.#product(inputs) : this.#first(inputs)
  }

  #first(inputs: readonly (number | undefined)[]): BaseColor {
    let best = nothing
    for (const input of inputs) {
      const found = this.look(input)
      if (found.texture) return found
      if (!best.color) best = found
    }
    return best
  }

  /** A texture times a colour is common, and the colour an instance's own. */
  #product(inputs: readonly (number | undefined)[]): BaseColor {
    const found = inputs.map((input) => this.look(input))
    const texture = found.find((one) => one.texture)?.texture ?? null
    return { texture, color: found.find((one) => one.color)?.color ?? null }
  }
}

/** Of an expression that is a colour by itself. A number alone is a grey only where a material holds it, not as a factor. */
function colorOf(kind: string, expression: Properties): LinearColor | undefined {
  if (kind === 'VectorParameter') return asColor(expression.tuple('DefaultValue') ?? [0, 0, 0, 0])
  if (kind === 'Constant3Vector' || kind === 'Constant4Vector') return asColor(expression.tuple('Constant') ?? [0, 0, 0, 1])
  if (kind !== 'Constant') return undefined
  const grey = expression.number('R') ?? 0
  return [grey, grey, grey, 1]
}
