/** Where a route is asked, and how: what contract/addresses.ts holds of each. */
import { inputLocations, type Route } from './route.ts'

export interface Address extends Pick<Route, 'method' | 'path' | 'answers' | 'budget' | 'repeatable'> {
  /** What the body is; the other keys of the input travel in the query. Without it there is no body, and all of them do. */
  sends?: 'json' | 'bytes'
  /** Keys that travel in the query although the body is JSON. */
  query?: readonly string[]
}

export function addressOf(route: Route): Address {
  const { method, path, raw, answers, budget, repeatable } = route
  const { query, body } = inputLocations(route)
  return {
    method,
    path,
    query: body.length > 0 && query.length > 0 ? query : undefined,
    sends: raw ? 'bytes' : body.length > 0 ? 'json' : undefined,
    answers: answers === 'json' ? undefined : answers,
    budget,
    repeatable,
  }
}
