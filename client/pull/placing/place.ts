/**
 * Puts staged files into their places, each by one rename, and a new one by a link, which replaces nothing. What was there is held by a
 * second name until it is sure that nobody wrote into it meanwhile. What stays possible: someone who saves by renaming a file of his own
 * over the old one, between the look at it and the rename that follows at once, loses that save. place-without-links.ts has the other way.
 */
import { type BigIntStats, linkSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import { isNoLinkCode } from '../../../system/disk-codes.ts'
import { systemCode } from '../../client-error.ts'
import { neverTrusted, statKey } from '../../project/fingerprint.ts'
import { fileIdentity, type Moved } from './file-identity.ts'
import type { PlaceJournal } from './journal.ts'
import { addWithoutLinks, replaceWithoutLinks } from './place-without-links.ts'
import { heldName, isUnchanged, moveAside, type Replaced } from './set-aside.ts'

export interface Placement {
  /** Where it lies now. */
  staged: string
  /** Where it goes. */
  path: string
  /** What is to be replaced, as it was when that was decided; undefined when nothing was there. */
  replaced: BigIntStats | undefined
  /** SHA-256 of that, where it was read. */
  replacedHash?: string | undefined
  /** Where the replaced file stays; without it, it goes. */
  backup: string | undefined
}

/**
 * `placed` with the fingerprint of the file in its place; `isHeld`: someone wrote into the replaced file while it was replaced, and it is
 * held (`heldName`). `changed`: someone put, changed or removed something there meanwhile; that stays. `failed`: what the system said.
 * After either of these something may be held too.
 */
export type Placed =
  | { result: 'placed'; stat: string; isHeld?: true }
  | { result: 'changed' }
  | { result: 'failed'; code: string }

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

/** Places all, in order. Not interruptible: it is a matter of milliseconds, and half of it helps nobody. */
export async function placeAll(
  placements: readonly Placement[],
  onPlaced: (index: number, placed: Placed) => void,
  journal?: PlaceJournal,
): Promise<void> {
  const stats = placements.map(({ staged }) => lstatSync(staged, { bigint: true }))
  const writtenBefore = await waitForTick(stats)
  const folders = new Set<string>()
  let breathedAt = performance.now()
  for (const [index, placement] of placements.entries()) {
    const onBegin = () => journal?.begin(index)
    const placed = await placeOne(placement, { folders, staged: stats[index], writtenBefore, onBegin })
    journal?.end(index, placed.result)
    onPlaced(index, placed)
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
  /** Told before a file is written in its place, piece by piece. */
  onBegin: () => void
}

async function placeOne(placement: Placement, placing: Placing): Promise<Placed> {
  const { path, replaced } = placement
  const { folders, staged, writtenBefore, onBegin } = placing
  try {
    makeFolder(dirname(path), folders)
    if (placement.backup) makeFolder(dirname(placement.backup), folders)
    const isPlaced = replaced ? await replace(placement, replaced, onBegin) : add(placement, onBegin)
    if (!isPlaced) return { result: 'changed' }
    const isHeld = replaced ? await letGo(placement, replaced) : false
    const now = lstatSync(path, { bigint: true })
    const isOurs = staged !== undefined && fileIdentity(now) === fileIdentity(staged) && isBefore(now.mtimeNs, writtenBefore)
    return { result: 'placed', stat: isOurs ? statKey(now) : neverTrusted, ...(isHeld ? { isHeld } : {}) }
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

/** A new name never replaces what someone put there meanwhile. */
function add({ staged, path }: Placement, onBegin: () => void): boolean {
  try {
    linkSync(staged, path)
  } catch (error) {
    const code = systemCode(error) ?? ''
    if (code === 'EEXIST') return false
    if (!isNoLinkCode(code)) throw error
    return addWithoutLinks({ staged, path }, onBegin)
  }
  rmSync(staged)
  return true
}

async function replace(placement: Placement, replaced: BigIntStats, onBegin: () => void): Promise<boolean> {
  const { staged, path, replacedHash } = placement
  const held = heldName(staged)
  const holding = hold(path, held)
  if (holding === 'gone') return false
  if (holding === 'no-links') return replaceWithoutLinks({ staged, path }, asReplaced(replaced, replacedHash), onBegin)
  if (fileIdentity(lstatSync(held, { bigint: true })) !== fileIdentity(replaced)) {
    release(held, path)
    return false
  }
  try {
    renameSync(staged, path)
    return true
  } catch (error) {
    release(held, path)
    throw error
  }
}

const asReplaced = (replaced: BigIntStats, hash: string | undefined): Replaced => ({
  identity: fileIdentity(replaced),
  hash: hash ?? null,
})

/** Gives a file a second name. */
function hold(path: string, held: string): 'held' | 'gone' | 'no-links' {
  try {
    linkSync(path, held)
    return 'held'
  } catch (error) {
    const code = systemCode(error) ?? ''
    if (code === 'ENOENT') return 'gone'
    if (isNoLinkCode(code)) return 'no-links'
    throw error
  }
}

/** Takes a second name away while the first is there. Where someone has saved another file there since, both are kept. */
function release(held: string, path: string): void {
  const [there, second] = [path, held].map((one) => lstatSync(one, { bigint: true, throwIfNoEntry: false }))
  if (there && second && there.ino === second.ino && there.dev === second.dev) rmSync(held)
}

/** What was replaced goes, or to its backup. True: someone wrote into it just now, as editors do that save in place, and it is held. */
async function letGo({ staged, backup, replacedHash }: Placement, replaced: BigIntStats): Promise<boolean> {
  const held = heldName(staged)
  if (backup !== undefined) {
    moveAside(held, backup)
    return false
  }
  if (!(await isUnchanged(held, asReplaced(replaced, replacedHash)))) return true
  rmSync(held)
  return false
}

const noFolderSync = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EISDIR', 'EBADF'])

/** Windows writes renames through by itself and lets nobody sync a folder; some shares do neither. */
async function syncFolders(folders: ReadonlySet<string>): Promise<void> {
  if (process.platform === 'win32') return
  const limit = pLimit(foldersAtOnce)
  await limit.map([...folders], async (folder) => {
    const handle = await open(folder, 'r')
    try {
      await handle.sync()
    } catch (error) {
      if (!noFolderSync.has(systemCode(error) ?? '')) throw error
    } finally {
      await handle.close()
    }
  })
}
