/** Decides what a push does with each item, in pieces, so that other requests run in between: the same for negotiate and commit (spec 4.9; contract-gaps 5). */
import type { Lock } from '../../contract/locks.ts'
import type { ManifestItem } from '../../contract/push.ts'
import { guidKey } from '../../formats/package-guid.ts'
import { inPieces } from '../../system/event-loop.ts'
import { placeKey } from '../rows/places.ts'
import { type Facts, type KnownLineage, lineageByGuid } from './facts.ts'
import type { KnownObject } from './known-objects.ts'
import { checkKinds, isPart, isRedirector, lineageGuid, pathKey, placeOf } from './manifest.ts'
import { belongsToSet, checkParts } from './parts/sent.ts'
import { checkReferences } from './references.ts'

export type Anchor = KnownObject['lineage_anchor']

interface Base {
  item: ManifestItem
}
/** Becomes a new version: of `lineage`, or of a new lineage when that is undefined. */
export interface RegisterPlan extends Base {
  action: 'register'
  anchor: Anchor
  lineage: KnownLineage | undefined
  parentId: number | null
}
export interface DedupPlan extends Base {
  action: 'dedup'
  known: KnownObject
}
export interface HoldPlan extends Base {
  action: 'hold'
  reason: 'probable_lost_stamp' | 'depends_on_held' | 'parts_conflict'
  candidate: KnownLineage | undefined
  on: string[]
}
export interface DeniedPlan extends Base {
  action: 'denied'
  reason: 'denylisted' | 'depends_on_denied'
  kind: 'content_hash' | 'package_guid' | undefined
  on: string[]
}
/** Would be registered if nobody else had its lineage checked out, or that of something it needs. */
export interface LockedPlan extends Base {
  action: 'locked'
  reason: 'lineage_locked' | 'depends_on_locked'
  planned: RegisterPlan
  lock: Lock | undefined
  on: string[]
}
export type ItemPlan = RegisterPlan | DedupPlan | HoldPlan | DeniedPlan | LockedPlan

/** What package headers add to a manifest, by content hash; known at commit only, when the bytes are there. */
export interface HeaderFacts {
  /** Hashes in the manifest that the header imports. */
  edges: ReadonlyMap<string, readonly string[]>
  /** GUIDs that the header holds, whether declared or not: the denylist asks for them. */
  guids: ReadonlyMap<string, string>
}
const noHeaders: HeaderFacts = { edges: new Map(), guids: new Map() }

/** One plan per item, in manifest order. Fails with VALIDATION for kinds that no library takes, and for stamps and dependencies that lead nowhere. */
export async function planPush(
  items: readonly ManifestItem[],
  facts: Facts,
  headers: HeaderFacts = noHeaders,
): Promise<ItemPlan[]> {
  await checkKinds(items, facts.objects)
  await checkReferences(items, facts)
  checkParts(items, facts)
  const continuing = chooseContinuing(items, facts)
  const claimed = new Set<string>()
  const plans = new Map<string, ItemPlan>()
  await inPieces(items, (item) => plans.set(item.content_hash, planItem(item, { facts, headers, continuing, claimed })))
  await spread(plans, headers.edges, 'denied')
  await spread(plans, headers.edges, 'hold')
  for (const [hash, plan] of plans) plans.set(hash, unlessLocked(plan, facts))
  await spread(plans, headers.edges, 'locked')
  return [...plans.values()]
}

/**
 * Of several files with one known GUID, the one at the current version's path continues the lineage; else the first listed. None
 * does where its place is taken: by bytes of the lineage that lie there unchanged, or by a file that is sent as its next version.
 */
function chooseContinuing(items: readonly ManifestItem[], facts: Facts): Map<string, string> {
  const chosen = new Map<string, string>()
  const taken = new Set<string>()
  for (const item of items) {
    const lineage = lineageByGuid(item, facts)
    if (!lineage) continue
    const isThere = isAtCurrentPath(item, lineage)
    const known = facts.objects.get(item.content_hash)
    if (known || isAnswered(item)) {
      const named = known ? isThere && known.lineage_id : (item.stamped_lineage_id ?? item.attach_to_lineage)
      if (named === lineage.id) taken.add(lineage.id)
    } else if (isThere || !chosen.has(lineage.id)) chosen.set(lineage.id, item.content_hash)
  }
  for (const id of taken) chosen.delete(id)
  return chosen
}

const isAtCurrentPath = ({ origin_path: path }: ManifestItem, { face_origin_path: current }: KnownLineage): boolean =>
  Boolean(path && current && pathKey(path) === pathKey(current))

/** The sender said which lineage is meant. */
const isAnswered = (item: ManifestItem) => Boolean(item.stamped_lineage_id || item.attach_to_lineage || item.force_new_lineage)

interface Deciding {
  facts: Facts
  headers: HeaderFacts
  continuing: Map<string, string>
  /** GUIDs and places that earlier items of the manifest bring into the library. */
  claimed: Set<string>
}

function planItem(item: ManifestItem, deciding: Deciding): ItemPlan {
  const { facts } = deciding
  const kind = denialOf(item, deciding)
  if (kind) return { action: 'denied', item, reason: 'denylisted', kind, on: [] }
  const known = facts.objects.get(item.content_hash)
  if (known) return { action: 'dedup', item, known }
  const plan =
    planAnswered(item, facts) ??
    planRedirector(item, deciding) ??
    planPart(item, facts) ??
    planByGuid(item, deciding) ??
    planByPlace(item, deciding)
  if (plan.action === 'register') for (const claim of uniqueKeysOf(item)) deciding.claimed.add(claim)
  return plan
}

/** What only one item of a manifest may bring into the library: a GUID, a place. */
const uniqueKeysOf = (item: ManifestItem): string[] => [lineageGuid(item) ?? [], placeOf(item) ?? []].flat()

function denialOf(item: ManifestItem, { facts, headers }: Deciding): DeniedPlan['kind'] {
  if (facts.deniedHashes.has(item.content_hash)) return 'content_hash'
  const { content_hash } = item
  const guids = [guidKey(item.package_guid), headers.guids.get(content_hash), facts.objects.get(content_hash)?.package_guid]
  return guids.some((guid) => guid && facts.deniedGuids.has(guid)) ? 'package_guid' : undefined
}

function planAnswered(item: ManifestItem, facts: Facts): RegisterPlan | undefined {
  const stamped = item.stamped_lineage_id ? facts.lineages.get(item.stamped_lineage_id) : undefined
  if (stamped) {
    const base = item.stamped_base_hash ? facts.objects.get(item.stamped_base_hash) : undefined
    return { action: 'register', item, anchor: 'stamp', lineage: stamped, parentId: base?.id ?? stamped.face_object_id }
  }
  const attached = item.attach_to_lineage ? facts.lineages.get(item.attach_to_lineage) : undefined
  if (attached) return { action: 'register', item, anchor: 'user_attached', lineage: attached, parentId: attached.face_object_id }
  if (item.force_new_lineage) return { action: 'register', item, anchor: 'minted', lineage: undefined, parentId: null }
  return undefined
}

/** A redirector is never held: it continues the one at its project's place, or is new there. */
function planRedirector(item: ManifestItem, { facts, claimed }: Deciding): RegisterPlan | undefined {
  if (!isRedirector(item) || uniqueKeysOf(item).some((claim) => claimed.has(claim))) return undefined
  const there = item.origin_path ? facts.redirectorAtPlace.get(pathKey(item.origin_path)) : undefined
  const lineage = there && isRedirector({ asset_class: there.face_asset_class }) ? there : undefined
  return { action: 'register', item, anchor: 'minted', lineage, parentId: lineage?.face_object_id ?? null }
}

/** Parts of levels are what lies at their path, whatever identity they carry: copies of a level have the same ones. */
function planPart(item: ManifestItem, { lineagesAtPath }: Facts): RegisterPlan | undefined {
  if (!isPart(item)) return undefined
  const [lineage] = lineagesAtPath.get(pathKey(item.origin_path ?? '')) ?? []
  const anchor = item.package_guid ? 'guid' : 'minted'
  return { action: 'register', item, anchor, lineage, parentId: lineage?.face_object_id ?? null }
}

function planByGuid(item: ManifestItem, { facts, continuing }: Deciding): ItemPlan | undefined {
  const lineage = lineageByGuid(item, facts)
  if (!lineage) return undefined
  if (continuing.get(lineage.id) !== item.content_hash) return lostStamp(item, lineage)
  return { action: 'register', item, anchor: 'guid', lineage, parentId: lineage.face_object_id }
}

function planByPlace(item: ManifestItem, { facts, claimed }: Deciding): ItemPlan {
  const there = item.origin_path ? facts.lineagesAtPath.get(pathKey(item.origin_path)) : undefined
  const same = there?.find(
    (lineage) => lineage.face_asset_class === item.asset_class && (lineage.face_source_ext ?? '') === (item.source_ext ?? ''),
  )
  if (same) return lostStamp(item, same)
  if (uniqueKeysOf(item).some((claim) => claimed.has(claim))) return lostStamp(item, undefined)
  return { action: 'register', item, anchor: lineageGuid(item) ? 'guid' : 'minted', lineage: undefined, parentId: null }
}

const lostStamp = (item: ManifestItem, candidate: KnownLineage | undefined): HoldPlan => ({
  action: 'hold',
  item,
  reason: 'probable_lost_stamp',
  candidate,
  on: [],
})

/** The pusher's own check-out stops nothing; someone else's stops admins too (contract-gaps 5). */
function unlessLocked(plan: ItemPlan, { pusherId }: Facts): ItemPlan {
  const lock = plan.action === 'register' ? plan.lineage?.lock : undefined
  if (plan.action !== 'register' || !lock || lock.holder.id === pusherId) return plan
  return { action: 'locked', item: plan.item, reason: 'lineage_locked', planned: plan, lock, on: [] }
}

/** What needs a denied, held or locked item, through however many steps, is so too; denial weighs most, then what is held. */
async function spread(
  plans: Map<string, ItemPlan>,
  headerEdges: HeaderFacts['edges'],
  action: 'denied' | 'hold' | 'locked',
): Promise<void> {
  const queue = [...plans.values()].filter((plan) => plan.action === action).map((plan) => plan.item.content_hash)
  if (queue.length === 0) return
  const users = await usersOf(plans, headerEdges)
  for (let next = queue.shift(); next !== undefined; next = queue.shift())
    for (const user of users.get(next) ?? []) {
      const plan = plans.get(user)
      if (!plan) continue
      if (plan.action === action && plan.reason.startsWith('depends_on')) plan.on.push(next)
      else if (plan.action === 'register' || (action === 'denied' && plan.action === 'hold')) {
        plans.set(user, dependent(plan, action, next))
        queue.push(user)
      }
    }
}

/** Who needs each item of the manifest. */
async function usersOf(plans: ReadonlyMap<string, ItemPlan>, headerEdges: HeaderFacts['edges']): Promise<Map<string, string[]>> {
  const users = new Map<string, string[]>()
  await inPieces(plans.values(), ({ item }) => {
    for (const needed of neededBy(item, { headerEdges, plans }))
      if (plans.has(needed)) {
        const list = users.get(needed)
        if (list) list.push(item.content_hash)
        else users.set(needed, [item.content_hash])
      }
  })
  return users
}

/** A level without one of its parts is a level. */
function neededBy(
  item: ManifestItem,
  { headerEdges, plans }: { headerEdges: HeaderFacts['edges']; plans: ReadonlyMap<string, ItemPlan> },
) {
  const needed = [
    ...(item.dependencies ?? []).map(({ content_hash }) => content_hash),
    ...(headerEdges.get(item.content_hash) ?? []),
  ]
  const own = placeKey(item)
  return new Set(needed.filter((hash) => !belongsToSet(own, placeKey(plans.get(hash)?.item ?? {}) ?? '')))
}

function dependent(plan: RegisterPlan | HoldPlan, action: 'denied' | 'hold' | 'locked', on: string): ItemPlan {
  const { item } = plan
  if (action === 'locked' && plan.action === 'register')
    return { action, item, reason: 'depends_on_locked', planned: plan, lock: undefined, on: [on] }
  return action === 'denied'
    ? { action, item, reason: 'depends_on_denied', kind: undefined, on: [on] }
    : { action: 'hold', item, reason: 'depends_on_held', candidate: undefined, on: [on] }
}

/** Whether this item may become an entry at all. */
export const entryOf = (item: ManifestItem): ManifestItem['entry'] => (isRedirector(item) ? undefined : (item.entry ?? undefined))
