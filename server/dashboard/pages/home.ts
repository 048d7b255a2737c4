/** The overview of a workspace, where everyone begins. */
import { isInState } from '../../rows/pull-job.ts'
import { addressOf } from '../addresses.ts'
import { type Answer, show } from '../answer.ts'
import { HomePage, type NewestEntry } from '../views/home.tsx'
import type { WaitingProject } from '../views/parts/waiting.tsx'
import type { MemberVisit } from '../visit.ts'
import { roomOf } from './storage-use.ts'
import { troubleOf } from './workspace-states.ts'

/** Props are counted up to here; nobody waits for the exact number of a million. */
const mostCounted = 10_000

const mostShown = 5

export const home = {
  async 'GET /'(visit: MemberVisit): Promise<Answer> {
    const { frame, now, browser, sql, membership, services } = visit
    const { id, state } = membership.workspace
    await services.frontDoor.writeUses()
    const [room, numbers, newest, waiting] = await Promise.all([
      roomOf(sql, id),
      numbersOf(visit),
      newestOf(visit),
      waitingOf(visit),
    ])
    const { entry_count: counted, member_count: memberCount, signed_in: signIn, pushed: push, pulled: pull } = numbers
    const entryCount = counted > mostCounted ? `${number.format(mostCounted)}+` : number.format(counted)
    const overview = {
      entryCount,
      storedBytes: room.storedBytes,
      memberCount,
      done: { signIn, push, pull },
      newest,
      waiting,
      address: addressOf(visit),
    }
    return show(HomePage, { frame, overview, trouble: troubleOf({ state, ...room }), now, notice: browser.notice })
  },
}

const number = new Intl.NumberFormat('en')

interface Numbers {
  entry_count: number
  member_count: number
  signed_in: boolean
  pushed: boolean
  pulled: boolean
}

async function numbersOf({ sql, membership: { workspace, person } }: MemberVisit): Promise<Numbers> {
  const [row] = await sql<Numbers[]>`
    select (select count(*)::int from (select 1 from entries e where e.workspace_id = me.workspace_id limit ${mostCounted + 1}) as few) as entry_count,
           (select count(*)::int from members m where m.workspace_id = me.workspace_id and m.status = 'active') as member_count,
           exists (select 1 from api_keys k where k.workspace_id = me.workspace_id and k.member_id = me.id and k.last_used_at is not null)
             -- A key's first use may wait for half a minute in another server; who has just collected one looks here at once.
             or exists (select 1 from device_sign_ins d where d.workspace_id = me.workspace_id and d.member_id = me.id and d.state = 'collected') as signed_in,
           me.first_push_at is not null as pushed, me.first_pull_at is not null as pulled
      from members me where me.workspace_id = ${workspace.id} and me.id = ${person.id}`
  if (!row) throw new Error(`the member ${person.id} of the workspace ${workspace.id} is gone`)
  return row
}

async function newestOf({ sql, membership: { workspace } }: MemberVisit): Promise<NewestEntry[]> {
  const rows = await sql<
    {
      id: number
      name: string
      entry_type: string
      pack_name: string
      origin_path: string | null
      source_ext: string | null
      published_by: string | null
      date_indexed: Date
    }[]
  >`
    select e.id, e.name, e.entry_type, p.name as pack_name, o.origin_path, o.source_ext, m.display_name as published_by, e.date_indexed
      from (select * from entries where workspace_id = ${workspace.id} and status = 'active' order by id desc limit ${mostShown}) e
      join lineages l on l.workspace_id = e.workspace_id and l.id = e.lineage_id
      join objects o on o.workspace_id = l.workspace_id and o.id = l.face_object_id
      join packs p on p.workspace_id = o.workspace_id and p.id = o.pack_id
      left join members m on m.workspace_id = e.workspace_id and m.id = e.created_by
     order by e.id desc`
  return rows.map(({ id, name, entry_type, pack_name, origin_path, source_ext, published_by, date_indexed }) => ({
    id,
    name,
    entryType: entry_type,
    packName: pack_name,
    originPath: origin_path,
    sourceExt: source_ext,
    publishedBy: published_by,
    pushedAt: date_indexed,
  }))
}

/** Projects that pull jobs wait for, those first that waited longest. */
async function waitingOf({ sql, now, membership: { workspace } }: MemberVisit): Promise<WaitingProject[]> {
  const rows = await sql<
    {
      target_project: string
      jobs: number
      entries: number
      total_bytes: number
      since: Date
      people: string
      is_by_hand: boolean
    }[]
  >`
    select j.target_project, count(*)::int as jobs, sum(j.entry_count)::int as entries, sum(j.total_bytes)::float8 as total_bytes,
           min(j.created_at) as since, string_agg(distinct m.display_name, ', ') as people, bool_or(j.delivery = 'manual') as is_by_hand
      from pull_jobs j join members m on m.workspace_id = j.workspace_id and m.id = j.requested_by
     where j.workspace_id = ${workspace.id} and j.status in ('queued', 'claimed', 'running') and ${isInState(sql, now, 'queued')}
     group by j.target_project order by min(j.created_at), j.target_project limit ${mostShown + 1}`
  return rows.map(({ target_project: project, total_bytes: bytes, is_by_hand: isByHand, ...row }) => ({
    ...row,
    project,
    bytes,
    isByHand,
  }))
}
