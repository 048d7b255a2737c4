// Rows of numbers within the bytes of a mesh: read where they lie, never copied as a whole.

/** `count` rows of `width` 32-bit numbers each, little-endian. Whoever makes one has checked that they lie within the bytes. */
export class NumberRows {
  readonly count: number
  readonly width: number
  readonly #view: DataView
  readonly #start: number

  constructor(bytes: Uint8Array, size: { start: number; count: number; width: number }) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#start = size.start
    this.count = size.count
    this.width = size.width
  }

  float(row: number, column: number): number {
    return this.#view.getFloat32(this.#start + 4 * (row * this.width + column), true)
  }

  integer(row: number, column: number): number {
    return this.#view.getInt32(this.#start + 4 * (row * this.width + column), true)
  }

  /** One byte of a row whose numbers are bytes. */
  byte(row: number, column: number): number {
    return this.#view.getUint8(this.#start + 4 * row * this.width + column)
  }
}
