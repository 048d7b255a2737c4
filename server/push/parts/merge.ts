/** Merges changes of the parts of levels, by path, with what others changed since the set that the sender knew (contract-gaps 9). */

import { isPartOf } from '../../../contract/level-parts.ts'
import type { KeptPart } from '../../../contract/level-sets.ts'
import type { ManifestItem } from '../../../contract/push.ts'
import {
  type FoundPart,
  type KnownSet,
  type PartQuery,
  partRows,
  selectNewestSets,
  selectPartsAt,
  selectSets,
} from '../../rows/levels/sets.ts'
import { placeKey, placeKeyOf } from '../../rows/places.ts'
import type { Facts, Pushing } from '../facts.ts'
import type { KnownObject } from '../known-objects.ts'
import type { ItemPlan, RegisterPlan } from '../plan.ts'
import { type LevelPlace, placeLevels } from './moved-levels.ts'
import { partsSent, type SentParts } from './sent.ts'

/** A part that is to lie at a path; `hash` is undefined for one that is to go. */
interface Change {
  path: string
  path_key: string
  hash: string | undefined
}

/** What becomes of the parts of a level. */
export interface LevelMerge {
  item: ManifestItem
  /** Undefined for a level that this push brings. */
  lineageId: string | undefined
  newest: KnownSet | undefined
  /** The set that the sender knew. */
  base: KnownSet | undefined
  /** Where the level lies, in lower case, if its newest set was made for another path than it is sent with. */
  path: string | undefined
  put: { path_key: string; hash: string }[]
  remove: string[]
  added: number
  /** Files that an earlier set had, and that change nothing. */
  stale: number
  kept: KeptPart[]
}

export interface PartsPlan {
  projectId: number
  /** By content hash of the level. */
  merges: ReadonlyMap<string, LevelMerge>
  /** Content hashes of parts that are held: the same path was changed in the library too. */
  conflicting: ReadonlySet<string>
}

interface Planning {
  plans: readonly ItemPlan[]
  facts: Facts
  /** Undefined where the project never pushed. */
  projectId: number | undefined
}

/** Decides about every part; reads what lies at the paths that change, in a few statements. */
export async function planParts(pushing: Pushing, { plans, facts, projectId = -1 }: Planning): Promise<PartsPlan> {
  const { sql, workspace } = pushing
  const planOf = new Map(plans.map((plan) => [plan.item.content_hash, plan]))
  const pathOf = (hash: string) => placeKey(planOf.get(hash)?.item ?? facts.objects.get(hash) ?? {})
  const levels = plans.flatMap((plan) => {
    const parts = partsSent(plan.item, pathOf)
    return parts && plan.action !== 'hold' && plan.action !== 'denied' ? [{ plan, parts, lineageId: lineageOf(plan) }] : []
  })
  if (levels.length === 0) return { projectId, merges: new Map(), conflicting: new Set() }
  const lineageIds = new Set(levels.flatMap(({ lineageId }) => lineageId ?? []))
  const newest = await selectNewestSets(sql, workspace.id, { lineageIds, projectId })
  const bases = await selectSets(sql, workspace.id, new Set(levels.flatMap(({ parts }) => parts.base ?? [])))
  const known = levels.map(({ plan, parts, lineageId }) => {
    const sent = parts.base === null ? undefined : bases.get(parts.base)
    const base = sent?.lineage_id === lineageId ? sent : undefined
    const last = newest.get(lineageId ?? '')
    return { plan, parts, lineageId, newest: last, base, counted: last ?? base }
  })
  const places = await placeLevels(pushing, { levels: known, projectId })
  const merging = known.map(({ plan, parts, ...sets }) => ({
    changes: changesOf(parts, sets.base !== undefined),
    merge: emptyMerge(plan.item, sets, places.get(plan.item.content_hash)),
  }))
  const found = await findParts(pushing, { merging, facts, projectId })
  for (const { changes, merge } of merging)
    for (const change of changes) decide(change, { merge, found: found.get(change), plan: planOf.get(change.hash ?? ''), facts })
  return {
    projectId,
    merges: new Map(merging.map(({ merge }) => [merge.item.content_hash, merge])),
    conflicting: new Set(
      merging.flatMap(({ merge }) =>
        merge.kept.flatMap((one) => (one.reason === 'parts_conflict' ? (one.content_hash ?? []) : [])),
      ),
    ),
  }
}

/** A lock on a level covers its own file: its parts may change. */
function lineageOf(plan: ItemPlan): string | undefined {
  if (plan.action === 'dedup') return plan.known.lineage_id
  return plan.action === 'locked' ? plan.planned.lineage?.id : plan.action === 'register' ? plan.lineage?.id : undefined
}

/** Without a base nothing is removed. */
const changesOf = ({ put, remove }: SentParts, hasBase: boolean): Change[] => [
  ...put.map(({ path, content_hash: hash }) => ({ path, path_key: placeKeyOf(path), hash })),
  ...(hasBase ? remove : []).map((path) => ({ path, path_key: placeKeyOf(path), hash: undefined })),
]

const emptyMerge = (
  item: ManifestItem,
  { lineageId, newest, base }: Pick<LevelMerge, 'lineageId' | 'newest' | 'base'>,
  place: LevelPlace | undefined,
): LevelMerge => ({
  item,
  ...{ lineageId, newest, base, path: place?.path },
  put: [],
  remove: [...(place?.leaving ?? [])],
  added: 0,
  stale: 0,
  kept: [],
})

interface Merging {
  changes: readonly Change[]
  merge: LevelMerge
}

async function findParts(
  { sql, workspace, now }: Pushing,
  { merging, facts, projectId }: { merging: readonly Merging[]; facts: Facts; projectId: number },
): Promise<Map<Change, FoundPart>> {
  const asked: { change: Change; row: Omit<PartQuery, 'at'> }[] = merging.flatMap(({ changes, merge }) => {
    const { lineageId, newest, base } = merge
    if (lineageId === undefined || !(newest ?? base)) return []
    return changes.map((change) => ({
      change,
      row: {
        lineage_id: lineageId,
        path_key: change.path_key,
        base: base?.id ?? null,
        base_project: base?.project_id ?? null,
        wanted: facts.objects.get(change.hash ?? '')?.id ?? null,
      },
    }))
  })
  const found = new Map<Change, FoundPart>()
  for (let from = 0; from < asked.length; from += partRows) {
    const batch = asked.slice(from, from + partRows)
    const rows = batch.map(({ row }, at) => ({ at, ...row }))
    for (const part of await selectPartsAt(sql, workspace.id, { projectId, pusherId: facts.pusherId, now, asked: rows })) {
      const change = batch[part.at]?.change
      if (change) found.set(change, part)
    }
  }
  return found
}

const nothingThere: FoundPart = { at: 0, now: null, author_id: null, was: null, had: false, is_locked: false }

interface Deciding {
  merge: LevelMerge
  found: FoundPart | undefined
  /** Of the part, where it is in the manifest. */
  plan: ItemPlan | undefined
  facts: Facts
}

function decide(change: Change, deciding: Deciding): void {
  const { merge, found = nothingThere, facts } = deciding
  // A project's first set begins with the one that its sender knew.
  const now = merge.newest ? found.now : found.was
  if (change.hash === undefined ? now === null : now !== null && now === facts.objects.get(change.hash)?.id) return
  if (!merge.base && found.had) return void merge.stale++
  const reason = whyKept({ ...deciding, change, found, now, known: facts.objects.get(change.hash ?? '') })
  if (reason) merge.kept.push({ path: change.path, content_hash: change.hash ?? null, reason })
  else if (change.hash === undefined) merge.remove.push(change.path_key)
  else merge.put.push({ path_key: change.path_key, hash: change.hash })
  if (!reason && now === null) merge.added++
}

interface Judging extends Deciding {
  change: Change
  found: FoundPart
  now: number | null
  /** The version that is to lie there, where the library has it. */
  known: KnownObject | undefined
}

function whyKept(judging: Judging): KeptPart['reason'] | undefined {
  const { change, plan, found, merge } = judging
  // The level has moved in the library: what the sender still has at the old path comes to nothing there.
  if (merge.path !== undefined && !isPartOf(change.path_key, merge.path)) return 'parts_conflict'
  if (plan?.action === 'hold') return 'held'
  if (plan?.action === 'denied' || plan?.action === 'locked') return plan.action
  if (found.is_locked && merge.newest) return 'part_locked'
  return merge.base && !isFresh(judging) ? 'parts_conflict' : undefined
}

const anchorOf = (next: RegisterPlan | KnownObject) => ('lineage_anchor' in next ? next.lineage_anchor : next.anchor)
const parentOf = (next: RegisterPlan | KnownObject) => ('lineage_anchor' in next ? next.parent_object_id : next.parentId)

/**
 * Whether the sender knew what lies at the path now. A new version says itself what it was made from. Of others, and of parts that go, the
 * base says it, or that the sender put there what lies there.
 */
function isFresh({ now, found: { was, author_id: author }, plan, known, facts }: Judging): boolean {
  const isOwn = author !== null && author === facts.pusherId
  if (now === null || (plan?.action !== 'register' && known === undefined)) return now === was || isOwn
  const next = plan?.action === 'register' ? plan : known && known.id > now ? known : undefined
  if (next && anchorOf(next) === 'stamp') return parentOf(next) === now
  return now === was || (isOwn && known !== undefined)
}

/** The plans without parts that conflict: those are held. */
export const withHeldParts = (plans: readonly ItemPlan[], { conflicting }: PartsPlan): ItemPlan[] =>
  conflicting.size === 0
    ? [...plans]
    : plans.map((plan) =>
        plan.action === 'register' && conflicting.has(plan.item.content_hash)
          ? { action: 'hold', item: plan.item, reason: 'parts_conflict', candidate: plan.lineage, on: [] }
          : plan,
      )
