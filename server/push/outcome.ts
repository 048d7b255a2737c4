/** What a commit makes of its plan, before anything is written: new versions, lineages, entries and current versions, in memory, in pieces. */
import { ApiError } from '../../contract/errors.ts'
import { inPieces } from '../../system/event-loop.ts'
import { categorySpelling } from '../curation/spellings.ts'
import type { Sql } from '../database/sql.ts'
import type { Facts, KnownEntry, KnownLineage } from './facts.ts'
import { categoryOf, isPart, lineageGuid, nameOf } from './manifest.ts'
import { type Anchor, entryOf, type ItemPlan, type RegisterPlan } from './plan.ts'

export interface NewVersion {
  plan: RegisterPlan
  objectId: number
  /** Counted from 1 in its lineage. */
  number: number
  lineage: LineageState
}

/** A lineage as the commit leaves it. */
export interface LineageState {
  id: string
  known: KnownLineage | undefined
  anchor: Anchor
  faceId: number
  /** The number of its newest version; those of deleted ones are not used again. */
  versions: number
  /** Package path of the current version, from which the automatic category comes. */
  facePath: string | null
  entry: EntryState | undefined
}

export interface EntryState {
  known: KnownEntry | undefined
  id: number
  name: string
  entryType: string
  variantLabel: string | null
  groupRef: string | undefined
  /** The automatic category after this commit; undefined leaves the stored one. */
  category: string | null | undefined
  /** Whether a list of entries would show something new. */
  changed: boolean
}

export interface Outcome {
  /** By content hash, in manifest order. */
  versions: Map<string, NewVersion>
  lineages: LineageState[]
  /** Content hashes of the items whose entry block made a new entry. */
  creators: Set<string>
  /** The lineage that each item of the manifest ended in, by content hash; held and denied items have none. */
  byHash: Map<string, LineageState>
}

/** Where ids come from; taken in advance. */
export interface Ids {
  object(): number
  entry(): number
  lineage(): string
}

export async function outcomeOf(plans: readonly ItemPlan[], facts: Facts, ids: Ids): Promise<Outcome> {
  const lineages = new Map<string, LineageState>()
  const versions = new Map<string, NewVersion>()
  const creators = new Set<string>()
  const byHash = new Map<string, LineageState>()
  const stateOf = (known: KnownLineage): LineageState => {
    const state = lineages.get(known.id) ?? fromKnown(known)
    lineages.set(known.id, state)
    return state
  }
  await inPieces(plans, (plan) => {
    if (plan.action === 'register') {
      requireFreshFace(plan)
      const objectId = ids.object()
      const lineage = plan.lineage ? stateOf(plan.lineage) : newLineage(plan, objectId, ids)
      lineages.set(lineage.id, lineage)
      if (addVersion(plan, lineage, { objectId, ids })) creators.add(plan.item.content_hash)
      versions.set(plan.item.content_hash, { plan, objectId, number: ++lineage.versions, lineage })
      byHash.set(plan.item.content_hash, lineage)
    } else if (plan.action === 'dedup') {
      const known = facts.lineages.get(plan.known.lineage_id)
      if (!known) throw new Error(`lineage ${plan.known.lineage_id} of a known version was not loaded`)
      const lineage = stateOf(known)
      if (addEntry(lineage, plan, ids)) creators.add(plan.item.content_hash)
      byHash.set(plan.item.content_hash, lineage)
    }
  })
  return { versions, lineages: [...lineages.values()], creators, byHash }
}

const fromKnown = (known: KnownLineage): LineageState => ({
  id: known.id,
  known,
  anchor: 'minted',
  faceId: known.face_object_id,
  versions: known.versions,
  facePath: known.face_origin_path,
  entry: known.entry && {
    known: known.entry,
    id: known.entry.id,
    name: '',
    entryType: '',
    variantLabel: known.entry.variant_label,
    groupRef: undefined,
    category: undefined,
    changed: false,
  },
})

const newLineage = (plan: RegisterPlan, objectId: number, ids: Ids): LineageState => ({
  id: ids.lineage(),
  known: undefined,
  anchor: plan.anchor,
  faceId: objectId,
  versions: 0,
  facePath: plan.item.origin_path ?? null,
  entry: undefined,
})

/** `expected_face_object_id` names the current version that the sender saw; another one means that someone was faster. */
function requireFreshFace({ item, lineage }: RegisterPlan): void {
  const expected = item.expected_face_object_id
  if (!lineage || isPart(item) || !expected || expected === lineage.face_object_id) return
  throw new ApiError('STALE_FACE', `${nameOf(item)}: another version is current by now. Look at it, then push again.`, {
    lineage_id: lineage.id,
    expected_face_object_id: expected,
    actual_face_object_id: lineage.face_object_id,
    content_hash: item.content_hash,
  })
}

/**
 * The version becomes current when its entry block says so; in a lineage without an entry the newest one is.
 * Says whether it made an entry.
 */
function addVersion(plan: RegisterPlan, lineage: LineageState, { objectId, ids }: { objectId: number; ids: Ids }): boolean {
  const entry = entryOf(plan.item)
  const becomesFace = entry ? (entry.make_face ?? true) || !lineage.known : !lineage.entry
  if (becomesFace) {
    lineage.faceId = objectId
    lineage.facePath = plan.item.origin_path ?? null
  }
  const created = addEntry(lineage, plan, ids)
  if (becomesFace && lineage.entry) {
    lineage.entry.changed = true
    if (plan.item.origin_path) lineage.entry.category = categoryOf(plan.item.origin_path)
  }
  return created
}

/** Gives the lineage its entry where it has none, and says so; fills what the entry lacks. */
function addEntry(lineage: LineageState, plan: ItemPlan, ids: Ids): boolean {
  const entry = entryOf(plan.item)
  if (!entry) return false
  const created = !lineage.entry
  lineage.entry ??= {
    known: undefined,
    id: ids.entry(),
    name: entry.name,
    entryType: entry.entry_type,
    variantLabel: null,
    groupRef: undefined,
    category: categoryOf(lineage.facePath),
    changed: true,
  }
  if (entry.variant_label && lineage.entry.variantLabel === null) {
    lineage.entry.variantLabel = entry.variant_label
    lineage.entry.changed = true
  }
  if (entry.variant_group_ref) {
    lineage.entry.groupRef = entry.variant_group_ref
    if (!lineage.entry.known?.variant_group_id) lineage.entry.changed = true
  }
  return created
}

/** Categories that pushes give, by the spelling that the library has. */
export async function spellCategories(sql: Sql, workspaceId: number, { lineages }: Outcome): Promise<void> {
  const entries = lineages.flatMap(({ entry }) => (entry?.changed && entry.category ? [{ entry, category: entry.category }] : []))
  const spelling = await categorySpelling(sql, workspaceId, { names: [...new Set(entries.map(({ category }) => category))] })
  for (const { entry, category } of entries) entry.category = spelling(category)
}

/** The GUIDs that new versions bring into their lineages, first come first served. */
export function guidsOf(versions: Iterable<NewVersion>): { guid: string; lineage_id: string }[] {
  const found = new Map<string, string>()
  for (const { plan, lineage } of versions) {
    const guid = lineageGuid(plan.item)
    if (guid && !found.has(guid)) found.set(guid, lineage.id)
  }
  return [...found].map(([guid, lineage_id]) => ({ guid, lineage_id }))
}
