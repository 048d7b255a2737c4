/** A workspace with an entry to talk about, and what people do there, over plain HTTP. */
import { expect } from 'vitest'
import { type Answer, type Caller, callAs, type Json } from './api.ts'
import { pngOf } from './media.ts'
import { type Outcome, ph, type Setting, signedIn } from './ph.ts'
import { item, pushed } from './push.ts'
import type { TestServer } from './server.ts'

type Who = 'olivia' | 'adam' | 'mia' | 'max'

export async function roomWith(server: TestServer, over: Parameters<TestServer['addWorkspace']>[0] = {}) {
  const workspace = await server.addWorkspace(over)
  const { url, keys } = workspace
  const callers = Object.fromEntries(Object.entries(keys).map(([who, key]) => [who, callAs(url, key)])) as Record<
    Who | 'miaReads',
    Caller
  >
  const [entry] = await pushed(callers.mia, [item()])
  const { members } = (await callers.mia.get('/members')).body
  const ids = Object.fromEntries(members.map((member: Json) => [member.name, member.id])) as Record<Who, number>
  return { ...workspace, ...callers, ids, entry }
}

/** The body of an answer that has to be this one. */
export function answered({ status, body }: Answer, expected = 200): Json {
  expect([status, status === expected ? null : body]).toEqual([expected, null])
  return body
}

export const refusal = ({ status, body }: Answer) => [status, body.error?.code]

export const say = async (caller: Caller, entryId: number, over: Json = {}): Promise<Json> =>
  answered(await caller.post(`/entries/${entryId}/comments`, { body: 'hello', ...over }), 201)

export const commentsOf = async (caller: Caller, entryId: number): Promise<Json[]> =>
  answered(await caller.get(`/entries/${entryId}/comments`)).comments

export const sendPicture = (caller: Caller, bytes: Uint8Array): Promise<Answer> =>
  caller.post('/attachments', bytes, { 'content-type': 'image/png' })

export const uploadPicture = async (caller: Caller, bytes?: Uint8Array): Promise<Json> =>
  answered(await sendPicture(caller, bytes ?? (await pngOf(3, 2))), 201)

export const eventsOf = async (caller: Caller, type: string): Promise<Json[]> =>
  answered(await caller.get('/activity?limit=200')).events.filter((event: Json) => event.event_type === type)

type At = (line: string | readonly string[], more?: Setting) => Promise<Outcome>

/** SM_Barrel, which Mia pushed, and everyone at a terminal of their own: `at.max('comment SM_Barrel hello')`. */
export async function innWith(server: TestServer) {
  const room = await server.addWorkspace()
  const people = ['olivia', 'adam', 'mia', 'max', 'miaReads'] as const
  const at = Object.fromEntries(
    people.map((who): [string, At] => [
      who,
      (line, more = {}) => ph(line, { ...more, env: { ...signedIn(room.url, room.keys[who]), NO_COLOR: '1', ...more.env } }),
    ]),
  ) as Record<(typeof people)[number], At>
  const as = Object.fromEntries(people.map((who) => [who, callAs(room.url, room.keys[who])])) as Record<Who | 'miaReads', Caller>
  const [barrel] = await pushed(as.mia, [item({ asset_name: 'SM_Barrel' })])
  /** With `--json`, and must end well. */
  const ok = async (who: (typeof people)[number], line: string | readonly string[], more: Setting = {}): Promise<Json> => {
    const outcome = await at[who](typeof line === 'string' ? `${line} --json` : [...line, '--json'], more)
    expect(outcome.code, outcome.stderr).toBe(0)
    return outcome.json()
  }
  /** The next version of the barrel. */
  const push = async (): Promise<Json> => {
    const next = item({ asset_name: 'SM_Barrel', stamped_lineage_id: barrel.lineage_id })
    return (await pushed(as.mia, [next]))[0]
  }
  return { ...room, at, as, ok, barrel, push }
}
