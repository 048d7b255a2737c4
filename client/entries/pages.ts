/** Lists of entries, page after page. */
import type { EntrySummary } from '../../contract/entries.ts'
import { limits } from '../../contract/limits.ts'
import type { Api } from '../http/api.ts'
import { pagesOf } from '../http/paging.ts'

/** What GET /entries can be asked, but for how much of it at once (spec 4.2). */
export type EntryQuestion = Omit<NonNullable<Parameters<Api['entries']['list']>[0]>, 'limit' | 'cursor'>

export interface Paging {
  /** At most so many entries in all; the default is all there are. */
  limit?: number
  /** The `next_cursor` of an earlier answer to the same question. */
  cursor?: string | undefined
}

export interface EntryPage {
  entries: EntrySummary[]
  next_cursor: string | null
  /** Of all pages; not every server counts. */
  total?: number
}

/** The calls that it takes. */
export interface PageCalls {
  entries: Pick<Api['entries'], 'list'>
}

/** Answers of GET /entries, in order, until there are `limit` entries or no more. Throws what the calls throw. */
export async function* entryPages(
  calls: PageCalls,
  question: EntryQuestion,
  { limit = Number.POSITIVE_INFINITY, cursor: first }: Paging = {},
): AsyncGenerator<EntryPage> {
  let got = 0
  const ask = (cursor: string | undefined): Promise<EntryPage> =>
    calls.entries.list({ ...question, limit: Math.min(limit - got, limits.page.max), ...(cursor ? { cursor } : {}) })
  for await (const page of pagesOf(ask, first)) {
    yield page
    got += page.entries.length
    if (got >= limit) return
  }
}

/** All of it as one page; `next_cursor` goes on behind it. */
export async function readEntryPages(calls: PageCalls, question: EntryQuestion, paging: Paging = {}): Promise<EntryPage> {
  const whole: EntryPage = { entries: [], next_cursor: null }
  for await (const { entries, ...rest } of entryPages(calls, question, paging)) {
    for (const entry of entries) whole.entries.push(entry)
    Object.assign(whole, rest)
  }
  return whole
}
