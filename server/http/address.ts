/** What an address means: its workspace, and the path that routes are found by (contract-gaps 1). */

export interface Address {
  /** From `/w/<slug>/…`; undefined means the first workspace. */
  slug: string | undefined
  /** Path and query without the workspace. */
  rest: string
}

const workspaces = '/w/'

/** `/w/acme/api/v1/entries` is the address `/api/v1/entries` of the workspace `acme`. `url` is the target of the request line. */
export function readAddress(url: string): Address {
  const plain = normalized(url)
  if (!plain.startsWith(workspaces)) return { slug: undefined, rest: plain }
  const below = plain.slice(workspaces.length)
  const end = below.search(/[/?]/)
  const [slug, rest] = end === -1 ? [below, ''] : [below.slice(0, end), below.slice(end)]
  return { slug, rest: rest.startsWith('/') ? rest : `/${rest}` }
}

/** An address of the API, or that of assistants, which only the front door lets in. */
export const needsKey = (path: string): boolean => /^\/(api|mcp)(\/|\?|$)/.test(path)

/** One spelling for each address (RFC 9112 section 3.2.2, RFC 3986 section 6.2.2.2), so that the router finds nothing that others pass over. */
function normalized(url: string): string {
  if (url.startsWith('/') && !url.includes('%')) return url
  const target = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '')
  const [path = '', ...query] = target.split('?')
  return [path.includes('%') ? unescaped(path) : path, ...query].join('?')
}

function unescaped(path: string): string {
  if (!isDecodable(path)) return path.replaceAll('%', '%25')
  return path.replaceAll(/%[0-9a-f]{2}/gi, (sequence) => {
    const char = String.fromCharCode(Number.parseInt(sequence.slice(1), 16))
    return /[\w.~-]/.test(char) ? char : sequence
  })
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}
