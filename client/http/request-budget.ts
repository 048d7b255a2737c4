/** Which of the service's two request budgets a call is counted against (spec 8), without loading the contract. */

/** `push` is the larger one. */
export type RequestBudget = 'general' | 'push'

const mediaOfEntry = /^\/entries\/(media\/(presign|finalize)|[^/]+\/(preview|thumbnail|metadata))$/

/** `path` is below `/api/v1`. */
export function budgetOf(path: string): RequestBudget {
  return path.startsWith('/push/') || path.startsWith('/blobs/') || mediaOfEntry.test(path) ? 'push' : 'general'
}
