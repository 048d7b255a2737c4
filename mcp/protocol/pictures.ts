/** Pictures of the entries in an answer: links to their thumbnails, or where they were asked for the thumbnails themselves, small. */
import type { ContentBlock } from '@modelcontextprotocol/server'
import { ApiError } from '../../contract/errors.ts'
import { pictureBounds } from '../../contract/picture-bounds.ts'
import { FormatError } from '../../formats/format-error.ts'
import { imageThumbnail } from '../../formats/image.ts'
import { fenced, joined, own, type Said } from '../tools/said.ts'
import type { Fields } from '../tools/tool.ts'
import { textBlock } from './text-block.ts'

/** What an assistant looks at costs it memory: at this edge a prop is still told from another. */
export const pictureEdgePx = 256
const mostLinks = 20
const mostPictures = 8

/** A PNG of at most `pictureEdgePx`, or why there is none although the entry has a thumbnail. */
export type Thumbnail = { png: Buffer } | { none: string; retryAfterSeconds?: number }
/** Small thumbnails by entry; those that cannot be had are left out. */
export type Thumbnails = (entryIds: readonly number[]) => Promise<ReadonlyMap<number, Thumbnail>>

export const thumbnailAddress = (entryId: number): string => `ph://entry/${entryId}/thumbnail`

/** Links carry no name of an entry: what people wrote stands inside of the fence only. */
export function linksTo(answer: Fields): ContentBlock[] {
  return withThumbnail(answer)
    .slice(0, mostLinks)
    .map((id) => ({
      type: 'resource_link',
      uri: thumbnailAddress(id),
      name: `thumbnail-${id}`,
      title: `Thumbnail of entry ${id}`,
      mimeType: 'image/png',
    }))
}

/** Each behind the id of its entry. */
export async function picturesOf(answer: Fields, thumbnails: Thumbnails): Promise<ContentBlock[]> {
  const ids = withThumbnail(answer)
  const shown = ids.slice(0, mostPictures)
  const found = shown.length > 0 ? await thumbnails(shown) : new Map<number, Thumbnail>()
  const blocks: ContentBlock[] = []
  for (const id of shown) {
    const picture = found.get(id)
    if (!picture) blocks.push(textBlock(own`The picture of entry ${id} cannot be had now.`))
    else if ('none' in picture) blocks.push(textBlock(withoutPicture(id, picture.none)))
    else blocks.push(textBlock(own`Entry ${id}:`), { type: 'image', data: picture.png.toString('base64'), mimeType: 'image/png' })
  }
  const more = ids.length - shown.length
  if (more > 0) blocks.push(textBlock(own`Pictures of ${more} more entries were left off: ask for less.`))
  return blocks
}

/** `read` gives what the library has for a thumbnail. What is beyond the contract's bounds is not decoded. */
export async function smallThumbnail(read: () => Promise<Uint8Array>): Promise<Thumbnail> {
  try {
    return { png: await imageThumbnail(await read(), pictureEdgePx, pictureBounds.thumbnail) }
  } catch (error) {
    if (error instanceof FormatError) return { none: error.message }
    throw error
  }
}

/** `why` may tell what stands in the file. */
export const withoutPicture = (id: number, why: string): Said =>
  joined([own`Entry ${id} is shown without its picture. The data says why.`, fenced({ why })], '\n')

/** What a thumbnail is when the server is busy with others; all else is thrown on. */
export function noneWhereBusy(error: unknown): Thumbnail {
  if (!(error instanceof ApiError && error.code === 'UNAVAILABLE')) throw error
  return { none: error.message, retryAfterSeconds: Number(error.details.retry_after_seconds) || 5 }
}

/** Ids of the entries that an answer shows and that have a thumbnail. */
function withThumbnail(answer: Fields): number[] {
  const shown = [answer, answer.entry, ...(Array.isArray(answer.entries) ? answer.entries : [])] as (Fields | null | undefined)[]
  return [...new Set(shown.flatMap((one) => (one?.has_thumbnail === true && typeof one.id === 'number' ? one.id : [])))]
}
