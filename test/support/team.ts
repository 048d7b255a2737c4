/** A workspace whose people are asked things of each other: callers by name, their ids, and what they read of it. */
import { expect } from 'vitest'
import { type Answer, type Caller, callAs, type Json } from './api.ts'
import { item, pushed } from './push.ts'
import { newKey, type TestServer } from './server.ts'

export interface Team<P extends string = never> {
  workspaceId: number
  slug: string
  url: string
  /** Olivia owns the workspace, Adam administers it; Mia, Max and whoever else was named are members. */
  as: Record<'olivia' | 'adam' | 'mia' | 'max' | P, Caller>
  ids: Record<'olivia' | 'adam' | 'mia' | 'max' | P, number>
}

type Member = { kind?: 'person' | 'api'; status?: 'active' | 'disabled' }

/** `more`: other members, who are active people unless it says otherwise. Those who have left have no id here. */
export async function teamOf<P extends string = never>(
  server: TestServer,
  more: Record<P, Member> = {} as never,
): Promise<Team<P>> {
  const { slug, url, keys, workspaceId } = await server.addWorkspace()
  const others = Object.entries(more as Record<string, Member>).map(([name, of]) => ({ name, key: newKey(), ...of }))
  const email = (name: string) => `${name}@${slug}.test`
  if (others.length > 0)
    await server.changeWorkspace(slug, {
      members: others.map(({ name, key: _key, ...of }) => ({
        email: email(name),
        name,
        display_name: name,
        role: 'member',
        ...of,
      })),
      keys: others
        .filter((one) => one.status !== 'disabled')
        .map(({ name, key }) => ({ name, member: email(name), scope: 'write', key })),
    })
  const own = (['olivia', 'adam', 'mia', 'max'] as const).map((name) => [name, callAs(url, keys[name])] as const)
  const as = Object.fromEntries([...own, ...others.map(({ name, key }) => [name, callAs(url, key)] as const)])
  const { members } = (await callAs(url, keys.mia).get('/members')).body
  const ids = Object.fromEntries(members.map((member: Json) => [member.name, member.id]))
  return { workspaceId, slug, url, as, ids } as Team<P>
}

/** A prop that someone just pushed. */
export async function propOf(who: Caller): Promise<Json> {
  const one = item()
  return { ...(await pushed(who, [one]))[0], item: one }
}

/** The next version of it, which is the current one then. */
export async function nextOf(who: Caller, prop: Json): Promise<Json> {
  const one = item({
    asset_name: prop.item.asset_name,
    stamped_lineage_id: prop.lineage_id,
    stamped_base_hash: prop.content_hash,
  })
  return { ...(await pushed(who, [one]))[0], entry_id: prop.entry_id, item: one }
}

/** The answer's body; the status must be this one. */
export function bodyOf({ status, body }: Answer, expected = 200): Json {
  expect(status, JSON.stringify(body)).toBe(expected)
  return body
}

/** `who.post(...requestOf(prop, people))`: asks for a review of this version. */
export const requestOf = (prop: Json, reviewer_ids: Json, more: Json = {}): [string, Json] => [
  `/entries/${prop.entry_id}/review-requests`,
  { object_id: prop.object_id, reviewer_ids, ...more },
]

/** `who.post(...answerTo(round, 'approved'))`. */
export const answerTo = (round: Json, response: string, more: Json = {}): [string, Json] => [
  `/review-requests/${round.id}/respond`,
  { response, ...more },
]

/** The round that was opened. */
export const opened = async (asked: Promise<Answer>): Promise<Json> => bodyOf(await asked, 201).request

/** What an error says to a program. */
export const refusal = ({ status, body }: Answer): Json => [status, body.error?.code, body.error?.details]

/** The activity of an entry, oldest first: type, actor, payload. */
export async function happened(who: Caller, entryId: number, type?: RegExp): Promise<Json[]> {
  const { events } = bodyOf(await who.get(`/activity?entry_id=${entryId}&limit=200`))
  return events
    .toReversed()
    .filter((event: Json) => type?.test(event.event_type) ?? true)
    .map((event: Json) => ({ type: event.event_type, actor: event.actor.name, ...event.payload }))
}
