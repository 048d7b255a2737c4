/**
 * Takes files out of a project that have no place in it any more, into a backup. Only files that a pull or a push of this machine placed or sent,
 * that are regular files inside of Content and nothing that runs, whose bytes are now a version of their prop, and that no editor has open.
 */
import { type BigIntStats, lstatSync, readdirSync, realpathSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Api } from '../../http/api.ts'
import { findKnownBytes } from '../../memory/known-bytes.ts'
import type { ProjectMemory } from '../../memory/project-memory.ts'
import { statKey } from '../../project/fingerprint.ts'
import type { KnownFile } from '../../project/known-file.ts'
import { whyNotInContent } from '../../project/places/placeable.ts'
import { findOpenFiles } from '../open-files.ts'
import { backupFolder, takenAwayFolder } from '../placing/folders.ts'
import { moveAside } from '../placing/set-aside.ts'
import type { PullTarget } from '../target-project.ts'

/** `moved`: its prop lies at another place in the library now. `removed`: nothing in the library has it there any more. */
export type LeavingReason = 'moved' | 'removed'

/** A file that has no place in the project any more. */
export interface LeavingFile {
  /** Below the project's root, with `/`. */
  file: string
  lineageId: string
  why: LeavingReason
  /** Of a moved one: the file that its prop is now. */
  to?: string
  /** What still refers to the place, and would be broken. */
  referredBy?: string
  /** Nobody pushed it from there: it was renamed here, and its person chose the library's version of its prop. */
  isGivenUp?: true
}

interface Told {
  file: string
  lineage_id: string
  why: LeavingReason
  to?: string
}

export interface TakenAway extends Told {
  /** Where it is kept, below the project's root. */
  backup: string
}

/** Why such a file stays where it is. */
export const leftReasons = {
  referred: 'Something still refers to it there.',
  modified: 'It was changed here.',
  open: 'It is open in another program.',
  not_ours: 'No pull or push of this machine brought it.',
  no_file: 'It is no regular file inside of Content, or nothing that a pull places.',
  not_allowed: 'Nobody said yes to taking it away.',
} as const
export type LeftReason = keyof typeof leftReasons

export interface LeftFile extends Told {
  reason: LeftReason
  /** Of `referred`: what does. */
  referred_by?: string
}

export interface TakingAway {
  taken: TakenAway[]
  left: LeftFile[]
}

export interface TakingParts {
  target: PullTarget
  memory: ProjectMemory
  api: Pick<Api, 'lineages'>
  signal: AbortSignal
  options: TakingOptions
}

export interface TakingOptions {
  /** Whether these may be taken away; without it none is. */
  mayTakeAway?: (files: readonly LeavingFile[], root: string) => boolean | Promise<boolean>
  /** Whether a package is open in an editor, by the path that it has there. */
  isOpen?: (packageName: string) => boolean
  /** Lineages of which the library's version was chosen, each with the files that were named: they go whatever was changed in them. */
  theirs?: ReadonlyMap<string, readonly string[]>
}

interface Seen extends LeavingFile {
  path: string
  known: KnownFile
  stats: BigIntStats
}

/** `jobId` names the backup. Files that are not there are no matter. */
export async function takeAway(parts: TakingParts, leaving: readonly LeavingFile[], jobId: number): Promise<TakingAway> {
  const { memory, target, options } = parts
  const left: LeftFile[] = []
  const leave = (one: LeavingFile, reason: LeftReason) =>
    left.push({ ...toldOf(one), reason, ...(reason === 'referred' ? { referred_by: one.referredBy } : {}) })
  const seen = leaving.flatMap((one): Seen[] => {
    const path = join(target.root, one.file)
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false })
    if (!stats) return []
    const known = memory.find(one.file)
    const reason = !isPlainFile(parts.target, one.file, stats)
      ? 'no_file'
      : known?.base?.lineageId === one.lineageId || one.isGivenUp
        ? undefined
        : 'not_ours'
    if (reason === undefined && known) return [{ ...one, path, known, stats }]
    leave(one, reason ?? 'not_ours')
    return []
  })
  const unchanged = await findUnchanged(parts, seen)
  const open = await findOpenFiles(new Set(unchanged.map(({ path }) => path)), parts.signal)
  const isOpen = ({ path, file }: Seen) => open.has(path) || options.isOpen?.(packageOf(target, file)) === true
  const free = unchanged.filter((one) => !isOpen(one) && one.referredBy === undefined)
  for (const one of seen)
    if (!free.includes(one)) leave(one, !unchanged.includes(one) ? 'modified' : isOpen(one) ? 'open' : 'referred')
  const isAllowed = free.length > 0 && (await options.mayTakeAway?.(free, target.root)) === true
  if (!isAllowed) for (const one of free) leave(one, 'not_allowed')
  const taken = isAllowed ? moveAll(parts, free, { jobId, leave }) : []
  return { taken, left }
}

const toldOf = ({ file, lineageId: lineage_id, why, to }: LeavingFile): Told => ({
  ...{ file, lineage_id, why },
  ...(to === undefined ? {} : { to }),
})

/** No folder on the way to it is a link either. */
function isPlainFile({ content }: PullTarget, file: string, stats: BigIntStats): boolean {
  const below = file.startsWith(`${content.file}/`) ? file.slice(content.file.length + 1) : undefined
  if (below === undefined || !stats.isFile() || whyNotInContent(below) !== undefined) return false
  try {
    return realpathSync(dirname(join(content.path, below))) === join(realpathSync(content.path), dirname(below))
  } catch {
    return false
  }
}

/** The package path of a file of the project. */
export const packageOf = ({ content }: PullTarget, file: string): string =>
  `/Game/${file.slice(content.file.length + 1).replace(/\.[^./]*$/, '')}`

/** By their bytes as they are now, of which the library is asked now. */
async function findUnchanged({ api, signal, options }: TakingParts, seen: readonly Seen[]): Promise<Seen[]> {
  if (seen.length === 0) return []
  const hashes = new Map<string, string>()
  const { readFiles } = await import('../../project/read-files.ts')
  await readFiles(
    seen.map(({ path, stats }) => ({ path, size: Number(stats.size) })),
    { signal, onFile: (index, read) => 'hash' in read && hashes.set(seen[index]?.file ?? '', read.hash) },
  )
  const local = seen.flatMap(({ file, lineageId, known }) => {
    const hash = hashes.get(file)
    return hash === undefined ? [] : [{ hash, lineageId, isRemembered: known.base?.hash === hash }]
  })
  const { versions } = await findKnownBytes(api, local)
  return seen.filter(
    ({ file, lineageId }) => options.theirs?.has(lineageId) || versions.get(hashes.get(file) ?? '')?.lineage_id === lineageId,
  )
}

interface Moving {
  jobId: number
  leave(one: LeavingFile, reason: LeftReason): unknown
}

/** One that was touched since it was read stays. */
function moveAll({ target, memory, options }: TakingParts, files: readonly Seen[], { jobId, leave }: Moving): TakenAway[] {
  const now = new Date()
  removeOldBackups(target.root, now)
  // The library does not have what was changed here: its backup is never removed.
  const folderOf = options.theirs ? backupFolder : takenAwayFolder
  const folder = folderOf(target.root, jobId, now)
  const taken: TakenAway[] = []
  for (const one of files) {
    const stats = lstatSync(one.path, { bigint: true, throwIfNoEntry: false })
    if (!stats || statKey(stats) !== statKey(one.stats)) {
      leave(one, 'modified')
      continue
    }
    const kept = moveAside(one.path, join(target.root, folder, one.file))
    taken.push({ ...toldOf(one), backup: kept.slice(target.root.length + 1) })
    // At once: killed here, the next run does not look for it.
    memory.forgetFiles([one.file])
    removeEmptyFolders(dirname(one.path), target.content.path)
  }
  return taken
}

function removeEmptyFolders(folder: string, content: string): void {
  try {
    for (let at = folder; at.length > content.length; at = dirname(at)) rmdirSync(at)
  } catch {
    // It holds something, which is as well.
  }
}

const daysKept = 30
const dayMs = 24 * 3600 * 1000

/** What was taken away longer than 30 days ago goes: the library had it. Backups of other kinds stay. */
function removeOldBackups(root: string, now: Date): void {
  const backups = join(root, 'Saved', 'PropHouse', 'Backups')
  const names = lstatSync(backups, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(backups) : []
  for (const name of names) {
    const day = name.includes(', taken away by pull ') ? Date.parse(name.slice(0, '2026-01-31'.length)) : Number.NaN
    if (now.getTime() - day <= daysKept * dayMs || Number.isNaN(day)) continue
    const path = join(backups, name)
    if (lstatSync(path).isDirectory()) rmSync(path, { recursive: true, force: true })
  }
}
