/** Tags, collections, packs and projects as people name them: by name, or by id. */
import { pagesOf } from '../../client/http/paging.ts'
import { limits } from '../../contract/limits.ts'
import { printable } from '../../system/printable.ts'
import { failed } from '../refusal.ts'
import { nearNames } from './near-names.ts'

interface Named {
  id: number
  name: string
}

interface Page<T> {
  items: T[]
  next_cursor: string | null
}

/** All pages of a list. */
export async function allOf<T>(page: (at: { limit: number; cursor?: string }) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = []
  const ask = (cursor: string | undefined) => page({ limit: limits.page.max, ...(cursor ? { cursor } : {}) })
  for await (const { items } of pagesOf(ask)) all.push(...items)
  return all
}

/** What kind of record is meant, and what lists them. */
export interface Kind {
  noun: 'tag' | 'collection' | 'pack' | 'project'
  list: string
  /** The option that makes one of this name, where there is one. */
  makeBy?: string | undefined
}

/** A name as it is written, else the only one that differs in case, else the id. Refuses with `TAG_NOT_FOUND` and the like. */
export function requireNamed<T extends Named>(records: readonly T[], reference: string, { noun, list, makeBy }: Kind): T {
  const folded = records.filter(({ name }) => name.toLowerCase() === reference.toLowerCase())
  const found =
    records.find(({ name }) => name === reference) ??
    (folded.length === 1 ? folded[0] : undefined) ??
    (/^\d{1,15}$/.test(reference) ? records.find(({ id }) => id === Number(reference)) : undefined)
  if (found) return found
  const near = nearNames(
    reference,
    records.map(({ name }) => name),
  ).map(printable)
  const meant = near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''
  const next = `${meant}List them with \`ph ${list}\`${makeBy ? `, or make it with ${makeBy}` : ''}.`
  throw failed(`${noun.toUpperCase()}_NOT_FOUND`, `There is no ${noun} "${reference}".`, next)
}
