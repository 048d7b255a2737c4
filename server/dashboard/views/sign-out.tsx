/** Asked by the one who opens /sign-out by its address: a link alone signs nobody out. */
import { type Frame, Page, Token } from './parts/frame.tsx'

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
