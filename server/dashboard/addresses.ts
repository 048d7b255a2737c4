/** Addresses: where programs reach a workspace, and where a person may be sent after signing in. */
import { originOf } from '../front-door/origin.ts'
import type { Visit } from './visit.ts'

/** The first workspace answers at the bare address too; `slug` names another than that of the visit. */
export function addressOf({ request, services }: Visit, slug: string | undefined = request.workspaceSlug): string {
  const origin = originOf(request, services.settings)
  return slug === undefined ? origin : `${origin}/w/${slug}`
}

/** An address as one word of a command, for every shell: a number in brackets would be a pattern to some. Others hold no such letters. */
export const commandWord = (address: string): string => (/^[\w./:~+-]+$/.test(address) ? address : `"${address}"`)

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
