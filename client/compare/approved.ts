/** A version beside the one of its prop that was approved last: what a review is about. */
import { versionNumber } from '../entries/current-version.ts'
import type { Api } from '../http/api.ts'
import { type ComparedVersion, type Comparison, compare } from './compare.ts'
import { readVersion } from './library-version.ts'

export interface AgainstApproved {
  version: ComparedVersion
  /** The newest approved version before it; null: none was approved yet, and it is not compared. */
  approved: ComparedVersion | null
  comparison: Comparison | null
}

/** Throws what the calls throw. Undefined for a version that is not there any more. */
export async function compareWithApproved(
  api: Pick<Api, 'lineages' | 'entries'>,
  { lineage_id, object_id }: { lineage_id: string; object_id: number },
): Promise<AgainstApproved | undefined> {
  const lineage = await api.lineages.get({ lineage_id })
  const object = lineage.objects.find((one) => one.object_id === object_id)
  if (!object) return undefined
  const earlier = lineage.objects.find((one) => one.review_status === 'approved' && one.object_id < object_id)
  const [version, approved] = await Promise.all([
    readVersion(api, lineage, object),
    earlier ? readVersion(api, lineage, earlier) : null,
  ])
  const numbered = { ...version, version: versionNumber(lineage, object_id) }
  return { version: numbered, approved, comparison: approved && compare(approved, numbered) }
}
