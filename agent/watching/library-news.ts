/** What happened in the library since, as far as it concerns the files of a project. */
import type { Api } from '../../client/http/api.ts'
import { isOtherEpoch } from '../../client/memory/feed.ts'
import { limits } from '../../contract/limits.ts'

export interface LibraryNews {
  /** Where the feed is followed from next. */
  cursor: number
  /** The library's epoch, where the server says it. */
  epoch: string | undefined
  lineages: Set<string>
  /** Someone took or gave back something. */
  locks: boolean
  /** More happened than is read one by one, what happened is not kept any more, or the library was set back. */
  tooMuch: boolean
  /** The library was set back to an earlier state. */
  isSetBack: boolean
}

const pageSize = limits.changesPage.max
const mostPages = 5

/** One short question where nothing happened. */
export async function readNews(api: Api, { cursor, epoch }: Pick<LibraryNews, 'cursor' | 'epoch'>): Promise<LibraryNews> {
  const news: LibraryNews = { cursor, epoch, lineages: new Set(), locks: false, tooMuch: false, isSetBack: false }
  for (let page = 0; page < mostPages; page++) {
    const { changes, next_cursor, reset, library_epoch } = await api.changes.list({ cursor: news.cursor, limit: pageSize })
    const isSetBack = isOtherEpoch(library_epoch, news)
    news.epoch = library_epoch?.id ?? news.epoch
    if (isSetBack) return { ...news, tooMuch: true, isSetBack }
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
