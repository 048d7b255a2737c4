/** What a tool for assistants is: a name, what it takes and answers, the routes it asks, and how. Everything else derives from the routes. */
import type { TObject } from 'typebox'
import { type Contract, contract, type Noun } from '../../contract/index.ts'
import { effectOf, type InputOf, type OutputOf, type Route } from '../../contract/route.ts'

/** A route as the contract names it: `entries.list`. */
export type RouteName = { [N in Noun]: `${N}.${keyof Contract[N] & string}` }[Noun]

/** The library as a tool asks it: over HTTP from a person's machine, inside the server for the hosted endpoint. Throws ApiError. */
export type Ask = <N extends Noun, V extends keyof Contract[N] & string>(
  noun: N,
  verb: V,
  input?: Contract[N][V] extends infer R extends Route ? InputOf<R> & RawBytes<R> : never,
) => Promise<Contract[N][V] extends infer R extends Route ? OutputOf<R> : never>

type RawBytes<R extends Route> = R extends { raw: object } ? { bytes: Uint8Array; contentType?: string } : unknown

export type Fields = Record<string, unknown>

export interface Tool {
  name: string
  title: string
  description: string
  toolset: string
  /** It is in the default set, too. */
  isFirst?: boolean
  /** Every route that it may ask: what it needs, and what it can do, is what they need and do. */
  routes: readonly RouteName[]
  input: TObject
  /** Of its answer; of a tool that writes, of its `result`. */
  output: TObject
  /** It replaces files on this machine, whatever its routes do. */
  replacesFiles?: boolean
  /** Its answer shows entries: it comes with links to their thumbnails, or with the pictures where `picture` asks for them. */
  pictured?: boolean
  /** The card that hosts of MCP Apps show beside its answer (`card/`). */
  card?: 'review'
  /** Whether a writing tool is asked only to show what it would work on: what its plan says, and nothing to carry out. */
  onlyLooks?(input: Fields): boolean
  /** What a writing tool would do, found out by reading alone. Without it the plan names the call and its arguments. */
  plan?(ask: Ask, input: Fields): Promise<Fields>
  run(ask: Ask, input: Fields): Promise<Fields>
}

export const routeOf = (name: RouteName): Route => {
  const [noun = '', verb = ''] = name.split('.')
  return (contract as unknown as Record<string, Record<string, Route>>)[noun]?.[verb] as Route
}

/** The scope of a key that can do all that the tool may do. */
export function scopeOf({ routes }: Pick<Tool, 'routes'>): 'read' | 'write' | 'admin' {
  const scopes = routes.map((name) => routeOf(name).scope)
  if (scopes.includes('admin')) return 'admin'
  return scopes.includes('write') ? 'write' : 'read'
}

/** Whether it changes something: then it plans first, and no read key sees it. */
export const isWriting = (tool: Pick<Tool, 'routes'>): boolean => writingRoutes(tool).length > 0

const writingRoutes = ({ routes }: Pick<Tool, 'routes'>): Route[] =>
  routes.map(routeOf).filter((route) => effectOf(route) !== 'reads')

/** What clients are told of a tool, as its routes do it. */
export function annotationsOf(tool: Tool) {
  const writing = writingRoutes(tool)
  return {
    title: tool.title,
    readOnlyHint: writing.length === 0,
    destructiveHint: tool.replacesFiles === true || writing.some((route) => effectOf(route) === 'replaces'),
    idempotentHint: writing.every(({ method, repeatable }) => repeatable === true || method === 'PUT' || method === 'DELETE'),
    openWorldHint: false,
  }
}
