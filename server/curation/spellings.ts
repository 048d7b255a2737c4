/** Packs and categories are one whatever their letters: what comes later goes by the spelling that is there (contract-gaps 5). Choose under the lock of the workspace. */
import { nameKey } from '../../contract/names.ts'
import { lookupTexts } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'

/** How a name is spelled in the library; by the first of its spellings in the request where it is new. */
export type Spelling = (name: string) => string

interface Spelled {
  key: string
  spelled: string
}

/** Of two packs that an older library kept apart, the one that is spelled exactly so. */
export const packSpelling = async (sql: Sql, workspaceId: number, names: readonly string[]): Promise<Spelling> =>
  spellingBy(
    names,
    names.length === 0
      ? []
      : await sql<Spelled[]>`
    select lookup.key, found.name as spelled from ${lookupTexts(sql, new Set(names))}
     cross join lateral (
       select p.name from packs p where p.workspace_id = ${workspaceId} and lower(p.name) = lower(lookup.key)
        order by p.name = lookup.key desc, p.id limit 1) found`,
  )

/** The spelling of the oldest entry. `except`: entries that get the category now, whose own spelling counts for nothing. */
export const categorySpelling = async (
  sql: Sql,
  workspaceId: number,
  { names, except = [] }: { names: readonly string[]; except?: readonly number[] },
): Promise<Spelling> =>
  spellingBy(
    names,
    names.length === 0
      ? []
      : await sql<Spelled[]>`
    select lookup.key, found.category as spelled from ${lookupTexts(sql, new Set(names))}
     cross join lateral (
       select e.category from entries e
        where e.workspace_id = ${workspaceId} and lower(e.category) = lower(lookup.key) and not (e.id = any(${[...except]}::bigint[]))
        order by e.id limit 1) found`,
  )

/** A category that is given by hand. In new letters it is a new spelling only where all that have it are given it. */
export async function spelledCategory(
  sql: Sql,
  workspaceId: number,
  { category, entries }: { category: string | null; entries: readonly { id: number }[] },
): Promise<string | null> {
  if (category === null) return null
  const except = entries.map(({ id }) => id)
  return (await categorySpelling(sql, workspaceId, { names: [category], except }))(category)
}

function spellingBy(names: readonly string[], known: readonly Spelled[]): Spelling {
  const there = new Map(known.map(({ key, spelled }) => [key, spelled]))
  const first = new Map<string, string>()
  for (const name of names) {
    const spelled = there.get(name) ?? first.get(nameKey(name)) ?? name
    there.set(name, spelled)
    if (!first.has(nameKey(name))) first.set(nameKey(name), spelled)
  }
  return (name) => there.get(name) ?? name
}
