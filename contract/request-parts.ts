/** Splits an input into the parts of its request, as its route says: path, query or body. For every client of a route; loads no schema. */
import type { Address } from './address.ts'

export interface RequestParts {
  path: string
  query: URLSearchParams
  json?: Record<string, unknown>
}

/** Undefined keys are left out. */
export function requestParts({ path: template, sends, query }: Address, input: Record<string, unknown>): RequestParts {
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  const path = template.replaceAll(/\{(\w+)\}/g, (_, key: string) => {
    rest.delete(key)
    return encodeURIComponent(String(input[key]))
  })
  if (sends !== 'json') return { path, query: queryOf([...rest]) }
  const inQuery = ([key]: [string, unknown]) => query?.includes(key) ?? false
  const json = Object.fromEntries([...rest].filter((field) => !inQuery(field)))
  return { path, query: queryOf([...rest].filter(inQuery)), json }
}

/** Null is not said in a query; a list is its key once for each value. */
function queryOf(fields: readonly [string, unknown][]): URLSearchParams {
  const query = new URLSearchParams()
  for (const [key, value] of fields)
    for (const one of [value].flat()) if (one !== undefined && one !== null) query.append(key, String(one))
  return query
}
