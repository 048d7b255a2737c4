/** What a commit leaves in the feeds: one event per new or enriched version, one change per record that looks different (spec 4.6, 6). */
import type { Manifest } from '../../contract/push.ts'
import type { Feed } from '../feed.ts'
import type { Context } from '../handler.ts'
import type { NewSet } from '../rows/levels/set-changes.ts'
import type { Enriched } from './enrich.ts'
import type { Facts } from './facts.ts'
import type { Outcome } from './outcome.ts'
import type { ItemPlan } from './plan.ts'

interface Recording {
  plans: readonly ItemPlan[]
  outcome: Outcome
  enriched: Enriched
  manifest: Manifest
  facts: Facts
  /** By content hash of the level. */
  sets: ReadonlyMap<string, NewSet>
  batchKey: string
}

export function recordCommit({ feed }: Context, { plans, outcome, enriched, manifest, facts, sets, batchKey }: Recording): void {
  const { note } = manifest
  for (const { plan, objectId, number, lineage } of outcome.versions.values()) {
    feed.changed({ entity: 'object', entityId: objectId, lineageId: lineage.id, op: 'upsert' })
    feed.happened({
      type: 'push.commit',
      entryId: lineage.entry?.id ?? null,
      lineageId: lineage.id,
      objectId,
      batchKey,
      payload: {
        name: plan.item.asset_name ?? null,
        version: number,
        ...(note && { note }),
        ...partsOf(sets.get(plan.item.content_hash)),
      },
    })
  }
  recordSets(feed, { facts, outcome, sets, note, batchKey })
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

const partsOf = (set: NewSet | undefined) => {
  if (!set || set.put.length + set.remove.length === 0) return {}
  const { id, number, added, changed, removed } = set
  return { parts: { set: id, number, added, changed, removed } }
}

/** A level is another one when its parts are, although its own file is known. */
function recordSets(
  feed: Feed,
  {
    facts,
    outcome,
    sets,
    note,
    batchKey,
  }: Pick<Recording, 'facts' | 'outcome' | 'sets'> & { note: string | null | undefined; batchKey: string },
): void {
  for (const [hash, set] of sets) {
    const entry = outcome.byHash.get(hash)?.entry ?? facts.lineages.get(set.lineage_id)?.entry
    if (entry) feed.entriesChanged([{ id: entry.id, lineage_id: set.lineage_id }])
    const parts = partsOf(set)
    if (outcome.versions.has(hash) || !('parts' in parts)) continue
    const name = facts.objects.get(hash)?.asset_name ?? null
    const about = { entryId: entry?.id ?? null, lineageId: set.lineage_id, objectId: set.object_id, batchKey }
    feed.happened({ type: 'push.commit', ...about, payload: { name, ...(note && { note }), ...parts } })
  }
}
