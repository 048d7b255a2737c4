/** Pages merged into one document: every pagination style of the service hands on `next_cursor` (spec 1). */

import { pagesOf } from '../../../client/http/paging.ts'
import type { ApiRequest } from '../../../client/http/request.ts'
import { wrongUsage } from '../../refusal.ts'

type Page = Record<string, unknown>

/**
 * Asks for page after page. Lists are joined; other fields are those of the last page. Ends at `next_cursor: null`, or, where
 * the cursor is a sequence that never ends (`/catalog/changes`), at the first page without anything new.
 */
export async function followPages(request: ApiRequest, ask: (request: ApiRequest) => Promise<unknown>): Promise<unknown> {
  if (request.method !== 'GET') throw wrongUsage('--paginate is for GET.', 'Leave it out.')
  const query = new URLSearchParams(request.query)
  const pages = pagesOf((cursor) => {
    if (cursor !== undefined) query.set('cursor', cursor)
    return ask({ ...request, query })
  }, query.get('cursor') ?? undefined)
  let whole: Page | undefined
  for await (const page of pages) {
    if (typeof page !== 'object' || page === null || !('next_cursor' in page)) return whole ?? page
    whole = whole ? joined(whole, page) : { ...page }
    if (isEmpty(page as Page)) return whole
  }
  return whole
}

const listsOf = (page: Page): [string, unknown[]][] =>
  Object.entries(page).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]))

const isEmpty = (page: Page): boolean => listsOf(page).every(([, list]) => list.length === 0)

/** Joins in place, so that a long feed is not copied once a page. */
function joined(whole: Page, page: Page): Page {
  for (const [key, value] of Object.entries(page)) {
    const list = whole[key]
    if (Array.isArray(list) && Array.isArray(value)) for (const item of value) list.push(item)
    else whole[key] = value
  }
  return whole
}
