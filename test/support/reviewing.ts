/** People who review props with `ph`: each types lines, and their props are pushed over plain HTTP. */
import { expect } from 'vitest'
import { callAs, type Json } from './api.ts'
import { type Outcome, ph, type Setting, signedIn } from './ph.ts'
import type { TestServer } from './server.ts'
import { nextOf, opened, propOf, requestOf } from './team.ts'

const people = ['olivia', 'adam', 'mia', 'max'] as const
export type Who = (typeof people)[number]

type Line = string | readonly string[]
export type Run = (line: Line, more?: Setting) => Promise<Outcome>

/** Olivia owns the workspace, Adam administers it, Mia and Max are members. */
export async function reviewersOf(server: TestServer) {
  const { slug, url, keys } = await server.addWorkspace()
  const as = Object.fromEntries(people.map((who) => [who, callAs(url, keys[who])])) as Record<Who, ReturnType<typeof callAs>>
  const run = (key: string): Run => {
    const env = { ...signedIn(url, key), NO_COLOR: '1' }
    return (line, more = {}) => ph(line, { ...more, env: { ...env, ...more.env } })
  }
  const at = Object.fromEntries(people.map((who) => [who, run(keys[who])])) as Record<Who, Run>
  /** With `--json`, which ends well. */
  const ok = async (who: Who, line: Line, more?: Setting): Promise<Json> => {
    const args = typeof line === 'string' ? line.split(' ') : line
    const outcome = await at[who]([...args, '--json'], more)
    expect(outcome.code, outcome.stdout + outcome.stderr).toBe(0)
    return outcome.json() as Json
  }
  /** A prop that Mia pushed, with its name. */
  const prop = async (): Promise<Json> => {
    const made = await propOf(as.mia)
    return { ...made, name: made.item.asset_name }
  }
  const next = async (of: Json): Promise<Json> => ({ ...(await nextOf(as.mia, of)), name: of.name })
  const stateOf = async ({ entry_id }: Json): Promise<string> => (await as.mia.get(`/entries/${entry_id}`)).body.review_status
  const { members } = (await as.mia.get('/members')).body
  const ids: Record<string, number> = Object.fromEntries(members.map(({ name, id }: Json) => [name, id]))
  /** Mia asks these people to review it; `r` is how lines name that. */
  const inReview = async (of: Json, who: readonly string[], more: Json = {}) => {
    const reviewerIds = who.map((name) => ids[name])
    const round = await opened(as.mia.post(...requestOf(of, reviewerIds, more)))
    return { ...of, round, r: `r${round.id}` }
  }
  return { slug, url, keys, ids, inReview, as, ...at, reads: run(keys.miaReads), ok, prop, next, stateOf }
}
