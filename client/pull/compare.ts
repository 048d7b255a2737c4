/** What is to be done about each file of a pull: add it, leave it, replace it, or ask. Reads only what memory does not answer for. */
import { type BigIntStats, lstatSync } from 'node:fs'
import type { Deletion, FoundVersion } from '../../contract/lineages.ts'
import type { Api } from '../http/api.ts'
import { findPlaces } from '../memory/find-places.ts'
import { findKnownBytes, type KnownBytes } from '../memory/known-bytes.ts'
import type { ProjectMemory } from '../memory/project-memory.ts'
import type { UnreadFile } from '../project/file-reader.ts'
import { statKey } from '../project/fingerprint.ts'
import type { KnownFile } from '../project/known-file.ts'
import type { ContentFolder } from '../project/unreal-project.ts'
import type { PullFile } from './destinations.ts'
import { type Destination, type Inspection, inspectDestinations } from './existing-files.ts'
import { movedSince } from './moved-since.ts'
import { type Obstacle, obstacle } from './obstacle.ts'
import { withoutOlderSets } from './orders/older-sets.ts'

/**
 * `safe_overwrite`: what is there is a version of the same prop that the library has now, or of the prop whose place this one takes. `conflict`: it is something else, which
 * may be nowhere else. `newer`: what is there became current after current versions were ordered, or it is a part of a level whose set here is newer, or the
 * prop has moved since and lies in its new place.
 */
export type Action = 'add' | 'identical' | 'safe_overwrite' | 'conflict' | 'newer'

export interface Decision extends Destination {
  action: Action
  /** SHA-256 of what is there, where that was of interest. */
  localHash: string | undefined
  known: KnownFile | undefined
  /** Fingerprint of the file that is there, as to be remembered of an identical one. */
  localStat: string | undefined
  /** Of `safe_overwrite`: the version that is there. */
  replacedObjectId?: number
  /** Of `safe_overwrite` by an earlier version: who made that current again; null where that account is gone. */
  restoredBy?: string | null
  /** Of `safe_overwrite`: what is there is a version of another prop, whose place this one takes. */
  takesPlace?: true
  /** Of `conflict`: what is there is, or was made from, a version of another prop. */
  other?: OtherProp
  /** Of `conflict` with an edit of the same prop: who deleted that prop in the library. The pull brings it because something needs it. */
  deleted?: Deletion
}

/** Another prop that lies where a file goes. */
export interface OtherProp {
  lineage_id: string
  /** Null where it is no entry, or not known. */
  entry_id: number | null
  /** The project that its current version was pushed from; absent where the library does not say it. */
  pushed_from?: string | null
  /** The same of the prop that goes there. */
  pulled: { entry_id: number | null; pushed_from?: string | null }
}

export interface Comparison extends Pick<Inspection, 'warnings'> {
  decisions: Decision[]
  /** What stands in the way, and files that cannot be read. */
  obstacles: Obstacle[]
}

interface Comparing {
  /** The folder that the files go to, and the project that it is of, where it is one. */
  content: ContentFolder
  project?: string
  /** Undefined: nothing is remembered. */
  memory: ProjectMemory | undefined
  /** Asked which of the bytes that lie there it has. Undefined: whatever differs is a conflict. */
  library: Pick<Api, 'lineages'> | undefined
  /** When current versions were ordered, as a job tells it: what became current since is not replaced. */
  orderedAt?: string | undefined
  onBytes?: (bytes: number) => void
  signal?: AbortSignal
}

/** A file that is there, with what is remembered of it. */
interface Occupied extends Destination {
  stats: BigIntStats
  known: KnownFile | undefined
}

/** Holds files against what lies where they go, and decides about each. Reads only. */
export async function compareProject(files: readonly PullFile[], comparing: Comparing): Promise<Comparison> {
  const { destinations, obstacles, warnings } = inspectDestinations(files, comparing.content)
  const decided = await decide(destinations, comparing)
  return { decisions: decided.decisions, obstacles: [...obstacles, ...decided.obstacles], warnings }
}

async function decide(destinations: readonly Destination[], comparing: Comparing): Promise<Omit<Comparison, 'warnings'>> {
  const { memory, library, project = '', orderedAt, onBytes, signal } = comparing
  const there = destinations.filter(({ stats }) => stats).map(({ file }) => file)
  const rememberedFiles = new Map(memory?.findAll(there).map((known) => [known.file, known]))
  const occupied = destinations.flatMap((destination): Occupied[] =>
    destination.stats ? [{ ...destination, stats: destination.stats, known: rememberedFiles.get(destination.file) }] : [],
  )
  const isWanted = (one: Occupied) => library !== undefined || Number(one.stats.size) === one.pullFile.object.blob_size
  const unread = occupied.filter((destination) => !isRemembered(destination) && isWanted(destination))
  const read = new Map<string, { hash: string; stat: string } | UnreadFile>()
  if (unread.length > 0)
    await (await import('../project/read-files.ts')).readFiles(
      unread.map(({ path, stats }) => ({ path, size: Number(stats.size) })),
      { signal, onBytes, onFile: (index, result) => read.set(unread[index]?.file ?? '', result) },
    )
  const objects = destinations.map(({ pullFile }) => pullFile.object)
  const { parts: olderParts } = withoutOlderSets(memory, objects, orderedAt)
  const decisions = destinations.map((destination): Decision => {
    const decision = judge({ ...destination, known: rememberedFiles.get(destination.file) }, read.get(destination.file))
    const isOlder = olderParts.has(decision.pullFile.object.content_hash) && decision.action !== 'identical'
    return isOlder ? { ...decision, action: 'newer' } : decision
  })
  const obstacles = [...read].flatMap(([file, result]) =>
    'unread' in result && result.unread !== 'vanished'
      ? [obstacle('unreadable', file, `${file} cannot be read (${result.code}).`)]
      : [],
  )
  const asked = library ? await askAboutConflicts(decisions, { library, project, orderedAt, memory }) : decisions
  const moved = await movedSince(asked, { library, memory, orderedAt })
  return { decisions: asked.map((one) => (moved.has(one) ? { ...one, action: 'newer' } : one)), obstacles }
}

/** What differs is replaced where the library, asked now, has it as a version of the same prop: what was remembered of it may be over. */
async function askAboutConflicts(
  decisions: readonly Decision[],
  { library, project, orderedAt, memory }: Asking,
): Promise<Decision[]> {
  const local = decisions.flatMap(({ action, localHash: hash, known, pullFile: { object } }) => {
    if (action !== 'conflict' || hash === undefined) return []
    const isRemembered = known?.base?.hash === hash && known.base.lineageId === object.lineage_id
    return [{ hash, lineageId: object.lineage_id, isRemembered, wanted: object.content_hash }]
  })
  const bytes = await findKnownBytes(library, local)
  const taking = await findTakenPlaces(decisions, bytes, { library, project, memory })
  return decisions.map((decision) => {
    if (taking.has(decision)) return { ...decision, action: 'safe_overwrite', takesPlace: true }
    const version = decision.action === 'conflict' ? bytes.versions.get(decision.localHash ?? '') : undefined
    if (version?.lineage_id !== decision.pullFile.object.lineage_id) return { ...decision, ...otherOf(decision, version, bytes) }
    if (isNewer(version, { orderedAt, faces: bytes.faces })) return { ...decision, action: 'newer' }
    return { ...decision, action: 'safe_overwrite', replacedObjectId: version.object_id, ...restoredBy(decision, version, bytes) }
  })
}

/** The prop that lies there, by its bytes, else by what it was made from. */
function otherOf(
  { action, known, pullFile: { object } }: Decision,
  version: FoundVersion | undefined,
  { faces, deletions }: KnownBytes,
): Pick<Decision, 'other' | 'deleted'> {
  const lineageId = version?.lineage_id ?? known?.base?.lineageId
  if (action !== 'conflict' || lineageId === undefined) return {}
  const deleted = deletions.get(lineageId)
  if (lineageId === object.lineage_id) return deleted ? { deleted } : {}
  const remembered = known?.base?.lineageId === lineageId ? known.base.entryId : null
  const sideOf = (id: string, entryId: number | null) => {
    const { entry_id, face_pushed_from: pushed_from } = faces.get(id) ?? {}
    return { entry_id: entry_id ?? entryId, ...(pushed_from === undefined ? {} : { pushed_from }) }
  }
  return { other: { lineage_id: lineageId, ...sideOf(lineageId, remembered), pulled: sideOf(object.lineage_id, null) } }
}

/** What is there is later, and the pulled one is current again. */
function restoredBy(
  { pullFile: { object } }: Decision,
  { object_id, lineage_id }: FoundVersion,
  { faces }: KnownBytes,
): Pick<Decision, 'restoredBy'> {
  const { face_object_id, current_since } = faces.get(lineage_id) ?? {}
  const isAgain = object_id > object.object_id && face_object_id === object.object_id
  return isAgain && current_since && current_since.how !== 'push' ? { restoredBy: current_since.by?.name ?? null } : {}
}

/** What waited for long does not set a file back that is current by now. */
function isNewer(
  { object_id, lineage_id }: FoundVersion,
  { orderedAt, faces }: { orderedAt: string | undefined; faces: KnownBytes['faces'] },
): boolean {
  const { face_object_id, current_since } = faces.get(lineage_id) ?? {}
  if (orderedAt === undefined || !current_since || face_object_id !== object_id) return false
  return Date.parse(current_since.at) > Date.parse(orderedAt)
}

interface Asking {
  library: Pick<Api, 'lineages'>
  project: string
  memory: ProjectMemory | undefined
  orderedAt?: string | undefined
}

/**
 * Conflicts with another prop that gave its place up: this machine brought or sent it, its bytes are as the library has them, and it is a redirector, lies
 * elsewhere now, was deleted, or the project has the pulled one in its place by now. A prop that another branch put back over its redirector counts too.
 */
async function findTakenPlaces(
  decisions: readonly Decision[],
  { versions, faces, deleted }: KnownBytes,
  { library, project, memory }: Asking,
): Promise<Set<Decision>> {
  const taking = new Set<Decision>()
  const open = new Map<string, Decision>()
  /** They stay only where the project has them there. */
  const yielding = new Set<Decision>()
  const setBack = new Set<Decision>()
  for (const decision of decisions) {
    const { action, localHash = '', known, pullFile } = decision
    const lineageId = versions.get(localHash)?.lineage_id ?? deleted.get(localHash)
    const { lineage_id } = pullFile.object
    const isOther = action === 'conflict' && lineageId !== undefined && lineageId !== lineage_id
    if (!isOther || !known?.base) continue
    const isRedirector = known.base.assetClass === 'ObjectRedirector'
    // Another branch put the prop back that was there before its redirector.
    const isSetBack = isRedirector && known.base.lineageId === lineage_id
    if (!isSetBack && known.base.lineageId !== lineageId) continue
    const isThere = faces.get(lineageId)?.origin_path?.toLowerCase() === pullFile.object.origin_path?.toLowerCase()
    const isYielding = !isSetBack && (isRedirector || deleted.has(localHash))
    if (isYielding) yielding.add(decision)
    if (isSetBack) setBack.add(decision)
    if (isThere || isYielding || isSetBack) open.set(placeOf(pullFile.object), decision)
    else taking.add(decision)
  }
  if (open.size === 0) return taking
  const places = project === '' ? [] : ((await findPlaces(library, project, [...open.keys()]))?.places ?? [])
  const placed = new Map(places.map(({ path, lineage_id }) => [path, lineage_id]))
  // A redirector gives way to a prop that was elsewhere in this project: it has come back.
  const redirectors = [...yielding].filter(({ known }) => known?.base?.assetClass === 'ObjectRedirector')
  const pulled = redirectors.map(({ pullFile }) => pullFile.object.lineage_id)
  const hereBefore = new Set(memory?.findByLineages([...new Set(pulled)]).map(({ base }) => base?.lineageId))
  const back = new Set(redirectors.filter(({ pullFile }) => hereBefore.has(pullFile.object.lineage_id)))
  for (const [path, decision] of open) {
    const own = placed.get(path)
    const isKept = own === decision.known?.base?.lineageId && !back.has(decision)
    const isFree = yielding.has(decision) ? !isKept : own === undefined && setBack.has(decision)
    if (own === decision.pullFile.object.lineage_id || isFree) taking.add(decision)
  }
  return taking
}

const placeOf = ({ origin_path, source_ext }: PullFile['object']): string =>
  `${origin_path?.toLowerCase()}${source_ext ? `.${source_ext}` : ''}`

const isRemembered = ({ known, stats }: Occupied): boolean => known?.stat === statKey(stats)

/** Nothing is there: it is added. */
const withoutFile = (destination: Destination & { known: KnownFile | undefined }): Decision => ({
  ...destination,
  ...{ stats: undefined, action: 'add', localHash: undefined, localStat: undefined },
})

/** What it is by now, where the file was removed since it was decided about. */
export const unlessRemoved = (decision: Decision): Decision =>
  lstatSync(decision.path, { throwIfNoEntry: false }) ? decision : withoutFile(decision)

function judge(
  destination: Destination & { known: KnownFile | undefined },
  read: { hash: string; stat: string } | UnreadFile | undefined,
): Decision {
  const { stats, known, pullFile } = destination
  if (!stats || (read && 'unread' in read && read.unread === 'vanished')) return withoutFile(destination)
  const local = read ? ('hash' in read ? read : undefined) : known?.stat === statKey(stats) ? known : undefined
  const found = { ...destination, localHash: local?.hash, localStat: local?.stat }
  return { ...found, action: local?.hash === pullFile.object.content_hash ? 'identical' : 'conflict' }
}
