/** What a library wants of its versions: previews, and thumbnails where there are none. */
import type { EntryDetail } from '../../contract/entries.ts'
import { isMeshType, isPreviewedType } from '../../previews/previewed-types.ts'
import { type DetailCalls, readEntryDetails } from '../entries/details.ts'
import type { GivenUp } from './given-up.ts'

/** A current version that lacks something which this machine may be able to make. */
export interface MediaJob {
  entryId: number
  objectId: number
  hash: string
  /** Bytes. */
  size: number
  /** What people call it. */
  name: string
  /** Of its file, in its own folder. */
  fileName: string
  preview: boolean
  thumbnail: boolean
  /** It may lie in several files. */
  isMesh: boolean
}

export interface MediaQuestion {
  calls: DetailCalls
  givenUp: GivenUp
  /** Entries whose thumbnail is to be made anew though there is one. */
  anew?: ReadonlySet<number>
}

/** What these entries want now. Others may have made it meanwhile; then it is left out. */
export async function findMediaJobs(entryIds: readonly number[], { calls, givenUp, anew }: MediaQuestion): Promise<MediaJob[]> {
  const details = await readEntryDetails(calls, entryIds)
  return [...details.values()].flatMap((detail) => {
    const preview =
      detail.preview_status === 'none' && isPreviewedType(detail.entry_type) && !givenUp.has(detail.content_hash, 'preview')
    const lacksThumbnail = !detail.has_thumbnail || anew?.has(detail.id) === true
    const thumbnail = lacksThumbnail && !givenUp.has(detail.content_hash, 'thumbnail')
    return preview || thumbnail ? [jobOf(detail, { preview, thumbnail })] : []
  })
}

function jobOf(detail: EntryDetail, what: Pick<MediaJob, 'preview' | 'thumbnail'>): MediaJob {
  const { id: entryId, object_id: objectId, content_hash: hash, blob_size: size, name, origin_path, source_ext } = detail
  const stem = origin_path?.split('/').at(-1) ?? name.replaceAll(/[/\\]/g, '_')
  const isMesh = isMeshType(detail.entry_type)
  return { entryId, objectId, hash, size, name, fileName: `${stem}.${source_ext ?? 'uasset'}`, isMesh, ...what }
}
