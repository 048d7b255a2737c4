/** What is to be done about each file of a pull: add it, leave it, replace it, or ask. Reads only what memory does not answer for. */
import { type BigIntStats, lstatSync } from 'node:fs'
import type { ProjectMemory } from '../memory/project-memory.ts'
import type { UnreadFile } from '../project/file-reader.ts'
import { statKey } from '../project/fingerprint.ts'
import type { KnownFile } from '../project/known-file.ts'
import type { PullFile } from './destinations.ts'
import { type ContentFolder, type Destination, type Inspection, inspectDestinations } from './existing-files.ts'
import { type Obstacle, obstacle } from './obstacle.ts'

/**
 * `safe_overwrite`: what is there is a version of the same prop that the library has. `conflict`: it is something else, which
 * may be nowhere else.
 */
export type Action = 'add' | 'identical' | 'safe_overwrite' | 'conflict'

export interface Decision extends Destination {
  action: Action
  /** SHA-256 of what is there, where that was of interest. */
  localHash: string | undefined
  known: KnownFile | undefined
  /** Fingerprint of the file that is there, as to be remembered of an identical one. */
  localStat: string | undefined
}

export interface Comparison extends Pick<Inspection, 'warnings'> {
  decisions: Decision[]
  /** What stands in the way, and files that cannot be read. */
  obstacles: Obstacle[]
}

interface Comparing {
  /** The folder that the files go to. */
  content: ContentFolder

  /** Undefined: nothing is remembered. */
  memory: ProjectMemory | undefined
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

async function decide(
  destinations: readonly Destination[],
  { memory, onBytes, signal }: Comparing,
): Promise<Omit<Comparison, 'warnings'>> {
  const there = destinations.filter(({ stats }) => stats).map(({ file }) => file)
  const rememberedFiles = new Map(memory?.findAll(there).map((known) => [known.file, known]))
  const occupied = destinations.flatMap((destination): Occupied[] =>
    destination.stats ? [{ ...destination, stats: destination.stats, known: rememberedFiles.get(destination.file) }] : [],
  )
  const unread = occupied.filter((destination) => !isRemembered(destination) && isWorthReading(destination))
  const read = new Map<string, { hash: string; stat: string } | UnreadFile>()
  if (unread.length > 0)
    await (await import('../project/read-files.ts')).readFiles(
      unread.map(({ path, stats }) => ({ path, size: Number(stats.size) })),
      { signal, onBytes, onFile: (index, result) => read.set(unread[index]?.file ?? '', result) },
    )
  const decisions = destinations.map((destination) =>
    judge({ ...destination, known: rememberedFiles.get(destination.file) }, read.get(destination.file)),
  )
  const obstacles = [...read].flatMap(([file, result]) =>
    'unread' in result && result.unread !== 'vanished'
      ? [obstacle('unreadable', file, `${file} cannot be read (${result.code}).`)]
      : [],
  )
  return { decisions, obstacles }
}

const isRemembered = ({ known, stats }: Occupied): boolean => known?.stat === statKey(stats)

/** Nothing is there: it is added. */
const withoutFile = (destination: Destination & { known: KnownFile | undefined }): Decision => ({
  ...destination,
  ...{ stats: undefined, action: 'add', localHash: undefined, localStat: undefined },
})

/** What it is by now, where the file was removed since it was decided about. */
export const unlessRemoved = (decision: Decision): Decision =>
  lstatSync(decision.path, { throwIfNoEntry: false }) ? decision : withoutFile(decision)

/** A file of another size is another file; whether it is a version that is known is worth reading it. */
const isWorthReading = ({ pullFile: { object }, known, stats }: Occupied): boolean =>
  Number(stats.size) === object.blob_size || known?.base?.lineageId === object.lineage_id

function judge(
  destination: Destination & { known: KnownFile | undefined },
  read: { hash: string; stat: string } | UnreadFile | undefined,
): Decision {
  const { stats, known, pullFile } = destination
  const { content_hash, lineage_id } = pullFile.object
  if (!stats || (read && 'unread' in read && read.unread === 'vanished')) return withoutFile(destination)
  const local = read ? ('hash' in read ? read : undefined) : known?.stat === statKey(stats) ? known : undefined
  const found = { ...destination, localHash: local?.hash, localStat: local?.stat }
  if (local?.hash === content_hash) return { ...found, action: 'identical' }
  const isVersion = local !== undefined && known?.base?.lineageId === lineage_id && known.base.hash === local.hash
  return { ...found, action: isVersion ? 'safe_overwrite' : 'conflict' }
}
