/** Where one-time links lead: joining a workspace, or choosing a new password; and in. */
import { findInvitation, type Invitation, join } from '../../accounts/joining.ts'
import { findPasswordLink, followPasswordLink, type PasswordLink } from '../../accounts/password-links.ts'
import { addressOf } from '../addresses.ts'
import { type Answer, show } from '../answer.ts'
import { enter } from '../browser-session.ts'
import { type Returned, refused, returned } from '../form-check.ts'
import { PageFailure } from '../page-failure.ts'
import { JoinPage, NewPasswordPage } from '../views/invitation.tsx'
import type { Visit } from '../visit.ts'
import { newPasswordProblems } from './new-password.ts'

export const linkOf = (visit: Visit, code: string): string => `${addressOf(visit)}/invitation?code=${code}`

type Link = { code: string; invitation: Invitation } | { code: string; passwordLink: PasswordLink }

export const invitation = {
  async 'GET /invitation'(visit: Visit): Promise<Answer> {
    return form(visit, await requireLink(visit, visit.query('code')))
  },

  async 'POST /invitation'(visit: Visit): Promise<Answer> {
    const link = await requireLink(visit, visit.field('code'))
    const problems = [...missingPassword(visit, link), ...newPasswordProblems(visit)]
    if (problems.length > 0) return form(visit, link, returned(problems))
    return 'invitation' in link ? accept(visit, link) : choose(visit, link)
  },
}

/** Who has an account shows that it is theirs. */
const missingPassword = (visit: Visit, link: Link) =>
  'invitation' in link && link.invitation.account === 'open' && visit.secret('password') === ''
    ? [{ field: 'password', message: 'Enter your current password.' }]
    : []

async function accept(visit: Visit, link: { code: string; invitation: Invitation }): Promise<Answer> {
  const { sql, now, visitor } = visit
  const { code } = link
  const typed = { password: visit.secret('password'), newPassword: visit.secret('new_password') }
  try {
    enter(visit, await join(sql, { code, ...typed, address: visitor.address, browser: visitor, now }))
  } catch (error) {
    const back = refused(error, {
      UNAUTHORIZED: 'password',
      VALIDATION: 'new_password',
      RATE_LIMITED: null,
      UNAVAILABLE: null,
      FORBIDDEN: null,
      CONFLICT: null,
      NOT_FOUND: null,
    })
    // It may have been withdrawn meanwhile, or there is an account by now.
    return form(visit, await requireLink(visit, code), back)
  }
  visit.browser.leaveNotice('joined')
  return { to: visit.frame.atWorkspace(link.invitation.workspace.slug, '/') }
}

async function choose(visit: Visit, link: { code: string; passwordLink: PasswordLink }): Promise<Answer> {
  const { sql, now, visitor } = visit
  const password = visit.secret('new_password')
  try {
    enter(visit, await followPasswordLink(sql, { code: link.code, password, browser: visitor, now }))
  } catch (error) {
    return form(visit, await requireLink(visit, link.code), refused(error, { UNAUTHORIZED: null }))
  }
  visit.browser.leaveNotice('password-chosen')
  return { to: visit.frame.atWorkspace(link.passwordLink.workspace.slug, '/') }
}

async function requireLink({ sql, now }: Visit, code: string): Promise<Link> {
  const invited = await findInvitation(sql, code, now)
  if (invited) return { code, invitation: invited }
  const passwordLink = await findPasswordLink(sql, code, now)
  if (passwordLink) return { code, passwordLink }
  throw new PageFailure(404, {
    title: 'This link no longer works',
    message: 'It was used already, is older than seven days, or was withdrawn or replaced by a newer one.',
    next: 'If you have chosen your password, sign in. If not, ask an owner or admin of the workspace for a new link.',
    link: { page: '/sign-in', words: 'Sign in' },
  })
}

function form({ frame, session }: Visit, link: Link, { problems = [], ...more }: Partial<Returned> = {}): Answer {
  const { code } = link
  if ('passwordLink' in link) {
    const { email, displayName, workspace } = link.passwordLink
    return show(NewPasswordPage, { frame, code, email, displayName, workspaceName: workspace.name, problems }, more)
  }
  const { workspace, ...invitation } = link.invitation
  const otherEmail = session && session.email !== invitation.email ? session.email : undefined
  return show(JoinPage, { frame, code, invitation: { ...invitation, workspaceName: workspace.name }, otherEmail, problems }, more)
}
