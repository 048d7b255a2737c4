/** What the answer to a negotiate means for an item before anything is sent. Pure. */
import type { ManifestItem, NegotiateItem } from '../../../contract/push.ts'
import { isShared, wasDeleted } from '../held/why-held.ts'
import type { PushStatus } from '../report.ts'
import type { Told } from './outcomes.ts'

type Verdict = [status: PushStatus, told: Told]

/**
 * A file that is outdated; one whose prop was deleted, which only someone who says so brings back; and one of several projects, of which
 * someone says whether it is a version for all of them.
 */
export function verdictOn(sent: Readonly<ManifestItem>, item: NegotiateItem): Verdict | undefined {
  const { action, face_object_id, lineage_id, deleted, other_projects } = item
  const { expected_face_object_id: expected, force_new_lineage, attach_to_lineage } = sent
  if (deleted && !force_new_lineage && !attach_to_lineage)
    return ['held', { reason: wasDeleted, candidate_lineage_id: null, deleted }]
  if (action !== 'register') return undefined
  if (expected && face_object_id && face_object_id !== expected) return ['outdated', { lineage_id }]
  return other_projects && ['held', { reason: isShared, candidate_lineage_id: lineage_id }]
}

/** In a dry run what negotiate says is all there is to say. */
export function foretold(item: NegotiateItem): Verdict {
  const lineage_id = item.lineage_id ?? item.candidate_lineage_id
  const { existing_object_id: object_id, parent_object_id, candidate_lineage_id, reason } = item
  const isLocked = reason === 'lineage_locked' || reason === 'depends_on_locked'
  const status = { register: isLocked ? 'locked' : 'new', dedup: 'dedup', hold: 'held', denied: 'denied' } as const
  const { lock, locked_dependencies, parts } = item
  const told = { lineage_id, object_id, parent_object_id, candidate_lineage_id, reason, lock, locked_dependencies, parts }
  return [status[item.action], told]
}
