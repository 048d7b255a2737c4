/** Where one-time links lead: joining a workspace, and choosing a new password. */
import { type Problem, ProblemSummary } from './parts/fields.tsx'
import { type Frame, Page, Token } from './parts/frame.tsx'
import { CurrentPassword, NewPassword, OwnEmail } from './parts/new-password.tsx'
import { type Role, roleNames } from './parts/role.tsx'

interface NewPasswordProps {
  frame: Frame
  code: string
  displayName: string
  email: string
  workspaceName: string
  problems: readonly Problem[]
}

export function NewPasswordPage({ frame, code, displayName, email, workspaceName, problems }: NewPasswordProps) {
  return (
    <Page frame={frame} title="Choose a password" width="gate" hasTrouble={problems.length > 0}>
      <h1>A new password for {workspaceName}</h1>
      <p className="lead">Choose a password, {displayName}. You sign in with it and with your e-mail address.</p>
      <ProblemSummary problems={problems} />
      <form className="sheet fields" method="post" action={frame.at('/invitation')}>
        <Token frame={frame} />
        <input type="hidden" name="code" value={code} />
        <OwnEmail email={email} />
        <NewPassword problems={problems} />
        <button type="submit" className="button">
          Save it and sign in
        </button>
      </form>
    </Page>
  )
}

interface JoinProps {
  frame: Frame
  code: string
  invitation: {
    workspaceName: string
    email: string
    displayName: string
    role: Role
    invitedBy: string
    /** `shut`: there is one, without a password. */
    account: 'none' | 'shut' | 'open'
  }
  /** Who is signed in in this browser, where that is someone else. */
  otherEmail: string | undefined
  problems: readonly Problem[]
}

export function JoinPage({ frame, code, invitation, otherEmail, problems }: JoinProps) {
  const { workspaceName, invitedBy, email, role, account } = invitation
  return (
    <Page frame={frame} title={`Join ${workspaceName}`} width="gate" hasTrouble={problems.length > 0}>
      <h1>Join {workspaceName}</h1>
      <p className="lead">
        {invitedBy} asks {invitation.displayName} to join as{' '}
        {role === 'member' ? 'a member' : `an ${roleNames[role].toLowerCase()}`}.
      </p>
      <ProblemSummary problems={problems} />
      {otherEmail && (
        <p className="note">
          You are signed in as {otherEmail}. The invitation is for {email}: joining signs you in with that account.
        </p>
      )}
      {account === 'shut' ? (
        <Shut email={email} />
      ) : (
        <JoinForm frame={frame} code={code} invitation={invitation} problems={problems} />
      )}
      {account === 'open' && <NotMine />}
    </Page>
  )
}

const nextStep = {
  none: 'Choose a password: you sign in with it and with your e-mail address.',
  open: 'This e-mail address has an account on this server already. Show that it is yours, and choose a new password: the old one stops working, and every other browser is signed out. Keys keep working.',
  shut: '',
}

function JoinForm({ frame, code, invitation: { email, workspaceName, account }, problems }: Omit<JoinProps, 'otherEmail'>) {
  return (
    <form className="sheet fields" method="post" action={frame.at('/invitation')}>
      <Token frame={frame} />
      <input type="hidden" name="code" value={code} />
      <p>{nextStep[account]}</p>
      <OwnEmail email={email} />
      {account === 'open' && <CurrentPassword problems={problems} />}
      <NewPassword problems={problems} />
      <button type="submit" className="button">
        Join {workspaceName}
      </button>
    </form>
  )
}

/** Someone else may have made the account, with an address that is not theirs. */
function NotMine() {
  return (
    <section className="sheet">
      <h2>If you do not know the password</h2>
      <p className="soft">
        You have forgotten it, or someone else made the account with your address. Ask the person who runs this server to set a
        new one, and open this link again. Nobody in a workspace can do that for you. Or ask to be invited with another address.
      </p>
    </section>
  )
}

function Shut({ email }: { email: string }) {
  return (
    <section className="sheet">
      <h2>The account has no password yet</h2>
      <p>
        {email} has an account on this server, and nobody has set a password for it. Ask the person who runs this server to set
        one, and open this link again. Or ask to be invited with another address.
      </p>
    </section>
  )
}
