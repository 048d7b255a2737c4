/** Files on the disk and rows of memory held against each other, in one pass: for 100,000 files nobody wants a second. */
import { type KnownRow, relation } from '../memory/current-versions.ts'
import type { FoundFile } from '../project/scan.ts'
import { judge } from './report.ts'

export interface ComparedRows {
  /** Files of which memory knows everything: they were not touched since they were read. */
  untouched: number
  /** Files that are the current version. Only counted, unless their names are wanted. */
  current: number
  currentFiles: string[]
  /** Files that were read, as they are or just now, and are something else. */
  others: KnownRow[]
  /** Rows in the library whose file was not found where the walk went, or not walked at all. */
  absent: KnownRow[]
}

const { based, there } = relation
const isCurrent = (bits: number): boolean => (bits & (based | there)) === (based | there) && judge(bits) === 'current'

/** `fresh`: files that were read just now, whatever their fingerprint says. */
export function compareWithMemory(
  files: ReadonlyMap<string, FoundFile>,
  rows: readonly KnownRow[],
  { fresh, names }: { fresh: ReadonlySet<string>; names: boolean },
): ComparedRows {
  const compared: ComparedRows = { untouched: 0, current: 0, currentFiles: [], others: [], absent: [] }
  for (const row of rows) {
    const [file, stat, bits] = row
    const found = files.get(file)
    if (!found) {
      if (bits & there) compared.absent.push(row)
      continue
    }
    const isUntouched = found.stat === stat
    if (isUntouched) compared.untouched++
    else if (!fresh.has(file)) continue
    if (!isCurrent(bits)) compared.others.push(row)
    else {
      compared.current++
      if (names) compared.currentFiles.push(file)
    }
  }
  return compared
}
