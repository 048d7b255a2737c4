/** The query of a request: words, names, package paths and filters, and the rows that match them. */

import { type Question, toQuestion } from '../../words/query-words.ts'
import { amongTexts } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import type { Context } from '../handler.ts'
import { pathKey } from '../push/manifest.ts'
import { findKnownAs } from '../rows/former/entry-names.ts'
import type { Catalog } from './catalog/catalog.ts'
import { type FilterInput, toFilters } from './filters.ts'
import type { Selection } from './selection.ts'
import type { Hits } from './words/word-index.ts'

export interface SearchQuery {
  filters: FilterInput
  question: Question | undefined
  /** The entries at the requested package paths, where some were. */
  pathIds: readonly number[] | undefined
  /** The entries that are or were called so, where that was asked. */
  knownIds?: readonly number[] | undefined
}

export async function resolveQuery({
  sql,
  workspace,
  input,
}: Context & { input: FilterInput & { q?: string } }): Promise<SearchQuery> {
  const question = input.q === undefined ? undefined : toQuestion(input.q)
  return {
    filters: input,
    question,
    pathIds: input.origin_path && (await findAtPaths(sql, workspace.id, input.origin_path)),
    knownIds: input.known_as && (await findKnownAs(sql, workspace.id, input.known_as)),
  }
}

export interface Matching {
  selection: Selection
  hits: Hits | undefined
}

/** What is left, and what was found by words. `catalog.prepareWords()` comes first where there are some. */
export function matching(catalog: Catalog, { filters, question, pathIds, knownIds }: SearchQuery): Matching {
  const hits = question && catalog.words.ask(question)
  const lists: Set<number>[] = []
  for (const ids of [pathIds, knownIds]) if (ids) lists.push(new Set(ids.flatMap((id) => catalog.entries.find(id) ?? [])))
  if (filters.name) lists.push(new Set(filters.name.flatMap((name) => [...catalog.order('name').equalTo(name)])))
  const listed = lists.length > 0 ? lists.reduce((all, list) => all.intersection(list)) : undefined
  const among = hits && listed ? hits.rows.filter((row) => listed.has(row)) : (hits?.rows ?? (listed && Uint32Array.from(listed)))
  return { selection: { filters: toFilters(catalog, filters), among }, hits }
}

/** Package paths stay in the database: few ask for them, and they are long. */
async function findAtPaths(sql: Sql, workspaceId: number, paths: readonly string[]): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select e.id
      from objects o
      join lineages l on l.workspace_id = o.workspace_id and l.id = o.lineage_id and l.face_object_id = o.id
      join entries e on e.workspace_id = l.workspace_id and e.lineage_id = l.id
     where o.workspace_id = ${workspaceId} and o.path_key ${amongTexts(sql, paths.map(pathKey))}`
  return rows.map((row) => row.id)
}
