/** One request for a page: who asks, in which workspace, what they sent. */

import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Membership, membershipsOf } from '../accounts/people.ts'
import { csrfTokenOf } from '../accounts/secrets.ts'
import { findSession, type Session } from '../accounts/sessions.ts'
import { type Visitor, visitorOf } from '../accounts/visitor.ts'
import type { Sql } from '../database/sql.ts'
import type { Services } from '../services.ts'
import { type Browser, browserOf } from './browser.ts'
import { stylesheet } from './stylesheet.ts'
import type { Frame } from './views/parts/frame.tsx'

export interface Visit {
  request: FastifyRequest
  services: Services
  sql: Sql
  now: Date
  visitor: Visitor
  browser: Browser
  session: Session | undefined
  /** Where the person belongs; empty for the one who has not signed in. */
  memberships: readonly Membership[]
  /** Theirs in the workspace of the address. */
  membership: Membership | undefined
  frame: Frame
  /** A part of the path. */
  param: (name: string) => string
  /** A query parameter on one line, as it can be stored; empty when it was not sent. */
  query: (name: string) => string
  /** The same of a form. */
  field: (name: string) => string
  /** A field as it was typed: a password. */
  secret: (name: string) => string
}

/** Someone who signed in. */
export type PersonVisit = Visit & { session: Session }

/** Someone who signed in and belongs to the workspace of the address. */
export type MemberVisit = PersonVisit & { membership: Membership }

/** Fields and parameters beyond this are cut off: none of ours is longer. */
const longestField = 4_000

export async function openVisit(request: FastifyRequest, reply: FastifyReply, services: Services): Promise<Visit> {
  const { settings, database, clock } = services
  const { sql } = database
  const now = clock.now()
  const visitor = visitorOf(request, reply, settings)
  const browser = browserOf(request, reply, settings)
  const session = await findSession(sql, visitor.sessionId, now)
  const memberships = session ? await membershipsOf(sql, session) : []
  const addressed = session ? await findWorkspace(sql, request.workspaceSlug) : undefined
  const membership = memberships.find(({ workspace }) => workspace.id === addressed?.id)
  const frame = {
    ...bareFrame(request, services),
    csrfToken: session?.csrfToken ?? csrfTokenOf(browser.requireFormSecret()),
    person: session && { displayName: (membership ?? memberships[0])?.person.displayName ?? '', email: session.email },
    workspace: membership?.workspace,
    isAdmin: membership !== undefined && membership.person.role !== 'member',
    workspaces: memberships.map(({ workspace }) => workspace),
  }
  return { request, services, sql, now, visitor, browser, session, memberships, membership, frame, ...readers(request) }
}

/** Without `/w/<slug>` the address means the first workspace. */
async function findWorkspace(sql: Sql, slug: string | undefined): Promise<{ id: number } | undefined> {
  const [found] = await (slug === undefined
    ? sql<{ id: number }[]>`select id from workspaces order by id limit 1`
    : sql<{ id: number }[]>`select id from workspaces where slug = ${slug}`)
  return found
}

/** For who it is. */
export function bareFrame(request: FastifyRequest, { settings: { publicUrl } }: Pick<Services, 'settings'>): Frame {
  // A proxy may serve us below a path of its own.
  const mount = publicUrl ? new URL(publicUrl).pathname.replace(/\/$/, '') : ''
  const slug = request.workspaceSlug
  return {
    at: (page) => `${mount}${slug === undefined ? '' : `/w/${slug}`}${page}`,
    atWorkspace: (other, page) => `${mount}/w/${other}${page}`,
    whole: (path) => `${mount}${path}`,
    stylesheet: `${mount}${stylesheet().address}`,
    csrfToken: '',
    workspaces: [],
  }
}

function readers({ params, query, body }: FastifyRequest): Pick<Visit, 'param' | 'query' | 'field' | 'secret'> {
  return {
    param: (name) => textIn(params, name),
    query: (name) => onOneLine(textIn(query, name)),
    field: (name) => onOneLine(textIn(body, name)),
    secret: (name) => textIn(body, name),
  }
}

/** Of several values with one name, the first. */
function textIn(values: unknown, name: string): string {
  const all = values as Record<string, unknown> | null | undefined
  const value = all && Object.hasOwn(all, name) ? [all[name]].flat()[0] : ''
  return typeof value === 'string' ? value.slice(0, longestField).toWellFormed() : ''
}

const onOneLine = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ').trim()
