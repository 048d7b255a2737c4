/** Signing this browser in. */
import type { Session } from '../accounts/sessions.ts'
import { signIn } from '../accounts/sign-in.ts'
import type { Visit } from './visit.ts'

/** Throws what `signIn` does. The session that the browser came with ends. */
export async function signInHere(visit: Visit, credentials: { email: string; password: string }): Promise<void> {
  const { sql, now, visitor } = visit
  enter(visit, await signIn(sql, { ...credentials, address: visitor.address, replaces: visitor.sessionId, now }))
}

export function enter({ visitor, browser }: Visit, session: Session): void {
  visitor.keepSession(session)
  browser.dropFormSecret()
}
