/** How a route is declared: once, as data. Server validation, the typed client, openapi.json and docs/api.md derive from it. */
import type { Static, TObject, TSchema } from 'typebox'
import type { ErrorCode } from './errors.ts'
import { limits } from './limits.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * Who may ask. `none`: anybody. `session`: a person signed in on the dashboard, never a key. `signed-in`: any key, or such a person.
 * `operator`: who administers the server from its machine; such a route is mounted on the control socket, never on the network.
 * `local`: who works at the machine of a desktop agent; such a route is mounted on the agent's socket and on its loopback port.
 * The others take keys (spec 4, legend): of read scope, of write scope, or of write scope and the admin role.
 */
export type Scope = 'none' | 'session' | 'signed-in' | 'operator' | 'local' | 'read' | 'write' | 'admin'

export type Effect = 'reads' | 'adds' | 'replaces'

/** A request body of raw bytes, streamed to the handler. `types` limits the Content-Type where the specification does. */
export interface RawBody {
  maxBytes: number
  types?: readonly string[]
}

export interface Route {
  method: Method
  /** Below `/api/v1`, or as it stands where the scope is `operator` or `local`; `{name}` marks a path parameter. */
  path: string
  scope: Scope
  summary: string
  /** One flat object. Keys named in the path travel there, `query` keys and those of GET and DELETE in the query, the rest in the JSON body. */
  input?: TObject
  query?: readonly string[]
  /** The request body is raw bytes; then every key of `input` that is not in the path travels in the query. */
  raw?: RawBody
  /** The most bytes of its JSON body, where that is not what `maxBodyBytes` gives the other routes of its scope. */
  bodyBytes?: number
  /** The JSON answer. Without it: 204, unless `answers` says otherwise. */
  output?: TSchema
  /** `redirect`: 302 to presigned bytes. `ndjson`: `output` is one line of a stream. `events`: one of its events. Default `json`. */
  answers?: 'json' | 'redirect' | 'ndjson' | 'events'
  /** Success status; default 200, or 204 without output. */
  status?: number
  /** Answers 201 when this field of the answer is true, else `status`. */
  created?: string
  /** `push`: counted against the larger rate budget (spec 8). */
  budget?: 'push'
  /** Whether the whole handler is one database transaction. Default: GET and raw routes are not, everything else is. */
  transaction?: boolean
  /**
   * Which states of the workspace it works in. `all`: every one. `handler`: the handler itself asks whether new bytes may come. Default: reads work
   * unless the workspace is suspended or prepared, and writes not where it is read-only or starting either (contract-gaps 2).
   */
  states?: 'all' | 'handler'
  /**
   * What it does to what is there, where method and scope do not tell (`effectOf`). `reads`: records nothing. `adds`: what was there stays, but for
   * one's own marks (read, resolved, how long a check-out lasts). `replaces`: in one of its forms it overwrites, ends or takes away something, or
   * another version becomes current.
   */
  effect?: Effect
  /** Sending the request again does no harm although its method does not promise that. */
  repeatable?: true
  /** The code for a body that lacks a required field, where that is not VALIDATION. */
  lacking?: ErrorCode
  /** Only until the server is set up; then SETUP_ALREADY_DONE, whatever else is asked. */
  beforeSetup?: true
  /** An addition of this server (contract-gaps 9): clients work without it. */
  extension?: boolean
  errors?: readonly ErrorCode[]
}

export type Routes = Record<string, Route>

/** Those that the network reaches. */
export type PublicRoutes = Record<string, Route & { scope: Exclude<Scope, 'operator' | 'local'> }>

/** Declares the routes of one noun; keeps their literal types. */
export const routes = <const R extends Routes>(table: R): R => table

export type InputOf<R extends Route> = R extends { input: infer I extends TObject } ? Static<I> : Record<never, never>

/** What a handler answers and a client call gives: the JSON, a stream of lines, the address redirected to, or nothing. */
export type OutputOf<R extends Route> = R extends { answers: 'redirect' }
  ? { location: string }
  : R extends { answers: 'ndjson' | 'events'; output: infer O extends TSchema }
    ? AsyncIterable<Static<O>>
    : R extends { output: infer O extends TSchema }
      ? Static<O>
      : undefined

/** The names between braces in a route's path, in order: `/entries/{entry_id}` gives `['entry_id']`. */
export const pathKeys = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map((match) => String(match[1]))

/** Where each key of a route's input is sent. */
export function inputLocations(route: Route): { path: string[]; query: string[]; body: string[] } {
  const path = pathKeys(route.path)
  const rest = Object.keys(route.input?.properties ?? {}).filter((key) => !path.includes(key))
  const inQuery = route.raw || route.method === 'GET' || route.method === 'DELETE' ? rest : (route.query ?? [])
  return { path, query: [...inQuery], body: rest.filter((key) => !inQuery.includes(key)) }
}

/** The most bytes of a request's body; a longer one is VALIDATION. */
export const maxBodyBytes = (route: Route): number =>
  route.raw?.maxBytes ?? route.bodyBytes ?? (isOpen(route) ? limits.signInBodyBytes : limits.plainBodyBytes)

/** Asked without a key: its answers are for one person, once. */
export const isOpen = ({ scope }: Route): boolean => ['none', 'session', 'signed-in'].includes(scope)

/** What someone who is asked to allow it would want to know. */
export function effectOf({ effect, scope, method }: Route): Effect {
  if (effect) return effect
  if (scope === 'read' || method === 'GET') return 'reads'
  return method === 'POST' ? 'adds' : 'replaces'
}

/** Whether the server gives the handler a transaction. */
export const isTransactional = (route: Route): boolean => route.transaction ?? (route.method !== 'GET' && !route.raw)
