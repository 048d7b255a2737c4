/** Forms that other sites send in someone's name are refused: by where the browser says they come from, and by a token they cannot know. */
import { isCsrfToken } from '../accounts/secrets.ts'
import { originOf } from '../front-door/origin.ts'
import { PageFailure } from './page-failure.ts'
import type { Visit } from './visit.ts'

/**
 * Throws unless the form came from a page of ours in this browser. What is there before signing in is also taken with the token of the
 * browser's own secret, everything else with the session's only: a cookie can be planted by a neighbouring host, a session cannot.
 */
export function requireOwnForm(visit: Visit, isBeforeSignIn: boolean): void {
  requireOwnOrigin(visit)
  const secrets = [visit.session?.id, isBeforeSignIn ? visit.browser.formSecret : undefined]
  const presented = visit.secret('csrf_token')
  if (secrets.some((secret) => secret !== undefined && isCsrfToken(secret, presented))) return
  throw new PageFailure(403, {
    title: 'This page was too old',
    message:
      'The form was not taken, because it was made before you signed in or out, or in another browser. Nothing was changed.',
    next: 'Open the page again and send the form once more.',
  })
}

/** Browsers say where a form comes from; a program that says nothing still needs the token. */
function requireOwnOrigin({ request, services }: Visit): void {
  const { origin } = request.headers
  if (origin === undefined) return
  // Without regard to the protocol: a proxy that speaks https may say nothing of it.
  const own = [request.headers.host, new URL(originOf(request, services.settings)).host]
  if (URL.canParse(origin) && own.includes(new URL(origin).host)) return
  throw new PageFailure(403, {
    title: 'This form came from elsewhere',
    message: `Your browser says that it was sent from ${origin.slice(0, 200)}, and this server is ${own.at(-1)}. Nothing was changed.`,
    next: 'If a proxy stands before this server, the person who runs it sets PH_PUBLIC_URL to the address that people use.',
  })
}
