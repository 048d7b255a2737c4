/** Attachments and what they belong to: one comment, review request or review response (spec 4.7). */
import type { Attachment } from '../../contract/attachments.ts'
import { ApiError, validationError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { amongIds } from '../database/among.ts'
import type { Sql } from '../database/sql.ts'
import { inTransaction } from '../database/transaction.ts'
import type { Context } from '../handler.ts'
import { type AttachedKind, attachmentColumns } from '../rows/attachment.ts'
import { countGone } from '../storage/counting/stored-bytes.ts'
import { attachmentKey } from '../storage/storage.ts'

export interface Attaching {
  /** In the order in which they are shown. */
  ids: readonly number[]
  to: { kind: AttachedKind; id: number }
  /** Those of before that are not named again become loose. */
  replace?: boolean
}

interface Held {
  id: number
  created_by: number
  attached_kind: AttachedKind | null
  attached_id: number | null
}

/**
 * NOT_FOUND for unknown ones, FORBIDDEN for someone else's, CONFLICT for those that belong to something else. What they are to belong to
 * is held by the caller: nobody else changes its attachments meanwhile.
 */
export async function attach(
  { sql, workspace, actor, now }: Writer,
  { ids: named, to, replace = false }: Attaching,
): Promise<void> {
  const ids = [...new Set(named)]
  const { perPlace } = limits.attachment
  if (ids.length > perPlace)
    throw validationError([
      { path: 'attachment_ids', message: `names ${ids.length} attachments; at most ${perPlace} are allowed` },
    ])
  if (ids.length === 0 && !replace) return
  const ours = sql`attached_kind = ${to.kind} and attached_id = ${to.id}`
  const held = await sql<Held[]>`
    select id, created_by, attached_kind, attached_id from attachments
     where workspace_id = ${workspace.id} and (id ${amongIds(sql, ids)} ${replace ? sql`or ${ours}` : sql``})
     order by id for update`
  requireFree(held, { ids, to, actorId: actor.id })
  if (replace)
    await sql`
      update attachments set attached_kind = null, attached_id = null, place = null, loose_since = ${now.toISOString()}
       where workspace_id = ${workspace.id} and ${ours} and id not ${amongIds(sql, ids)}`
  if (ids.length > 0)
    await sql`
      update attachments a set attached_kind = ${to.kind}, attached_id = ${to.id}, place = named.place, loose_since = null
        from unnest(${ids}::bigint[]) with ordinality as named (id, place)
       where a.workspace_id = ${workspace.id} and a.id = named.id`
}

type Writer = Pick<Context, 'sql' | 'workspace' | 'actor' | 'now'>

interface Wanted {
  ids: readonly number[]
  to: Attaching['to']
  actorId: number
}

function requireFree(held: readonly Held[], { ids, to, actorId }: Wanted): void {
  const known = new Map(held.map((one) => [one.id, one]))
  const unknown = ids.find((id) => !known.has(id))
  if (unknown !== undefined) throw new ApiError('NOT_FOUND', `There is no attachment ${unknown} in this workspace.`)
  const wanted = ids.flatMap((id) => known.get(id) ?? [])
  const isOurs = (one: Held) => one.attached_kind === to.kind && one.attached_id === to.id
  const foreign = wanted.find((one) => one.created_by !== actorId && !isOurs(one))
  if (foreign) throw new ApiError('FORBIDDEN', `Attachment ${foreign.id} was uploaded by someone else. Upload your own.`)
  const taken = wanted.find((one) => one.attached_kind !== null && !isOurs(one))
  if (taken)
    throw new ApiError('CONFLICT', `Attachment ${taken.id} belongs to something else already. Upload the picture again.`, {
      attachment_id: taken.id,
    })
}

export interface StoredAttachment extends Attachment, AttachmentFiles {
  created_by: number
}

/**
 * NOT_FOUND for those that are not there, and for everyone but who uploaded it and admins until it is attached. `hold`: until the
 * transaction ends nobody else changes it.
 */
export async function requireAttachment(
  { sql, workspace, actor }: Writer,
  { id, hold }: { id: number; hold: boolean },
): Promise<StoredAttachment> {
  const [found] = await sql<(StoredAttachment & { is_loose: boolean })[]>`
    select ${attachmentColumns(sql)}, a.strokes_id, a.strokes_size, a.created_by, a.attached_kind is null as is_loose
      from attachments a where a.workspace_id = ${workspace.id} and a.id = ${id} ${hold ? sql`for update` : sql``}`
  const isHidden = found?.is_loose && found.created_by !== actor.id && actor.role !== 'admin'
  if (!found || isHidden) throw new ApiError('NOT_FOUND', `There is no attachment ${id} in this workspace.`)
  return found
}

/** Of each comment, request or response that has any: its attachments in their order. */
export async function attachmentsOf(
  sql: Sql,
  workspaceId: number,
  { kind, ids }: { kind: AttachedKind; ids: readonly number[] },
): Promise<Map<number, Attachment[]>> {
  if (ids.length === 0) return new Map()
  const rows = await sql<(Attachment & { attached_id: number })[]>`
    select a.attached_id, ${attachmentColumns(sql)}
      from attachments a
     where a.workspace_id = ${workspaceId} and a.attached_kind = ${kind} and a.attached_id ${amongIds(sql, ids)}
     order by a.attached_id, a.place`
  const grouped = Map.groupBy(rows, (row) => row.attached_id)
  return new Map([...grouped].map(([id, own]) => [id, own.map(({ attached_id: _id, ...shown }) => shown)]))
}

/** With what they belonged to. Gives their files, for `countGone` (server/storage/counting/stored-bytes.ts). */
export async function deleteAttachmentsOf(
  sql: Sql,
  workspaceId: number,
  { kind, ids }: { kind: AttachedKind; ids: readonly number[] },
): Promise<{ key: string; size: number }[]> {
  if (ids.length === 0) return []
  return filesOf(
    workspaceId,
    await sql<AttachmentFiles[]>`
    delete from attachments a
     where a.workspace_id = ${workspaceId} and a.attached_kind = ${kind} and a.attached_id ${amongIds(sql, ids)}
    returning a.id, a.size, a.strokes_id, a.strokes_size`,
  )
}

export interface AttachmentFiles {
  id: number
  size: number
  strokes_id: number | null
  strokes_size: number | null
}

export const filesOf = (workspaceId: number, attachments: readonly AttachmentFiles[]): { key: string; size: number }[] =>
  attachments.flatMap(({ id, size, strokes_id, strokes_size }) => [
    { key: attachmentKey(workspaceId, id), size },
    ...(strokes_id === null ? [] : [{ key: attachmentKey(workspaceId, strokes_id), size: strokes_size ?? 0 }]),
  ])

/** Of one step. */
const stepRows = 100

interface Step {
  workspaceId: number
  now: Date
}

const looseBefore = (now: Date): string => new Date(now.getTime() - limits.attachment.looseHours * 3_600_000).toISOString()

/** What steps would remove now. */
export async function countLooseAttachments(
  sql: Sql,
  { workspaceId, now }: Step,
): Promise<{ candidates: number; bytes: number }> {
  const [row] = await sql<{ candidates: number; bytes: number }[]>`
    select count(*)::bigint as candidates, coalesce(sum(bytes), 0)::bigint as bytes from (
      select size + coalesce(strokes_size, 0) as bytes from attachments
       where workspace_id = ${workspaceId} and loose_since < ${looseBefore(now)} limit ${limits.sweepCounted}) loose`
  return row ?? { candidates: 0, bytes: 0 }
}

/** Those that nothing was made of for a day: one step. */
export async function forgetLooseAttachments(
  { sql }: { sql: Sql },
  { workspaceId, now }: Step,
): Promise<{ gone: number; isMore: boolean }> {
  const before = looseBefore(now)
  const [some] = await sql`select 1 from attachments where workspace_id = ${workspaceId} and loose_since < ${before} limit 1`
  if (!some) return { gone: 0, isMore: false }
  return inTransaction(sql, (inside) => forgetLoose(inside, { workspaceId, now, before }), workspaceId)
}

/** Those that someone is about to attach are passed over. */
async function forgetLoose(
  sql: Sql,
  { workspaceId, now, before }: Step & { before: string },
): Promise<{ gone: number; isMore: boolean }> {
  const loose = await sql<{ id: number }[]>`
    select id from attachments where workspace_id = ${workspaceId} and loose_since < ${before}
     order by id limit ${stepRows} for update skip locked`
  const gone = await sql<AttachmentFiles[]>`
    delete from attachments where workspace_id = ${workspaceId} and id ${amongIds(
      sql,
      loose.map((one) => one.id),
    )}
    returning id, size, strokes_id, strokes_size`
  await countGone(sql, workspaceId, { files: filesOf(workspaceId, gone), now })
  return { gone: gone.length, isMore: gone.length === stepRows }
}
