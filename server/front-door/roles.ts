/** Roles: what only an owner or admin of the workspace may do. Asked by the library, after the front door let the key in. */

import { ApiError } from '../../contract/errors.ts'
import type { Actor } from '../principal.ts'

export function requireAdmin(actor: Actor): void {
  if (actor.role !== 'admin') throw new ApiError('FORBIDDEN', 'Only an owner or admin of the workspace may do that.')
}
