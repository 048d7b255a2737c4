/** Writes what was decided of a version, and tells the feeds (spec 3, 4.6, 6; contract-gaps 5a). */
import type { ReviewState } from '../../contract/reviews.ts'
import type { Context } from '../handler.ts'
import type { Decision } from './verdict.ts'

export interface ReviewedVersion {
  entryId: number
  lineageId: string
  objectId: number
}

type Writer = Pick<Context, 'sql' | 'workspace' | 'feed'>

export interface Standing {
  state: ReviewState
  assigneeId: number | null
}

/** How a version stands. The caller holds its lineage. */
export async function standingOf({ sql, workspace }: Pick<Context, 'sql' | 'workspace'>, objectId: number): Promise<Standing> {
  const [row] = await sql<{ state: ReviewState; assignee_id: number | null }[]>`
    select state, assignee_id from reviews where workspace_id = ${workspace.id} and object_id = ${objectId}`
  return { state: row?.state ?? 'draft', assigneeId: row?.assignee_id ?? null }
}

interface Writing {
  /** Null makes it a draft. */
  decision: Decision | null
  /** Someone said so: it is recorded also where the state stays. */
  isSaid?: boolean
  /** How it stood, where the caller knows. */
  before?: Standing
}

/** What stays as it is is not recorded. The caller holds the lineage. */
export async function writeDecision(
  context: Writer,
  version: ReviewedVersion,
  { decision, isSaid = false, before: known }: Writing,
): Promise<void> {
  const before = known ?? (await standingOf(context, version.objectId))
  const isWritten = await (decision ? keep(context, version, decision) : forget(context, version))
  const state = decision?.state ?? 'draft'
  if (!isWritten) return
  await setStatus(context, version, state)
  if (state !== before.state || isSaid)
    context.feed.happened({
      type: 'review.change',
      ...version,
      payload: {
        state,
        previous_state: before.state,
        assignee_id: decision?.assigneeId ?? null,
        ...(decision?.requestId ? { request_id: decision.requestId } : {}),
      },
    })
}

/** Whether that is something else than before. */
async function keep(
  { sql, workspace, feed }: Writer,
  { objectId, lineageId }: ReviewedVersion,
  decision: Decision,
): Promise<boolean> {
  const { state, assigneeId, decidedBy, decidedAt, note, requestId } = decision
  const at = new Date(decidedAt).toISOString()
  const written = await sql`
    insert into reviews as v (workspace_id, object_id, state, assignee_id, decided_by, decided_at, note, request_id)
    values (${workspace.id}, ${objectId}, ${state}, ${assigneeId}, ${decidedBy}, ${at}, ${note}, ${requestId})
    on conflict (workspace_id, object_id) do update
       set state = excluded.state, assignee_id = excluded.assignee_id, decided_by = excluded.decided_by, decided_at = excluded.decided_at,
           note = excluded.note, request_id = excluded.request_id
     where (v.state, v.assignee_id, v.decided_by, v.decided_at, v.note, v.request_id) is distinct from
           (excluded.state, excluded.assignee_id, excluded.decided_by, excluded.decided_at, excluded.note, excluded.request_id)`
  if (written.count > 0) feed.changed({ entity: 'review', entityId: objectId, lineageId, op: 'upsert' })
  return written.count > 0
}

async function forget({ sql, workspace, feed }: Writer, { objectId, lineageId }: ReviewedVersion): Promise<boolean> {
  const gone = await sql`delete from reviews where workspace_id = ${workspace.id} and object_id = ${objectId}`
  if (gone.count > 0) feed.changed({ entity: 'review', entityId: objectId, lineageId, op: 'delete' })
  return gone.count > 0
}

/** Lists show it of the current version, and the entry its record. */
async function setStatus({ sql, workspace, feed }: Writer, version: ReviewedVersion, state: ReviewState): Promise<void> {
  const { entryId, lineageId, objectId } = version
  const [lineage] = await sql<{ is_face: boolean }[]>`
    with kept as (update objects set review_status = ${state} where workspace_id = ${workspace.id} and id = ${objectId} and review_status <> ${state})
    select face_object_id = ${objectId} as is_face from lineages where workspace_id = ${workspace.id} and id = ${lineageId}`
  if (lineage?.is_face) feed.entriesChanged([{ id: entryId, lineage_id: lineageId }])
}
