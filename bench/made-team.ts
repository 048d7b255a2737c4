/** Puts people and what they have open with each other into a made-up library: rounds, an inbox, an entry that many watch. */
import type { Sql } from '../server/database/sql.ts'

export interface TeamSizes {
  /** Besides the one who has the key. */
  people: number
  /** Rounds that wait for an answer of the one who has the key, each on the current version of another entry. */
  rounds: number
  /** Of the one who has the key, all unread. */
  notifications: number
}

/** As everyone is called, from 1. */
export const nameOfPerson = (n: number): string => `person${n}x`

/** What was there of an earlier run goes first. */
export async function makeTeam(sql: Sql, slug: string, { people, rounds, notifications }: TeamSizes): Promise<void> {
  const [at] = await sql<{ id: number; me: number }[]>`
    select w.id, (select min(m.id) from members m where m.workspace_id = w.id) as me from workspaces w where w.slug = ${slug}`
  if (!at) throw new Error(`there is no workspace ${slug}`)
  const of = { workspaceId: Number(at.id), me: Number(at.me) }
  await clear(sql, of.workspaceId)
  await writePeople(sql, of, people)
  await writeRounds(sql, of, rounds)
  await sql`
    insert into notifications (workspace_id, member_id, reason, actor_id, entry_id, lineage_id, created_at)
    select ${of.workspaceId}, ${of.me}, 'comment.new', other.id, e.id, e.lineage_id, to_timestamp(1.7e9 + n)
      from generate_series(1, ${notifications}::int) n
      join (select row_number() over (order by id) as place, id, lineage_id from entries where workspace_id = ${of.workspaceId}) e
        on e.place = 1 + n % (select count(*) from entries where workspace_id = ${of.workspaceId})
      join (select row_number() over (order by id) as place, id from members where workspace_id = ${of.workspaceId} and id <> ${of.me}) other
        on other.place = 1 + n % ${people}
     order by n`
  await sql.unsafe(
    'vacuum (analyze) notifications, review_requests, review_reviewers, reviews, objects, members, watches, comments, locks',
  )
}

interface Of {
  workspaceId: number
  me: number
}

const written = [
  'notifications',
  'watches',
  'comments',
  'comment_reactions',
  'commented_entries',
  'annotations',
  'locks',
  'review_reviewers',
  'review_requests',
  'reviews',
]

async function clear(sql: Sql, workspaceId: number): Promise<void> {
  for (const table of written) await sql`delete from ${sql(table)} where workspace_id = ${workspaceId}`
  await sql`update objects set review_status = 'draft' where workspace_id = ${workspaceId} and review_status <> 'draft'`
}

async function writePeople(sql: Sql, { workspaceId }: Of, people: number): Promise<void> {
  const rows = Array.from({ length: people }, (_, at) => ({ name: nameOfPerson(at + 1) }))
  const made = sql`jsonb_to_recordset(${sql.json(rows)}) as r(name text)`
  await sql`
    insert into accounts (email, created_at, is_password_linked) select r.name || '@bench.test', to_timestamp(1.6e9), false from ${made} on conflict do nothing`
  await sql`
    insert into members (workspace_id, account_id, name, name_key, display_name, role, kind, status)
    select ${workspaceId}, a.id, r.name, r.name, 'The one called ' || r.name, 'member', 'person', 'active'
      from ${made} join accounts a on a.email = r.name || '@bench.test' on conflict (workspace_id, account_id) do nothing`
}

/** Asked for by the first of the others. */
async function writeRounds(sql: Sql, { workspaceId, me }: Of, rounds: number): Promise<void> {
  const other = sql`(select min(id) from members where workspace_id = ${workspaceId} and id <> ${me})`
  await sql`
    insert into review_requests (workspace_id, entry_id, object_id, lineage_id, requested_by, note, created_at)
    select ${workspaceId}, e.id, l.face_object_id, l.id, ${other}, 'Please look at the edges.', to_timestamp(1.7e9 + e.id)
      from (select * from entries where workspace_id = ${workspaceId} order by id desc limit ${rounds}) e
      join lineages l on l.workspace_id = e.workspace_id and l.id = e.lineage_id order by e.id`
  await sql`
    insert into review_reviewers (workspace_id, request_id, member_id)
    select workspace_id, id, ${me} from review_requests where workspace_id = ${workspaceId} order by id`
  await sql`
    insert into reviews (workspace_id, object_id, state, decided_by, decided_at, note, request_id)
    select workspace_id, object_id, 'in_review', requested_by, created_at, note, id from review_requests where workspace_id = ${workspaceId}`
  await sql`
    update objects o set review_status = 'in_review' from review_requests r
     where o.workspace_id = ${workspaceId} and r.workspace_id = ${workspaceId} and o.id = r.object_id`
}

/** The entry is watched by that many of the others. */
export async function watchEntry(
  sql: Sql,
  slug: string,
  { entryId, people }: { entryId: number; people: number },
): Promise<void> {
  await sql`
    insert into watches (workspace_id, entry_id, member_id, state, reason, created_at)
    select m.workspace_id, ${entryId}, m.id, 'watching', 'manual', to_timestamp(1.7e9)
      from members m where m.workspace_id = (select id from workspaces where slug = ${slug}) and m.name like 'person%'
     order by m.id limit ${people}`
}
