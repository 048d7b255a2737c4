/** Who may see a page: decided here for all pages, before their handlers run. */

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../services.ts'
import { type Answer, sendAnswer } from './answer.ts'
import { requireOwnForm } from './forgery.ts'
import { PageFailure } from './page-failure.ts'
import { type MemberVisit, openVisit, type Visit } from './visit.ts'

export type PageHandler<V extends Visit> = (visit: V) => Promise<Answer> | Answer

/** Anybody; someone signed in; a member of the workspace; an owner or admin of it. */
export type Rank = 'anybody' | 'person' | 'member' | 'admin'

interface PageRequest {
  request: FastifyRequest
  reply: FastifyReply
  services: Services
  rank: Rank
  handler: PageHandler<never>
}

export async function admit({ request, reply, services, rank, handler }: PageRequest): Promise<FastifyReply> {
  const visit = await openVisit(request, reply, services)
  return sendAnswer(reply, (await refuse(visit, rank)) ?? (await (handler as PageHandler<Visit>)(visit)))
}

/** Where someone goes who may not see the page, or undefined. Throws PageFailure. */
async function refuse(visit: Visit, rank: Rank): Promise<Answer | undefined> {
  const isForm = visit.request.method === 'POST'
  if (rank !== 'anybody' && !visit.session) return toSignIn(visit, isForm)
  if (isForm) requireOwnForm(visit, rank === 'anybody')
  if (rank !== 'member' && rank !== 'admin') return undefined
  if (!visit.membership) return elsewhere(visit, isForm)
  if (rank === 'admin') requireAdmin(visit as MemberVisit)
  return undefined
}

/** A form is not sent again by itself: who signs in again comes to the overview. */
async function toSignIn(visit: Visit, isForm: boolean): Promise<Answer> {
  const { request, frame, sql } = visit
  const askedAddress = isForm ? '' : request.originalUrl
  if (request.url === '/' && (await sql`select 1 from workspaces limit 1`).length === 0) return { to: frame.at('/setup') }
  return {
    to: frame.at(askedAddress === '' || request.url === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(askedAddress)}`),
  }
}

/** The bare address means the first workspace; who belongs elsewhere only is sent there. */
function elsewhere({ request, frame, memberships }: Visit, isForm: boolean): Answer {
  const [first] = memberships
  if (request.workspaceSlug === undefined && first && !isForm) return { to: frame.atWorkspace(first.workspace.slug, request.url) }
  throw new PageFailure(403, {
    title: 'Not your workspace',
    message: `You do not belong to ${request.workspaceSlug === undefined ? 'this workspace' : `the workspace “${request.workspaceSlug}”`}.`,
    next: 'An owner or admin of it can add you. Your own workspaces are listed in your account.',
    link: { page: '/account', words: 'Your account' },
  })
}

export const isAdmin = ({ membership: { person } }: MemberVisit): boolean => person.role !== 'member'

function requireAdmin(visit: MemberVisit): void {
  if (isAdmin(visit)) return
  throw new PageFailure(403, {
    title: 'For owners and admins',
    message: 'Only an owner or admin of the workspace may do that.',
    next: 'The list of members says who they are.',
    link: { page: '/members', words: 'See the members' },
  })
}
