/** The overview of a workspace, where everybody begins. */
import { type Answer, show } from './answer.ts'
import { roomOf } from './room.ts'
import { addressOf } from './service-address.ts'
import { HomePage, type NewestEntry } from './views/home.tsx'
import type { MemberVisit } from './visit.ts'
import { troubleOf } from './workspace-states.ts'

/** Props are counted up to here; nobody waits for the exact number of a million. */
const mostCounted = 10_000

const mostShown = 5

export const home = {
  async 'GET /'(visit: MemberVisit): Promise<Answer> {
    const { frame, now, browser, sql, membership } = visit
    const { id, state } = membership.workspace
    const [room, numbers, newest] = await Promise.all([roomOf(sql, id), numbersOf(visit), newestOf(visit)])
    const { entry_count: counted, member_count: memberCount, has_key: hasKey } = numbers
    const entryCount = counted > mostCounted ? `${number.format(mostCounted)}+` : number.format(counted)
    const overview = { entryCount, storedBytes: room.storedBytes, memberCount, hasKey, newest, address: addressOf(visit) }
    return show(HomePage, { frame, overview, trouble: troubleOf({ state, ...room }), now, notice: browser.notice })
  },
}

const number = new Intl.NumberFormat('en')

interface Numbers {
  entry_count: number
  member_count: number
  has_key: boolean
}

async function numbersOf({ sql, membership: { workspace, person } }: MemberVisit): Promise<Numbers> {
  const [row] = await sql<Numbers[]>`
    select (select count(*)::int from (select 1 from entries e where e.workspace_id = w.id limit ${mostCounted + 1}) as few) as entry_count,
           (select count(*)::int from members m where m.workspace_id = w.id and m.status = 'active') as member_count,
           exists (select 1 from api_keys k where k.workspace_id = w.id and k.member_id = ${person.id} and k.revoked_at is null) as has_key
      from workspaces w where w.id = ${workspace.id}`
  if (!row) throw new Error(`the workspace ${workspace.id} is gone`)
  return row
}

async function newestOf({ sql, membership: { workspace } }: MemberVisit): Promise<NewestEntry[]> {
  const rows = await sql<
    { id: number; name: string; entry_type: string; pack_name: string; published_by: string | null; date_indexed: Date }[]
  >`
    select e.id, e.name, e.entry_type, p.name as pack_name, m.display_name as published_by, e.date_indexed
      from (select * from entries where workspace_id = ${workspace.id} and status = 'active' order by id desc limit ${mostShown}) e
      join lineages l on l.workspace_id = e.workspace_id and l.id = e.lineage_id
      join objects o on o.workspace_id = l.workspace_id and o.id = l.face_object_id
      join packs p on p.workspace_id = o.workspace_id and p.id = o.pack_id
      left join members m on m.workspace_id = e.workspace_id and m.id = e.created_by
     order by e.id desc`
  return rows.map(({ id, name, entry_type, pack_name, published_by, date_indexed }) => ({
    id,
    name,
    entryType: entry_type,
    packName: pack_name,
    publishedBy: published_by,
    pushedAt: date_indexed,
  }))
}
