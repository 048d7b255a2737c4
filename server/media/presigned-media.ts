/** Media straight to the store: addresses first, then the word that the files are there. They are not looked into (spec 4.9). */
import { ApiError, type Failure, validationError } from '../../contract/errors.ts'
import type { MediaKind, PresignedTarget } from '../../contract/media.ts'
import { takeIds } from '../database/ids.ts'
import { transact } from '../database/transaction.ts'
import type { Context } from '../handler.ts'
import { requireCurrent, selectArtifacts, type VersionOf } from '../rows/artifact.ts'
import { countTaken, requireIngest } from '../storage/counting/stored-bytes.ts'
import { spareOrphans } from '../storage/orphans.ts'
import { artifactKey, presignedUntil } from '../storage/storage.ts'
import { putToUse } from './in-use.ts'
import { mediaForms } from './media-kinds.ts'

type MediaItem = VersionOf & { kind: MediaKind }
type Wish = MediaItem & { size?: number }
type Announced = MediaItem & { artifact_id: number }
type Result = Announced & { size: number }

/** One target per item, in their order. */
export async function presignMedia(context: Context, items: readonly Wish[]): Promise<PresignedTarget[]> {
  const { sql, workspace, storage, actor, now, origin } = context
  requireFitting(items)
  await requireIngest(context)
  await requireCurrent(sql, workspace.id, { versions: items, hold: false })
  const ids = await takeIds(sql, 'artifacts', items.length)
  const planned = items.flatMap((item, index) => {
    const id = ids[index]
    return id === undefined ? [] : [{ ...item, artifact_id: id }]
  })
  const files = planned.map(({ artifact_id, kind, size }) => ({
    key: artifactKey(workspace.id, artifact_id),
    origin,
    size,
    contentType: mediaForms[kind].contentType,
    maxBytes: size ?? mediaForms[kind].maxBytes,
  }))
  const targets = await storage.uploadTargets(files, presignedUntil(now))
  await sql`
    insert into artifacts (workspace_id, id, object_id, kind, created_by, created_at)
    select ${workspace.id}, r.artifact_id, r.object_id, r.kind, ${actor.id}, ${now.toISOString()}
      from jsonb_to_recordset(${sql.json(planned)}) as r(artifact_id bigint, object_id bigint, kind text)`
  return planned.map(({ entry_id, object_id, kind, artifact_id }, index) => {
    const { url = '', headers = {} } = targets[index] ?? {}
    return { entry_id, object_id, kind, artifact_id, upload_url: url, headers }
  })
}

/** All of them are put to use, or none; each once, however often it is named. What was finalized before stays as it is. */
export async function finalizeMedia(request: Context, named: readonly Announced[]): Promise<Result[]> {
  const { sql, workspace, storage } = request
  const items = eachOnce(named)
  await requirePresigned(request, items)
  const keys = items.map((item) => artifactKey(workspace.id, item.artifact_id))
  await spareOrphans(sql, workspace.id, { keys, now: request.now })
  const results = requireWhole(items, await storage.sizes(keys))
  await requireCurrent(sql, workspace.id, { versions: items, hold: false })
  await storage.settle(keys)
  await transact(request, (inside) => record(inside, results))
  return results
}

/** Before an address is given for a size that is never taken. */
function requireFitting(items: readonly Wish[]): void {
  const failures = items.flatMap(({ kind, size = 0 }, index) => {
    const { maxBytes } = mediaForms[kind]
    const message = `is ${size} bytes; a ${kind} of at most ${maxBytes} is taken`
    return size > maxBytes ? [{ path: `items.${index}.size`, message }] : []
  })
  if (failures.length > 0) throw validationError(failures)
}

/** In the order of its last mention: that decides between several files for one version. Items that differ otherwise are refused later. */
function eachOnce(items: readonly Announced[]): Announced[] {
  const keyOf = ({ artifact_id, entry_id, object_id, kind }: Announced) => [artifact_id, entry_id, object_id, kind].join(' ')
  const backwards = new Map(items.toReversed().map((item) => [keyOf(item), item]))
  return [...backwards.values()].toReversed()
}

async function requirePresigned({ sql, workspace }: Context, items: readonly Announced[]): Promise<void> {
  const ids = [...new Set(items.map((item) => item.artifact_id))]
  const known = new Map((await selectArtifacts(sql, workspace.id, ids)).map((row) => [row.id, row]))
  for (const { artifact_id, object_id, kind } of items) {
    const artifact = known.get(artifact_id)
    if (artifact?.object_id !== object_id || artifact.kind !== kind)
      throw new ApiError('NOT_FOUND', `No address was given for artifact ${artifact_id} as ${kind} of version ${object_id}.`)
  }
}

function requireWhole(items: readonly Announced[], sizes: readonly (number | undefined)[]): Result[] {
  const failures: Failure[] = []
  const whole = items.flatMap(({ artifact_id, entry_id, object_id, kind }, index) => {
    const size = sizes[index]
    const { maxBytes } = mediaForms[kind]
    if (size === undefined) failures.push({ path: `items.${index}`, message: `artifact ${artifact_id} has not been uploaded` })
    else if (size > maxBytes)
      failures.push({
        path: `items.${index}`,
        message: `artifact ${artifact_id} is ${size} bytes; at most ${maxBytes} are allowed`,
      })
    else return [{ artifact_id, entry_id, object_id, kind, size }]
    return []
  })
  if (failures.length > 0) throw validationError(failures)
  return whole
}

async function record(inside: Context, results: readonly Result[]): Promise<void> {
  const { sql, workspace, now } = inside
  const current = await requireCurrent(sql, workspace.id, { versions: results, hold: true })
  const rows = results.map(({ artifact_id, size }) => ({ artifact_id, size }))
  const finished = await sql<{ id: number }[]>`
    update artifacts a set size = r.size, finished_at = ${now.toISOString()}
      from jsonb_to_recordset(${sql.json(rows)}) as r(artifact_id bigint, size bigint)
     where a.workspace_id = ${workspace.id} and a.id = r.artifact_id and a.finished_at is null
     returning a.id`
  const fresh = new Set(finished.map((row) => row.id))
  const media = results.flatMap(({ artifact_id: artifactId, kind }, index) => {
    const inUse = current[index]
    return inUse && fresh.has(artifactId) ? [{ inUse, artifactId, kind }] : []
  })
  await putToUse(inside, media)
  const taken = results.filter(({ artifact_id }) => fresh.has(artifact_id))
  await countTaken(
    sql,
    workspace.id,
    taken.map(({ artifact_id, size }) => ({ key: artifactKey(workspace.id, artifact_id), size })),
  )
}
