/** What is current in the lineages that held files may belong to: people decide by who pushed it, and when. */
import pLimit from 'p-limit'
import { ApiError } from '../../../contract/errors.ts'
import { type CurrentVersion, currentVersion } from '../../entries/current-version.ts'
import type { Api } from '../../http/api.ts'
import type { PushedItem } from '../report.ts'

/** Of more held files than these only the first are described: each is a request, and nobody reads so many. */
const mostDescribed = 100
const requestsAtOnce = 8

/** The same items; held ones with the version that is current there. */
export async function describeHeld(items: readonly PushedItem[], api: Api): Promise<PushedItem[]> {
  const held = items.filter(({ status, candidate_lineage_id }) => status === 'held' && candidate_lineage_id)
  const atOnce = pLimit(requestsAtOnce)
  const described = new Map<PushedItem, CurrentVersion>()
  const describe = async (item: PushedItem) => {
    const current = await currentOf(api, item.candidate_lineage_id ?? '')
    if (current) described.set(item, current)
  }
  await Promise.all(held.slice(0, mostDescribed).map((item) => atOnce(describe, item)))
  return items.map((item) => {
    const current_version = described.get(item)
    return current_version ? { ...item, current_version } : item
  })
}

async function currentOf(api: Api, lineageId: string): Promise<CurrentVersion | undefined> {
  try {
    return currentVersion(await api.lineages.get({ lineage_id: lineageId }))
  } catch (error) {
    // It was deleted meanwhile: the next push makes a new prop of the file.
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}
