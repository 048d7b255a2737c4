// Vorbis: from a spectrum to samples, the inverse modified discrete cosine transform: a cosine transform of kind IV by a complex Fourier
// transform of half its size, unfolded by its symmetries. Source: Vorbis I specification, section 4.3.7 (what it is).

export class InverseTransform {
  /** Of the spectrum. */
  readonly #size: number
  /** For the turn before and after the Fourier transform, cosine and sine. */
  readonly #turns: Float64Array
  readonly #roots: Float64Array
  readonly #swaps: Uint32Array
  readonly #real: Float64Array
  readonly #imaginary: Float64Array
  readonly #cosines: Float64Array

  /** Of blocks with so many samples, a power of two from 64. */
  constructor(blockSize: number) {
    this.#size = blockSize / 2
    const points = this.#size / 2
    const angles = (count: number, angle: (index: number) => number) =>
      Float64Array.from({ length: count * 2 }, (_, at) => (at % 2 === 0 ? Math.cos : Math.sin)(angle(at >> 1)))
    this.#turns = angles(points, (index) => (-Math.PI * (index + 1 / 8)) / this.#size)
    this.#roots = angles(points / 2, (index) => (-2 * Math.PI * index) / points)
    const bits = Math.log2(points)
    this.#swaps = Uint32Array.from({ length: points }, (_, index) => {
      let swapped = 0
      for (let bit = 0; bit < bits; bit++) swapped |= ((index >> bit) & 1) << (bits - 1 - bit)
      return swapped
    })
    this.#real = new Float64Array(points)
    this.#imaginary = new Float64Array(points)
    this.#cosines = new Float64Array(this.#size)
  }

  /** Twice as many samples as the spectrum has values. */
  samples(spectrum: Float32Array): Float32Array {
    this.#cosineTransform(spectrum)
    const size = this.#size
    const half = size / 2
    const cosines = this.#cosines
    const out = new Float32Array(size * 2)
    for (let at = 0; at < half; at++) {
      out[at] = cosines[at + half] ?? 0
      out[size + half + at] = -(cosines[at] ?? 0)
    }
    for (let at = half; at < size + half; at++) out[at] = -(cosines[size + half - 1 - at] ?? 0)
    return out
  }

  #cosineTransform(spectrum: Float32Array): void {
    const [real, imaginary, turns, swaps] = [this.#real, this.#imaginary, this.#turns, this.#swaps]
    const points = real.length
    for (let at = 0; at < points; at++) {
      const [even, odd] = [spectrum[at * 2] ?? 0, spectrum[this.#size - 1 - at * 2] ?? 0]
      const [cosine, sine] = [turns[at * 2] ?? 0, turns[at * 2 + 1] ?? 0]
      const to = swaps[at] ?? 0
      real[to] = even * cosine - odd * sine
      imaginary[to] = even * sine + odd * cosine
    }
    this.#fourier()
    for (let at = 0; at < points; at++) {
      const [cosine, sine] = [turns[at * 2] ?? 0, turns[at * 2 + 1] ?? 0]
      this.#cosines[at * 2] = (real[at] ?? 0) * cosine - (imaginary[at] ?? 0) * sine
      this.#cosines[this.#size - 1 - at * 2] = -((real[at] ?? 0) * sine + (imaginary[at] ?? 0) * cosine)
    }
  }

  /** In place, of points in swapped order. */
  #fourier(): void {
    const [real, imaginary, roots] = [this.#real, this.#imaginary, this.#roots]
    const points = real.length
    for (let half = 1; half < points; half *= 2) {
      const stride = points / half / 2
      for (let start = 0; start < points; start += half * 2) {
        for (let index = 0; index < half; index++) {
          const [upper, lower, root] = [start + index, start + index + half, index * stride * 2]
          const [cosine, sine] = [roots[root] ?? 0, roots[root + 1] ?? 0]
          const turnedReal = (real[lower] ?? 0) * cosine - (imaginary[lower] ?? 0) * sine
          const turnedImaginary = (real[lower] ?? 0) * sine + (imaginary[lower] ?? 0) * cosine
          real[lower] = (real[upper] ?? 0) - turnedReal
          imaginary[lower] = (imaginary[upper] ?? 0) - turnedImaginary
          real[upper] = (real[upper] ?? 0) + turnedReal
          imaginary[upper] = (imaginary[upper] ?? 0) + turnedImaginary
        }
      }
    }
  }
}
