/** What a key may do, found out before a person is asked whether to do it. */
import type { Api } from '../../client/http/api.ts'
import type { Asker } from '../../contract/locks.ts'
import { failed } from '../refusal.ts'

/** Who the key acts for, and whether that is an admin. Throws Refusal `FORBIDDEN` for a key that only reads. */
export async function requireWriter(api: Api): Promise<{ isAdmin: boolean; user: { id: number } }> {
  const { scope, user } = await api.identity.me()
  requireWriting({ scope })
  return { isAdmin: user.role === 'admin', user }
}

/** Throws Refusal `FORBIDDEN` for a key that only reads. */
export function requireWriting({ scope }: Pick<Asker, 'scope'>): void {
  if (scope === 'read')
    throw failed(
      'FORBIDDEN',
      'This key is read-only. Nothing was changed.',
      'Sign in again for a key with write scope: `ph login --scope write`.',
    )
}

/** `act` completes "Only an admin of the workspace may …". Throws Refusal `FORBIDDEN`. */
export async function requireAdmin(api: Api, act: string): Promise<void> {
  requireAdminRole((await requireWriter(api)).isAdmin, act)
}

export function requireAdminRole(isAdmin: boolean, act: string): void {
  if (!isAdmin)
    throw failed(
      'FORBIDDEN',
      `Only an admin of the workspace may ${act}. Nothing was changed.`,
      'Ask an admin of the workspace to do it.',
    )
}
