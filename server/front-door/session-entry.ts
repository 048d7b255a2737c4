/** The front door for someone who signed in on the dashboard, and comes with a cookie instead of a key (contract-gaps 3). */

import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import { sessionCookie } from '../../contract/index.ts'
import { Refusal } from '../../serving/refusal.ts'
import { type Membership, membershipsOf } from '../accounts/people.ts'
import { isCsrfToken } from '../accounts/secrets.ts'
import { findSession, type Session } from '../accounts/sessions.ts'
import type { Sql } from '../database/sql.ts'
import type { Workspace } from '../principal.ts'
import { reads, refuseClosed } from './states.ts'

/** `membership` is there where the route belongs to a workspace. */
export interface EnteredBySession {
  session: Session
  membership?: Membership
}

interface Around {
  sql: Sql
  now: Date
  /** The workspace that the address means. */
  addressed: () => Promise<Workspace>
}

/** A cookie is sent by whatever page makes the browser ask, so a change also needs what only our own pages know. */
export async function enterBySession(request: FastifyRequest, { sql, now, addressed }: Around): Promise<EnteredBySession> {
  const session = await findSession(sql, request.cookies[sessionCookie], now)
  if (!session) throw new Refusal(401, 'This needs someone who is signed in: sign in first.')
  if (!reads.has(request.method) && !isCsrfToken(session.id, request.headers['x-csrf-token']))
    throw new ApiError('FORBIDDEN', 'The header X-CSRF-Token is missing or not the one of this session. Sign in again.')
  if (request.routeOptions.config.route?.scope === 'signed-in') return { session }
  const { id, slug } = await addressed()
  const memberships = await membershipsOf(sql, session)
  const membership = memberships.find(({ workspace }) => workspace.id === id)
  if (membership) {
    refuseClosed(membership.workspace)
    return { session, membership }
  }
  const own = memberships.map(({ workspace }) => `/w/${workspace.slug}`).join(', ')
  throw new Refusal(403, `You do not belong to the workspace "${slug}". Use ${own}.`)
}
