/** How much the content cache keeps, as `PH_CACHE_SIZE` says. */
import { readCacheSize } from '../../client/content/cache-size.ts'
import type { Context } from '../context.ts'
import { wrongUsage } from '../refusal.ts'

/** Throws Refusal for what is no size. */
export function requireCacheSize({ env }: Context): number {
  const given = env.PH_CACHE_SIZE
  const bytes = readCacheSize(given)
  if (bytes !== undefined) return bytes
  throw wrongUsage(`PH_CACHE_SIZE is "${given}", which is not a size.`, 'Write it like 20G or 500M.')
}
