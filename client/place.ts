/**
 * Puts staged files into their places, each by one rename. What was there is held by a second name until it is sure that nobody
 * touched it meanwhile, so that whatever happens no edit is lost.
 */
import { type BigIntStats, linkSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import { systemCode } from './client-error.ts'
import { neverTrusted, statKey } from './fingerprint.ts'

export interface Placement {
  /** Where it lies now. */
  staged: string
  /** Where it goes. */
  path: string
  /** What is to be replaced, as it was when that was decided; undefined when nothing was there. */
  replaced: BigIntStats | undefined
  /** Where the replaced file stays; without it, it goes. */
  backup: string | undefined
}

/**
 * `placed` with the fingerprint of the file in its place. `changed`: somebody put, changed or removed something there
 * meanwhile; that stays. `failed`: what the system said.
 */
export type Placed = { result: 'placed'; stat: string } | { result: 'changed' } | { result: 'failed'; code: string }

type Moved = Pick<BigIntStats, 'size' | 'mtimeNs' | 'ino' | 'dev'>

/** What of a file's attributes renaming and linking keep. */
export const placeMark = ({ size, mtimeNs, ino, dev }: Moved): string => `${size}:${mtimeNs}:${ino}:${dev}`

/** Longer than the clock of any usual file system takes for a tick. */
const tickMs = 60
const breathMs = 25
const foldersAtOnce = 8

/**
 * Waits until every later edit of these files gets a later time than they have: then a fingerprint that is taken at once can
 * be trusted. Gives the time before which they were written.
 */
export async function waitForTick(stats: readonly Moved[]): Promise<bigint> {
  const newestMs = stats.reduce((newest, { mtimeNs }) => Math.max(newest, Number(mtimeNs / 1_000_000n)), 0)
  const waitMs = newestMs + tickMs - Date.now()
  if (waitMs > 0 && waitMs <= tickMs) await sleep(waitMs)
  return BigInt(Date.now() - tickMs / 2) * 1_000_000n
}

/** Where a replaced file is held while it is being replaced, when it needs no backup. */
export const heldName = (staged: string): string => `${staged}.old`

/** Places all, in order. Not interruptible: it is a matter of milliseconds, and half of it helps nobody. */
export async function placeAll(
  placements: readonly Placement[],
  onPlaced: (index: number, placed: Placed) => void,
): Promise<void> {
  const stats = placements.map(({ staged }) => lstatSync(staged, { bigint: true }))
  const writtenBefore = await waitForTick(stats)
  const folders = new Set<string>()
  let breathedAt = performance.now()
  for (const [index, placement] of placements.entries()) {
    onPlaced(index, placeOne(placement, { folders, staged: stats[index], writtenBefore }))
    if (performance.now() - breathedAt < breathMs) continue
    await breathe()
    breathedAt = performance.now()
  }
  await syncFolders(folders)
}

interface Placing {
  /** Folders that were changed. */
  folders: Set<string>
  staged: BigIntStats | undefined
  writtenBefore: bigint
}

function placeOne(placement: Placement, { folders, staged, writtenBefore }: Placing): Placed {
  const { path, replaced } = placement
  try {
    makeFolder(dirname(path), folders)
    if (placement.backup) makeFolder(dirname(placement.backup), folders)
    const isPlaced = replaced ? replace(placement, replaced) : add(placement)
    if (!isPlaced) return { result: 'changed' }
    const now = lstatSync(path, { bigint: true })
    const isOurs = staged !== undefined && placeMark(now) === placeMark(staged) && isBefore(now.mtimeNs, writtenBefore)
    return { result: 'placed', stat: isOurs ? statKey(now) : neverTrusted }
  } catch (error) {
    const code = systemCode(error)
    if (code === undefined) throw error
    return { result: 'failed', code }
  }
}

/** Times in whole seconds come from file systems that know no finer ones. */
const isBefore = (mtimeNs: bigint, writtenBefore: bigint): boolean => mtimeNs < writtenBefore && mtimeNs % 1_000_000_000n !== 0n

function makeFolder(folder: string, changed: Set<string>): void {
  if (changed.has(folder)) return
  const first = mkdirSync(folder, { recursive: true })
  // Every folder that was made is an entry in the one above it.
  for (let at = folder; first !== undefined && at.length >= first.length; at = dirname(at)) changed.add(dirname(at))
  changed.add(folder)
}

const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/** A new name never replaces what somebody put there meanwhile; where the disk knows no links, a look must do. */
function add({ staged, path }: Placement): boolean {
  try {
    linkSync(staged, path)
    rmSync(staged)
    return true
  } catch (error) {
    const code = systemCode(error) ?? ''
    if (code === 'EEXIST') return false
    if (!noLinks.has(code)) throw error
    if (lstatSync(path, { throwIfNoEntry: false })) return false
    renameSync(staged, path)
    return true
  }
}

function replace({ staged, path, backup }: Placement, replaced: BigIntStats): boolean {
  const held = backup ?? heldName(staged)
  const isHeld = hold(path, held)
  const now = isHeld ? lstatSync(held, { bigint: true }) : lstatSync(path, { bigint: true, throwIfNoEntry: false })
  if (!now || placeMark(now) !== placeMark(replaced)) {
    rmSync(held, { force: true })
    return false
  }
  if (!isHeld && backup) renameSync(path, backup)
  try {
    renameSync(staged, path)
  } catch (error) {
    // What was there keeps its place, and no second name.
    if (isHeld) rmSync(held, { force: true })
    else if (backup) renameSync(backup, path)
    throw error
  }
  if (!isHeld) return true
  // An editor that saves in place wrote into the held file, if it wrote just now.
  if (placeMark(lstatSync(held, { bigint: true })) !== placeMark(replaced)) {
    renameSync(held, path)
    return false
  }
  if (!backup) rmSync(held)
  return true
}

/** Gives a file a second name; false where the disk knows no links or nothing is there. */
function hold(path: string, held: string): boolean {
  try {
    rmSync(held, { force: true })
    linkSync(path, held)
    return true
  } catch (error) {
    const code = systemCode(error) ?? ''
    if (code !== 'ENOENT' && !noLinks.has(code)) throw error
    return false
  }
}

/** Windows writes renames through by itself and lets nobody sync a folder. */
async function syncFolders(folders: ReadonlySet<string>): Promise<void> {
  if (process.platform === 'win32') return
  const limit = pLimit(foldersAtOnce)
  await limit.map([...folders], async (folder) => {
    const handle = await open(folder, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  })
}
