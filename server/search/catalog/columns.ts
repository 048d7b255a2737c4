/** What a catalog holds of each row besides its id, name and tags: codes of values that many rows share, and numbers. */
import { nameKey } from '../../../contract/names.ts'
import { entryStatuses, previewStatuses, reviewStates } from '../../../contract/shapes.ts'
import type { CatalogRow } from '../../rows/catalog-row.ts'
import { folderOf } from './leaves.ts'
import { type Cells, grown } from './runs.ts'
import { ValueCodes } from './value-codes.ts'

/** What the codes mean. Lists that are closed fit into bytes. */
const newDictionaries = () => ({
  type: new ValueCodes<string>(),
  category: new ValueCodes<string | null>(),
  pack: new ValueCodes<number>(),
  group: new ValueCodes<number | null>(),
  variant: new ValueCodes<boolean>([false, true]),
  preview: new ValueCodes<string>(previewStatuses),
  review: new ValueCodes<string>(reviewStates),
  /** Rows that hold no entry have the code 0, as all cells do at first. */
  status: new ValueCodes<string>(['none', ...entryStatuses]),
  collision: new ValueCodes<boolean | null>([null, false, true]),
  nanite: new ValueCodes<boolean | null>([null, false, true]),
  /** Of the package path, in lower case; null where there is none. What stands behind its last slash is in the catalog's leaves. */
  folder: new ValueCodes<string | null>([null]),
  project: new ValueCodes<string | null>([null]),
})
type Dictionaries = ReturnType<typeof newDictionaries>
export type Coded = keyof Dictionaries

const emptyCodes = () => ({
  type: new Uint32Array(0),
  category: new Uint32Array(0),
  pack: new Uint32Array(0),
  group: new Uint32Array(0),
  variant: new Uint8Array(0),
  preview: new Uint8Array(0),
  review: new Uint8Array(0),
  status: new Uint8Array(0),
  collision: new Uint8Array(0),
  nanite: new Uint8Array(0),
  folder: new Uint32Array(0),
  project: new Uint32Array(0),
})

/** Counts, bytes, milliseconds since 1970, centimetres: none is below 0. Unknown ones are NaN, which lies outside every range. */
const emptyNumbers = () => ({
  tri: new Float64Array(0),
  vert: new Float64Array(0),
  material: new Float64Array(0),
  lod: new Float64Array(0),
  bounds: new Float64Array(0),
  blobSize: new Float64Array(0),
  dateIndexed: new Float64Array(0),
  dateUpdated: new Float64Array(0),
})
export type Measured = keyof ReturnType<typeof emptyNumbers>

/** The arrays are replaced as they grow: get them anew for each question. */
export class Columns {
  codes = emptyCodes()
  numbers = emptyNumbers()
  readonly dictionaries = newDictionaries()

  reserve(rows: number): void {
    this.codes = lengthened(this.codes, rows)
    this.numbers = lengthened(this.numbers, rows)
  }

  set(row: number, entry: CatalogRow): void {
    const { codes, numbers, dictionaries: of } = this
    codes.type[row] = of.type.code(entry.entry_type)
    codes.category[row] = of.category.code(entry.category)
    codes.pack[row] = of.pack.code(entry.pack_id)
    codes.group[row] = of.group.code(entry.variant_group_id)
    codes.variant[row] = of.variant.code(entry.is_variant)
    codes.preview[row] = of.preview.code(entry.preview_status)
    codes.review[row] = of.review.code(entry.review_status)
    codes.status[row] = of.status.code(entry.status)
    codes.collision[row] = of.collision.code(entry.has_collision)
    codes.nanite[row] = of.nanite.code(entry.nanite_enabled)
    codes.folder[row] = of.folder.code(folderOf(entry.path_key))
    codes.project[row] = of.project.code(entry.pushed_from === null ? null : nameKey(entry.pushed_from))
    numbers.tri[row] = entry.tri_count ?? Number.NaN
    numbers.vert[row] = entry.vert_count ?? Number.NaN
    numbers.material[row] = entry.material_count ?? Number.NaN
    numbers.lod[row] = entry.lod_count ?? Number.NaN
    numbers.bounds[row] = entry.longest_edge ?? Number.NaN
    numbers.blobSize[row] = entry.blob_size
    numbers.dateIndexed[row] = entry.indexed_ms
    numbers.dateUpdated[row] = entry.updated_ms
  }

  /** No question finds it any more. */
  clear(row: number): void {
    this.codes.status[row] = 0
  }
}

const lengthened = <T extends Record<string, Cells>>(columns: T, rows: number): T =>
  Object.fromEntries(Object.entries(columns).map(([name, cells]) => [name, grown(cells, rows)])) as T
