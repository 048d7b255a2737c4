/** Pictures of the entries in an answer: links to their thumbnails, or where they were asked for the thumbnails themselves, small. */
import type { ContentBlock } from '@modelcontextprotocol/server'
import { FormatError } from '../../formats/format-error.ts'
import { imageThumbnail } from '../../formats/image.ts'
import { own } from '../tools/said.ts'
import type { Fields } from '../tools/tool.ts'
import { textBlock } from './text-block.ts'

/** What an assistant looks at costs it memory: at this edge a prop is still told from another. */
export const pictureEdgePx = 256
const mostLinks = 20
const mostPictures = 8

/** Thumbnails by entry; those that cannot be had are left out. */
export type Thumbnails = (entryIds: readonly number[]) => Promise<ReadonlyMap<number, Uint8Array>>

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
  const found = shown.length > 0 ? await thumbnails(shown) : new Map<number, Uint8Array>()
  const blocks: ContentBlock[] = []
  for (const id of shown) {
    const picture = await smallOf(found.get(id))
    if (picture)
      blocks.push(textBlock(own`Entry ${id}:`), { type: 'image', data: picture.toString('base64'), mimeType: 'image/png' })
    else blocks.push(textBlock(own`The picture of entry ${id} cannot be had now.`))
  }
  const more = ids.length - shown.length
  if (more > 0) blocks.push(textBlock(own`Pictures of ${more} more entries were left off: ask for less.`))
  return blocks
}

export async function smallOf(thumbnail: Uint8Array | undefined): Promise<Buffer | undefined> {
  if (thumbnail === undefined) return undefined
  try {
    return await imageThumbnail(thumbnail, pictureEdgePx)
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}

/** Ids of the entries that an answer shows and that have a thumbnail. */
function withThumbnail(answer: Fields): number[] {
  const shown = [answer, answer.entry, ...(Array.isArray(answer.entries) ? answer.entries : [])] as (Fields | null | undefined)[]
  return [...new Set(shown.flatMap((one) => (one?.has_thumbnail === true && typeof one.id === 'number' ? one.id : [])))]
}
