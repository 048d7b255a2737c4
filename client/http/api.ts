/** The contract as typed calls: `api.entries.get({entry_id: 1})`. Generic; no route has code of its own here. */
import { allRoutes, type Contract, type Noun } from '../../contract/index.ts'
import { type InputOf, inputPlaces, type OutputOf, type Route } from '../../contract/route.ts'
import type { Bytes } from './body.ts'
import type { ApiRequest, Http } from './http.ts'

export interface CallOptions {
  signal?: AbortSignal
}

type WithBytes<R extends Route> = R extends { raw: object } ? { bytes: Bytes; contentType?: string } : unknown
type Input<R extends Route> = InputOf<R> & WithBytes<R>
type Call<R extends Route> =
  Record<never, never> extends Input<R>
    ? (input?: Input<R>, options?: CallOptions) => Answer<R>
    : (input: Input<R>, options?: CallOptions) => Answer<R>
type Answer<R extends Route> = R extends { answers: 'ndjson' } ? OutputOf<R> : Promise<OutputOf<R>>

/**
 * One function per route. Input: the route's one flat object, `bytes` (and `contentType`) beside it where the body is raw.
 * Answer: the JSON, an async iterable of lines, or `{location}` of a redirect. Throws what Http throws.
 */
export type Api = {
  [N in Noun]: { [V in keyof Contract[N]]: Contract[N][V] extends infer R extends Route ? Call<R> : never }
}

type Fields = Record<string, unknown>

/** The calls of one workspace. */
export function createApi(http: Http): Api {
  const nouns: Record<string, Record<string, unknown>> = {}
  for (const [noun, verb, route] of allRoutes) {
    nouns[noun] ??= {}
    nouns[noun][verb] = (input: Fields = {}, options: CallOptions = {}) =>
      send(http, route, { ...buildRequest(route, input), ...options })
  }
  return nouns as Api
}

function send(http: Http, route: Route, request: ApiRequest): unknown {
  if (route.answers === 'redirect') return http.redirect(request)
  if (route.answers === 'ndjson') return http.lines(request)
  return http.json(request)
}

/** Puts each key of an input where the route says: path, query or JSON body. Undefined keys are left out. */
export function buildRequest(route: Route, input: Fields): ApiRequest {
  const places = inputPlaces(route)
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(input[key])))
  const query = new URLSearchParams()
  for (const key of places.query)
    for (const value of [input[key]].flat()) if (value !== undefined && value !== null) query.append(key, String(value))
  const request: ApiRequest = { method: route.method, path, query, idempotent: route.repeatable }
  if (route.raw) return { ...request, bytes: input.bytes as Bytes, contentType: input.contentType as string | undefined }
  const body = Object.fromEntries(places.body.filter((key) => input[key] !== undefined).map((key) => [key, input[key]]))
  return places.body.length > 0 ? { ...request, json: body } : request
}
