/** Who is at the other end of a request, before anybody knows who it is: an address, and a cookie that may be a session's. */

import type { FastifyReply, FastifyRequest } from 'fastify'
import { sessionCookie } from '../../contract/index.ts'
import type { Settings } from '../config.ts'
import { cookieFlags } from './cookie-flags.ts'
import type { Session } from './sessions.ts'

export interface Visitor {
  /** IP address: of the connection, or what a trusted proxy says. */
  address: string
  /** Whatever the cookie holds. */
  sessionId: string | undefined
  /** Sets the cookie. */
  keepSession(session: Session): void
  /** Takes the cookie away. */
  dropSession(): void
}

export function visitorOf(request: FastifyRequest, reply: FastifyReply, settings: Settings): Visitor {
  const cookie = cookieFlags(request, settings)
  return {
    address: request.ip,
    sessionId: request.cookies[sessionCookie],
    keepSession: ({ id, expiresAt }) => void reply.setCookie(sessionCookie, id, { ...cookie, expires: expiresAt }),
    dropSession: () => void reply.clearCookie(sessionCookie, cookie),
  }
}
