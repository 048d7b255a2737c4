/** The front door: version, key, workspace, then scope, in this order (contract-gaps 1). Workspace states and rate budgets join here. */
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import { sessionCookie } from '../../contract/index.ts'
import { isCsrfToken } from '../accounts/csrf.ts'
import { type Membership, membershipsOf } from '../accounts/people.ts'
import { findSession, type Session } from '../accounts/sessions.ts'
import type { Clock } from '../clock.ts'
import type { Sql } from '../database/open.ts'
import { findHolder, type Holder } from './keys.ts'
import { Refusal } from './refusal.ts'
import { refuseOtherVersion } from './version.ts'

/** Methods that change nothing. */
const reads = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Who was let in: nobody in particular, the holder of a key, or somebody signed in, with what they are in the addressed workspace. */
export interface Entered {
  holder?: Holder
  session?: Session
  membership?: Membership
}

/** What the front door asks. */
interface Parts {
  database: { sql: Sql }
  clock: Clock
}

/** Throws a Refusal, or says who is asking. An address without a route is judged by its method. */
export async function enter(request: FastifyRequest, { database: { sql }, clock }: Parts): Promise<Entered> {
  const { route } = request.routeOptions.config
  refuseOtherVersion(request.url, request.headers['x-ph-api'])
  const key = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1]
  if (route?.scope === 'none') return enterOpenly(request, sql)
  if (!key && (route?.scope === 'session' || route?.scope === 'signed-in')) return enterBySession(request, sql, clock.now())
  if (!key) throw new Refusal(401, 'This needs a key: send it as "Authorization: Bearer <key>".')
  const holder = await findHolder(sql, key)
  if (!holder) throw new Refusal(401, 'This key is unknown or revoked, or its owner has left the workspace. Sign in again.')
  await refuseOtherWorkspace(request.workspaceSlug, holder, sql)
  const writes = route
    ? route.scope === 'write' || (['admin', 'session'].includes(route.scope) && !reads.has(route.method))
    : !reads.has(request.method)
  if (writes && holder.actor.scope === 'read') throw new Refusal(403, 'This key is read-only. Use a key with write scope.')
  if (route?.scope === 'session')
    throw new ApiError('FORBIDDEN', 'Keys neither make nor revoke keys. Sign in on the dashboard for that.')
  return { holder }
}

/** A route that needs nobody still belongs to a workspace that is there. */
async function enterOpenly({ workspaceSlug }: FastifyRequest, sql: Sql): Promise<Entered> {
  if (workspaceSlug !== undefined) await requireWorkspace(sql, workspaceSlug)
  return {}
}

/** A cookie is sent by whatever page makes the browser ask, so a change also needs what only our own pages know. */
async function enterBySession(request: FastifyRequest, sql: Sql, now: Date): Promise<Entered> {
  const session = await findSession(sql, request.cookies[sessionCookie], now)
  if (!session) throw new Refusal(401, 'This needs somebody who is signed in: sign in first.')
  if (!reads.has(request.method) && !isCsrfToken(session.id, request.headers['x-csrf-token']))
    throw new ApiError('FORBIDDEN', 'The header X-CSRF-Token is missing or not the one of this session. Sign in again.')
  if (request.routeOptions.config.route?.scope === 'signed-in') return { session }
  const addressed = await requireWorkspace(sql, request.workspaceSlug)
  const memberships = await membershipsOf(sql, session.accountId)
  const membership = memberships.find(({ workspace }) => workspace.id === addressed.id)
  if (membership) return { session, membership }
  const own = memberships.map(({ workspace }) => `/w/${workspace.slug}`).join(', ')
  throw new Refusal(403, `You do not belong to the workspace "${addressed.slug}". Use ${own}.`)
}

/** Without `/w/<slug>` the address means the first workspace. */
async function refuseOtherWorkspace(slug: string | undefined, holder: Holder, sql: Sql): Promise<void> {
  if (slug === holder.workspace.slug) return
  const addressed = await requireWorkspace(sql, slug)
  if (addressed.id !== holder.workspace.id)
    throw new Refusal(403, `This key belongs to another workspace than "${addressed.slug}". Use /w/${holder.workspace.slug}.`)
}

/** For addresses outside the API: pages and what else stands below `/w/<slug>`. */
export async function refuseUnknownWorkspace(sql: Sql, slug: string): Promise<void> {
  await requireWorkspace(sql, slug)
}

async function requireWorkspace(sql: Sql, slug: string | undefined): Promise<{ id: number; slug: string }> {
  const [addressed] = await (slug === undefined
    ? sql<{ id: number; slug: string }[]>`select id, slug from workspaces order by id limit 1`
    : sql<{ id: number; slug: string }[]>`select id, slug from workspaces where slug = ${slug}`)
  if (!addressed) throw new Refusal(404, `There is no library "${slug ?? ''}" on this server. Check the address.`)
  return addressed
}
