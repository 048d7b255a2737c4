// Smooth noise in three dimensions, the grain of every sample surface.
import { randomNumbers } from './random.ts'

type Point = readonly [number, number, number]

/** A shuffled 0 to 255, from which the value at every lattice point is looked up. */
const order = Uint8Array.from({ length: 256 }, (_, index) => index)
const random = randomNumbers('noise')
for (let at = 255; at > 0; at--) {
  const other = Math.floor(random() * (at + 1))
  const value = order[at] ?? 0
  order[at] = order[other] ?? 0
  order[other] = value
}

/** From 0 to 1, the same for the same place and seed on every machine. */
export function noise(point: Point, seed = 0): number {
  const [x, y, z] = point
  const [cellX, cellY, cellZ] = [Math.floor(x), Math.floor(y), Math.floor(z) + seed * 37]
  const [partX, partY, partZ] = [smooth(x - cellX), smooth(y - cellY), smooth(z - Math.floor(z))]
  const near = lookup(cellX)
  const far = lookup(cellX + 1)
  const nearLow = lookup(near + cellY)
  const nearHigh = lookup(near + cellY + 1)
  const farLow = lookup(far + cellY)
  const farHigh = lookup(far + cellY + 1)
  const front = mix(
    mix(lookup(nearLow + cellZ), lookup(farLow + cellZ), partX),
    mix(lookup(nearHigh + cellZ), lookup(farHigh + cellZ), partX),
    partY,
  )
  const next = cellZ + 1
  const back = mix(
    mix(lookup(nearLow + next), lookup(farLow + next), partX),
    mix(lookup(nearHigh + next), lookup(farHigh + next), partX),
    partY,
  )
  return mix(front, back, partZ) / 255
}

/** Three layers of noise, each twice as fine and half as strong. */
export function roughness([x, y, z]: Point, seed = 0): number {
  const coarse = noise([x, y, z], seed)
  const middle = noise([x * 2, y * 2, z * 2], seed)
  const fine = noise([x * 4, y * 4, z * 4], seed)
  return (coarse * 4 + middle * 2 + fine) / 7
}

export function mix(from: number, to: number, part: number): number {
  return from + (to - from) * part
}

function smooth(part: number): number {
  return part * part * (3 - 2 * part)
}

function lookup(at: number): number {
  return order[at & 255] ?? 0
}
