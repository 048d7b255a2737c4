// Rows of numbers within the bytes of a mesh: read where they lie, never copied as a whole.

export type RowLayout = {
  /** Byte of the first row's first number. */
  start: number
  count: number
  width: number
  /** Numbers from the start of a row to that of the next; `width` where it is left out. */
  stride?: number
}

/** `count` rows of `width` 32-bit numbers each, little-endian. Who makes one has checked that they lie within the bytes. */
export class NumberRows {
  readonly count: number
  readonly width: number
  readonly #stride: number
  readonly #view: DataView
  readonly #start: number

  constructor(bytes: Uint8Array, layout: RowLayout) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#start = layout.start
    this.count = layout.count
    this.width = layout.width
    this.#stride = layout.stride ?? layout.width
  }

  float(row: number, column: number): number {
    return this.#view.getFloat32(this.#start + 4 * (row * this.#stride + column), true)
  }

  integer(row: number, column: number): number {
    return this.#view.getInt32(this.#start + 4 * (row * this.#stride + column), true)
  }

  /** One byte of a row whose numbers are bytes. */
  byte(row: number, column: number): number {
    return this.#view.getUint8(this.#start + 4 * row * this.#stride + column)
  }
}
