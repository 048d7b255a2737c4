/** What the pages keep in a browser besides its session: a secret for forms before signing in, and what the next page says. */

import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookieFlags } from '../accounts/cookie-flags.ts'
import { newSecret } from '../accounts/secrets.ts'
import type { Settings } from '../config.ts'
import { type Notice, sentenceOf } from './notices.ts'

const formCookie = 'ph_form'
const noticeCookie = 'ph_notice'

/** Long enough to get to the next page. */
const noticeSeconds = 60

export interface Browser {
  /** Behind the forms that are sent before there is a session, where the browser has one. */
  formSecret: string | undefined
  /** The same, new where there is none. */
  requireFormSecret(): string
  /** What the page before wanted said; taken out of the browser with this answer. */
  notice: string | undefined
  /** Has the next page say something. */
  leaveNotice(notice: Notice): void
  /** The forms that were shown before signing in no longer work. */
  dropFormSecret(): void
}

export function browserOf(request: FastifyRequest, reply: FastifyReply, settings: Settings): Browser {
  const rules = cookieFlags(request, settings)
  const left = request.cookies[noticeCookie]
  if (left !== undefined) reply.clearCookie(noticeCookie, rules)
  const formSecret = request.cookies[formCookie] || undefined
  return {
    formSecret,
    requireFormSecret: () => formSecret ?? newFormSecret(),
    notice: sentenceOf(left),
    leaveNotice: (notice) => void reply.setCookie(noticeCookie, notice, { ...rules, maxAge: noticeSeconds }),
    dropFormSecret: () => void reply.clearCookie(formCookie, rules),
  }

  function newFormSecret(): string {
    const secret = newSecret()
    reply.setCookie(formCookie, secret, rules)
    return secret
  }
}
