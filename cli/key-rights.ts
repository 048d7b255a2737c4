/** What a key may do, found out before a person is asked whether to do it. */
import type { Api } from '../client/api.ts'
import { ApiError } from '../contract/errors.ts'

/** Whether the key acts for an admin. Throws ApiError `FORBIDDEN` for a key that only reads. */
export async function requireWriter(api: Api): Promise<{ isAdmin: boolean }> {
  const { scope, user } = await api.identity.me()
  if (scope === 'read') throw new ApiError('FORBIDDEN', 'This key is read-only. Nothing was changed.')
  return { isAdmin: user.role === 'admin' }
}

/** `act` completes "Only an admin of the workspace may …". Throws ApiError `FORBIDDEN`. */
export async function requireAdmin(api: Api, act: string): Promise<void> {
  if (!(await requireWriter(api)).isAdmin)
    throw new ApiError('FORBIDDEN', `Only an admin of the workspace may ${act}. Nothing was changed.`)
}
