/** Items that would bring a deleted prop back: negotiate says so, and clients ask before they send them. */
import type { DeletedLineage, Deletion } from '../../contract/lineages.ts'
import type { ManifestItem } from '../../contract/push.ts'
import type { Context } from '../handler.ts'
import { selectDeletions } from '../rows/deleted-lineage.ts'
import type { Facts, KnownLineage } from './facts.ts'
import { isRedirector, lineageGuid, pathKey } from './manifest.ts'
import type { ItemPlan } from './plan.ts'

/**
 * By content hash. A file of no lineage is a deleted prop by its bytes or its GUID, and by its path where it has no GUID. Items whose
 * sender says what they are, such as a new prop, are left out.
 */
export async function deletedAmong(
  { sql, workspace }: Pick<Context, 'sql' | 'workspace'>,
  plans: readonly ItemPlan[],
  facts: Facts,
): Promise<Map<string, Deletion>> {
  const open = plans.flatMap((plan) => {
    const lineage = lineageOf(plan, facts)
    return lineage?.entry || isAnswered(plan) ? [] : { item: plan.item, lineageId: lineage?.id }
  })
  if (open.length === 0) return new Map()
  const unknown = open.flatMap(({ item, lineageId }) => (lineageId === undefined ? item : []))
  const deleted = await selectDeletions(sql, workspace.id, {
    lineageIds: new Set(open.flatMap(({ lineageId }) => lineageId ?? [])),
    hashes: unknown.map((item) => item.content_hash),
    guids: new Set(unknown.flatMap((item) => lineageGuid(item) ?? [])),
    paths: new Set(unknown.flatMap((item) => (item.origin_path && !lineageGuid(item) ? pathKey(item.origin_path) : []))),
  })
  const marks = new Map(deleted.flatMap((one) => marksOf(one).map((mark) => [mark, one] as const)).toReversed())
  const find = (keys: readonly string[]) => keys.flatMap((key) => marks.get(key) ?? [])[0]
  return new Map(
    open.flatMap(({ item, lineageId }) => {
      const found = find(lineageId === undefined ? marksOfItem(item) : [`lineage ${lineageId}`])
      return found ? [[item.content_hash, { name: found.name, at: found.at, by: found.by }] as const] : []
    }),
  )
}

const marksOf = ({ lineage_id, content_hashes, package_guids, origin_paths }: DeletedLineage): string[] => [
  `lineage ${lineage_id}`,
  ...content_hashes.map((hash) => `hash ${hash}`),
  ...package_guids.map((guid) => `guid ${guid}`),
  ...origin_paths.map(({ origin_path, source_ext }) => `path ${origin_path} ${source_ext ?? ''}`),
]

function marksOfItem(item: ManifestItem): string[] {
  const guid = lineageGuid(item)
  const place = item.origin_path ? [`path ${pathKey(item.origin_path)} ${item.source_ext ?? ''}`] : []
  return [`hash ${item.content_hash}`, ...(guid ? [`guid ${guid}`] : place)]
}

/** The lineage that an item belongs to, or would continue. */
function lineageOf(plan: ItemPlan, facts: Facts): KnownLineage | undefined {
  if (plan.action === 'dedup') return facts.lineages.get(plan.known.lineage_id)
  if (plan.action === 'register') return plan.lineage
  return plan.action === 'hold' ? plan.candidate : undefined
}

const isAnswered = ({ action, item }: ItemPlan): boolean =>
  action === 'denied' || action === 'locked' || isRedirector(item) || Boolean(item.force_new_lineage || item.attach_to_lineage)
