/** Answers of what stands between here and the library, a proxy, a filter, a sign-in page: told for what they are. */
import { ApiError } from '../../../contract/errors.ts'
import { printable } from '../../../system/printable.ts'
import { shellWord } from '../../../system/shell-word.ts'
import { ClientError } from '../../client-error.ts'
import type { Exchange } from '../request.ts'

/** An answer whose `body` is neither JSON of a library nor XML of an object storage. */
export interface Answered {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** So much of what it says itself is shown. */
const mostLetters = 120

/** Library, front door and object storage give a reason with every refusal; storages that are asked for bytes may not. */
export const isForeign = ({ status, body }: Answered, { budget }: Exchange): boolean =>
  body.trim() !== '' || (status >= 300 && status < 400) || budget !== 'storage'

/** ApiError `UNAVAILABLE` for what may pass, so that it is asked again as for a library that is busy; else ClientError `PROXY_ANSWERED`. */
export function foreignAnswer(answered: Answered, exchange: Exchange): ApiError | ClientError {
  const { status } = answered
  const { message, next } = wordsOf(answered, exchange)
  if (status >= 500 && status !== 501 && status !== 511) return new ApiError('UNAVAILABLE', message, { httpStatus: status })
  if (status === 429) return new ApiError('RATE_LIMITED', message)
  const target = locationOf(answered, exchange)
  const details = { status, answered_by: nameOf(answered) ?? null, ...(target ? { location: target.href } : {}) }
  return new ClientError('PROXY_ANSWERED', message, { next, details })
}

/** A refusal of this request alone: a smaller one, or one with other bytes, may pass. */
export const isOfOneBody = (error: unknown): error is ClientError =>
  error instanceof ClientError && error.code === 'PROXY_ANSWERED' && [403, 413].includes(Number(error.details.status))

interface Words {
  message: string
  next?: string | undefined
}

function wordsOf(answered: Answered, exchange: Exchange): Words {
  const { status, headers } = answered
  const { url, method, bytes } = exchange
  const said = saidBy(answered)
  const who = `${nameOf(answered) ?? 'A proxy or filter'} on the way to ${url.host}`
  const what = `${method} ${url.pathname}`
  const target = locationOf(answered, exchange)
  if (target) return redirectWords({ target, status, url })
  if (status === 407)
    return {
      message: `${who} asks for a sign-in of its own${schemeOf(headers['proxy-authenticate'])}.`,
      next: 'Put name and password into the address of the proxy: HTTPS_PROXY=http://<name>:<password>@<proxy>:<port>.',
    }
  if (status === 413)
    return {
      message: `${who} takes no request of ${bytes ? `${bytes.size.toLocaleString('en')} bytes` : 'this size'} (413${said}).`,
      next: `Ask who runs it to raise its limit (nginx: \`client_max_body_size\`), then run the same command again.`,
    }
  if (status === 401)
    return {
      message: `${who} asks for a sign-in of its own${schemeOf(headers['www-authenticate'])}. The library was not reached.`,
      next: letThrough(url),
    }
  if (status === 405) return { message: `${who} lets no ${method} through (405${said}).`, next: letThrough(url) }
  if (status >= 500) return { message: `${who} answers ${status}${said} in the place of the library, which it does not reach.` }
  return { message: `${who} answers ${what} with ${status}${said}. The library was not reached.`, next: letThrough(url) }
}

/** The key is sent to no other place. The same path elsewhere is a library that moved; another one is a page to sign in. */
function redirectWords({ target, status, url }: { target: URL; status: number; url: URL }): Words {
  const message = `${url.host} answers ${status} and leads to ${printable(target.origin + target.pathname)}, where ph does not follow with the key.`
  if (target.pathname !== url.pathname) return { message, next: `That may be the sign-in page of a proxy. ${letThrough(url)}` }
  const workspace = /^.*?(?=\/api\/v1(?:\/|$))/.exec(target.pathname)?.[0] ?? ''
  return { message, next: `If the library is there now: \`ph login --url ${shellWord(printable(target.origin + workspace))}\`.` }
}

const letThrough = ({ origin }: URL): string =>
  `Ask who runs it to let ph reach ${origin}, or use an address of the library that does not lead through it.`

/** The full address that a redirect leads to. Undefined for other answers. */
function locationOf({ status, headers: { location } }: Answered, { url }: Exchange): URL | undefined {
  if (status < 300 || status >= 400 || typeof location !== 'string') return undefined
  return URL.parse(location, url.href) ?? undefined
}

/** What it calls itself: `nginx/1.22.1`. */
function nameOf({ headers: { server, via } }: Answered): string | undefined {
  for (const text of [server, via]) if (typeof text === 'string' && text !== '') return printable(text).slice(0, 60)
  return undefined
}

/** `, “Request blocked”`: the title of a page, else its first words. */
function saidBy({ body }: Answered): string {
  const text = titleOf(body.slice(0, 20_000)).replace(/\s+/g, ' ').trim()
  return text === '' ? '' : `, “${printable(text).slice(0, mostLetters)}”`
}

function titleOf(page: string): string {
  const [, afterTitle] = page.split(/<title/i, 2)
  const title = afterTitle?.slice(afterTitle.indexOf('>') + 1).split('<', 1)[0]
  // What stands between the tags.
  const words = page.split('<').map((piece, at) => (at === 0 ? piece : piece.slice(piece.indexOf('>') + 1)))
  return title ?? words.join(' ')
}

const schemeOf = (header: string | string[] | undefined): string =>
  header === undefined || header.length === 0 ? '' : ` (${printable(String(header)).slice(0, mostLetters)})`
