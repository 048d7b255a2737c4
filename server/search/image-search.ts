/** POST /entries/search/image: what looks like a picture (spec 4.2). Nothing is known yet of how entries look. */
import { entries as contract } from '../../contract/entries.ts'
import { ApiError, validationError } from '../../contract/errors.ts'
import type { RawRequest } from '../handler.ts'
import { requireFits } from '../storage/upload-size.ts'

/** What is wrong with the request is said all the same; the picture is not read. */
export async function searchByImage({
  contentType,
  contentLength,
}: Pick<RawRequest, 'contentType' | 'contentLength'>): Promise<never> {
  const { types, maxBytes } = contract.searchByImage.raw
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase()
  if (!types.some((taken) => taken === type))
    throw validationError([{ path: 'body', message: `must be an image, sent as ${types.join(' or ')}` }])
  requireFits(contentLength, maxBytes)
  throw new ApiError('EMBEDDINGS_UNAVAILABLE')
}
