/** Orders that no person put together, as of the latest: where two props of one would land at one place, they are ordered apart. */
import { ApiError } from '../../../contract/errors.ts'
import type { PullOptions } from '../options.ts'
import { type EntriesOrder, halvesOf } from './parts.ts'

/**
 * Gives an answer for each part. As of two games whose levels lie in one project: what comes second finds another prop in the place, and says so. Who
 * named the props hears that they clash instead.
 */
export async function askApart<O extends EntriesOrder, Answer>(
  order: O,
  { options, ask }: { options: Pick<PullOptions, 'alsoQueued' | 'theirs'>; ask: (part: O) => Promise<Answer> },
): Promise<Answer[]> {
  try {
    return [await ask(order)]
  } catch (error) {
    const halves = options.alsoQueued || options.theirs ? halvesOf(order) : undefined
    if (!halves || !isClash(error)) throw error
    const answers: Answer[] = []
    for (const half of halves) answers.push(...(await askApart(half, { options, ask })))
    return answers
  }
}

/** It names the versions that would land at one place. */
function isClash(error: unknown): boolean {
  if (!(error instanceof ApiError && error.code === 'VALIDATION')) return false
  const { errors } = error.details
  return Array.isArray(errors) && errors.some((one) => Array.isArray(one?.object_ids) && one.object_ids.length > 1)
}
