/** What a push will send: from files and what is known of them to manifest items, and everything worth naming. Pure. */

import { levelsOf } from '../../../contract/level-parts.ts'
import { nameKey } from '../../../contract/names.ts'
import type { ManifestItem } from '../../../contract/push.ts'
import type { Problem } from '../../project/problem.ts'
import { type Copies, isExternal, isRedirector, type PushFile, pathOf, type SendableFile } from '../../project/project-file.ts'
import { groupCopies, nameCopies, settleSharedPaths } from './duplicates.ts'
import { namesByFolder } from './entry-names.ts'
import { FindingList, hasNameFault } from './findings.ts'
import { type LevelChange, levelChange } from './level-change.ts'
import { assetClassOf, guidOf, isEntry, itemOf, type Stamp, stampOf } from './manifest-item.ts'
import { type Elsewhere, edgesKey, ReferenceIndex, type References } from './references.ts'

export interface PlanOptions {
  packName?: string
  /** Label of a variant group that every entry of this push joins. */
  variantGroup?: string
  /** The path of a file relative to what was pushed; without this none is told. */
  sourcePathOf?: (file: string) => string | undefined
}

/** Does not change: what is answered or repaired on the way is kept in `Outcomes`. */
export interface PlannedItem {
  readonly item: Readonly<ManifestItem>
  files: Copies
  /** What is remembered of the edges once the library was told. */
  edges: string
  /** GUIDs of redirectors that lead here from an old place of the same asset. */
  formerGuids: string[]
  /** Of a level with parts: what changes of them. */
  level: LevelChange | undefined
}

export interface PushPlan {
  /** What the library does not know to be complete. */
  toSend: PlannedItem[]
  /** Files that the library holds as they are. */
  settled: PushFile[]
  /** Files that are done without being sent: redirectors, what must not be pushed. */
  leftOut: PushFile[]
  /** Content hashes of parts whose level is on this disk and not in this push: it is told of them by the next one that has both. */
  untold: ReadonlySet<string>
  problems: Problem[]
}

/** The ref that manifests use for the variant group of a push. */
export const variantGroupRef = 'variants'

/** Decides about every file of a push. */
export function planPush(files: readonly PushFile[], elsewhere: Elsewhere, options: PlanOptions = {}): PushPlan {
  const findings = new FindingList()
  const { sendable, redirectors, refused } = sortOut(files, findings)
  const groups = groupCopies(sendable)
  const { groups: kept, problems: claims } = settleSharedPaths(groups)
  const index = new ReferenceIndex(elsewhere)
  for (const group of kept) index.addItem(group)
  for (const file of redirectors) index.addRedirector(file, file.facts.redirectTarget)
  const signposts = groupCopies(redirectors)
  for (const file of refused) index.addBlocked(file)
  const homeless = index.assignExternals(kept)
  for (const [file] of homeless)
    findings.add('level-without-file', pathOf(file), 'Parts of levels were found without their level.')
  const resolved = [...kept, ...signposts].map((group) => toResolved(group, index))
  const { used, unused } = usedOf(resolved, { findings, elsewhere })
  nameFaults(used, findings)
  for (const { group, references } of used) findings.addReferences(group[0], references)
  const moved = movesTo(redirectors)
  const names = namesByFolder(used.map(({ group }) => group))
  const { open, settled } = chooseOpen(used, options)
  return {
    toSend: open.map((one) => planItem(one, { options, moved, names, elsewhere })),
    settled,
    leftOut: [...refused, ...unused],
    untold: new Set(homeless.filter((group) => hasLevelHere(group, elsewhere)).map(([file]) => file.hash)),
    problems: [...nameCopies(groups, names), ...claims, ...findings.problems()],
  }
}

const hasLevelHere = ([{ naming }]: Copies, { onDisk }: Elsewhere): boolean =>
  levelsOf(naming.packageName ?? '').some((level) => onDisk(nameKey(level)) !== undefined)

type Redirector = SendableFile & { facts: { kind: 'package'; redirectTarget: string | null; guid: string | null } }

/** Redirectors and what must not be pushed go aside; what is odd about the others is noted. */
function sortOut(files: readonly PushFile[], findings: FindingList) {
  const sendable: SendableFile[] = []
  const redirectors: Redirector[] = []
  const refused: PushFile[] = []
  for (const file of files) {
    if (file.facts.kind === 'refused') {
      refused.push(file)
      findings.addRefusal(file, file.facts)
    } else if (isRedirector(file)) {
      redirectors.push(file as Redirector)
    } else {
      sendable.push(file as SendableFile)
      findings.addOddities(file as SendableFile)
    }
  }
  return { sendable, redirectors, refused }
}

interface Resolved {
  group: Copies
  references: References
  edges: string
}

function toResolved(group: Copies, index: ReferenceIndex): Resolved {
  const references = index.resolve(group[0])
  return { group, references, edges: edgesKey(references) }
}

/** Companions go only along with a file that needs them; so do redirectors, and where the library still refers to their path. */
function usedOf(
  resolved: readonly Resolved[],
  { findings, elsewhere }: { findings: FindingList; elsewhere: Elsewhere },
): { used: Resolved[]; unused: PushFile[] } {
  const byHash = new Map(resolved.map((one) => [one.group[0].hash, one]))
  const goesAlone = ({ group: [file] }: Resolved) =>
    isRedirector(file) ? elsewhere.isReferred(nameKey(file.naming.packageName ?? '')) : !isCompanion(file)
  const used = new Set(resolved.filter(goesAlone))
  for (const { references } of used)
    for (const hash of references.needs.keys()) {
      const needed = byHash.get(hash)
      if (needed) used.add(needed)
    }
  const unused = resolved.filter((one) => !used.has(one)).flatMap(({ group }) => group)
  for (const file of unused)
    if (isCompanion(file))
      findings.add('unused-companion', pathOf(file), 'Files that belong to models were found, and no model that references them.')
    else
      findings.add(
        'redirector',
        pathOf(file),
        'Redirectors, which renames leave behind, are not pushed where nothing refers to them.',
      )
  return { used: resolved.filter((one) => used.has(one)), unused }
}

const isCompanion = ({ facts }: SendableFile): boolean => facts.kind === 'source' && facts.entryType === null

/** Who pushes one of these names hears of it, and what in this push is pulled without it. */
function nameFaults(used: readonly Resolved[], findings: FindingList): void {
  const misnamed = used.flatMap(({ group }) => group.filter(hasNameFault))
  const users = new Map(misnamed.map(({ hash }): [string, string[]] => [hash, []]))
  if (users.size === 0) return
  for (const { group, references } of used) for (const hash of references.needs.keys()) users.get(hash)?.push(pathOf(group[0]))
  for (const file of misnamed) findings.addNameFaults(file, users.get(file.hash) ?? [])
}

/** By the package name that a redirector leads to: the redirectors, nearest first. */
function movesTo(redirectors: readonly Redirector[]): Map<string, Redirector[]> {
  const direct = Map.groupBy(
    redirectors.filter(({ facts }) => facts.redirectTarget !== null),
    ({ facts }) => nameKey(facts.redirectTarget ?? ''),
  )
  const chains = new Map<string, Redirector[]>()
  for (const target of direct.keys()) {
    const chain = [...(direct.get(target) ?? [])]
    for (const step of chain)
      for (const earlier of direct.get(nameKey(step.naming.packageName ?? '')) ?? [])
        if (!chain.includes(earlier)) chain.push(earlier)
    chains.set(target, chain)
  }
  return chains
}

interface Planning {
  options: PlanOptions
  moved: Map<string, Redirector[]>
  /** Of new props that their files' names do not tell apart. */
  names: ReadonlyMap<string, string>
  elsewhere: Elsewhere
}

function planItem({ group, references, edges }: Resolved, { options, moved, names, elsewhere }: Planning): PlannedItem {
  const [file] = group
  // A redirector is no prop that could have moved: the library knows what lies at its place.
  const isProp = !isRedirector(file)
  const formerly = isProp ? (moved.get(nameKey(file.naming.packageName ?? '')) ?? []) : []
  const base = isProp ? group.find(({ known }) => known?.base)?.known?.base : undefined
  const stamp = base ? stampOf(file, base) : stampOfMove(file, formerly)
  const level = changeOf({ group, references }, elsewhere)
  const item = itemOf(group, references, {
    packName: options.packName,
    variantGroupRef: options.variantGroup === undefined ? undefined : variantGroupRef,
    stamp,
    sourcePath: options.sourcePathOf?.(pathOf(file)),
    name: names.get(file.hash),
    level,
  })
  const formerGuids = base || stamp ? [] : formerly.flatMap(({ facts }) => facts.guid ?? [])
  return { item, files: group, edges, formerGuids, level }
}

/** Undefined for what is no level, or one that has no parts here and none that are known. */
function changeOf(
  { group, references: { parts } }: Pick<Resolved, 'group' | 'references'>,
  { partsOf, isHere }: Elsewhere,
): LevelChange | undefined {
  if (assetClassOf(group[0]) !== 'World') return undefined
  const lineageId = group.find(({ known }) => known?.base)?.known?.base?.lineageId
  const change = levelChange(parts, lineageId ? partsOf(lineageId) : { set: undefined, parts: [] }, isHere)
  return change.base === undefined && parts.length === 0 ? undefined : change
}

/** A moved package continues the lineage of its old place, where the redirector now stands (uasset-header 12.2). */
function stampOfMove(file: SendableFile, formerly: readonly Redirector[]): Stamp | undefined {
  for (const { known } of formerly) {
    const base = known?.base
    if (!base || (base.assetClass !== null && base.assetClass !== assetClassOf(file))) continue
    return { lineageId: base.lineageId, baseHash: base.hash, faceObjectId: base.objectId }
  }
  return undefined
}

/**
 * Sends what is not settled, what has more needs to tell than last time, and with a file all others of its GUID: the
 * library decides which of them continues the lineage, and must see them at once (contract-gaps 5).
 */
function chooseOpen(used: readonly Resolved[], { variantGroup }: PlanOptions): { open: Resolved[]; settled: PushFile[] } {
  const isDone = ({ group: [file, ...copies], edges }: Resolved) =>
    [file, ...copies].every(({ known }) => known?.settled) &&
    file.known?.edges === edges &&
    !(variantGroup !== undefined && isEntry(file))
  const openGuids = new Set(used.flatMap((one) => (isDone(one) ? [] : (guidOf(one.group[0]) ?? []))))
  const { open = [], settled = [] } = Object.groupBy(used, (one) =>
    isDone(one) && !openGuids.has(guidOf(one.group[0]) ?? '') ? 'settled' : 'open',
  )
  return { open, settled: settled.flatMap(({ group }) => group) }
}

/** A part of a level: which of its versions counts says the set of the level. */
export const isPart = ({ files: [file] }: PlannedItem): boolean => isExternal(file)

/** Levels with what changes of their parts, where that is little: what others changed meanwhile then holds it before anything is registered. */
export function changedTogether(items: readonly PlannedItem[], most: number): number[][] {
  const indexes = new Map(items.map(({ item }, index) => [item.content_hash, index]))
  return items.flatMap(({ level }, index) => {
    if (!level || level.put.length === 0 || level.put.length >= most) return []
    return [[index, ...new Set(level.put.flatMap(({ hash }) => indexes.get(hash) ?? []))]]
  })
}

/** Sets of planned items that belong into one batch: those with the same GUID. By index. */
export function twinsOf(items: readonly PlannedItem[]): number[][] {
  const indexes = items.map((_, index) => index).filter((index) => items[index]?.item.package_guid)
  return [...Map.groupBy(indexes, (index) => items[index]?.item.package_guid).values()].filter((set) => set.length > 1)
}
