/** Counts over all entries of a workspace: how many each category has (spec 4.2), and how many show each pack. */
import type { categories } from '../../contract/categories.ts'
import type { OutputOf } from '../../contract/route.ts'
import type { Catalog } from './catalog/catalog.ts'

export type Rollup = OutputOf<(typeof categories)['rollup']>['categories']

/** Active entries, and from how many packs they are. By name; the uncategorized last, as null. */
export function rollupOf(catalog: Catalog): Rollup {
  const { codes, dictionaries } = catalog.columns
  const { rows, ends } = byCategory(catalog)
  const seenIn = new Int32Array(dictionaries.pack.keys.length).fill(-1)
  const rollup: Rollup = []
  for (const [code, category] of dictionaries.category.keys.entries()) {
    const [from, to] = [code === 0 ? 0 : (ends[code - 1] as number), ends[code] as number]
    let packs = 0
    for (let index = from; index < to; index++) {
      const pack = codes.pack[rows[index] as number] as number
      if (seenIn[pack] !== code) packs++
      seenIn[pack] = code
    }
    if (to > from) rollup.push({ category, count: to - from, pack_count: packs })
  }
  return rollup.sort(
    (a, b) => Number(a.category === null) - Number(b.category === null) || (String(a.category) < String(b.category) ? -1 : 1),
  )
}

/** How many entries show each pack, deprecated ones too, by the ids of packs; those of which no entry shows anything are not in it. */
export function entriesByPack({ columns: { codes, dictionaries }, entries }: Catalog): ReadonlyMap<number, number> {
  const counts = new Uint32Array(dictionaries.pack.keys.length)
  for (let row = 0; row < entries.end; row++) {
    if (entries.ids[row] === 0) continue
    const code = codes.pack[row] as number
    counts[code] = (counts[code] as number) + 1
  }
  return new Map([...counts].flatMap((count, code) => (count === 0 ? [] : [[dictionaries.pack.keys[code] ?? 0, count]])))
}

/** The active rows, those of one category together; where each category ends, by its code. */
function byCategory({ columns: { codes, dictionaries }, entries }: Catalog): { rows: Uint32Array; ends: Uint32Array } {
  const active = dictionaries.status.find('active')
  const ends = new Uint32Array(dictionaries.category.keys.length)
  for (let row = 0; row < entries.end; row++)
    if (codes.status[row] === active) ends[codes.category[row] as number] = (ends[codes.category[row] as number] as number) + 1
  for (let code = 1; code < ends.length; code++) ends[code] = (ends[code] as number) + (ends[code - 1] as number)
  const rows = new Uint32Array(ends.at(-1) ?? 0)
  const next = ends.slice()
  for (let row = entries.end - 1; row >= 0; row--) {
    if (codes.status[row] !== active) continue
    const code = codes.category[row] as number
    next[code] = (next[code] as number) - 1
    rows[next[code] as number] = row
  }
  return { rows, ends }
}
