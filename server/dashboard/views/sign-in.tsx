/** The sign-in page; and signing out, asked by the one who opens /sign-out by its address: a link alone signs nobody out. */
import { Field, type Problem, ProblemSummary } from './parts/fields.tsx'
import { type Frame, Page, Token } from './parts/frame.tsx'

interface SignInProps {
  frame: Frame
  /** Where the person wanted to go; empty for the overview. */
  next: string
  email: string
  /** Why one is here, when it was not by choice. */
  reason?: string | undefined
  problems: readonly Problem[]
}

export function SignInPage({ frame, next, email, reason, problems }: SignInProps) {
  return (
    <Page frame={frame} title="Sign in" width="gate" hasTrouble={problems.length > 0}>
      <h1>Sign in to Prop House</h1>
      {reason && <p className="lead">{reason}</p>}
      <ProblemSummary problems={problems} />
      <form className="sheet fields" method="post" action={frame.at('/sign-in')}>
        <Token frame={frame} />
        {next && <input type="hidden" name="next" value={next} />}
        <Field
          name="email"
          label="E-mail address"
          type="email"
          autoComplete="username"
          value={email}
          maxLength={200}
          problems={problems}
          isFirst
        />
        <Field
          name="password"
          label="Password"
          type="password"
          autoComplete="current-password"
          maxLength={200}
          problems={problems}
        />
        <button type="submit" className="button">
          Sign in
        </button>
        <p className="soft small">
          Forgotten it, or never had one? An owner or admin of your workspace can give you a link that lets you choose a new one.
        </p>
      </form>
    </Page>
  )
}

export function SignOutPage({ frame }: { frame: Frame }) {
  return (
    <Page frame={frame} title="Sign out" width="gate">
      <h1>Sign out?</h1>
      <p className="lead">Only this browser is signed out. Your keys, and the terminals that use them, keep working.</p>
      <form className="sheet" method="post" action={frame.at('/sign-out')}>
        <Token frame={frame} />
        <div className="actions equal">
          <button type="submit" className="button">
            Sign out
          </button>
          <a className="button quiet" href={frame.at('/')}>
            Stay
          </a>
        </div>
      </form>
    </Page>
  )
}
