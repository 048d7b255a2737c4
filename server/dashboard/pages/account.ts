/** One's own account: where one belongs, and changing the password. */
import { changePassword } from '../../accounts/sign-in.ts'
import { type Answer, show } from '../answer.ts'
import { enter } from '../browser-session.ts'
import { type Returned, refused, returned } from '../form-check.ts'
import { AccountPage } from '../views/account.tsx'
import type { PersonVisit } from '../visit.ts'
import { newPasswordProblems } from './new-password.ts'

export const account = {
  'GET /account': (visit: PersonVisit): Answer => page(visit),

  async 'POST /account'(visit: PersonVisit): Promise<Answer> {
    const { sql, now, visitor, session } = visit
    const password = visit.secret('password')
    const missing = password === '' ? [{ field: 'password', message: 'Enter your current password.' }] : []
    const problems = [...missing, ...newPasswordProblems(visit)]
    if (problems.length > 0) return page(visit, returned(problems))
    const { accountId } = session
    const { address } = visitor
    const change = { accountId, password, newPassword: visit.secret('new_password'), address, browser: visitor, now }
    try {
      enter(visit, await changePassword(sql, change))
    } catch (error) {
      return page(visit, refused(error, { UNAUTHORIZED: 'password', RATE_LIMITED: null, UNAVAILABLE: null }))
    }
    visit.browser.leaveNotice('password-changed')
    return { to: visit.frame.at('/account') }
  },
}

function page({ frame, memberships, browser }: PersonVisit, { problems = [], ...more }: Partial<Returned> = {}): Answer {
  const belongs = memberships.map(({ workspace: { slug, name }, person: { role } }) => ({ slug, name, role }))
  return show(AccountPage, { frame, memberships: belongs, notice: browser.notice, problems }, more)
}
