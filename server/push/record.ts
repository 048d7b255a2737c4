/** What a commit leaves in the feeds: one event per new or enriched version, one change per record that looks different (spec 4.6, 6). */
import type { Manifest } from '../../contract/push.ts'
import type { Context } from '../handler.ts'
import type { Enriched } from './enrich.ts'
import type { Outcome } from './outcome.ts'
import type { ItemPlan } from './plan.ts'

interface Recording {
  plans: ItemPlan[]
  outcome: Outcome
  enriched: Enriched
  manifest: Manifest
  batchKey: string
}

export function recordCommit({ feed }: Context, { plans, outcome, enriched, manifest, batchKey }: Recording): void {
  const { note } = manifest
  for (const { plan, objectId, number, lineage } of outcome.versions.values()) {
    feed.changed({ entity: 'object', entityId: objectId, lineageId: lineage.id, op: 'upsert' })
    feed.happened({
      type: 'push.commit',
      entryId: lineage.entry?.id ?? null,
      lineageId: lineage.id,
      objectId,
      batchKey,
      payload: { name: plan.item.asset_name ?? null, version: number, ...(note && { note }) },
    })
  }
  for (const plan of plans) {
    const gain = enriched.get(plan.item.content_hash)
    const lineage = outcome.byHash.get(plan.item.content_hash)
    if (!gain || !lineage) continue
    const { objectId, fields } = gain
    feed.changed({ entity: 'object', entityId: objectId, lineageId: lineage.id, op: 'upsert' })
    feed.happened({
      type: 'push.enrich',
      entryId: lineage.entry?.id ?? null,
      lineageId: lineage.id,
      objectId,
      batchKey,
      payload: { fields },
    })
    if (lineage.entry && lineage.faceId === objectId) lineage.entry.changed = true
  }
  for (const { id, entry } of outcome.lineages)
    if (entry?.changed) feed.changed({ entity: 'entry', entityId: entry.id, lineageId: id, op: 'upsert' })
}
