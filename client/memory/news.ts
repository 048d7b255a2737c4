/** News of a library, taken into what is remembered of a project. */
import { type FeedApi, type FeedPosition, followFeed } from './feed.ts'
import type { ProjectMemory } from './project-memory.ts'

/**
 * Takes in what happened at the library since a project last looked, and gives the position up to which that was. Undefined when
 * nothing that is remembered of the library counts any more, or nothing ever did.
 */
export async function takeInNews(api: FeedApi, memory: ProjectMemory): Promise<FeedPosition | undefined> {
  const position = memory.recall('feed') as FeedPosition | null | undefined
  const news = position ? await followFeed(api, position, { witness: memory.newestBase() }) : undefined
  if (!news) return undefined
  if (news.goneObjects.length + news.goneEntries.length > 0) memory.forgetObjects(news.goneObjects, news.goneEntries)
  if (news.changedObjects.length > 0) memory.unsettle(news.changedObjects)
  return news.position
}
