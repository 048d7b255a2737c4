/** Who changed something since, where the library says who. */
import type { ActivityType } from '../../contract/activity.ts'
import { ApiError } from '../../contract/errors.ts'
import type { Api } from '../http/api.ts'

const nobodyKnown = 'someone'

/** The name of a member by id. */
export async function memberName(api: Api, userId: number | null | undefined): Promise<string> {
  if (userId === null || userId === undefined) return nobodyKnown
  const member = await api.members.get({ user_id: userId }).catch(undefinedWhereGone)
  return member?.display_name ?? nobodyKnown
}

/** Who did the newest of such events to an entry. */
export async function lastActor(api: Api, { entryId, types }: { entryId: number; types: ActivityType[] }): Promise<string> {
  const { events } = await api.activity.list({ entry_id: entryId, type: types, limit: 1 })
  return events[0]?.actor?.name ?? nobodyKnown
}

/** For what may be gone by the time it is looked for. */
export function undefinedWhereGone(error: unknown): undefined {
  if (!(error instanceof ApiError && error.status === 404)) throw error
}
