/** The calls that looking at a project makes, all of them open to read keys; typed by the contract but without loading its schemas. */
import type { EntryDetail, EntrySummary } from '../../contract/entries.ts'
import { limits } from '../../contract/limits.ts'
import type { FoundLineages, LineageQuestion } from '../../contract/lineages.ts'
import type { Member } from '../../contract/members.ts'
import type { FeedCalls } from '../memory/feed.ts'
import type { Http } from './http.ts'
import { pushCalls } from './push-calls.ts'

export interface StatusCalls extends FeedCalls {
  findLineages(question: LineageQuestion): Promise<FoundLineages>
  entries(cursor: string | undefined): Promise<{ entries: EntrySummary[]; next_cursor: string | null }>
  findEntries(entryIds: readonly number[]): Promise<{ entries: EntryDetail[] }>
  /** Who the key acts as. */
  me(): Promise<Member>
}

/** The calls over one connection. Changes come with their records where the server offers that. */
export function statusCalls(http: Http, signal?: AbortSignal): StatusCalls {
  const { lineage, exportLines } = pushCalls(http, signal)
  const get = <T>(path: string, query: Record<string, string>) =>
    http.json({ method: 'GET', path, query: new URLSearchParams(query), signal }) as Promise<T>
  const find = <T>(path: string, json: unknown) =>
    http.json({ method: 'POST', path, json, idempotent: true, signal }) as Promise<T>
  return {
    lineage,
    exportLines,
    changes: (cursor, limit) => get('/catalog/changes', { cursor: String(cursor), limit: String(limit), expand: 'true' }),
    findLineages: (question) => find('/lineages/find', question),
    findEntries: (entry_ids) => find('/entries/find', { entry_ids }),
    me: () => get('/members/me', {}),
    entries: (cursor) =>
      get('/entries', {
        include_deprecated: 'true',
        limit: String(limits.page.max),
        ...(cursor === undefined ? {} : { cursor }),
      }),
  }
}
