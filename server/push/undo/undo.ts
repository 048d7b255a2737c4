/** Taking back pushes: all that are named or none, by who pushed, within a day, while nobody else uses what they brought (contract-gaps 9). */
import { ApiError } from '../../../contract/errors.ts'
import { limits } from '../../../contract/limits.ts'
import type { PushUndoAnswer, PushUse, UndoneLineage } from '../../../contract/push-undo.ts'
import { lookupTexts } from '../../database/among.ts'
import type { Sql } from '../../database/sql.ts'
import { rehearse, transact } from '../../database/transaction.ts'
import { Feed } from '../../feed.ts'
import type { Context } from '../../handler.ts'
import { lockWorkspace } from '../../rows/hold.ts'
import { type KeptPush, markUndone, selectPushes } from './kept-push.ts'
import { takeBack } from './take-back.ts'
import { holdTaken } from './taken.ts'
import { selectUses } from './uses.ts'

interface Undoing {
  batch_keys: readonly string[]
  dry_run?: boolean | null | undefined
}

export async function undoPushes(context: Context, { batch_keys, dry_run }: Undoing): Promise<PushUndoAnswer> {
  const keys = [...new Set(batch_keys)]
  return dry_run
    ? rehearse({ ...context, feed: new Feed() }, (inside) => undoInside(inside, { keys, isDry: true }))
    : transact(context, (inside) => undoInside(inside, { keys, isDry: false }))
}

/** Commits and deletions come before it or after it: what stands in the way is looked for once everything that is to go is held. */
async function undoInside(
  context: Context,
  { keys, isDry }: { keys: readonly string[]; isDry: boolean },
): Promise<PushUndoAnswer> {
  const { sql, workspace, actor, now } = context
  await lockWorkspace(sql, workspace.id)
  const pushes = await selectPushes(sql, workspace.id, keys)
  requireOwn(pushes, { keys, pusherId: actor.id })
  const standing = pushes.filter(({ undone_at }) => undone_at === null)
  requireRecent(standing, now)
  if (standing.length > 0) {
    const taken = await holdTaken(context, standing)
    requireUnused(await selectUses(context, taken))
    await takeBack(context, taken)
    await markUndone(context, standing)
  }
  return {
    batches: pushes.map(({ batch_key, pushed_at, undone_at, object_ids }) => ({
      ...{ batch_key, versions: object_ids.length, pushed_at: pushed_at.toISOString() },
      undone_at: (undone_at ?? (isDry ? null : now))?.toISOString() ?? null,
    })),
    lineages: await describe(
      sql,
      workspace.id,
      pushes.flatMap(({ lineage_ids }) => lineage_ids),
    ),
  }
}

/** Commits of others are not told from those that never were. */
function requireOwn(pushes: readonly KeptPush[], { keys, pusherId }: { keys: readonly string[]; pusherId: number }): void {
  const own = new Set(pushes.filter(({ pushed_by }) => pushed_by === pusherId).map(({ batch_key }) => batch_key))
  const unknown = keys.filter((key) => !own.has(key))
  if (unknown.length === 0) return
  const which = unknown.length === 1 ? `no push ${unknown[0]}` : `none of ${unknown.length} pushes, such as ${unknown[0]},`
  const message = `There is ${which} of yours that can be taken back. Pushes are known for ${limits.pushUndo.keptDays} days.`
  throw new ApiError('NOT_FOUND', message, { unknown })
}

function requireRecent(pushes: readonly KeptPush[], now: Date): void {
  const { hours, versions: most } = limits.pushUndo
  const oldest = pushes.reduce<Date | undefined>(
    (first, { pushed_at }) => (first && first < pushed_at ? first : pushed_at),
    undefined,
  )
  if (oldest && now.getTime() - oldest.getTime() > hours * 3_600_000) {
    const pushed_at = oldest.toISOString()
    const message = `The push is of ${pushed_at}: one can be taken back for ${hours} hours. Restore earlier versions instead.`
    throw new ApiError('CONFLICT', message, { pushed_at, hours })
  }
  const count = pushes.reduce((sum, { object_ids }) => sum + object_ids.length, 0)
  if (count > most) throw new ApiError('CONFLICT', `The push has ${count} versions: up to ${most} can be taken back at once.`)
}

const words: Record<PushUse['did'], string> = {
  pulled: 'pulled it',
  downloaded: 'downloaded it',
  restored: 'restored it',
  reviewed: 'reviewed it',
  commented: 'commented on it',
  curated: 'changed its entry',
  checked_out: 'has it checked out',
  built_on: 'made a newer version of it',
  referred_to: 'pushed something that refers to it',
  pushed: 'pushed the same file',
}

function requireUnused(used: readonly PushUse[]): void {
  const [first] = used
  if (!first) return
  const { most } = { most: limits.pushUndo.used }
  const who = first.by?.display_name ?? 'Someone else'
  const more = used.length > 1 ? ` (and ${used.length > most ? `${most} or more` : used.length - 1} more)` : ''
  const message = `The push cannot be taken back: ${who} ${words[first.did]}, ${first.name ?? 'a file without a name'}${more}. Nothing was changed.`
  throw new ApiError('CONFLICT', message, { used: used.slice(0, most) })
}

/** As they are now; those that are gone by their id alone. */
async function describe(sql: Sql, workspaceId: number, lineageIds: Iterable<string>): Promise<UndoneLineage[]> {
  return sql<UndoneLineage[]>`
    select lookup.key as lineage_id, e.id as entry_id, e.name,
           case when o.id is not null then json_build_object(
             'object_id', o.id, 'content_hash', o.content_hash, 'asset_class', o.asset_class, 'version', o.version) end as current
      from ${lookupTexts(sql, new Set(lineageIds))}
      left join lineages l on l.workspace_id = ${workspaceId} and l.id = lookup.key
      left join objects o on o.workspace_id = l.workspace_id and o.id = l.face_object_id
      left join entries e on e.workspace_id = l.workspace_id and e.lineage_id = l.id
     order by lookup.key`
}
