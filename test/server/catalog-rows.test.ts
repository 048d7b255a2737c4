// What the catalog index reads of every entry: by ranges of ids, by ids, or all with one statement (server/rows/catalog-row.ts).
import { expect, test } from 'vitest'
import { type CatalogRow, readCatalogRows, selectCatalogRange, selectCatalogRowsOf } from '../../server/rows/catalog-row.ts'
import { buildCatalog } from '../../server/search/catalog/load.ts'
import { pageOf } from '../../server/search/page.ts'
import { changeLibrary, seeded, writeLibrary } from '../support/random-library.ts'
import { startTestServer } from '../support/server.ts'

const server = await startTestServer()
const { sql } = server.database

async function aLibrary(seed: number) {
  const { slug } = await server.addWorkspace()
  const [workspace] = await sql<{ id: number }[]>`select id from workspaces where slug = ${slug}`
  const library = await writeLibrary(sql, { workspaceId: workspace?.id ?? 0, random: seeded(seed), most: 90 })
  await changeLibrary(library, 30)
  return library
}

async function readWhole(workspaceId: number, rows: number): Promise<CatalogRow[]> {
  const all: CatalogRow[] = []
  for await (const batch of readCatalogRows(sql, workspaceId, rows)) all.push(...batch)
  return all.sort((a, b) => a.id - b.id)
}

const withSortedTags = (rows: CatalogRow[]) => rows.map((row) => ({ ...row, tag_ids: row.tag_ids?.toSorted((a, b) => a - b) }))

test.for([1, 2, 3])('entries read by ranges, by ids and with one statement are the same: library %i', async (seed) => {
  const { workspaceId, entryIds } = await aLibrary(seed)
  await aLibrary(seed + 10)
  const byRange = withSortedTags(await selectCatalogRange(sql, workspaceId, { after: 0, upTo: Number.MAX_SAFE_INTEGER }))
  expect(byRange.map((row) => row.id)).toEqual(entryIds.toSorted((a, b) => a - b))
  expect(withSortedTags(await selectCatalogRowsOf(sql, workspaceId, entryIds))).toEqual(byRange)
  for (const rows of [1, 7, 1000]) expect(withSortedTags(await readWhole(workspaceId, rows))).toEqual(byRange)
})

test('a catalog that was read with one statement holds what one that was read in batches holds', async () => {
  const { workspaceId } = await aLibrary(5)
  const [whole, inBatches] = await Promise.all([
    buildCatalog({ database: { sql, longSql: sql, kind: 'postgresql' }, workspaceId }, 1),
    buildCatalog({ database: { sql, longSql: sql, kind: 'embedded' }, workspaceId }),
  ])
  const listOf = (catalog: typeof whole) => {
    const wanted = { sort: 'name', isDescending: false, after: undefined, limit: 1000 } as const
    return pageOf(catalog, { filters: [], among: undefined }, wanted).rows.map((row) => catalog.entries.ids[row])
  }
  expect(listOf(whole)).toEqual(listOf(inBatches))
  expect(listOf(whole).length).toBeGreaterThan(20)
})

test('who stops reading in the middle leaves the connection to others', async () => {
  const { workspaceId } = await aLibrary(6)
  for (let turn = 0; turn < 40; turn++) {
    for await (const rows of readCatalogRows(sql, workspaceId, 3)) if (rows.length > 0) break
  }
  expect((await sql`select 1 as one`)[0]?.one).toBe(1)
})
