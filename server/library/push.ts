/** Push: the routes; what they do lies in server/push (spec 4.9). */
import { limits } from '../../contract/limits.ts'
import type { push as contract } from '../../contract/push.ts'
import type { Handlers } from '../handler.ts'
import { commit } from '../push/commit.ts'
import { negotiate } from '../push/negotiate.ts'
import { undoPushes } from '../push/undo/undo.ts'

export const push: Handlers<typeof contract> = {
  limits() {
    const { items, packs, dependenciesPerItem } = limits.manifest
    return { max_items: items, max_packs: packs, max_dependencies_per_item: dependenciesPerItem }
  },

  negotiate(request) {
    return negotiate(request, request.input)
  },

  commit(request) {
    return commit(request, request.input)
  },

  undo(request) {
    return undoPushes(request, request.input)
  },
}
