/** Brings a mirror up to date once: by the change feed, or loaded anew where there is none or the feed does not reach back. */
import type { Api } from '../http/api.ts'
import { followOnce } from './follow.ts'
import { loadMirror } from './load/load.ts'
import type { LoadOptions } from './load/news.ts'
import { isDamaged, type Mirror } from './mirror.ts'
import { takeToWrite } from './writing.ts'

export interface UpdateOptions extends LoadOptions {
  /** Load it anew, whatever is there; that serves until the new one is whole. */
  anew?: boolean
}

/** Throws ClientError `MIRROR_BUSY` where another process keeps it, `MIRROR_UNUSABLE` for a full disk; and what calls throw. */
export async function updateMirror(mirror: Mirror, api: Api, { anew = false, ...options }: UpdateOptions = {}): Promise<void> {
  const lock = takeToWrite(mirror)
  try {
    if (!anew && (await isFollowed(mirror, api, options))) return
    await loadMirror(mirror, api, options)
    await followOnce(mirror, api, options)
  } finally {
    lock.release()
  }
}

/** A damaged one is taken away. */
async function isFollowed(mirror: Mirror, api: Api, options: LoadOptions): Promise<boolean> {
  try {
    if (mirror.db === undefined) return false
    const { reset, isSetBack = false } = await followOnce(mirror, api, options)
    if (reset) options.tell?.({ kind: 'reset', isSetBack })
    return !reset
  } catch (error) {
    if (!isDamaged(error)) throw error
    mirror.discard()
    return false
  }
}
