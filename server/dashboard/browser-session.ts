/** Signing this browser in. */
import { type NewlySignedIn, startSession } from '../accounts/sessions.ts'
import { signIn } from '../accounts/sign-in.ts'
import type { Visit } from './visit.ts'

/** Throws what `signIn` does. The session that the browser came with ends. */
export async function signInHere(visit: Visit, credentials: { email: string; password: string }): Promise<void> {
  const { sql, now, visitor } = visit
  enter(visit, await signIn(sql, { ...credentials, address: visitor.address, browser: visitor, now }))
}

export function enter({ visitor, browser }: Visit, session: NewlySignedIn): void {
  visitor.keepSession(session)
  browser.dropFormSecret()
}

/** For someone who has shown with this very request that the account is theirs. The session that the browser came with ends. */
export async function enterAs(visit: Visit, accountId: number): Promise<void> {
  const session = await startSession(visit.sql, { accountId, browser: visit.visitor, now: visit.now })
  if (session) enter(visit, session)
}
