/** Where a person may be sent after signing in: an address of these pages, and never anybody else's. */

const longest = 2_000

/** `next` as it came with a request; undefined for whatever is not plainly a path of this server's pages. */
export function ownAddress(next: string): string | undefined {
  if (next.length > longest || !/^\/[!-~]*$/.test(next) || next.includes('\\') || !URL.canParse(next, base)) return undefined
  const { origin, pathname, search } = new URL(next, base)
  // `/x/..//other.test` is `//other.test` by now.
  if (origin !== base || pathname.startsWith('//')) return undefined
  return elsewhere.test(pathname.replace(/^\/w\/[^/]*/, '')) ? undefined : pathname + search
}

const base = 'http://own.invalid'

/** What is no page, or would lead in a circle. */
const elsewhere = /^\/(api|mcp|storage|sign-in|sign-out|setup|invitation)(\/|$)/
