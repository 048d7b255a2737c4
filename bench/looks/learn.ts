/**
 * Makes server/looks/descriptor/matrix.bin out of drawn pictures: `npx node bench/looks/learn.ts [--pictures 1400]`.
 *
 * It looks for the directions in which pictures differ from each other most, measured by how much a picture differs from its own changed
 * copies (linear discriminant analysis). The same machine makes the same file.
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { CholeskyDecomposition, EigenvalueDecomposition, inverse, Matrix as Square } from 'ml-matrix'
import { smallPicture } from '../../formats/image.ts'
import { randomNumbers } from '../../sample/random.ts'
import { contentOf, questionsOf } from '../../server/looks/descriptor/descriptor.ts'
import { formsLength, formsOf } from '../../server/looks/descriptor/forms.ts'
import { type Matrix, matrixBytes, shapeLength } from '../../server/looks/descriptor/matrix.ts'
import { panelOf } from '../../server/looks/descriptor/panel.ts'
import { drawnPng } from '../../test/support/drawn-props.ts'
import { changeNames, pictureChanges } from '../../test/support/picture-changes.ts'

/** Of the mean variance within a picture's copies: what is added in every direction, so that hardly seen ones do not count without end. */
const doubt = 0.3

const { values } = parseArgs({ options: { pictures: { type: 'string', default: '1400' } } })
const count = Number(values.pictures)

const sum = new Float64Array(formsLength)
/** Lower triangles, row by row. */
const among = new Float64Array(formsLength ** 2)
const within = new Float64Array(formsLength ** 2)
let copies = 0

for (let index = 0; index < count; index++) {
  const png = await drawnPng('learn', index)
  const forms = formsOf(panelOf(contentOf(await smallPicture(png, 256))))
  for (let at = 0; at < formsLength; at++) sum[at] = (sum[at] ?? 0) + (forms[at] ?? 0)
  addSquare(among, forms)
  const random = randomNumbers(`change ${index}`)
  for (const name of changeNames) {
    const changed = await pictureChanges[name](png, random)
    addSquare(within, await nearestDifference(changed, forms, name.startsWith('mirrored')))
    copies++
  }
  if (index % 100 === 99) console.error(`${index + 1} of ${count} pictures`)
}

writeFileSync(new URL('../../server/looks/descriptor/matrix.bin', import.meta.url), matrixBytes(learned()))

function addSquare(square: Float64Array, values: Float32Array): void {
  for (let row = 0; row < formsLength; row++) {
    const by = values[row] ?? 0
    if (by === 0) continue
    const from = row * formsLength
    for (let column = 0; column <= row; column++)
      square[from + column] = (square[from + column] ?? 0) + by * (values[column] ?? 0)
  }
}

/** Of a changed copy, in the view of it that comes nearest. */
async function nearestDifference(changed: Uint8Array, forms: Float32Array, mirrored: boolean): Promise<Float32Array> {
  const differences = questionsOf(await smallPicture(changed, 256)).map((content) => {
    const own = formsOf(panelOf(content, mirrored))
    return own.map((value, at) => value - (forms[at] ?? 0))
  })
  const size = (values: Float32Array) => values.reduce((total, value) => total + value * value, 0)
  return differences.reduce((best, one) => (size(one) < size(best) ? one : best))
}

function learned(): Matrix {
  const mean = Float32Array.from(sum, (value) => value / count)
  const spread = symmetric(
    (row, column) => (among[row * formsLength + column] ?? 0) / count - (mean[row] ?? 0) * (mean[column] ?? 0),
  )
  const noise = symmetric((row, column) => (within[row * formsLength + column] ?? 0) / copies)
  const more = (doubt * noise.trace()) / formsLength
  for (let at = 0; at < formsLength; at++) noise.set(at, at, noise.get(at, at) + more)
  const whitening = inverse(new CholeskyDecomposition(noise).lowerTriangularMatrix)
  const whitened = whitening.mmul(spread).mmul(whitening.transpose())
  const { eigenvectorMatrix } = new EigenvalueDecomposition(whitened, { assumeSymmetric: true })
  const best = Array.from({ length: shapeLength }, (_, row) => eigenvectorMatrix.getColumn(formsLength - 1 - row))
  const directions = new Square(best).mmul(whitening)
  const scale = new Float32Array(shapeLength)
  const rows = new Int8Array(shapeLength * formsLength)
  for (let row = 0; row < shapeLength; row++) {
    const own = directions.getRow(row)
    scale[row] = own.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127
    for (let at = 0; at < formsLength; at++) rows[row * formsLength + at] = Math.round((own[at] ?? 0) / (scale[row] || 1))
  }
  return { mean, scale, rows }
}

function symmetric(valueAt: (row: number, column: number) => number): Square {
  const square = Square.zeros(formsLength, formsLength)
  for (let row = 0; row < formsLength; row++) {
    for (let column = 0; column <= row; column++) {
      const value = valueAt(row, column)
      square.set(row, column, value)
      square.set(column, row, value)
    }
  }
  return square
}
