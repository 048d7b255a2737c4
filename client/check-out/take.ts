/** Checks props out, all of them or none, and makes their files here ready to be edited. */
import { chmodSync, copyFileSync, lstatSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Lock } from '../../contract/locks.ts'
import type { Api } from '../http/api.ts'
import { releaseHeld } from './give-back.ts'
import type { NamedProp } from './named-props.ts'
import { batchesOf, type CheckOutPlan, heldByMe } from './plan.ts'
import { type Standing, standingOf } from './standing.ts'

export interface Terms {
  note?: string | undefined
  ttlHours?: number | undefined
  /** Why it is taken from who has it; for admins. */
  steal?: string | undefined
  /** Of more than one call takes: told of props that were taken before one failed, and could not be given back. */
  onLeft?: (props: number) => void
}

export interface CheckedOut {
  lineage_id: string
  entry_id: number | null
  name: string
  /** Below the project's root, with `/`. */
  files: string[]
  /** What was named needs it, and it was not named itself. */
  is_needed: boolean
  standing: Standing
  /** It was checked out by the same person before: the time was moved. */
  extended: boolean
  /** Null in a dry run. */
  lock: Lock | null
}

/** Throws ApiError `LOCKED` with `details.locked` where someone else has one of them; then none was checked out. */
export async function takeProps(api: Api, plan: CheckOutPlan, terms: Terms): Promise<CheckedOut[]> {
  const locks = await lockAll(api, plan, terms)
  const taken = new Map(locks.map((one) => [one.lock.lineage_id, one]))
  const mine = heldByMe(plan)
  const made = plan.props.map((prop): CheckedOut => {
    const { lock = null, checkout } = taken.get(prop.lineage_id) ?? {}
    return describe(prop, { standing: standingOf(prop, checkout?.content_hash), mine, lock })
  })
  if (plan.root !== null) for (const { files } of made) for (const file of files) makeWritable(join(plan.root, file))
  return made
}

type Taken = Awaited<ReturnType<Api['locks']['batch']>>['locks'][number]

/** Call after call; when one fails, what those before it took is given back. What the same person had before stays checked out. */
async function lockAll(api: Api, plan: CheckOutPlan, { note, ttlHours, steal, onLeft }: Terms): Promise<Taken[]> {
  const taken: Taken[] = []
  try {
    for (const batch of batchesOf(plan.props)) {
      const { locks } = await api.locks.batch({
        lineage_ids: batch.map(({ lineage_id }) => lineage_id),
        ...(note === undefined ? {} : { note }),
        ...(ttlHours === undefined ? {} : { ttl_hours: ttlHours }),
        ...(steal === undefined ? {} : { steal: { reason: steal } }),
      })
      for (const one of locks) taken.push(one)
    }
    return taken
  } catch (error) {
    const mine = heldByMe(plan)
    const fresh = taken.filter(({ lock }) => !mine.has(lock.lineage_id))
    // Why the check-out failed says more than why this does.
    if (fresh.length > 0) await releaseHeld(api, fresh).catch(() => onLeft?.(fresh.length))
    throw error
  }
}

/** What a check-out would come to. */
export function foretell(plan: CheckOutPlan): CheckedOut[] {
  const mine = heldByMe(plan)
  return plan.props.map((prop) => describe(prop, { standing: standingOf(prop), mine, lock: null }))
}

function describe(
  { lineage_id, entry_id, name, is_needed, files }: NamedProp,
  { standing, mine, lock }: { standing: Standing; mine: ReadonlySet<string>; lock: Lock | null },
): CheckedOut {
  const paths = files.map(({ file }) => file)
  return { lineage_id, entry_id, name, files: paths, is_needed, standing, extended: mine.has(lineage_id), lock }
}

const anyWrite = 0o222

/**
 * A read-only file may be a link into the content cache (`ph pull --link`): who edits it in place would change every copy. It
 * becomes a file of its own. What cannot be made writable stays as it is: the editor says so itself.
 */
export function makeWritable(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats?.isFile() || (stats.mode & anyWrite) !== 0) return
  const copy = join(dirname(path), `.${basename(path)}.ph-writable`)
  try {
    copyFileSync(path, copy)
    chmodSync(copy, (stats.mode & 0o777) | 0o200)
    renameSync(copy, path)
  } catch {
    rmSync(copy, { force: true })
  }
}
