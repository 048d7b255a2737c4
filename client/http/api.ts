/** The contract as typed calls: `api.entries.get({entry_id: 1})`. Generic; no route has code of its own here, and no schema is loaded. */
import type { Address } from '../../contract/address.ts'
import { addresses } from '../../contract/addresses.ts'
import type { Contract, Noun } from '../../contract/index.ts'
import { requestParts } from '../../contract/request-parts.ts'
import type { InputOf, OutputOf, Route } from '../../contract/route.ts'
import type { Bytes } from './body.ts'
import type { Http } from './http.ts'
import type { ApiRequest } from './request.ts'

export interface CallOptions {
  signal?: AbortSignal
}

type WithBytes<R extends Route> = R extends { raw: object } ? { bytes: Bytes; contentType?: string } : unknown
type Input<R extends Route> = InputOf<R> & WithBytes<R>
type Call<R extends Route> =
  Record<never, never> extends Input<R>
    ? (input?: Input<R>, options?: CallOptions) => Answer<R>
    : (input: Input<R>, options?: CallOptions) => Answer<R>
type Answer<R extends Route> = R extends { answers: 'ndjson' | 'events' } ? OutputOf<R> : Promise<OutputOf<R>>

/**
 * One function per route. Input: the route's one flat object, `bytes` (and `contentType`) beside it where the body is raw.
 * Answer: the JSON, an async iterable of lines or of events, or `{location}` of a redirect. Throws what Http throws.
 */
export type Api = {
  [N in Noun]: { [V in keyof Contract[N]]: Contract[N][V] extends infer R extends Route ? Call<R> : never }
}

type Fields = Record<string, unknown>

/** The calls of one workspace. */
export function createApi(http: Http): Api {
  const nouns: Record<string, Record<string, unknown>> = {}
  for (const [noun, table] of Object.entries<Record<string, Address>>(addresses)) {
    const calls: Record<string, unknown> = {}
    for (const [verb, address] of Object.entries(table))
      calls[verb] = (input: Fields = {}, options: CallOptions = {}) =>
        send(http, address, { ...buildRequest(address, input), ...options })
    nouns[noun] = calls
  }
  return nouns as Api
}

function send(http: Http, { answers }: Address, request: ApiRequest): unknown {
  if (answers === 'redirect') return http.redirect(request)
  if (answers === 'ndjson') return http.lines(request)
  if (answers === 'events') return http.events(request)
  return http.json(request)
}

/** A request that is counted and repeated as its route says. */
export function buildRequest(address: Address, input: Fields): ApiRequest {
  const { method, sends, budget, repeatable: idempotent } = address
  if (sends !== 'bytes') return { method, budget, idempotent, ...requestParts(address, input) }
  const { bytes, contentType, ...fields } = input as Fields & { bytes: Bytes; contentType?: string }
  return { method, budget, idempotent, ...requestParts(address, fields), bytes, contentType }
}
