// The primitive types of an Unreal package: strings, guids, engine versions, table positions.
import { ByteReader } from '../byte-reader.ts'

/** Where a table lies and how many elements it has; both as the file says, checked only when the table is read. */
export type TablePosition = { count: number; offset: number }

/** `version` is `major.minor.patch`; `0.0.0` was written by an engine built from source without build information. */
export type EngineVersion = { version: string; changelist: number; licensee: boolean; branch: string }

/** More than any text of a package; those of asset registry tags are the longest, and lie within a header of 64 MiB. */
const maxTextUnits = 64 * 1024 * 1024
const licenseeBit = 0x80000000

export class PackageReader extends ByteReader {
  /** Text of the file. One that is not closed by its only NUL means that the reader is lost. */
  string(): string {
    const units = this.i32()
    if (Math.abs(units) > maxTextUnits) throw this.damaged(`holds a string of ${Math.abs(units)} characters`)
    const text = units < 0 ? this.utf16(-units) : this.latin1(units)
    if (units !== 0 && text.indexOf('\0') !== text.length - 1)
      throw this.damaged('holds a string that does not end where it says')
    return text.slice(0, -1)
  }

  skipString(): void {
    const units = this.i32()
    this.skip(units < 0 ? -2 * units : units)
  }

  /** The form the engine prints: four numbers as 8 hex digits each, no dashes; null when all zero. */
  guid(): string | null {
    const [a, b, c, d] = [this.u32(), this.u32(), this.u32(), this.u32()]
    return a + b + c + d === 0 ? null : hex8(a) + hex8(b) + hex8(c) + hex8(d)
  }

  table(): TablePosition {
    return { count: this.i32(), offset: this.i32() }
  }

  engineVersion(): EngineVersion {
    const version = `${this.u16()}.${this.u16()}.${this.u16()}`
    const changelist = this.u32()
    return {
      version,
      changelist: changelist % licenseeBit,
      licensee: changelist >= licenseeBit,
      branch: this.string(),
    }
  }

  /** Moves to a table and checks that its elements, of at least `elementBytes` each, fit. */
  enter(table: TablePosition, of: string, elementBytes: number): void {
    this.seek(table.offset)
    if (table.count < 0 || table.count * elementBytes > this.left)
      throw this.damaged(`should hold ${table.count} ${of}, which cannot be`)
  }
}

function hex8(value: number): string {
  return value.toString(16).toUpperCase().padStart(8, '0')
}
