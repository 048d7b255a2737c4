/** What is to be done about each file of a pull: add it, leave it, replace it, or ask. Reads only what memory does not answer for. */
import type { BigIntStats } from 'node:fs'
import type { ProjectMemory } from '../memory/project-memory.ts'
import type { UnreadFile } from '../project/file-reader.ts'
import { statKey } from '../project/fingerprint.ts'
import type { KnownFile } from '../project/known-file.ts'
import type { PullFile } from './destinations.ts'
import { type ContentFolder, inspectPlaces, type Place } from './existing-files.ts'
import { type Obstacle, obstacle } from './obstacle.ts'

/**
 * `safe_overwrite`: what is there is a version of the same prop that the library has. `conflict`: it is something else, which
 * may be nowhere else.
 */
export type Action = 'add' | 'identical' | 'safe_overwrite' | 'conflict'

export interface Decision extends Place {
  action: Action
  /** SHA-256 of what is there, where that was of interest. */
  localHash: string | undefined
  known: KnownFile | undefined
  /** Fingerprint of the file that is there, as to be remembered of an identical one. */
  localStat: string | undefined
}

export interface Comparison {
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
interface Occupied extends Place {
  stats: BigIntStats
  known: KnownFile | undefined
}

/** Holds files against what lies where they go, and decides about each. Reads only. */
export async function compareProject(files: readonly PullFile[], comparing: Comparing): Promise<Comparison> {
  const { places, obstacles } = inspectPlaces(files, comparing.content)
  const decided = await decide(places, comparing)
  return { decisions: decided.decisions, obstacles: [...obstacles, ...decided.obstacles] }
}

async function decide(places: readonly Place[], { memory, onBytes, signal }: Comparing): Promise<Comparison> {
  const there = places.filter(({ stats }) => stats).map(({ file }) => file)
  const rememberedFiles = new Map(memory?.findAll(there).map((known) => [known.file, known]))
  const occupied = places.flatMap((place): Occupied[] =>
    place.stats ? [{ ...place, stats: place.stats, known: rememberedFiles.get(place.file) }] : [],
  )
  const unread = occupied.filter((place) => !isRemembered(place) && isWorthReading(place))
  const read = new Map<string, { hash: string; stat: string } | UnreadFile>()
  if (unread.length > 0)
    await (await import('../project/read-files.ts')).readFiles(
      unread.map(({ path, stats }) => ({ path, size: Number(stats.size) })),
      { signal, onBytes, onFile: (index, result) => read.set(unread[index]?.file ?? '', result) },
    )
  const decisions = places.map((place) => judge({ ...place, known: rememberedFiles.get(place.file) }, read.get(place.file)))
  const obstacles = [...read].flatMap(([file, result]) =>
    'unread' in result && result.unread !== 'vanished'
      ? [obstacle('unreadable', file, `${file} cannot be read (${result.code}).`)]
      : [],
  )
  return { decisions, obstacles }
}

const isRemembered = ({ known, stats }: Occupied): boolean => known?.stat === statKey(stats)

/** A file of another size is another file; whether it is a version that is known is worth reading it. */
const isWorthReading = ({ pullFile: { object }, known, stats }: Occupied): boolean =>
  Number(stats.size) === object.blob_size || known?.base?.lineageId === object.lineage_id

function judge(
  place: Place & { known: KnownFile | undefined },
  read: { hash: string; stat: string } | UnreadFile | undefined,
): Decision {
  const { stats, known, pullFile } = place
  const { content_hash, lineage_id } = pullFile.object
  if (!stats || (read && 'unread' in read && read.unread === 'vanished'))
    return { ...place, stats: undefined, action: 'add', localHash: undefined, localStat: undefined }
  const local = read ? ('hash' in read ? read : undefined) : known?.stat === statKey(stats) ? known : undefined
  const found = { ...place, localHash: local?.hash, localStat: local?.stat }
  if (local?.hash === content_hash) return { ...found, action: 'identical' }
  const isVersion = local !== undefined && known?.base?.lineageId === lineage_id && known.base.hash === local.hash
  return { ...found, action: isVersion ? 'safe_overwrite' : 'conflict' }
}
