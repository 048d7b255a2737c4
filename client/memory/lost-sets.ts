/** Sets of levels that are remembered here and that the library, which was set back, does not have any more. */
import pLimit from 'p-limit'
import { ApiError } from '../../contract/errors.ts'
import type { Api } from '../http/api.ts'
import type { LevelParts } from './level-parts.ts'

const requestsAtOnce = 8

/** Asks for each of these, and forgets those that it lost: a push would hold their actors for known, and a pull ask what changed since. */
export async function forgetLostSets(
  api: Pick<Api, 'lineages'>,
  levels: LevelParts,
  known: readonly { lineageId: string; set: number }[],
): Promise<void> {
  await pLimit(requestsAtOnce).map(known, async ({ lineageId, set }) => {
    const found = await api.lineages.setParts({ lineage_id: lineageId, set, limit: 1 }).catch(undefinedWhereGone)
    if (!found) levels.forget(lineageId)
  })
}

export function undefinedWhereGone(error: unknown): undefined {
  if (!(error instanceof ApiError && error.status === 404)) throw error
}
