/**
 * The lines of a dump as pieces: tables, rows, sequences, and the end. Each line is looked at before anything is done with it, and what no
 * backup writes is told with its file and line: a backup may come from anywhere.
 */
import { Ajv } from 'ajv'
import { type Static, Type } from 'typebox'
import type { ApiError } from '../../../contract/errors.ts'
import { JsonScan } from '../../../serving/bodies/scan.ts'
import { linesOf } from './lines.ts'
import { damagedBackup } from './manifest.ts'

const Name = Type.String({ pattern: '^[a-z0-9_]{1,63}$' })
const closed = { additionalProperties: false }
const Marks = {
  table: Type.Object({ '#table': Name }, closed),
  sequence: Type.Object({ '#sequence': Name, last: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) }, closed),
  end: Type.Object({ '#end': Type.Literal(true), rows: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) }, closed),
}
const ajv = new Ajv()
const isTable = ajv.compile<Static<typeof Marks.table>>(Marks.table)
const isSequence = ajv.compile<Static<typeof Marks.sequence>>(Marks.sequence)
const isEnd = ajv.compile<Static<typeof Marks.end>>(Marks.end)

/** Rows of one table that one statement takes. `at`: the lines that they stand on. */
export interface Rows {
  kind: 'rows'
  table: string
  columns: readonly string[]
  lines: readonly string[]
  at: readonly number[]
}

export type Piece =
  | Rows
  | { kind: 'table'; name: string; at: number }
  | { kind: 'sequence'; name: string; last: number; at: number }
  | { kind: 'end'; rows: number; at: number }

/** Throws CONFLICT `damaged_backup` for what no backup writes. */
export async function* piecesOf(path: string): AsyncGenerator<Piece> {
  const reader = new PieceReader(path)
  for await (const lines of linesOf(path)) for (const line of lines) yield* reader.take(line)
  reader.requireEnd()
}

export const damagedLine = (path: string, at: number, why: string): ApiError => damagedBackup(`${path}, line ${at}: ${why}.`)

/** Levels of a line: a library takes 64 in what it is told. The embedded database dies of some ten thousand. */
const mostDeep = 512

/** Of one statement. */
const batch = { rows: 1_000, chars: 4 * 1024 * 1024 }

class PieceReader {
  readonly #path: string
  readonly #tables = new Set<string>()
  readonly #sequences = new Set<string>()
  #at = 0
  #rows = 0
  #hasEnded = false
  #table: { name: string; columns: readonly string[] | undefined } | undefined
  #waiting: { lines: string[]; at: number[]; chars: number } = { lines: [], at: [], chars: 0 }

  constructor(path: string) {
    this.#path = path
  }

  *take(line: string): Generator<Piece> {
    this.#at += 1
    if (this.#hasEnded) throw this.#wrong('stands behind the end')
    const read = this.#parsed(line)
    if (!line.startsWith('{"#')) return yield* this.#takeRow(line, read)
    yield* this.#waitingRows()
    yield this.#mark(read)
  }

  requireEnd(): void {
    if (!this.#hasEnded) throw damagedBackup(`${this.#path} has no end: its last line is ${this.#at}.`)
  }

  #wrong(why: string): ApiError {
    return damagedLine(this.#path, this.#at, why)
  }

  #parsed(line: string): object {
    const scan = new JsonScan()
    scan.add(Buffer.from(line))
    if (scan.deepest > mostDeep) throw this.#wrong(`is nested deeper than ${mostDeep} levels`)
    try {
      const read: unknown = JSON.parse(line)
      if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read
    } catch {
      // The same as JSON of another kind.
    }
    throw this.#wrong('is no object of JSON')
  }

  *#takeRow(line: string, row: object): Generator<Piece> {
    const table = this.#table
    if (!table) throw this.#wrong('is a row before any table')
    const names = Object.keys(row)
    table.columns ??= names
    const { columns } = table
    if (names.length !== columns.length || names.some((name, index) => name !== columns[index]))
      throw this.#wrong(`has other columns than the row of ${table.name} above it`)
    this.#rows += 1
    this.#waiting.lines.push(line)
    this.#waiting.at.push(this.#at)
    this.#waiting.chars += line.length
    if (this.#waiting.lines.length >= batch.rows || this.#waiting.chars >= batch.chars) yield* this.#waitingRows()
  }

  *#waitingRows(): Generator<Piece> {
    const { lines, at } = this.#waiting
    if (lines.length === 0 || !this.#table) return
    this.#waiting = { lines: [], at: [], chars: 0 }
    yield { kind: 'rows', table: this.#table.name, columns: this.#table.columns ?? [], lines, at }
  }

  #mark(mark: object): Piece {
    const at = this.#at
    if (isTable(mark)) {
      const name = this.#once(this.#tables, mark['#table'])
      this.#table = { name, columns: undefined }
      return { kind: 'table', name, at }
    }
    // Behind the tables: what stands there is no row any more.
    this.#table = undefined
    if (isSequence(mark)) return { kind: 'sequence', name: this.#once(this.#sequences, mark['#sequence']), last: mark.last, at }
    if (!isEnd(mark)) throw this.#wrong('says something that no backup says')
    if (mark.rows !== this.#rows) throw this.#wrong(`says that there are ${mark.rows} rows, and there are ${this.#rows}`)
    this.#hasEnded = true
    return { kind: 'end', rows: mark.rows, at }
  }

  #once(known: Set<string>, name: string): string {
    if (known.has(name)) throw this.#wrong(`names ${name}, which stands above already`)
    known.add(name)
    return name
  }
}
