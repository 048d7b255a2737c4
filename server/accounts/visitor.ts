/** Who is at the other end of a request, before anybody knows who it is: an address, and a cookie that may be a session's. */

import type { FastifyReply, FastifyRequest } from 'fastify'
import { deviceCookie, sessionCookie } from '../../contract/index.ts'
import type { Settings } from '../config.ts'
import { cookieFlags } from './cookie-flags.ts'
import type { Carried } from './known-devices.ts'
import type { NewlySignedIn } from './sessions.ts'

export interface Visitor extends Carried {
  /** IP address: of the connection, or what a trusted proxy says. */
  address: string
  /** Sets the cookies. */
  keepSession(session: NewlySignedIn): void
  /** Takes the cookie of the session away. The browser stays known. */
  dropSession(): void
}

export function visitorOf(request: FastifyRequest, reply: FastifyReply, settings: Settings): Visitor {
  const cookie = cookieFlags(request, settings)
  return {
    address: request.ip,
    sessionId: request.cookies[sessionCookie],
    deviceId: request.cookies[deviceCookie],
    keepSession({ id, expiresAt, device }) {
      reply.setCookie(sessionCookie, id, { ...cookie, expires: expiresAt })
      reply.setCookie(deviceCookie, device.id, { ...cookie, expires: device.expiresAt })
    },
    dropSession: () => void reply.clearCookie(sessionCookie, cookie),
  }
}
