/** Where a one-time link leads: choosing a password. */
import { type Problem, ProblemSummary } from './fields.tsx'
import { type Frame, Page, Token } from './frame.tsx'
import { NewPassword, OwnEmail } from './new-password.tsx'

interface InvitationProps {
  frame: Frame
  code: string
  displayName: string
  email: string
  workspaceName: string
  problems: readonly Problem[]
}

export function InvitationPage({ frame, code, displayName, email, workspaceName, problems }: InvitationProps) {
  return (
    <Page frame={frame} title="Choose a password" width="gate" hasTrouble={problems.length > 0}>
      <h1>Welcome to {workspaceName}</h1>
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
