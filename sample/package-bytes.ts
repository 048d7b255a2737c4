// The primitive values of an Unreal package, written in either byte order, and its table of names.

/** Collects bytes; every scalar is turned around when the package is big-endian. */
export class PackageBytes {
  length = 0
  readonly #bigEndian: boolean
  readonly #parts: Buffer[] = []

  constructor(bigEndian: boolean) {
    this.#bigEndian = bigEndian
  }

  raw(bytes: Uint8Array): this {
    this.#parts.push(Buffer.from(bytes))
    this.length += bytes.length
    return this
  }

  u16(value: number): this {
    return this.#scalar(2, (bytes, view) => view.setUint16(bytes, value, !this.#bigEndian))
  }

  i32(...values: number[]): this {
    for (const value of values) this.#scalar(4, (bytes, view) => view.setInt32(bytes, value, !this.#bigEndian))
    return this
  }

  u32(value: number): this {
    return this.#scalar(4, (bytes, view) => view.setUint32(bytes, value, !this.#bigEndian))
  }

  i64(value: number): this {
    return this.#scalar(8, (bytes, view) => view.setBigInt64(bytes, BigInt(value), !this.#bigEndian))
  }

  /** Four u32, printed one after the other as hex. */
  guid(hex: string): this {
    for (let at = 0; at < 32; at += 8) this.u32(Number.parseInt(hex.slice(at, at + 8), 16))
    return this
  }

  /** One byte a character where Latin-1 is enough, else UTF-16, whose length is negative; both end in a NUL. */
  string(text: string): this {
    if (text === '') return this.i32(0)
    if (/^[\0-\x7f]*$/.test(text)) return this.i32(text.length + 1).raw(Buffer.from(`${text}\0`, 'latin1'))
    this.i32(-(text.length + 1))
    for (const unit of `${text}\0`.split('')) this.u16(unit.charCodeAt(0))
    return this
  }

  toBuffer(): Buffer {
    return Buffer.concat(this.#parts)
  }

  #scalar(length: number, write: (at: number, view: DataView) => void): this {
    const bytes = new Uint8Array(length)
    write(0, new DataView(bytes.buffer))
    return this.raw(bytes)
  }
}

/** Names in the order they are first used. `SM_Rock_02` keeps its number: only one without leading zero is taken off. */
export class NameTable {
  readonly entries: string[] = []
  readonly #indices = new Map<string, number>()

  /** The two numbers a name is stored as: its entry, and 0 or the trailing number plus one. */
  indexOf(name: string): [entry: number, number: number] {
    const [, base, digits] = /^(.+)_(0|[1-9]\d{0,8})$/.exec(name) ?? [name, name, undefined]
    return [this.#entry(base ?? name), digits === undefined ? 0 : Number(digits) + 1]
  }

  #entry(text: string): number {
    const known = this.#indices.get(text)
    if (known !== undefined) return known
    this.#indices.set(text, this.entries.length)
    return this.entries.push(text) - 1
  }
}
