/** One's own account: who one is here, and changing the password. */
import { Fragment } from 'react'
import { type Problem, ProblemSummary } from './parts/fields.tsx'
import { type Frame, Page, Token } from './parts/frame.tsx'
import { CurrentPassword, NewPassword, OwnEmail } from './parts/new-password.tsx'
import { Notice } from './parts/notice.tsx'
import { type Role, roleNames } from './parts/role.tsx'

interface AccountProps {
  frame: Frame
  memberships: readonly { slug: string; name: string; role: Role }[]
  notice: string | undefined
  problems: readonly Problem[]
}

export function AccountPage({ frame, memberships, notice, problems }: AccountProps) {
  return (
    <Page frame={frame} title="Account" section="account" hasTrouble={problems.length > 0}>
      <h1>{frame.person?.displayName}</h1>
      <Notice words={notice} />
      <ProblemSummary problems={problems} />
      <div className="pair">
        <section className="sheet">
          <h2>Your workspaces</h2>
          <dl className="facts">
            {memberships.map(({ slug, name, role }) => (
              <Fragment key={slug}>
                <dt>
                  <a href={frame.atWorkspace(slug, '/')}>{name}</a>
                </dt>
                <dd>{roleNames[role]}</dd>
              </Fragment>
            ))}
          </dl>
        </section>
        <form className="sheet fields" method="post" action={frame.at('/account')}>
          <h2>Change password</h2>
          <p className="soft">You stay signed in here; every other browser is signed out. Keys keep working.</p>
          <Token frame={frame} />
          <OwnEmail email={frame.person?.email ?? ''} />
          <CurrentPassword problems={problems} />
          <NewPassword problems={problems} />
          <div className="actions">
            <button type="submit" className="button">
              Change password
            </button>
          </div>
        </form>
      </div>
    </Page>
  )
}
