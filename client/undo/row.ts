/** What the table of taking back says of one writing route, and how such rows are written. */
import type { Contract, Noun } from '../../contract/index.ts'
import type { InputOf, OutputOf, Route } from '../../contract/route.ts'
import type { Api } from '../http/api.ts'

/** One thing that an undo does. Without `act` there is nothing to do any more, or it is refused. */
export interface Part {
  /** What it is about and what becomes of it: `SM_Oak: named SM_Tree again`. */
  what: string
  act?: () => Promise<unknown>
  /** Why it is left as it is, as a sentence. */
  refused?: string
}

/** What is kept of a call that changed something: `what` in words, as a sentence begins, and JSON of what it takes to undo it. */
export interface Kept<K> {
  what: string
  kept: K
}

export interface Around {
  api: Api
  /** It is the only call of its change: nothing else is undone before it. */
  isAlone: boolean
}

/** A route whose calls can be taken back. */
export interface Reversible<I, O, B, K> {
  /** What has to be read before the call. */
  before?: (api: Api, input: I) => Promise<B>
  /** Undefined: the call changed nothing. */
  keep(told: { input: I; answer: O; before: B }): Kept<K> | undefined
  /** Reads what is there now and says what would be done, and what is refused because someone has changed it since. */
  back(kept: K, around: Around): Promise<Part[]>
}

/** A route whose calls change the library for good, and why. */
export interface Staying<I> {
  stays: string
  what(input: I): string
}

/** A route whose calls are no changes of their own, and why. */
export interface Aside {
  aside: string
}

// The table holds rows of all routes; each was checked against its route where it was written.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Row = Reversible<any, any, any, any> | Staying<any> | Aside
/** By the name of the route: `tags.bulk`. */
export type Rows = Readonly<Record<string, Row>>

type RouteOf<N extends Noun, V extends keyof Contract[N]> = Contract[N][V] extends infer R extends Route ? R : never
export type In<N extends Noun, V extends keyof Contract[N]> = InputOf<RouteOf<N, V>>
export type Out<N extends Noun, V extends keyof Contract[N]> = OutputOf<RouteOf<N, V>>

/** The row of a route that can be taken back. */
export const takenBack = <N extends Noun, V extends keyof Contract[N] & string, B = undefined, K = never>(
  noun: N,
  verb: V,
  row: Reversible<In<N, V>, Out<N, V>, B, K>,
): Rows => ({ [`${noun}.${verb}`]: row })

/** The row of a route that cannot. */
export const stays = <N extends Noun, V extends keyof Contract[N] & string>(noun: N, verb: V, row: Staying<In<N, V>>): Rows => ({
  [`${noun}.${verb}`]: row,
})

/** The rows of routes of one noun that are no changes of their own. */
export const aside = <N extends Noun>(noun: N, verbs: readonly (keyof Contract[N] & string)[], why: string): Rows =>
  Object.fromEntries(verbs.map((verb) => [`${noun}.${verb}`, { aside: why }]))

export const isReversible = (row: Row): row is Reversible<unknown, unknown, unknown, unknown> => 'back' in row

/** Of the fields of a thing, those that differ from how they were: how they were and how they are. */
export function changedFields<T extends object, F extends keyof T & string>(before: T, after: T, fields: readonly F[]) {
  const changed = fields.filter((field) => !isSame(before[field], after[field]))
  const pick = (one: T) => Object.fromEntries(changed.map((field) => [field, one[field]])) as Partial<Pick<T, F>>
  return { changed, before: pick(before), after: pick(after) }
}

/** The first field that is not as it was left. */
export const movedField = <T extends object>(left: Partial<T>, now: T): (keyof T & string) | undefined =>
  (Object.keys(left) as (keyof T & string)[]).find((field) => !isSame(left[field], now[field]))

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

/** `3 props`, or the name of the only one. */
export const propsIn = (names: readonly string[]): string =>
  names.length === 1 ? String(names[0]) : `${names.length.toLocaleString('en')} props`
