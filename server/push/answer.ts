/** The answer of a commit: what became of each item, in manifest order (spec 4.9). */
import type { CommitAnswer, CommitResult, Manifest } from '../../contract/push.ts'
import type { NewSet } from '../rows/levels/set-changes.ts'
import type { Enriched } from './enrich.ts'
import { cutNames } from './groups/cut-names.ts'
import type { PackIds } from './groups/packs.ts'
import { reasonOf } from './negotiate.ts'
import type { Outcome } from './outcome.ts'
import { partsOutcome } from './parts/make.ts'
import type { PartsPlan } from './parts/merge.ts'
import type { ItemPlan } from './plan.ts'

interface Done {
  outcome: Outcome
  enriched: Enriched
  groups: Record<string, number>
  packs: PackIds
  /** Where there is something to take back. */
  batchKey: string | undefined
  parts: PartsPlan
  /** By content hash of the level. */
  sets: ReadonlyMap<string, NewSet>
}

export function answerOf(manifest: Manifest, plans: readonly ItemPlan[], done: Done): CommitAnswer {
  const results = plans.map((plan) => ({
    ...resultOf(plan, done),
    ...partsOutcome(done.parts.merges.get(plan.item.content_hash), done.sets.get(plan.item.content_hash)),
  }))
  const warnings = cutNames(manifest, done.outcome)
  return {
    pack_id: manifest.pack_id ?? null,
    packs: done.packs.byRef,
    ...(done.batchKey && { batch_key: done.batchKey }),
    ...(Object.keys(done.groups).length > 0 ? { variant_groups: done.groups } : {}),
    results,
    ...(warnings.length > 0 ? { warnings } : {}),
    summary: summaryOf(results),
  }
}

function resultOf(plan: ItemPlan, { outcome, enriched, groups }: Done): CommitResult {
  const { content_hash } = plan.item
  if (plan.action === 'hold' || plan.action === 'denied' || plan.action === 'locked') return refusedResult(plan)
  const lineage = outcome.byHash.get(content_hash)
  const version = outcome.versions.get(content_hash)
  const entry = plan.action === 'dedup' || plan.item.entry ? lineage?.entry : undefined
  const groupId = entry?.groupRef ? groups[entry.groupRef] : undefined
  const fields = enriched.get(content_hash)?.fields
  return {
    content_hash,
    status: plan.action === 'dedup' ? 'dedup' : 'new',
    object_id: plan.action === 'dedup' ? plan.known.id : (version?.objectId ?? null),
    lineage_id: lineage?.id ?? null,
    lineage_anchor: plan.action === 'dedup' ? plan.known.lineage_anchor : plan.anchor,
    parent_object_id: plan.action === 'dedup' ? plan.known.parent_object_id : plan.parentId,
    variant: Boolean(entry && (entry.variantLabel || entry.groupRef || entry.known?.variant_group_id)),
    entry_id: entry?.id ?? null,
    entry_created: outcome.creators.has(content_hash),
    ...(plan.action === 'dedup' ? { has_thumbnail: plan.known.has_thumbnail } : {}),
    ...(groupId === undefined ? {} : { variant_group_id: groupId }),
    ...(fields ? { enriched: fields } : {}),
  }
}

const refusedAs = { hold: 'held', denied: 'denied', locked: 'locked' } as const

const refusedResult = (plan: ItemPlan & { action: keyof typeof refusedAs }): CommitResult => ({
  content_hash: plan.item.content_hash,
  status: refusedAs[plan.action],
  object_id: null,
  lineage_id: plan.action === 'locked' ? (plan.planned.lineage?.id ?? null) : null,
  lineage_anchor: null,
  parent_object_id: null,
  variant: false,
  entry_id: null,
  entry_created: false,
  ...(plan.action === 'hold'
    ? { probable_lost_stamp: plan.reason === 'probable_lost_stamp', candidate_lineage_id: plan.candidate?.id ?? null }
    : {}),
  ...reasonOf(plan),
})

function summaryOf(results: CommitResult[]): CommitAnswer['summary'] {
  const summary = { new: 0, dedup: 0, held: 0, denied: 0, locked: 0, entries_created: 0 }
  for (const result of results) {
    summary[result.status]++
    if (result.entry_created) summary.entries_created++
  }
  return summary
}
