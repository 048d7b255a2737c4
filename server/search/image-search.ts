/** POST /entries/search/image: what looks like a picture (spec 4.2). Nothing is known yet of how entries look. */
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { RawRequest } from '../handler.ts'
import { requireFits } from '../storage/upload-size.ts'

/** A picture that is too large is said to be so all the same; none is read. */
export async function searchByImage({ contentLength }: Pick<RawRequest, 'contentLength'>): Promise<never> {
  requireFits(contentLength, limits.searchImage.bytes)
  throw new ApiError('EMBEDDINGS_UNAVAILABLE')
}
