// The records of an FBX file, whether it is binary or text: which of them are read, what is kept of each, and how much in all.
import { FormatError } from '../format-error.ts'

export type FbxValue = number | string

/** One record: `Model: 123, "Model::Cube", "Mesh" { … }`. A whole number that a double cannot hold stays text. */
export type FbxRecord = {
  name: string
  /** The first values that are numbers or texts. */
  values: FbxValue[]
  children: FbxRecord[]
  /** Where the record's long list of numbers lies, for records whose list is to be read. */
  numbers: NumberList | null
}

/** Numbers in the file, not read yet: an array, values one by one (before FBX 7), or text. */
export type NumberList = { start: number; end: number } & (
  | { kind: 'array'; type: ArrayType; count: number; deflated: boolean }
  | { kind: 'values'; count: number }
  | { kind: 'text' }
)
export type ArrayType = 'd' | 'f' | 'l' | 'i' | 'c' | 'b'
export const elementBytes: Record<ArrayType, number> = { d: 8, f: 4, l: 8, i: 4, c: 1, b: 1 }

/**
 * What is read of a record: its children by name, only its list of numbers, or, of properties, those of these names. All
 * other records are passed over, so that animation curves and embedded pictures cost nothing.
 */
export type RecordFilter = { [name: string]: RecordFilter } | 'numbers' | ReadonlySet<string>

export function childFilter(filter: RecordFilter, name: string): RecordFilter | undefined {
  if (filter === 'numbers' || filter instanceof Set || !Object.hasOwn(filter, name)) return undefined
  return (filter as { [name: string]: RecordFilter })[name]
}

/** Properties are told apart by their first value. */
export function passes(filter: RecordFilter, { values }: FbxRecord): boolean {
  return !(filter instanceof Set) || filter.has(values[0])
}

/** Values kept of one record, and of one text. Longer lists are read as lists of numbers only. */
export const maxValues = 64
export const maxTextLength = 1000

/** Some 300,000 records: scenes of a whole city. */
const maxKeptBytes = 64 * 1024 * 1024
const recordBytes = 200
/** Records that are passed over cost time only: about a second for so many. */
const maxPassed = 4_000_000

/** Counts what a file makes its reader do. Throws FormatError `too-large`. */
export class FbxEffort {
  #kept = 0
  #passed = 0

  keep({ values }: FbxRecord): void {
    this.#kept += recordBytes
    for (const value of values) this.#kept += typeof value === 'string' ? value.length + 16 : 8
    if (this.#kept > maxKeptBytes) throw new FormatError('too-large', 'The FBX file describes too many objects to be read.')
  }

  pass(): void {
    if (++this.#passed > maxPassed) throw new FormatError('too-large', `The FBX file has more than ${maxPassed} records.`)
  }
}

export function children(record: FbxRecord | undefined, name: string): FbxRecord[] {
  return record?.children.filter((child) => child.name === name) ?? []
}

export function child(record: FbxRecord | undefined, name: string): FbxRecord | undefined {
  return record?.children.find((one) => one.name === name)
}

/** The last value of a record as a number; undefined where it is none. */
export function lastNumber(record: FbxRecord | undefined): number | undefined {
  const value = Number(record?.values.at(-1) ?? Number.NaN)
  return Number.isFinite(value) ? value : undefined
}

/** The last value of a record as text; empty where there is none. */
export function lastText(record: FbxRecord | undefined): string {
  return String(record?.values.at(-1) ?? '')
}

/** Properties by name, from the block of FBX 7 (`Properties70`, `P`) or that of FBX 6 (`Properties60`, `Property`). */
export function propertiesOf(record: FbxRecord | undefined): Map<string, FbxRecord> {
  const blocks = [...children(record, 'Properties70'), ...children(record, 'Properties60')]
  return new Map(blocks.flatMap((block) => block.children).map((property) => [String(property.values[0]), property]))
}

export function damagedFbx(problem: string, options?: ErrorOptions): FormatError {
  return new FormatError('damaged', `The FBX file is damaged: ${problem}.`, options)
}
