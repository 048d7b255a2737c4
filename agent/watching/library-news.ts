/** What happened in the library since, as far as it concerns the files of a project. */
import type { Api } from '../../client/http/api.ts'
import { limits } from '../../contract/limits.ts'

export interface LibraryNews {
  /** Where the feed is followed from next. */
  cursor: number
  lineages: Set<string>
  /** Someone took or gave back something. */
  locks: boolean
  /** More happened than is read one by one, or what happened is not kept any more. */
  tooMuch: boolean
}

const pageSize = limits.changesPage.max
const mostPages = 5

/** One short question where nothing happened. */
export async function readNews(api: Api, since: number): Promise<LibraryNews> {
  const news: LibraryNews = { cursor: since, lineages: new Set(), locks: false, tooMuch: false }
  for (let page = 0; page < mostPages; page++) {
    const { changes, next_cursor, reset } = await api.changes.list({ cursor: news.cursor, limit: pageSize })
    if (reset) return { ...news, cursor: next_cursor, tooMuch: true }
    for (const { entity, lineage_id } of changes) {
      if (entity === 'lock') news.locks = true
      else if (lineage_id !== null) news.lineages.add(lineage_id)
    }
    const isLast = changes.length === 0 || next_cursor - news.cursor < pageSize
    news.cursor = Math.max(news.cursor, next_cursor)
    if (isLast) return news
  }
  return { ...news, tooMuch: true }
}
