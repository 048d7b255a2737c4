/**
 * Media straight to the store: addresses first, then the word that the files are there. Of pictures the header is read, and held against
 * what the contract takes; no more is looked into (spec 4.9). What is refused is removed from the store.
 */
import pLimit from 'p-limit'
import { ApiError, type Failure, validationError } from '../../contract/errors.ts'
import type { MediaKind, PresignedTarget } from '../../contract/media.ts'
import { pictureBounds } from '../../contract/picture-bounds.ts'
import { FormatError } from '../../formats/format-error.ts'
import { takeIds } from '../database/ids.ts'
import { transact } from '../database/transaction.ts'
import type { Context } from '../handler.ts'
import { type Artifact, requireCurrent, selectArtifacts, type VersionOf } from '../rows/artifact.ts'
import { countTaken, requireIngest } from '../storage/counting/stored-bytes.ts'
import { spareOrphans } from '../storage/orphans.ts'
import { artifactKey, presignedUntil } from '../storage/storage.ts'
import { putToUse } from './in-use.ts'
import { type Dimensions, headerWithin } from './inspection.ts'
import { mediaForms } from './media-kinds.ts'

type MediaItem = VersionOf & { kind: MediaKind }
type Wish = MediaItem & { size?: number }
type Announced = MediaItem & { artifact_id: number }
type Result = Announced & { size: number }
type Whole = Result & Dimensions

/** Headers read at once. */
const looking = pLimit(24)

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
  const known = await requirePresigned(request, items)
  const keys = items.map((item) => artifactKey(workspace.id, item.artifact_id))
  await spareOrphans(sql, workspace.id, { keys, now: request.now })
  const whole = await requireWhole(request, { items, known, sizes: await storage.sizes(keys) })
  await requireCurrent(sql, workspace.id, { versions: items, hold: false })
  await storage.settle(keys)
  await transact(request, (inside) => record(inside, whole))
  return whole.map(({ entry_id, object_id, kind, artifact_id, size }) => ({ entry_id, object_id, kind, artifact_id, size }))
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

async function requirePresigned({ sql, workspace }: Context, items: readonly Announced[]): Promise<Map<number, Artifact>> {
  const ids = [...new Set(items.map((item) => item.artifact_id))]
  const known = new Map((await selectArtifacts(sql, workspace.id, ids)).map((row) => [row.id, row]))
  for (const { artifact_id, object_id, kind } of items) {
    const artifact = known.get(artifact_id)
    if (artifact?.object_id !== object_id || artifact.kind !== kind)
      throw new ApiError('NOT_FOUND', `No address was given for artifact ${artifact_id} as ${kind} of version ${object_id}.`)
  }
  return known
}

interface Arrived {
  items: readonly Announced[]
  known: ReadonlyMap<number, Artifact>
  sizes: readonly (number | undefined)[]
}

/** VALIDATION names every file that is missing, too large or no such picture; those that came and are refused leave the store. */
async function requireWhole({ workspace, storage }: Context, { items, known, sizes }: Arrived): Promise<Whole[]> {
  const failures: Failure[] = []
  const refused: string[] = []
  const look = async (item: Announced, index: number): Promise<Whole[]> => {
    const { artifact_id, kind } = item
    const key = artifactKey(workspace.id, artifact_id)
    const size = sizes[index]
    const isUsed = known.get(artifact_id)?.finished_at != null
    const found = size === undefined ? 'has not been uploaded' : await lookAt(storage, { key, kind, size, isUsed })
    if (size !== undefined && typeof found !== 'string') return [{ ...item, size, ...found }]
    failures.push({ path: `items.${index}`, message: `artifact ${artifact_id} ${String(found)}` })
    if (size !== undefined) refused.push(key)
    return []
  }
  const whole = (await looking.map(items, look)).flat()
  if (refused.length > 0) await storage.remove(refused)
  if (failures.length > 0) throw validationError(failures)
  return whole
}

interface StoredMedium {
  key: string
  kind: MediaKind
  size: number
  /** It was finalized before, and stays as it is. */
  isUsed: boolean
}

/** What is wrong with it, or its dimensions, which only pictures have. */
async function lookAt(storage: Context['storage'], { key, kind, size, isUsed }: StoredMedium): Promise<string | Dimensions> {
  const { maxBytes } = mediaForms[kind]
  const none = { width: null, height: null }
  if (size > maxBytes) return `is ${size} bytes; at most ${maxBytes} are allowed`
  if (isUsed || (kind !== 'thumbnail' && kind !== 'image')) return none
  try {
    const file = { size, read: (start: number, end: number) => storage.read(key, start, end) }
    const { width, height } = await headerWithin(file, pictureBounds[kind])
    return { width, height }
  } catch (error) {
    if (error instanceof FormatError) return `cannot be used: ${error.message}`
    throw error
  }
}

async function record(inside: Context, results: readonly Whole[]): Promise<void> {
  const { sql, workspace, now } = inside
  const current = await requireCurrent(sql, workspace.id, { versions: results, hold: true })
  const rows = results.map(({ artifact_id, size, width, height }) => ({ artifact_id, size, width, height }))
  const finished = await sql<{ id: number }[]>`
    update artifacts a set size = r.size, width = r.width, height = r.height, finished_at = ${now.toISOString()}
      from jsonb_to_recordset(${sql.json(rows)}) as r(artifact_id bigint, size bigint, width integer, height integer)
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
