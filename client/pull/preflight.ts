/** Whether files can be placed before any of them is: the project is there, nobody's to write, open elsewhere, no room on a disk. */
import { type BigIntStats, existsSync, statfsSync, statSync } from 'node:fs'
import { freeBytes, nearestFolder } from '../../system/free-space.ts'
import type { Decision } from './compare.ts'
import { type Obstacle, obstacle } from './obstacle.ts'
import { findOpenFiles } from './open-files.ts'
import type { PullTarget } from './target-project.ts'

const anyWrite = 0o222n
/** Room that is left alone: for what the file system itself needs, and the memory of ph. */
const reserveBytes = 32 * 1024 * 1024
/** btrfs clones whatever is asked of it; of other systems it is not known before (statfs(2)). */
const btrfsType = 0x9123683e

/** Files that are to be replaced must be writable, and open nowhere. */
export async function checkReplaced(decisions: readonly Decision[], signal?: AbortSignal): Promise<Obstacle[]> {
  const replaced = decisions.flatMap((one) => (one.stats ? [{ ...one, stats: one.stats }] : []))
  const open = await findOpenFiles(new Set(replaced.map(({ path }) => path)), signal)
  return replaced.flatMap((one): Obstacle[] => {
    if (isReadOnly(one)) return [obstacle('read-only', one.file, `${one.file} is read-only and would be replaced.`)]
    const program = open.get(one.path)
    return program ? [obstacle('open', one.file, `${one.file} is open in ${program} and would be replaced.`)] : []
  })
}

/** What `--link` placed is read-only by itself, and replaced as a name, never as bytes. */
const isReadOnly = ({ stats, known, localHash }: Decision & { stats: BigIntStats }): boolean =>
  (stats.mode & anyWrite) === 0n && !(known?.linked === true && known.base?.hash === localHash)

/** The disk of the project may go away at any time, and leave an empty folder. */
export function findGone({ descriptor, root, project }: PullTarget): Obstacle | undefined {
  if (descriptor === undefined || existsSync(descriptor)) return undefined
  return obstacle('project-gone', root, `The project ${project} is not in ${root} any more.`)
}

export interface Room {
  /** A folder on the disk; it need not be there yet. */
  folder: string
  neededBytes: number
}

/** Whether there is room on every disk; what goes to the same one counts together. */
export function checkRoom([cache, project]: readonly [cache: Room, project: Room]): Obstacle[] {
  const needs = [cache, project].map(({ folder, neededBytes }) => ({ folder: nearestFolder(folder), neededBytes }))
  const byDisk = Map.groupBy(needs, ({ folder }) => statSync(folder).dev)
  return [...byDisk.values()].flatMap((rooms): Obstacle[] => {
    const [{ folder } = { folder: '' }] = rooms
    const isCloning = rooms.length > 1 && statfsSync(folder).type === btrfsType
    const needed = isCloning ? Math.max(...rooms.map(sizeOf)) : rooms.map(sizeOf).reduce((a, b) => a + b, 0)
    const free = freeBytes(folder) - reserveBytes
    if (needed === 0 || needed <= free) return []
    const message = `${mebibytes(needed)} are needed on the disk of ${folder}, and ${mebibytes(Math.max(0, free))} are free.`
    const isCache = rooms.some((room) => room === needs[0] && room.neededBytes > 0)
    return [obstacle(isCache ? 'cache-full' : 'disk-full', folder, message)]
  })
}

const sizeOf = ({ neededBytes }: Room): number => neededBytes
const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 1024 ** 2)} MiB`
