// Where the models of an FBX scene stand: each one's own transformation, and those of all models above it.
// Source: "Computing transformation matrices", FBX SDK help; rotation order and pivots as Blender's importer reads them.
import { type FbxRecord, lastNumber, propertiesOf } from './records.ts'

/** Three rows of four: how a point is turned and stretched, then moved. */
export type Place = readonly number[]

/** Deeper than any skeleton. */
const maxDepth = 500
const still: Place = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]

/** Gives the places of models in their scene; what is asked again is remembered. */
export class FbxPlaces {
  readonly #models: ReadonlyMap<string, FbxRecord>
  readonly #parents: ReadonlyMap<string, string>
  readonly #known = new Map<string, Place | null>()

  /** Models and their parents by the keys that connections use. */
  constructor(models: ReadonlyMap<string, FbxRecord>, parents: ReadonlyMap<string, string>) {
    this.#models = models
    this.#parents = parents
  }

  /** What brings a model's vertices to where the scene shows them; null below too many models, or in a circle. */
  placeOfMesh(key: string): Place | null {
    const model = this.#models.get(key)
    const place = this.#placeOf(key)
    return model && place ? product(place, geometricPlace(model)) : null
  }

  #placeOf(key: string): Place | null {
    const above: string[] = []
    let known: Place | null = still
    for (let at: string | undefined = key; at !== undefined && this.#models.has(at); at = this.#parents.get(at)) {
      const found = this.#known.get(at)
      if (found !== undefined) {
        known = found
        break
      }
      if (above.push(at) > maxDepth) return null
    }
    for (const model of above.reverse()) {
      known = known && product(known, ownPlace(this.#models.get(model)))
      this.#known.set(model, known)
    }
    return known
  }
}

/** Into `to`, which is filled anew each time: no garbage for every vertex. */
export function transform(place: Place, point: Float64Array, to: Float64Array): void {
  const [x = 0, y = 0, z = 0] = point
  for (let row = 0; row < 3; row++) {
    const at = row * 4
    to[row] = (place[at] ?? 0) * x + (place[at + 1] ?? 0) * y + (place[at + 2] ?? 0) * z + (place[at + 3] ?? 0)
  }
}

type Vector = [x: number, y: number, z: number]

/** T Roff Rp Rpre R Rpost^-1 Rp^-1 Soff Sp S Sp^-1; the turns before and after count only where the file says so. */
function ownPlace(model: FbxRecord | undefined): Place {
  const properties = propertiesOf(model)
  const vector = (name: string, usual = 0) => vectorOf(properties.get(name), usual)
  const isTurning = lastNumber(properties.get('RotationActive')) === 1
  const order = isTurning ? (lastNumber(properties.get('RotationOrder')) ?? 0) : 0
  const around = (pivot: Vector, inside: Place[]) => [moving(pivot), ...inside, moving(negative(pivot))]
  const turns = [turning(vector('Lcl Rotation'), order)]
  if (isTurning) {
    turns.unshift(turning(vector('PreRotation')))
    turns.push(transposed(turning(vector('PostRotation'))))
  }
  return [
    moving(vector('Lcl Translation')),
    moving(vector('RotationOffset')),
    ...around(vector('RotationPivot'), turns),
    moving(vector('ScalingOffset')),
    ...around(vector('ScalingPivot'), [scaling(vector('Lcl Scaling', 1))]),
  ].reduce(product)
}

/** Of the model's own mesh only; models below it are not touched. */
function geometricPlace(model: FbxRecord): Place {
  const properties = propertiesOf(model)
  const vector = (name: string, usual = 0) => vectorOf(properties.get(name), usual)
  const [moved, turned] = [moving(vector('GeometricTranslation')), turning(vector('GeometricRotation'))]
  return product(product(moved, turned), scaling(vector('GeometricScaling', 1)))
}

/** The last three values of a property. */
function vectorOf(property: FbxRecord | undefined, usual: number): Vector {
  const numbers = (property?.values ?? []).slice(-3).map(Number)
  if (numbers.length < 3 || !numbers.every(Number.isFinite)) return [usual, usual, usual]
  return numbers as Vector
}

function product(left: Place, right: Place): Place {
  const cell = (row: number, column: number) => {
    let sum = column === 3 ? (left[row * 4 + 3] ?? 0) : 0
    for (let inner = 0; inner < 3; inner++) sum += (left[row * 4 + inner] ?? 0) * (right[inner * 4 + column] ?? 0)
    return sum
  }
  return still.map((_, at) => cell(Math.floor(at / 4), at % 4))
}

const moving = ([x, y, z]: Vector): Place => [1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z]
const scaling = ([x, y, z]: Vector): Place => [x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0]
const negative = ([x, y, z]: Vector): Vector => [-x, -y, -z]

/** Axes in the order in which they turn a point, by the number that `RotationOrder` gives. */
const rotationOrders = ['xyz', 'xzy', 'yzx', 'yxz', 'zxy', 'zyx']

function turning([x, y, z]: Vector, order = 0): Place {
  const about: Record<string, Place> = { x: aboutX(x), y: aboutY(y), z: aboutZ(z) }
  const axes = rotationOrders[order] ?? 'xyz'
  return [...axes].reduce((turned, axis) => product(about[axis] ?? still, turned), still)
}

const turn = (degrees: number) => {
  const radians = (degrees * Math.PI) / 180
  return [Math.cos(radians), Math.sin(radians)] as const
}

function aboutX(degrees: number): Place {
  const [cos, sin] = turn(degrees)
  return [1, 0, 0, 0, 0, cos, -sin, 0, 0, sin, cos, 0]
}

function aboutY(degrees: number): Place {
  const [cos, sin] = turn(degrees)
  return [cos, 0, sin, 0, 0, 1, 0, 0, -sin, 0, cos, 0]
}

function aboutZ(degrees: number): Place {
  const [cos, sin] = turn(degrees)
  return [cos, -sin, 0, 0, sin, cos, 0, 0, 0, 0, 1, 0]
}

/** The way back, for a place that only turns. */
function transposed(place: Place): Place {
  return still.map((_, at) => (at % 4 === 3 ? 0 : (place[(at % 4) * 4 + Math.floor(at / 4)] ?? 0)))
}
