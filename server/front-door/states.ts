/** What the state of a workspace lets through, and what is said of the rest (spec 1 and 7; contract-gaps 1 and 2). */
import { ApiError } from '../../contract/errors.ts'
import type { Route } from '../../contract/route.ts'
import { Refusal } from '../../serving/refusal.ts'
import type { Workspace, WorkspaceState } from '../principal.ts'

/** Clients are asked to wait so long for a workspace that is starting, in seconds (contract-gaps 2). */
export const startingRetrySeconds = 5

/** States in which the front door lets nobody in. */
export const closedStates: readonly WorkspaceState[] = ['suspended', 'preparing']

/** Throws in those states. */
export function refuseClosed({ slug, state }: Pick<Workspace, 'slug' | 'state'>): void {
  if (state === 'suspended')
    throw new Refusal(402, `The workspace "${slug}" is suspended. Nothing in it is lost; its owner can have it opened again.`)
  if (state === 'preparing')
    throw new Refusal(404, `The library of workspace "${slug}" is still being prepared. Try again later.`)
}

/** Undefined where writes are taken. */
export function writeRefusal({ slug, state }: Pick<Workspace, 'slug' | 'state'>): ApiError | undefined {
  if (state === 'read_only')
    return new ApiError(
      'FORBIDDEN',
      `The workspace "${slug}" is read-only at present. Reading and pulling go on; its owner can change that.`,
      {
        reason: 'read_only',
      },
    )
  if (state === 'starting')
    return new ApiError(
      'UNAVAILABLE',
      `The library of workspace "${slug}" is starting. Reading works; try this again in a moment.`,
      {
        reason: 'policy_unavailable',
      },
    )
  return undefined
}

/**
 * Fails where the state refuses the route. A route whose `states` says so answers for itself. `read_only` refuses every write but
 * POST /auth/logout (contract-gaps 1), so DELETE /auth/tokens too: a key that has to go at once gives itself up by that, or is
 * revoked on the page of keys, because pages work in every state.
 */
export function refuseWrite(
  workspace: Workspace,
  route: { scope?: Route['scope']; method: string; states?: Route['states'] },
): void {
  const refusal = route.states === undefined && isWrite(route) ? writeRefusal(workspace) : undefined
  if (refusal) throw refusal
}

/** Methods that change nothing. */
export const reads = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether a route needs a key with write scope; an address without a route is judged by its method. */
export const isWrite = ({ scope, method }: { scope?: Route['scope']; method: string }): boolean =>
  scope === 'write' || ((scope === undefined || scope === 'admin' || scope === 'session') && !reads.has(method))
