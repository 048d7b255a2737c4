/** Materials and textures that meshes need: their colours lie in them. */
import pLimit from 'p-limit'
import { ApiError } from '../../contract/errors.ts'
import { entryTypeOf } from '../../formats/entry-types.ts'
import { mostPackages, packageKey } from '../../previews/threads/media-order.ts'
import type { ExpectedContent } from '../content/fetch.ts'
import type { Api } from '../http/api.ts'
import type { MediaJob } from './media-jobs.ts'

export interface NeededPackage extends ExpectedContent {
  key: string
}

const questionsAtOnce = 4
/** Types of what a base colour leads through. */
const colouring = new Set(['material', 'texture'])

/** By the id of the version, nearest first, as many as a preview may take; nothing of what is no mesh, or is not there any more. */
export async function findNeededPackages(
  api: Pick<Api, 'entries'>,
  wanted: readonly MediaJob[],
): Promise<Map<number, NeededPackage[]>> {
  const inTurn = pLimit(questionsAtOnce)
  const meshes = wanted.filter(({ isMesh }) => isMesh)
  return new Map(await inTurn.map(meshes, async (one) => [one.objectId, await neededBy(api, one)] as const))
}

async function neededBy({ entries }: Pick<Api, 'entries'>, { entryId, objectId }: MediaJob): Promise<NeededPackage[]> {
  const closure = await entries.closure({ entry_id: entryId, object_id: objectId }).catch(nothingIfGone)
  const needed: NeededPackage[] = []
  let bytes = 0
  for (const member of closure?.members.slice(1) ?? []) {
    const { asset_class, content_hash: hash, blob_size: size } = member
    const key = packageKey(member)
    if (key === undefined || !colouring.has(entryTypeOf(asset_class) ?? '')) continue
    bytes += size
    if (needed.length >= mostPackages.count || bytes > mostPackages.bytes) break
    needed.push({ hash, size, title: key, key })
  }
  return needed
}

function nothingIfGone(error: unknown): undefined {
  if (error instanceof ApiError && error.status === 404) return undefined
  throw error
}
