/** What a key may do, found out before a person is asked whether to do it. */
import type { Api } from '../../client/http/api.ts'
import { failed } from '../refusal.ts'

/** Who the key acts for, and whether that is an admin. Throws Refusal `FORBIDDEN` for a key that only reads. */
export async function requireWriter(api: Api): Promise<{ isAdmin: boolean; user: { id: number } }> {
  const { scope, user } = await api.identity.me()
  if (scope === 'read')
    throw failed(
      'FORBIDDEN',
      'This key is read-only. Nothing was changed.',
      'Sign in again for a key with write scope: `ph login --scope write`.',
    )
  return { isAdmin: user.role === 'admin', user }
}

/** `act` completes "Only an admin of the workspace may …". Throws Refusal `FORBIDDEN`. */
export async function requireAdmin(api: Api, act: string): Promise<void> {
  if (!(await requireWriter(api)).isAdmin)
    throw failed(
      'FORBIDDEN',
      `Only an admin of the workspace may ${act}. Nothing was changed.`,
      'Ask an admin of the workspace to do it.',
    )
}
