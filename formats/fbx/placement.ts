// Where the models of an FBX scene stand: each one's own transformation, and those of all models above it.
// Source: "Computing transformation matrices", FBX SDK help; rotation order and pivots as Blender's importer reads them.
import { product, still, type Transform } from '../source/transform.ts'
import { type FbxRecord, lastNumber, propertiesOf } from './records.ts'

/** Deeper than any skeleton. */
const maxDepth = 500

/** Of a model: where it stands. */
export const placementProperties = new Set([
  ...['RotationActive', 'RotationOrder', 'RotationPivot', 'RotationOffset', 'PreRotation', 'PostRotation'],
  ...['Lcl Translation', 'Lcl Rotation', 'Lcl Scaling', 'ScalingPivot', 'ScalingOffset'],
  ...['GeometricTranslation', 'GeometricRotation', 'GeometricScaling'],
])

/** Gives the transforms of models in their scene, and remembers them. */
export class FbxTransforms {
  readonly #models: ReadonlyMap<string, FbxRecord>
  readonly #parents: ReadonlyMap<string, string>
  readonly #known = new Map<string, Transform | null>()
  /** Of the meshes of models: many meshes may stand in one. */
  readonly #knownOfMeshes = new Map<string, Transform | null>()

  /** Models and their parents by the keys that connections use. */
  constructor(models: ReadonlyMap<string, FbxRecord>, parents: ReadonlyMap<string, string>) {
    this.#models = models
    this.#parents = parents
  }

  /** What brings a model's vertices to where the scene shows them; null below too many models, or in a circle. */
  transformOfMesh(key: string): Transform | null {
    const known = this.#knownOfMeshes.get(key)
    if (known !== undefined) return known
    const model = this.#models.get(key)
    const above = this.#transformOf(key)
    const found = model && above ? product(above, geometricTransform(model)) : null
    this.#knownOfMeshes.set(key, found)
    return found
  }

  #transformOf(key: string): Transform | null {
    const above: string[] = []
    let known: Transform | null = still
    for (let at: string | undefined = key; at !== undefined && this.#models.has(at); at = this.#parents.get(at)) {
      const found = this.#known.get(at)
      if (found !== undefined) {
        known = found
        break
      }
      if (above.push(at) > maxDepth) return null
    }
    for (const model of above.reverse()) {
      known = known && product(known, ownTransform(this.#models.get(model)))
      this.#known.set(model, known)
    }
    return known
  }
}

/** Unreal's axes as a file names its own: X is its `CoordAxis`, Y its `FrontAxis` (towards the one who looks), Z its `UpAxis`. */
const axisSettings = [
  { name: 'CoordAxis', usual: 0 },
  { name: 'FrontAxis', usual: 2 },
  { name: 'UpAxis', usual: 1 },
]

/** Of the settings of a file: its axes and unit. */
export const axisProperties = new Set(['UnitScaleFactor', ...axisSettings.flatMap(({ name }) => [name, `${name}Sign`])])

/**
 * What brings a scene to Unreal's axes and centimetres, by the properties of its `GlobalSettings`: with Y up (x, y, z) becomes (x, z, y),
 * with Z up (x, -y, z), as Unreal's importer does it, times `UnitScaleFactor`, which counts centimetres. Axes that contradict each other
 * are taken for Y up.
 */
export function unrealTransform(settings: ReadonlyMap<string, FbxRecord>): Transform {
  const scale = lastNumber(settings.get('UnitScaleFactor')) ?? 1
  const unit = scale > 0 ? scale : 1
  const stated = axisSettings.map(({ name, usual }) => lastNumber(settings.get(name)) ?? usual)
  const isSound = [0, 1, 2].every((axis) => stated.includes(axis))
  return axisSettings.flatMap(({ name, usual }, row) => {
    const sign = isSound && (lastNumber(settings.get(`${name}Sign`)) ?? 1) < 0 ? -1 : 1
    const axis = isSound ? stated[row] : usual
    return [0, 1, 2, 3].map((column) => (column === axis ? sign * unit : 0))
  })
}

type Vector = [x: number, y: number, z: number]

/** T Roff Rp Rpre R Rpost^-1 Rp^-1 Soff Sp S Sp^-1; the rotations before and after count only where the file says so. */
function ownTransform(model: FbxRecord | undefined): Transform {
  const properties = propertiesOf(model)
  const vector = (name: string, usual = 0) => vectorOf(properties.get(name), usual)
  const isTurning = lastNumber(properties.get('RotationActive')) === 1
  const order = isTurning ? (lastNumber(properties.get('RotationOrder')) ?? 0) : 0
  const around = (pivot: Vector, inside: Transform[]) => [translation(pivot), ...inside, translation(negative(pivot))]
  const rotations = [rotation(vector('Lcl Rotation'), order)]
  if (isTurning) {
    rotations.unshift(rotation(vector('PreRotation')))
    rotations.push(transposed(rotation(vector('PostRotation'))))
  }
  return [
    translation(vector('Lcl Translation')),
    translation(vector('RotationOffset')),
    ...around(vector('RotationPivot'), rotations),
    translation(vector('ScalingOffset')),
    ...around(vector('ScalingPivot'), [scaling(vector('Lcl Scaling', 1))]),
  ].reduce(product)
}

/** Of the model's own mesh only; models below it are not touched. */
function geometricTransform(model: FbxRecord): Transform {
  const properties = propertiesOf(model)
  const vector = (name: string, usual = 0) => vectorOf(properties.get(name), usual)
  const [moved, rotated] = [translation(vector('GeometricTranslation')), rotation(vector('GeometricRotation'))]
  return product(product(moved, rotated), scaling(vector('GeometricScaling', 1)))
}

/** The last three values of a property. */
function vectorOf(property: FbxRecord | undefined, usual: number): Vector {
  const numbers = (property?.values ?? []).slice(-3).map(Number)
  if (numbers.length < 3 || !numbers.every(Number.isFinite)) return [usual, usual, usual]
  return numbers as Vector
}

const translation = ([x, y, z]: Vector): Transform => [1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z]
const scaling = ([x, y, z]: Vector): Transform => [x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0]
const negative = ([x, y, z]: Vector): Vector => [-x, -y, -z]

/** Axes in the order in which they rotate a point, by the number that `RotationOrder` gives. */
const rotationOrders = ['xyz', 'xzy', 'yzx', 'yxz', 'zxy', 'zyx']

function rotation([x, y, z]: Vector, order = 0): Transform {
  const about: Record<string, Transform> = { x: aboutX(x), y: aboutY(y), z: aboutZ(z) }
  const axes = rotationOrders[order] ?? 'xyz'
  return [...axes].reduce((rotated, axis) => product(about[axis] ?? still, rotated), still)
}

const cosAndSin = (degrees: number) => {
  const radians = (degrees * Math.PI) / 180
  return [Math.cos(radians), Math.sin(radians)] as const
}

function aboutX(degrees: number): Transform {
  const [cos, sin] = cosAndSin(degrees)
  return [1, 0, 0, 0, 0, cos, -sin, 0, 0, sin, cos, 0]
}

function aboutY(degrees: number): Transform {
  const [cos, sin] = cosAndSin(degrees)
  return [cos, 0, sin, 0, 0, 1, 0, 0, -sin, 0, cos, 0]
}

function aboutZ(degrees: number): Transform {
  const [cos, sin] = cosAndSin(degrees)
  return [cos, -sin, 0, 0, sin, cos, 0, 0, 0, 0, 1, 0]
}

/** The inverse of a rotation. */
function transposed(rotation: Transform): Transform {
  return still.map((_, at) => (at % 4 === 3 ? 0 : (rotation[(at % 4) * 4 + Math.floor(at / 4)] ?? 0)))
}
