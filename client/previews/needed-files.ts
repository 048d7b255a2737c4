/** What meshes need beside their own files: materials and textures of packages, buffers and pictures of source files. */
import pLimit from 'p-limit'
import { ApiError } from '../../contract/errors.ts'
import { entryTypeOf } from '../../formats/entry-types.ts'
import { mostNeeded, neededName } from '../../previews/threads/media-order.ts'
import type { ExpectedContent } from '../content/fetch.ts'
import type { Api } from '../http/api.ts'
import type { MediaJob } from './media-jobs.ts'

export interface NeededFile extends ExpectedContent {
  /** See `neededName`. */
  name: string
}

const questionsAtOnce = 4
/** Types of packages that a base colour leads through. */
const colouring = new Set(['material', 'texture'])

/** By the id of the version, nearest first, as many as a preview may take; nothing for what is no mesh, needs more than a closure holds, or is not there any more. */
export async function findNeededFiles(
  api: Pick<Api, 'entries'>,
  wanted: readonly MediaJob[],
): Promise<Map<number, NeededFile[]>> {
  const inTurn = pLimit(questionsAtOnce)
  const meshes = wanted.filter(({ isMesh }) => isMesh)
  return new Map(await inTurn.map(meshes, async (one) => [one.objectId, await neededBy(api, one)] as const))
}

async function neededBy({ entries }: Pick<Api, 'entries'>, { entryId, objectId }: MediaJob): Promise<NeededFile[]> {
  const closure = await entries.closure({ entry_id: entryId, object_id: objectId }).catch(nothingIfGoneOrTooMany)
  const needed: NeededFile[] = []
  let bytes = 0
  const [mesh, ...others] = closure?.members ?? []
  for (const member of others) {
    const { asset_class, content_hash: hash, blob_size: size, source_ext } = member
    const name = neededName(member, mesh)
    if (name === undefined || (source_ext === null && !colouring.has(entryTypeOf(asset_class) ?? ''))) continue
    bytes += size
    if (needed.length >= mostNeeded.count || bytes > mostNeeded.bytes) break
    needed.push({ hash, size, title: name, name })
  }
  return needed
}

function nothingIfGoneOrTooMany(error: unknown): undefined {
  if (error instanceof ApiError && (error.status === 404 || error.code === 'VALIDATION')) return undefined
  throw error
}
