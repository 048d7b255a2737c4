/** Who may review a version, and who may be asked to change it (spec 4.5; contract-gaps 6a). */
import { ApiError, validationError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { amongIds } from '../database/among.ts'
import type { Context } from '../handler.ts'

type Asking = Pick<Context, 'sql' | 'workspace'>

interface Known {
  id: number
  display_name: string
  kind: 'person' | 'api'
  status: 'active' | 'disabled'
}

const selectKnown = ({ sql, workspace }: Asking, ids: Iterable<number>) => sql<Known[]>`
  select id, display_name, kind, status from members where workspace_id = ${workspace.id} and id ${amongIds(sql, ids)}`

/** VALIDATION when a round would have more people than it may, or none. */
export function requireRoundSize(count: number, path: string): void {
  if (count === 0) throw validationError([{ path, message: 'would leave the round without a reviewer' }])
  if (count > limits.reviewers)
    throw validationError([{ path, message: `makes ${count} reviewers; at most ${limits.reviewers} are taken` }])
}

/** USER_NOT_FOUND for those who are unknown or have left; VALIDATION for API identities. */
export async function requireReviewers(context: Asking, ids: readonly number[], path: string): Promise<void> {
  if (ids.length === 0) return
  const known = new Map((await selectKnown(context, ids)).map((one) => [one.id, one]))
  const missing = ids.filter((id) => known.get(id)?.status !== 'active')
  if (missing.length > 0)
    throw new ApiError('USER_NOT_FOUND', `There is nobody with the id ${missing[0]} in this workspace who could review.`, {
      missing,
    })
  const api = [...known.values()].find((one) => one.kind === 'api')
  if (api) throw validationError([{ path, message: `names ${api.display_name}, which is an API identity and reviews nothing` }])
}

/** USER_NOT_FOUND for someone unknown; VALIDATION for who has left. */
export async function requireAssignee(context: Asking, id: number, path: string): Promise<void> {
  const [person] = await selectKnown(context, [id])
  if (!person) throw new ApiError('USER_NOT_FOUND', `There is nobody with the id ${id} in this workspace.`)
  if (person.status === 'disabled')
    throw validationError([{ path, message: `names ${person.display_name}, who has left the workspace` }])
}

/** Whether someone is still there to do anything. */
export async function isActive(context: Asking, id: number): Promise<boolean> {
  const [person] = await selectKnown(context, [id])
  return person?.status === 'active'
}
