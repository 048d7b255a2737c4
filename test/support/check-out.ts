/** Check-outs for tests: props that people lock, next versions of them, and what the feeds say of it. */
import { expect } from 'vitest'
import type { Answer, Caller, Json } from './api.ts'
import { type Item, item, pushed } from './push.ts'

export interface Prop extends Record<string, Json> {
  entry_id: number
  object_id: number
  lineage_id: string
  content_hash: string
  item: Item
}

/** Pushes a prop that is an entry, unless `over` says otherwise. */
export async function newProp(who: Caller, over: Json = {}): Promise<Prop> {
  const made = item(over)
  const [result] = await pushed(who, [made])
  return { ...result, item: made }
}

/** Another version of it, made from its first one. */
export const nextOf = ({ item: first, lineage_id }: Prop, over: Json = {}): Item =>
  item({
    asset_name: first.asset_name,
    origin_path: first.origin_path,
    stamped_lineage_id: lineage_id,
    stamped_base_hash: first.content_hash,
    ...over,
  })

export const ok = (answer: Answer, status = 200): Json => {
  expect(answer.status, JSON.stringify(answer.body)).toBe(status)
  return answer.body
}

export const refused = (answer: Answer, status: number, code: string): Json => {
  expect([answer.status, answer.body.error?.code], JSON.stringify(answer.body)).toEqual([status, code])
  return answer.body.error.details
}

export const lockIt = async (who: Caller, { lineage_id }: { lineage_id: string }, more: Json = {}): Promise<Json> =>
  ok(await who.post('/locks', { lineage_id, ...more }), 201).lock

/** Newest first. */
export const locksOf = async (who: Caller, { lineage_id }: { lineage_id: string }, query = ''): Promise<Json[]> =>
  ok(await who.get(`/locks?lineage_id=${lineage_id}${query}`)).locks

/** Newest first, as single events. */
export const eventsOf = async (who: Caller, { lineage_id }: { lineage_id: string }, type: string): Promise<Json[]> => {
  const { events } = ok(await who.get(`/activity?lineage_id=${lineage_id}&limit=200`))
  return events.filter(({ event_type }: Json) => event_type === type)
}

export const headOf = async (who: Caller): Promise<number> =>
  ok(await who.get('/catalog/changes?cursor=0&limit=1000')).next_cursor

/** What the change feed says of locks since, as `<id> <op>`. */
export async function lockChangesSince(who: Caller, cursor: number): Promise<string[]> {
  const { changes } = ok(await who.get(`/catalog/changes?cursor=${cursor}&limit=1000`))
  return changes
    .filter(({ entity }: Json) => entity === 'lock')
    .map(({ entity_id, op, lineage_id }: Json) => `${entity_id} ${op} ${lineage_id}`)
}
