/** Reviews: direct decisions on versions, and who could be asked (spec 4.5; contract-gaps 9). */
import type { reviews as contract } from '../../contract/reviews.ts'
import type { Handlers } from '../handler.ts'
import { decide } from '../reviews/decide.ts'
import { suggestReviewers } from '../reviews/suggestions.ts'

export const reviews: Handlers<typeof contract> = {
  decide,

  async suggestions(request) {
    return { people: await suggestReviewers(request, request.input.entry_id) }
  },
}
