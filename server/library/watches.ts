/** Watches: said by a person, begun by taking part, or there because they created the entry (spec 4.11; contract-gaps 6a). */
import { limits } from '../../contract/limits.ts'
import type { watches as contract, Watch, WatchedEntry } from '../../contract/watches.ts'
import { fromCursor, toCursor } from '../cursor.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import type { Context, Handlers } from '../handler.ts'
import { entryNotFound } from '../rows/entry.ts'

export const watches: Handlers<typeof contract> = {
  get: (request) => requireWatch(request, request.input.entry_id),

  async set(request) {
    const { sql, workspace, actor, now, input } = request
    await holdEntry(request, input.entry_id)
    await sql`
      insert into watches (workspace_id, entry_id, member_id, state, reason, created_at)
      values (${workspace.id}, ${input.entry_id}, ${actor.id}, ${input.state ?? 'watching'}, 'manual', ${now.toISOString()})
      on conflict (workspace_id, entry_id, member_id) do update set state = excluded.state, reason = excluded.reason`
    return requireWatch(request, input.entry_id)
  },

  async remove(request) {
    const { sql, workspace, actor, input } = request
    await holdEntry(request, input.entry_id)
    await sql`
      delete from watches where workspace_id = ${workspace.id} and entry_id = ${input.entry_id} and member_id = ${actor.id}`
    return requireWatch(request, input.entry_id)
  },

  async list({ sql, workspace, actor, input }) {
    const { limit = limits.watches, cursor } = input
    const asked = ['watches', workspace.id, actor.id]
    const after = cursor === undefined ? undefined : fromCursor(asked, cursor, ['id', 'id'])
    const of = { sql, workspaceId: workspace.id, memberId: actor.id, after, limit: limit + 1 }
    const found = await sql<WatchedEntry[]>`
      select * from ((${said(of)}) union all (${created(of)})) as watched order by created_at desc, entry_id desc limit ${limit + 1}`
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    return { watches: page, next_cursor: last ? toCursor(asked, [new Date(last.created_at).getTime(), last.entry_id]) : null }
  },
}

interface Asked {
  sql: Sql
  workspaceId: number
  memberId: number
  /** When the last one of the page before was made, in milliseconds since 1970, and its entry. */
  after: readonly [number, number] | undefined
  limit: number
}

const said = ({ sql, workspaceId, memberId, after, limit }: Asked): Fragment => sql`
  select w.entry_id, e.name, w.state, w.reason, w.created_at
    from watches w join entries e on e.workspace_id = ${workspaceId} and e.id = w.entry_id
   where w.workspace_id = ${workspaceId} and w.member_id = ${memberId}
     ${after ? sql`and (w.created_at, w.entry_id) < (${momentOf(after[0])}, ${after[1]})` : sql``}
   order by w.created_at desc, w.entry_id desc limit ${limit}`

const created = ({ sql, workspaceId, memberId, after, limit }: Asked): Fragment => sql`
  select e.id, e.name, 'watching', 'creator', e.date_indexed
    from entries e
   where e.workspace_id = ${workspaceId} and e.created_by = ${memberId}
     and not exists (select 1 from watches w where w.workspace_id = ${workspaceId} and w.entry_id = e.id and w.member_id = ${memberId})
     ${after ? sql`and (e.date_indexed, e.id) < (${momentOf(after[0])}, ${after[1]})` : sql``}
   order by e.date_indexed desc, e.id desc limit ${limit}`

/** Anybody can write a cursor: a number that is no moment of ours becomes one. */
const momentOf = (ms: number): string => new Date(Math.min(Math.max(ms, 0), 8e12)).toISOString()

/** Who deletes the entry waits, and takes the watch with it; or has been faster, and there is none. */
async function holdEntry({ sql, workspace }: Context, entryId: number): Promise<void> {
  const [held] = await sql`select id from entries where workspace_id = ${workspace.id} and id = ${entryId} for key share`
  if (!held) throw entryNotFound(entryId)
}

async function requireWatch({ sql, workspace, actor }: Context, entryId: number): Promise<Watch> {
  const [row] = await sql<(Pick<Watch, 'state' | 'reason'> & { is_creator: boolean })[]>`
    select w.state, w.reason, coalesce(e.created_by = ${actor.id}, false) as is_creator
      from entries e
      left join watches w on w.workspace_id = e.workspace_id and w.entry_id = e.id and w.member_id = ${actor.id}
     where e.workspace_id = ${workspace.id} and e.id = ${entryId}`
  if (!row) throw entryNotFound(entryId)
  const { state, reason, is_creator } = row
  if (state !== null) return { entry_id: entryId, watching: state === 'watching', state, reason, implicit: false }
  if (is_creator) return { entry_id: entryId, watching: true, state: 'watching', reason: 'creator', implicit: true }
  return { entry_id: entryId, watching: false, state: null, reason: null, implicit: false }
}
