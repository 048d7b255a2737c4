/** The forms in a panel as numbers: gradients by direction (HOG), energy by direction and scale (GIST), and light and outline in broad strokes. */
import { type Panel, panelPx } from './panel.ts'

const hog = { cells: 8, directions: 9 }
const gist = { cells: 4, directions: 6, scales: 3 }
const broad = { cells: 8 }
const hogLength = hog.cells ** 2 * hog.directions
const gistLength = gist.scales * gist.cells ** 2 * gist.directions
const broadLength = broad.cells ** 2

export const formsLength = hogLength + gistLength + 2 * broadLength

/** An outline counts as an edge from this shade to the next, so that it says the same on every background. */
const outlineStrength = 0.5

/** `formsLength` numbers; each kind of them has the length 1, or less where there is next to nothing of it. */
export function formsOf(panel: Panel): Float32Array {
  const forms = new Float32Array(formsLength)
  let image: Image = { side: panelPx, light: smoothed(panel.light, panelPx), shown: smoothed(panel.shown, panelPx) }
  writeHog(image, forms.subarray(0, hogLength))
  for (let scale = 0; scale < gist.scales; scale++) {
    const length = gistLength / gist.scales
    writeGist(image, forms.subarray(hogLength + scale * length, hogLength + (scale + 1) * length))
    image = halved(image)
  }
  const rest = forms.subarray(hogLength + gistLength)
  writeBroad(panel.light, rest.subarray(0, broadLength))
  writeBroad(panel.shown, rest.subarray(broadLength))
  return forms
}

interface Image {
  side: number
  light: Float32Array
  shown: Float32Array
}

/** With 1 2 1 both ways; the outermost pixels go on outside. */
function smoothed(from: Float32Array, side: number): Float32Array {
  const across = new Float32Array(from.length)
  const out = new Float32Array(from.length)
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const at = y * side + x
      const middle = from[at] ?? 0
      across[at] = ((x > 0 ? (from[at - 1] ?? 0) : middle) + 2 * middle + (x < side - 1 ? (from[at + 1] ?? 0) : middle)) / 4
    }
  }
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const at = y * side + x
      const middle = across[at] ?? 0
      out[at] =
        ((y > 0 ? (across[at - side] ?? 0) : middle) + 2 * middle + (y < side - 1 ? (across[at + side] ?? 0) : middle)) / 4
    }
  }
  return out
}

function halved({ side, light, shown }: Image): Image {
  const half = side / 2
  const shrink = (from: Float32Array): Float32Array => {
    const out = new Float32Array(half * half)
    for (let y = 0; y < half; y++) {
      for (let x = 0; x < half; x++) {
        const at = y * 2 * side + x * 2
        out[y * half + x] = ((from[at] ?? 0) + (from[at + 1] ?? 0) + (from[at + side] ?? 0) + (from[at + side + 1] ?? 0)) / 4
      }
    }
    return smoothed(out, half)
  }
  return { side: half, light: shrink(light), shown: shrink(shown) }
}

function writeHog({ side, light, shown }: Image, out: Float32Array): void {
  const cells = new Grid({ side, cells: hog.cells, values: hog.directions })
  for (let y = 1; y < side - 1; y++) {
    for (let x = 1; x < side - 1; x++) {
      const at = y * side + x
      cells.stand(x, y)
      addGradient(cells, (light[at + 1] ?? 0) - (light[at - 1] ?? 0), (light[at + side] ?? 0) - (light[at - side] ?? 0))
      const outlineX = ((shown[at + 1] ?? 0) - (shown[at - 1] ?? 0)) * outlineStrength
      const outlineY = ((shown[at + side] ?? 0) - (shown[at - side] ?? 0)) * outlineStrength
      if (outlineX !== 0 || outlineY !== 0) addGradient(cells, outlineX, outlineY)
    }
  }
  out.set(cells.sums)
  evenOut(out)
  toUnit(out)
}

/** To the two directions next to its own; light on dark is as dark on light. */
function addGradient(cells: Grid, dx: number, dy: number): void {
  const strength = Math.sqrt(dx * dx + dy * dy)
  if (strength < 1e-6) return
  const angle = Math.atan2(dy, dx)
  const turn = ((angle < 0 ? angle + Math.PI : angle) / Math.PI) * hog.directions
  const low = Math.floor(turn)
  const part = turn - low
  cells.add(low % hog.directions, strength * (1 - part))
  cells.add((low + 1) % hog.directions, strength * part)
}

/** Divides each cell by how much goes on around it, so that faint parts count too, noise in plain parts hardly. */
function evenOut(sums: Float32Array): void {
  const { cells, directions } = hog
  const energy = new Float64Array(cells * cells)
  let mean = 0
  for (let cell = 0; cell < energy.length; cell++) {
    for (let direction = 0; direction < directions; direction++)
      energy[cell] = (energy[cell] ?? 0) + (sums[cell * directions + direction] ?? 0)
    mean += (energy[cell] ?? 0) / energy.length
  }
  for (let row = 0; row < cells; row++) {
    for (let column = 0; column < cells; column++) {
      let around = 0
      let count = 0
      for (let y = Math.max(0, row - 1); y <= Math.min(cells - 1, row + 1); y++) {
        for (let x = Math.max(0, column - 1); x <= Math.min(cells - 1, column + 1); x++) {
          around += energy[y * cells + x] ?? 0
          count++
        }
      }
      const by = around / count + 0.5 * mean + 0.02
      const from = (row * cells + column) * directions
      for (let at = from; at < from + directions; at++) sums[at] = Math.sqrt((sums[at] ?? 0) / by)
    }
  }
}

const steers = Array.from({ length: gist.directions }, (_, direction) => {
  const angle = (direction / gist.directions) * Math.PI
  return { cosine: Math.cos(angle), sine: Math.sin(angle) }
})

/** First and second derivatives, steered: edges and lines of one direction give the same energy. */
function writeGist({ side, light, shown }: Image, out: Float32Array): void {
  const cells = new Grid({ side, cells: gist.cells, values: gist.directions })
  const image = light.map((value, at) => value + outlineStrength * (shown[at] ?? 0))
  for (let y = 1; y < side - 1; y++) {
    for (let x = 1; x < side - 1; x++) {
      const at = y * side + x
      const middle = image[at] ?? 0
      const [west, east] = [image[at - 1] ?? 0, image[at + 1] ?? 0]
      const [north, south] = [image[at - side] ?? 0, image[at + side] ?? 0]
      const dx = (east - west) / 2
      const dy = (south - north) / 2
      const dxx = east + west - 2 * middle
      const dyy = south + north - 2 * middle
      const dxy =
        ((image[at + side + 1] ?? 0) - (image[at + side - 1] ?? 0) - (image[at - side + 1] ?? 0) + (image[at - side - 1] ?? 0)) /
        4
      cells.stand(x, y)
      for (let direction = 0; direction < steers.length; direction++) {
        const { cosine, sine } = steers[direction] ?? { cosine: 1, sine: 0 }
        const edge = dx * cosine + dy * sine
        const line = dxx * cosine * cosine + 2 * dxy * cosine * sine + dyy * sine * sine
        cells.add(direction, Math.sqrt(edge * edge + line * line))
      }
    }
  }
  for (let at = 0; at < out.length; at++) out[at] = Math.sqrt(cells.sums[at] ?? 0)
  toUnit(out)
}

function writeBroad(from: Float32Array, out: Float32Array): void {
  const step = panelPx / broad.cells
  let mean = 0
  for (let y = 0; y < panelPx; y++) {
    for (let x = 0; x < panelPx; x++) {
      const cell = Math.floor(y / step) * broad.cells + Math.floor(x / step)
      const value = (from[y * panelPx + x] ?? 0) / step ** 2
      out[cell] = (out[cell] ?? 0) + value
      mean += value / out.length
    }
  }
  for (let at = 0; at < out.length; at++) out[at] = (out[at] ?? 0) - mean
  toUnit(out)
}

/** A length of 1; what is next to nothing stays so. */
function toUnit(values: Float32Array): void {
  let square = 0
  for (const value of values) square += value * value
  const length = Math.sqrt(square) + 0.05
  for (let at = 0; at < values.length; at++) values[at] = (values[at] ?? 0) / length
}

/** Sums in cells of a square; what lies between the middles of cells is shared among them. */
class Grid {
  readonly sums: Float32Array
  readonly #cells: number
  readonly #values: number
  readonly #low: Int32Array
  readonly #part: Float32Array
  readonly #at = new Int32Array(4)
  readonly #weight = new Float64Array(4)

  constructor({ side, cells, values }: { side: number; cells: number; values: number }) {
    this.#cells = cells
    this.#values = values
    this.sums = new Float32Array(cells * cells * values)
    const place = Float32Array.from({ length: side }, (_, at) => ((at + 0.5) / side) * cells - 0.5)
    this.#low = Int32Array.from(place, Math.floor)
    this.#part = place.map((one) => one - Math.floor(one))
  }

  /** Where the next values lie. */
  stand(x: number, y: number): void {
    const last = this.#cells - 1
    const column = this.#low[x] ?? 0
    const row = this.#low[y] ?? 0
    const right = this.#part[x] ?? 0
    const down = this.#part[y] ?? 0
    const left = Math.max(0, column)
    const top = Math.max(0, row) * this.#cells
    const next = Math.min(last, column + 1)
    const below = Math.min(last, row + 1) * this.#cells
    this.#at[0] = (top + left) * this.#values
    this.#at[1] = (top + next) * this.#values
    this.#at[2] = (below + left) * this.#values
    this.#at[3] = (below + next) * this.#values
    this.#weight[0] = (1 - right) * (1 - down)
    this.#weight[1] = right * (1 - down)
    this.#weight[2] = (1 - right) * down
    this.#weight[3] = right * down
  }

  add(value: number, amount: number): void {
    for (let corner = 0; corner < 4; corner++) {
      const at = (this.#at[corner] ?? 0) + value
      this.sums[at] = (this.sums[at] ?? 0) + amount * (this.#weight[corner] ?? 0)
    }
  }
}
