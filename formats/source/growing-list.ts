// A typed array that grows: for values that a text does not count before it names them.

type Numbers = Float64Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Uint16Array<ArrayBuffer>

/** Room is doubled when it is used up, so that a value costs little and twice the values cost twice the memory at most. */
export class GrowingList<T extends Numbers> {
  #values: T
  #length = 0
  readonly #make: (length: number) => T

  constructor(make: (length: number) => T) {
    this.#make = make
    this.#values = make(1024)
  }

  get length(): number {
    return this.#length
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const wider = this.#make(this.#length * 2)
      wider.set(this.#values)
      this.#values = wider
    }
    this.#values[this.#length++] = value
  }

  /** NaN beyond the end. */
  at(index: number): number {
    return index < this.#length ? (this.#values[index] ?? Number.NaN) : Number.NaN
  }

  /** A view of what was pushed. */
  get values(): T {
    return this.#values.subarray(0, this.#length) as T
  }
}
