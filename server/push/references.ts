/** What a manifest refers to outside itself must be there: needed files, and the lineage and version that an item continues. Pure. */
import { type Failure, mostFailures, validationError } from '../../contract/errors.ts'
import type { ManifestItem } from '../../contract/push.ts'
import { inPieces } from '../../system/event-loop.ts'
import { type Facts, lineageByGuid } from './facts.ts'
import { nameOf } from './manifest.ts'

/** Fails with VALIDATION naming the items whose needs, stamps or answers lead nowhere. */
export async function checkReferences(items: readonly ManifestItem[], facts: Facts): Promise<void> {
  const inManifest = new Set(items.map((item) => item.content_hash))
  const failures: Failure[] = []
  await inPieces(items.entries(), ([index, item]) => {
    if (failures.length >= mostFailures) return
    for (const { field, message } of [...missingNeeds(item, inManifest, facts), ...wrongStamps(item, facts)])
      failures.push({ path: `items.${index}.${field}`, message: `${message} (${nameOf(item)})` })
  })
  if (failures.length > 0) throw validationError(failures)
}

interface Wrong {
  field: string
  message: string
}

function missingNeeds(item: ManifestItem, inManifest: ReadonlySet<string>, facts: Facts): Wrong[] {
  return (item.dependencies ?? []).flatMap(({ content_hash }, index) =>
    inManifest.has(content_hash) || facts.objects.has(content_hash)
      ? []
      : {
          field: `dependencies.${index}`,
          message: `${content_hash} is neither in the manifest nor in the library; push it along or leave it out`,
        },
  )
}

/** Bytes that are known stay where they are, whatever their stamp says. */
function wrongStamps(item: ManifestItem, facts: Facts): Wrong[] {
  if (facts.objects.has(item.content_hash)) return []
  const unknown = (['stamped_lineage_id', 'attach_to_lineage'] as const).flatMap((field): Wrong[] => {
    const lineage = item[field]
    return lineage && !facts.lineages.has(lineage) ? [{ field, message: `there is no lineage "${lineage}"` }] : []
  })
  return isBased(item, facts)
    ? unknown
    : [...unknown, { field: 'stamped_base_hash', message: `${item.stamped_base_hash} is not a version of that lineage` }]
}

function isBased(item: ManifestItem, facts: Facts): boolean {
  if (!item.stamped_base_hash) return true
  const base = facts.objects.get(item.stamped_base_hash)
  const continued = continuedLineage(item, facts)
  return base !== undefined && (continued === undefined || continued === base.lineage_id)
}

/** The lineage that an item names, by stamp, answer or GUID. */
function continuedLineage(item: ManifestItem, facts: Facts): string | undefined {
  const named = item.stamped_lineage_id ?? item.attach_to_lineage
  if (named || item.force_new_lineage) return named ?? undefined
  return lineageByGuid(item, facts)?.id
}
