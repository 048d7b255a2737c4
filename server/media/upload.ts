/** One media file through the API: taken in while it streams, looked into, then put to use; or nothing of it is kept (spec 4.9). */
import { ApiError } from '../../contract/errors.ts'
import type { MediaKind } from '../../contract/media.ts'
import { takeIds } from '../database/ids.ts'
import { transact } from '../database/transaction.ts'
import type { Context, RawRequest } from '../handler.ts'
import { ownerOfKey } from '../principal.ts'
import { requireCurrent, type VersionOf } from '../rows/artifact.ts'
import { countTaken, requireIngest } from '../storage/counting/stored-bytes.ts'
import { requireFits } from '../storage/counting/upload-size.ts'
import { artifactKey } from '../storage/storage.ts'
import { putToUse } from './in-use.ts'
import { type Dimensions, inspectMedia } from './inspection.ts'
import { mediaForms } from './media-kinds.ts'

/** Who or what made the file, as the client says. */
export interface Producer {
  producer_tier?: string
  producer_tool?: string
  producer_tool_version?: string
  generator?: string
  generator_version?: string
}

type UploadRequest = Context & RawRequest & { input: VersionOf & Producer }
export type StoredMedia = Dimensions & { id: number; kind: MediaKind; size: number }

/** Asks whether the version is current before the bytes are read, and again before they are used. */
export async function uploadMedia(request: UploadRequest, kind: MediaKind): Promise<StoredMedia> {
  const { sql, workspace, storage, bytes, contentLength, input } = request
  const { maxBytes } = mediaForms[kind]
  requireFits(contentLength, maxBytes)
  await requireIngest(request)
  await requireCurrent(sql, workspace.id, { versions: [input], hold: false })
  const [id] = await takeIds(sql, 'artifacts', 1)
  if (id === undefined) throw new Error('the database gave no id')
  const key = artifactKey(workspace.id, id)
  const { size } = await storage.receive(key, bytes, { maxBytes })
  try {
    const dimensions = await inspectMedia(
      kind,
      { size, read: (start, end) => storage.read(key, start, end) },
      ownerOfKey(request),
    )
    const stored = { id, kind, size, ...dimensions }
    await storage.settle([key])
    await transact(request, (inside) => recordMedia(inside, stored, { ...input, actorId: request.actor.id }))
    return stored
  } catch (error) {
    // Only refusals are certain to have recorded nothing.
    if (error instanceof ApiError) await storage.remove([key])
    throw error
  }
}

export type Recording = Pick<Context, 'sql' | 'feed' | 'now'> & { workspace: Pick<Context['workspace'], 'id'> }

/** In a transaction; the version has to be current still. `by`: nobody where the server itself made it. */
export async function recordMedia(
  request: Recording,
  stored: StoredMedia,
  by: VersionOf & Producer & { actorId: number | null },
) {
  const { id, kind, size, width, height } = stored
  const { sql, workspace, now } = request
  const [inUse] = await requireCurrent(sql, workspace.id, { versions: [by], hold: true })
  if (!inUse) throw new Error('a required entry was not given')
  const at = now.toISOString()
  await sql`
    insert into artifacts (workspace_id, id, object_id, kind, size, width, height, producer, created_by, created_at, finished_at)
    values (${workspace.id}, ${id}, ${inUse.object_id}, ${kind}, ${size}, ${width}, ${height}, ${sql.json(producerOf(by))},
            ${by.actorId}, ${at}, ${at})`
  await putToUse(request, [{ inUse, artifactId: id, kind }])
  await countTaken(sql, workspace.id, [{ key: artifactKey(workspace.id, id), size }])
}

function producerOf(input: Producer): Record<string, string> {
  const { producer_tier: tier, producer_tool: tool, producer_tool_version: tool_version, generator, generator_version } = input
  const said = Object.entries({ tier, tool, tool_version, generator, generator_version })
  return Object.fromEntries(said.filter((pair): pair is [string, string] => pair[1] !== undefined))
}
