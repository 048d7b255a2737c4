/** Signing in with e-mail and password, and out again. */

import { endSession } from '../../accounts/sessions.ts'
import { ownAddress } from '../addresses.ts'
import { type Answer, show } from '../answer.ts'
import { signInHere } from '../browser-session.ts'
import { type Returned, refused, returned } from '../form-check.ts'
import type { Problem } from '../views/parts/fields.tsx'
import { SignInPage, SignOutPage } from '../views/sign-in.tsx'
import type { PersonVisit, Visit } from '../visit.ts'

export const signInPages = {
  'GET /sign-in': (visit: Visit): Answer => {
    const next = ownAddress(visit.query('next'))
    return visit.session ? { to: nextPage(visit, next) } : form(visit, { next, email: '' })
  },

  async 'POST /sign-in'(visit: Visit): Promise<Answer> {
    const typed = { next: ownAddress(visit.field('next')), email: visit.field('email') }
    const password = visit.secret('password')
    const problems = missing(typed.email, password)
    if (problems.length > 0) return form(visit, { ...typed, ...returned(problems) })
    try {
      await signInHere(visit, { email: typed.email, password })
      return { to: nextPage(visit, typed.next) }
    } catch (error) {
      return form(visit, { ...typed, ...refused(error, { UNAUTHORIZED: null, RATE_LIMITED: null, UNAVAILABLE: null }) })
    }
  },
}

function missing(email: string, password: string): Problem[] {
  return [
    ...(email === '' ? [{ field: 'email', message: 'Enter your e-mail address.' }] : []),
    ...(password === '' ? [{ field: 'password', message: 'Enter your password.' }] : []),
  ]
}

const nextPage = ({ frame }: Visit, next: string | undefined): string => (next ? frame.whole(next) : frame.at('/'))

interface Typed extends Partial<Returned> {
  next: string | undefined
  email: string
}

function form({ frame }: Visit, { next = '', email, problems = [], ...more }: Typed): Answer {
  const isForDevice = /^(\/w\/[^/]+)?\/device(\?|$)/.test(next)
  const reason = isForDevice ? 'Then you see which terminal asks to sign in as you, and decide.' : undefined
  return show(SignInPage, { frame, next, email, reason, problems }, more)
}

export const signOutPages = {
  'GET /sign-out': ({ frame }: PersonVisit): Answer => show(SignOutPage, { frame }),

  async 'POST /sign-out'({ sql, session, visitor, frame }: PersonVisit): Promise<Answer> {
    await endSession(sql, session.id)
    visitor.dropSession()
    return { to: frame.at('/sign-in') }
  },
}
