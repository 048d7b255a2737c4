/** Who is at the other end of a request, before anybody knows who it is: an address, and a cookie that may be a session's. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sessionCookie } from '../../contract/index.ts'
import type { Settings } from '../config.ts'
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

/** For no program in a browser, not for forms of other sites, and not over an open line where there is a closed one. */
export function cookieRules({ protocol }: FastifyRequest, { publicUrl }: Settings) {
  const secure = protocol === 'https' || (publicUrl?.startsWith('https:') ?? false)
  return { path: '/', httpOnly: true, sameSite: 'lax', secure } as const
}

export function visitorOf(request: FastifyRequest, reply: FastifyReply, settings: Settings): Visitor {
  const cookie = cookieRules(request, settings)
  return {
    address: request.ip,
    sessionId: request.cookies[sessionCookie],
    keepSession: ({ id, expiresAt }) => void reply.setCookie(sessionCookie, id, { ...cookie, expires: expiresAt }),
    dropSession: () => void reply.clearCookie(sessionCookie, cookie),
  }
}
