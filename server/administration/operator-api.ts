/** The operator's routes as typed calls: `api.user.list({workspace: 'acme'})`, answered by a running server, or in this process. */
import { type Operator, operatorRoutes } from '../../contract/operator.ts'
import type { InputOf, OutputOf, Route } from '../../contract/route.ts'

type Call<R extends Route> =
  Record<never, never> extends InputOf<R>
    ? (input?: InputOf<R>) => Promise<OutputOf<R>>
    : (input: InputOf<R>) => Promise<OutputOf<R>>

export type OperatorApi = {
  [N in keyof Operator]: { [V in keyof Operator[N]]: Operator[N][V] extends infer R extends Route ? Call<R> : never }
}

/** `ask` answers as the route's output says, or throws ApiError. */
export function operatorApi(ask: (route: Route, input: Record<string, unknown>) => Promise<unknown>): OperatorApi {
  const nouns: Record<string, Record<string, unknown>> = {}
  for (const [noun, verb, route] of operatorRoutes)
    nouns[noun] = { ...nouns[noun], [verb]: (input: Record<string, unknown> = {}) => ask(route, input) }
  return nouns as OperatorApi
}
