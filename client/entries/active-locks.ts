/** Who has what checked out now (spec 4.4; contract-gaps 9). */
import { limits } from '../../contract/limits.ts'
import type { Lock } from '../../contract/locks.ts'
import type { Api } from '../http/api.ts'
import { pagesOf } from '../http/paging.ts'

/** Newest first. `holder`: only those of this member. Servers without cursors answer the newest 200. */
export async function activeLocks(api: Api, holder?: number): Promise<Lock[]> {
  const found = new Map<number, Lock>()
  const ask = (cursor: string | undefined) =>
    api.locks.list({ active: true, limit: limits.page.max, holder, ...(cursor ? { cursor: Number(cursor) } : {}) })
  for await (const { locks } of pagesOf(ask)) for (const lock of locks) if (lock.active) found.set(lock.id, lock)
  return [...found.values()].filter((lock) => holder === undefined || lock.holder.id === holder)
}
