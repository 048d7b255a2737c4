/** What the change feed says of current versions since the last look. */
import type { ChangeRecord } from '../../contract/changes.ts'
import type { EntrySummary } from '../../contract/entries.ts'
import type { Lineage } from '../../contract/lineages.ts'
import type { Api } from '../http/api.ts'
import type { Face } from '../memory/current-versions.ts'
import { type FeedPosition, followFeed, type Witness } from '../memory/feed.ts'

export interface FaceNews {
  position: FeedPosition
  /** By lineage: its current version, or undefined where the feed does not tell. */
  faces: Map<string, Face | undefined>
}

class TooMuchNews extends Error {}

interface News extends Pick<FaceNews, 'faces'> {
  /** Lineages that lost their entry. */
  deleted: Set<string>
}

export interface Following {
  position: FeedPosition
  witness: Witness | undefined
  /** Asking about every lineage takes fewer exchanges than reading more pages than this. */
  mostPages: () => number
}

/** Undefined when what is remembered does not count any more: another library, news that are not kept, or too much of them. */
export async function followFaces(api: Api, { position, witness, mostPages }: Following): Promise<FaceNews | undefined> {
  const faces: FaceNews['faces'] = new Map()
  const deleted = new Set<string>()
  const page = (number: number) => {
    if (number > 2 && number > mostPages()) throw new TooMuchNews()
  }
  try {
    const news = await followFeed(api, position, { witness, page, hear: (change) => takeIn({ faces, deleted }, change) })
    return news && { position: news.position, faces }
  } catch (error) {
    if (error instanceof TooMuchNews) return undefined
    throw error
  }
}

/** Who deleted an entry, the feed does not tell: its lineage is asked about, also where that stays because something needs it. */
function takeIn({ faces, deleted }: News, { entity, op, lineage_id: lineageId, record }: ChangeRecord): void {
  if (lineageId === null || (entity !== 'entry' && entity !== 'object')) return
  if (entity === 'entry') op === 'delete' ? deleted.add(lineageId) : deleted.delete(lineageId)
  const isTold = op === 'upsert' && record !== undefined && record !== null && !deleted.has(lineageId)
  faces.set(lineageId, isTold ? faceIn(entity, record) : undefined)
}

/** The record of an entry is its summary, that of a version its lineage (spec 4.6). */
function faceIn(entity: 'entry' | 'object', record: object): Face | undefined {
  if (entity === 'entry') {
    const { lineage_id: lineageId, object_id: objectId, content_hash: hash, id: entryId } = record as Partial<EntrySummary>
    return lineageId && objectId && hash && entryId ? { lineageId, objectId, hash, entryId } : undefined
  }
  const { id: lineageId, face_object_id: objectId, objects, entry_id: entryId } = record as Partial<Lineage>
  const hash = objects?.find(({ object_id }) => object_id === objectId)?.content_hash
  return lineageId && objectId && hash ? { lineageId, objectId, hash, entryId: entryId ?? null } : undefined
}
