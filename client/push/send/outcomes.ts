/** What became of each item so far, what it is sent with, and what that means for the items that need it. */

import { limits } from '../../../contract/limits.ts'
import type { CommitResult, ManifestItem, NegotiateItem } from '../../../contract/push.ts'
import { pathOf } from '../../project/project-file.ts'
import { asNeeds, partsOf, wholeLevel } from '../plan/level-change.ts'
import { nameOf } from '../plan/manifest-item.ts'
import type { PlannedItem } from '../plan/plan.ts'
import type { PushedItem, PushStatus } from '../report.ts'
import { type stampFields, unstamped } from './repair.ts'

/** Fields of an item that say what it is a version of. */
export type Amendment = Partial<Pick<ManifestItem, (typeof stampFields)[number] | 'force_new_lineage' | 'parts'>>

/** What the library, or this side, says of an item. */
export type Told = Partial<CommitResult> & Pick<NegotiateItem, 'deleted'>

/** Items of a push by content hash: to be decided, or decided. */
export class Outcomes {
  readonly #planned = new Map<string, PlannedItem>()
  readonly #reports = new Map<string, PushedItem>()
  /** What answers and repairs changed of items: the fields in which they differ from what was planned. */
  readonly #amendments = new Map<string, Amendment>()
  /** Needs that the library was not told of, by item. */
  readonly #loosened = new Map<string, Set<string>>()
  /** Items whose bytes the library has: they wait for nothing. */
  readonly #registered = new Set<string>()
  /** Other projects that have the prop of an item, by item. */
  readonly #others = new Map<string, readonly string[]>()
  #partsAsNeeds = false

  add(items: readonly PlannedItem[]): void {
    for (const planned of items) this.#planned.set(planned.item.content_hash, planned)
  }

  /** In the order in which they were planned. */
  reports(): PushedItem[] {
    return [...this.#planned.keys()].flatMap((hash) => this.#reports.get(hash) ?? [])
  }

  undecided(batch: readonly PlannedItem[]): PlannedItem[] {
    return batch.filter(({ item }) => !this.#reports.has(item.content_hash))
  }

  /** The item as it is now: planned, with what was answered or repaired. */
  itemOf({ item }: PlannedItem): Readonly<ManifestItem> {
    const amendment = this.#amendments.get(item.content_hash)
    return amendment ? { ...item, ...amendment } : item
  }

  /** From now on the item is sent with these fields; without those that are undefined. */
  amend({ item }: PlannedItem, amendment: Amendment): void {
    this.#amendments.set(item.content_hash, { ...this.#amendments.get(item.content_hash), ...amendment })
  }

  /** From now on the item is sent as a prop of its own; a level with all of its parts. */
  makeNew(planned: PlannedItem): PlannedItem {
    const level = planned.level && wholeLevel(planned.level)
    this.amend(planned, { ...unstamped, force_new_lineage: true, ...(level && { parts: partsOf(level) }) })
    return { ...planned, level }
  }

  decide(planned: PlannedItem, status: PushStatus, result: Told = {}): void {
    const others = status === 'held' ? this.#others.get(planned.item.content_hash) : undefined
    const report = reportItem(planned, status, result)
    this.#reports.set(planned.item.content_hash, others ? { ...report, other_projects: [...others] } : report)
  }

  /** Where it is held, an item names these projects. */
  nameProjects({ item }: PlannedItem, others: readonly string[]): void {
    this.#others.set(item.content_hash, others)
  }

  /** The library knows no sets of parts of levels: they are what levels need. */
  namePartsAsNeeds(): void {
    this.#partsAsNeeds = true
  }

  /** The library keeps this part as it was. */
  hold(hash: string, result: Told): void {
    const planned = this.#planned.get(hash)
    if (planned) this.decide(planned, 'held', result)
  }

  /** The library has this item already. */
  setRegistered(hash: string): void {
    this.#registered.add(hash)
  }

  /** Takes decisions back, so that the items can be tried again. */
  reopen(items: readonly PlannedItem[]): void {
    for (const { item } of items) {
      this.#reports.delete(item.content_hash)
      this.#loosened.delete(item.content_hash)
    }
  }

  /** Items that went without one of these, which they need. */
  wentWithout(needs: ReadonlySet<string>): PlannedItem[] {
    return [...this.#loosened].flatMap(([hash, lost]) =>
      [...lost].some((need) => needs.has(need)) ? (this.#planned.get(hash) ?? []) : [],
    )
  }

  /** Items with this status, with what is said of them. */
  withStatus(status: PushStatus): { planned: PlannedItem; report: PushedItem }[] {
    return [...this.#reports].flatMap(([hash, report]) => {
      const planned = this.#planned.get(hash)
      return planned && report.status === status ? [{ planned, report }] : []
    })
  }

  loosen(hash: string, needs: readonly string[]): void {
    const all = this.#loosened.get(hash) ?? new Set()
    for (const need of needs) all.add(need)
    this.#loosened.set(hash, all)
  }

  isLoosened = (hash: string): boolean => this.#loosened.has(hash)

  /**
   * The item as it can be sent now: needs that are not to be had are left out. `batch` goes along in the same manifest. A
   * need that is still to be decided is told later, at commit; one that got lost is remembered as such.
   */
  sendable(planned: PlannedItem, batch: ReadonlySet<string>, isCommit: boolean): Readonly<ManifestItem> {
    const item = this.#partsAsNeeds ? withPartsAsNeeds(this.itemOf(planned), planned) : this.itemOf(planned)
    if (!item.dependencies && !item.parts?.put) return item
    const loosened = this.#loosened.get(item.content_hash)
    const isKept = ({ content_hash: need }: { content_hash: string }) => {
      if (loosened?.has(need)) return false
      if (batch.has(need) || this.#isThere(need)) return true
      if (isCommit) this.loosen(item.content_hash, [need])
      return false
    }
    const { dependencies, parts } = item
    const kept = dependencies?.filter(isKept)
    return {
      ...item,
      ...(kept && { dependencies: kept }),
      ...(parts?.put && { parts: { ...parts, put: parts.put.filter(isKept) } }),
      ...(isCommit && kept && kept.length < (dependencies?.length ?? 0) ? this.#missingOf(item, kept) : {}),
    }
  }

  /** The package paths of what an item goes without: who pulls it is told, until they come. */
  #missingOf(item: Readonly<ManifestItem>, kept: ManifestItem['dependencies']): Pick<ManifestItem, 'missing_dependencies'> {
    const there = new Set(kept?.map(({ content_hash }) => content_hash))
    const absent = (item.dependencies ?? []).filter(({ content_hash }) => !there.has(content_hash))
    const paths = absent.flatMap(({ content_hash }) => {
      const { origin_path, source_ext } = this.#planned.get(content_hash)?.item ?? {}
      return origin_path && !source_ext ? origin_path : []
    })
    if (paths.length === 0) return {}
    return {
      missing_dependencies: [...new Set([...(item.missing_dependencies ?? []), ...paths])].slice(0, limits.missing.dependencies),
    }
  }

  /** Known to the library: not part of this push, or registered in it. */
  #isThere(hash: string): boolean {
    if (!this.#planned.has(hash)) return true
    if (this.#registered.has(hash)) return true
    const status = this.#reports.get(hash)?.status
    return status === 'new' || status === 'dedup'
  }

  /**
   * What needs a held, denied or locked item is held, denied or locked too, as within one manifest, unless the library has it already; a
   * redirector also goes only together with what it leads to.
   */
  spread(batch: readonly PlannedItem[]): void {
    for (let changed = true; changed; ) {
      changed = false
      for (const planned of this.undecided(batch)) {
        const cause = this.#causeOf(planned)
        if (!cause) continue
        this.decide(planned, cause.status, { reason: `depends_on_${cause.status}`, ...cause.result })
        changed = true
      }
    }
  }

  #causeOf({ item }: PlannedItem): { status: PushStatus; result: Partial<CommitResult> } | undefined {
    if (this.#registered.has(item.content_hash)) return undefined
    const blocking = (status: PushStatus) =>
      (item.dependencies ?? [])
        .map(({ content_hash }) => content_hash)
        .filter((need) => this.#reports.get(need)?.status === status && !this.#registered.has(need))
    const [denied, held, locked] = [blocking('denied'), blocking('held'), blocking('locked')]
    if (denied.length > 0) return { status: 'denied', result: { denied_dependencies: denied } }
    if (held.length > 0) return { status: 'held', result: { held_dependencies: held } }
    if (locked.length > 0) return { status: 'locked', result: { locked_dependencies: locked } }
    // Without what it leads to, a redirector would hide what the library has at its path.
    const statuses: PushStatus[] = item.asset_class === 'ObjectRedirector' ? ['outdated', 'failed'] : []
    const status = statuses.find((one) => blocking(one).length > 0)
    return status && { status, result: {} }
  }
}

function withPartsAsNeeds({ parts: _parts, ...item }: Readonly<ManifestItem>, { level }: PlannedItem): ManifestItem {
  const needs = [...(item.dependencies ?? []), ...(level ? asNeeds(level) : [])].slice(0, limits.manifest.dependenciesPerItem)
  return needs.length > 0 ? { ...item, dependencies: needs } : item
}

/** What is said of an item before or without an answer of the library. */
function reportItem(planned: PlannedItem, status: PushStatus, result: Told = {}): PushedItem {
  const { item, files } = planned
  const [first, ...copies] = files
  const { reason, lock, locked_dependencies, enriched, candidate_lineage_id, deleted, parts } = result
  return {
    file: pathOf(first),
    copies: copies.map(pathOf),
    status,
    content_hash: item.content_hash,
    blob_size: item.blob_size,
    name: item.entry?.name ?? nameOf(first),
    asset_class: item.asset_class,
    origin_path: item.origin_path ?? null,
    object_id: result.object_id ?? null,
    lineage_id: result.lineage_id ?? null,
    parent_object_id: result.parent_object_id ?? null,
    entry_id: result.entry_id ?? null,
    entry_created: result.entry_created ?? false,
    ...(reason === undefined ? {} : { reason }),
    ...(candidate_lineage_id === undefined ? {} : { candidate_lineage_id }),
    ...(deleted === undefined ? {} : { deleted }),
    ...(lock === undefined ? {} : { lock }),
    ...(locked_dependencies === undefined ? {} : { locked_dependencies }),
    ...(enriched === undefined ? {} : { enriched }),
    ...(parts === undefined ? {} : { parts }),
  }
}
