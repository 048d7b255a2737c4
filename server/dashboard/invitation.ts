/** Where the link of an invitation leads: choosing a password, and in. */
import { acceptInvitation, findInvitation, type Invitation } from '../accounts/invitations.ts'
import { type Answer, show } from './answer.ts'
import { enter } from './browser-session.ts'
import { type Returned, returned } from './form-check.ts'
import { newPasswordProblems } from './new-password.ts'
import { PageFailure } from './page-failure.ts'
import { addressOf } from './service-address.ts'
import { InvitationPage } from './views/invitation.tsx'
import type { Visit } from './visit.ts'

export const linkOf = (visit: Visit, code: string): string => `${addressOf(visit)}/invitation?code=${code}`

export const invitation = {
  async 'GET /invitation'(visit: Visit): Promise<Answer> {
    const code = visit.query('code')
    return form(visit, { code, ...(await requireInvitation(visit, code)) })
  },

  async 'POST /invitation'(visit: Visit): Promise<Answer> {
    const code = visit.field('code')
    const found = await requireInvitation(visit, code)
    const problems = newPasswordProblems(visit)
    if (problems.length > 0) return form(visit, { code, ...found }, returned(problems))
    const replaces = visit.visitor.sessionId
    const session = await acceptInvitation(visit.sql, { code, password: visit.secret('new_password'), replaces, now: visit.now })
    enter(visit, session)
    visit.browser.leaveNotice('password-chosen')
    return { to: visit.frame.atWorkspace(found.workspace.slug, '/') }
  },
}

async function requireInvitation({ sql, now }: Visit, code: string): Promise<Invitation> {
  const found = await findInvitation(sql, code, now)
  if (found) return found
  throw new PageFailure(404, {
    title: 'This link leads nowhere any more',
    message: 'It was used already, is older than seven days, or was replaced by a newer one.',
    next: 'If you have chosen your password, sign in. If not, ask an owner or admin of your workspace for a new link.',
    link: { page: '/sign-in', words: 'Sign in' },
  })
}

const form = (
  { frame }: Visit,
  found: { code: string } & Invitation,
  { problems = [], ...more }: Partial<Returned> = {},
): Answer => {
  const { code, email, displayName, workspace } = found
  return show(InvitationPage, { frame, code, email, displayName, workspaceName: workspace.name, problems }, more)
}
