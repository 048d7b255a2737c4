/** Ending keys on the server that issued them. */

import { ApiError } from '../../contract/errors.ts'
import { createApi } from '../http/api.ts'
import { Http, type HttpOptions } from '../http/http.ts'

export type KeyAtServer = HttpOptions & { key: string }

/**
 * Ends a key. One that the server no longer knows is revoked enough. Throws what Http throws: ApiError `NOT_FOUND` where the
 * server leaves keys to its dashboard.
 */
export async function revokeKey(options: KeyAtServer): Promise<void> {
  const http = new Http(options)
  try {
    await createApi(http).identity.logout()
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'UNAUTHORIZED')) throw error
  } finally {
    await http.close('destroy')
  }
}

const dropMs = 5000

/** Ends a key that nobody needs any more, where that is possible within seconds. Says whether it did. */
export async function dropKey(options: KeyAtServer): Promise<boolean> {
  try {
    await revokeKey({ ...options, signal: AbortSignal.timeout(dropMs) })
    return true
  } catch {
    return false
  }
}
