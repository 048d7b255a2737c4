/** Addresses of workspaces: how they are written down, so that one workspace has one name. */

import { withoutEnd } from '../../system/text/text-end.ts'
import { ClientError } from '../client-error.ts'

/**
 * `https://host[:port][/w/<slug>]`, as typed by a person: a missing scheme is filled in (http for this machine, https
 * elsewhere), a trailing slash and `/api/v1` are taken off. Throws ClientError `WRONG_ADDRESS`.
 */
export function normalizeAddress(typed: string): string {
  const text = typed.trim()
  const url = parseAddress(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `${isThisMachine(text) ? 'http' : 'https'}://${text}`)
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new ClientError('WRONG_ADDRESS', `${typed} is not an address on the web.`)
  if (url.username || url.password)
    throw new ClientError('WRONG_ADDRESS', 'An address must not hold a name or password.', {
      next: 'Give the key to `ph login --with-key`.',
    })
  const path = withoutEnd(url.pathname, '/').replace(/\/api\/v1$/, '')
  return url.origin + path
}

function parseAddress(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}

const isThisMachine = (text: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])([:/]|$)/i.test(text)
