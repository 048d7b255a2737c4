/** A list of entries from its first page to its last, as a client follows it. */
import { expect } from 'vitest'
import type { Caller, Json } from './api.ts'

/** Left after 10,000 entries, should it have no end. `query` may hold a limit, which is that of each page. */
export async function walkEntries(reads: Caller, query: string): Promise<Json[]> {
  const entries: Json[] = []
  let cursor = ''
  do {
    const { status, body } = await reads.get(`/entries?${query}${cursor}`)
    expect([query, status], JSON.stringify(body).slice(0, 300)).toEqual([query, 200])
    entries.push(...body.entries)
    cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`
  } while (cursor !== '' && entries.length < 10_000)
  return entries
}
