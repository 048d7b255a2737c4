// Where things stand in a scene: matrices that turn, scale and move points, and how they turn normals.

/** Three rows of four: how a point is rotated and scaled, then moved. */
export type Transform = readonly number[]

export const still: Transform = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]

/** First `right`, then `left`. */
export function product(left: Transform, right: Transform): Transform {
  const cell = (row: number, column: number) => {
    let sum = column === 3 ? (left[row * 4 + 3] ?? 0) : 0
    for (let inner = 0; inner < 3; inner++) sum += (left[row * 4 + inner] ?? 0) * (right[inner * 4 + column] ?? 0)
    return sum
  }
  return still.map((_, at) => cell(Math.floor(at / 4), at % 4))
}

/** Into `to`, which is filled anew each time: no garbage for every vertex. */
export function transform(by: Transform, point: Float64Array, to: Float64Array): void {
  const [x = 0, y = 0, z = 0] = point
  for (let row = 0; row < 3; row++) {
    const at = row * 4
    to[row] = (by[at] ?? 0) * x + (by[at + 1] ?? 0) * y + (by[at + 2] ?? 0) * z + (by[at + 3] ?? 0)
  }
}

/** Whether it makes a left hand of a right one. */
export function isMirroring(by: Transform): boolean {
  const cofactors = cofactorsOf(by)
  return (by[0] ?? 0) * (cofactors[0] ?? 0) + (by[1] ?? 0) * (cofactors[1] ?? 0) + (by[2] ?? 0) * (cofactors[2] ?? 0) < 0
}

/** What turns normals as `by` turns surfaces; their length is lost. Also where it flattens them. */
export function normalTransform(by: Transform): Transform {
  const cofactors = cofactorsOf(by)
  return isMirroring(by) ? cofactors.map((cofactor) => -cofactor) : cofactors
}

function cofactorsOf(by: Transform): Transform {
  const cell = (row: number, column: number) => by[(row % 3) * 4 + (column % 3)] ?? 0
  return still.map((_, at) => {
    const [row, column] = [Math.floor(at / 4), at % 4]
    if (column === 3) return 0
    return cell(row + 1, column + 1) * cell(row + 2, column + 2) - cell(row + 1, column + 2) * cell(row + 2, column + 1)
  })
}
