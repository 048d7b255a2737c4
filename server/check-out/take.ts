/** Checks lineages out, all of them or none (spec 3 and 4.4; contract-gaps 9). */

import type { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Checkout, Lock } from '../../contract/locks.ts'
import { randomId } from '../clock.ts'
import { amongIds } from '../database/among.ts'
import { requireAdmin } from '../front-door/roles.ts'
import type { Context } from '../handler.ts'
import { holdLineages } from '../rows/hold.ts'
import { fileNameOf } from '../rows/version.ts'
import { endLocks } from './end.ts'
import { type HeldLineage, requireLineages } from './held-lineages.ts'

export interface Wish {
  lineageIds: readonly string[]
  /** Undefined keeps the note of a lock that is extended. */
  note: string | null | undefined
  ttlHours: number | null | undefined
  /** Locks of others are released with this reason; for admins. */
  steal?: { reason: string } | null | undefined
}

export interface Taken {
  lock: Lock
  checkout: Checkout
  /** False where the actor's own lock was extended. */
  created: boolean
}

/** In the order of the ids, each once. `refuse`: what is answered where others have some of them. */
export async function takeLocks(
  context: Context,
  wish: Wish,
  refuse: (context: Context, others: readonly Lock[]) => Promise<ApiError>,
): Promise<Taken[]> {
  const { sql, workspace, actor } = context
  if (wish.steal) requireAdmin(actor)
  const ids = [...new Set(wish.lineageIds)]
  await holdLineages(sql, workspace.id, ids)
  const lineages = await requireLineages(context, ids)
  const others = lineages.filter(({ lock }) => lock?.active && lock.holder.id !== actor.id)
  if (others.length > 0 && !wish.steal)
    throw await refuse(
      context,
      others.flatMap(({ lock }) => lock ?? []),
    )
  const batchKey = ids.length > 1 ? randomId('locks') : null
  const lapsed = lineages.filter(({ lock }) => lock && !lock.active)
  await endLocks(context, endingsOf(lapsed), { as: 'lock.expire' })
  await endLocks(context, endingsOf(others), { as: 'lock.release', reason: wish.steal?.reason, batchKey })
  const own = lineages.filter(({ lock }) => lock?.active && lock.holder.id === actor.id)
  const extended = await extend(context, own, wish)
  const fresh = lineages.filter(({ lineage_id }) => !extended.has(lineage_id))
  const made = await insert(context, fresh, { wish, batchKey })
  return lineages.flatMap((lineage) => {
    const lock = made.get(lineage.lineage_id) ?? extended.get(lineage.lineage_id)
    return lock ? { lock, checkout: checkoutOf(context, lineage), created: made.has(lineage.lineage_id) } : []
  })
}

const endingsOf = (lineages: readonly HeldLineage[]) =>
  lineages.flatMap(({ lock, entry_id }) => (lock ? { lock, entryId: entry_id } : []))

const untilOf = ({ now }: Context, { ttlHours }: Wish): string =>
  new Date(now.getTime() + (ttlHours ?? limits.lock.defaultHours) * 3_600_000).toISOString()

/** By lineage, as they are then. The versions that their holder works from stay the same. */
async function extend(context: Context, own: readonly HeldLineage[], wish: Wish): Promise<Map<string, Lock>> {
  const { sql, workspace, feed } = context
  const locks = endingsOf(own).map(({ lock }) => lock)
  if (locks.length === 0) return new Map()
  const said = { expires_at: untilOf(context, wish), ...(wish.note === undefined ? {} : { note: wish.note }) }
  const ids = locks.map(({ id }) => id)
  await sql`update locks set ${sql(said)} where workspace_id = ${workspace.id} and id ${amongIds(sql, ids)}`
  for (const { id, lineage_id } of locks) feed.changed({ entity: 'lock', entityId: id, lineageId: lineage_id, op: 'upsert' })
  return new Map(locks.map((lock) => [lock.lineage_id, { ...lock, ...said }]))
}

async function insert(
  context: Context,
  fresh: readonly HeldLineage[],
  { wish, batchKey }: { wish: Wish; batchKey: string | null },
): Promise<Map<string, Lock>> {
  const { sql, workspace, actor, now, feed } = context
  if (fresh.length === 0) return new Map()
  const holder = { id: actor.id, name: actor.name, display_name: actor.displayName }
  const terms = { note: wish.note ?? null, created_at: now.toISOString(), expires_at: untilOf(context, wish) }
  const rows = await sql<{ id: number; lineage_id: string }[]>`
    insert into locks (workspace_id, lineage_id, holder_id, base_object_id, note, created_at, expires_at)
    select ${workspace.id}, r.lineage_id, ${actor.id}, r.object_id, ${terms.note}, ${terms.created_at}, ${terms.expires_at}
      from unnest(${fresh.map(({ lineage_id }) => lineage_id)}::text[], ${fresh.map(({ object_id }) => object_id)}::bigint[])
           with ordinality as r (lineage_id, object_id, position) order by r.position
    returning id, lineage_id`
  const idOf = new Map(rows.map(({ id, lineage_id }) => [lineage_id, id]))
  const made = fresh.map(({ lineage_id, object_id, entry_id }): Lock => {
    const id = idOf.get(lineage_id) ?? 0
    feed.changed({ entity: 'lock', entityId: id, lineageId: lineage_id, op: 'upsert' })
    const payload = { lock_id: id, expires_at: terms.expires_at, ...(terms.note ? { note: terms.note } : {}) }
    feed.happened({ type: 'lock.acquire', entryId: entry_id, lineageId: lineage_id, objectId: object_id, batchKey, payload })
    return { id, lineage_id, holder, base_object_id: object_id, ...terms, released_at: null, active: true }
  })
  return new Map(made.map((lock) => [lock.lineage_id, lock]))
}

const checkoutOf = ({ basePath }: Context, lineage: HeldLineage): Checkout => ({
  entry_id: lineage.entry_id,
  object_id: lineage.object_id,
  content_hash: lineage.content_hash,
  blob_url: `${basePath}/api/v1/blobs/${lineage.content_hash}`,
  suggested_filename: fileNameOf(lineage, lineage.entry_name ?? lineage.content_hash),
})
