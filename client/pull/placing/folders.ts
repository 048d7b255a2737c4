/** Folders that a pull makes in a project: for files on their way, and for what it replaced. Both below Saved, which nobody pushes. */
import { existsSync, readdirSync, rmdirSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { nearestFolder } from '../../../system/free-space.ts'
import { systemCode } from '../../client-error.ts'
import type { PullTarget } from '../target-project.ts'
import { isHeldName, moveAside } from './set-aside.ts'

const ownFolder = join('Saved', 'PropHouse')
/** Neither the editor nor a push looks into folders with a dot. */
const stagingBesideContent = '.PropHouse-Staging-'

/**
 * Where files wait to be renamed into the Content folder, so it is on its disk. `stateFile` names it: two people's pulls into
 * one project do not meet, and a killed pull's is found again.
 */
export function stagingFolder({ root, content }: PullTarget, stateFile: string): string {
  const id = basename(stateFile).slice(0, 8)
  const usual = join(root, ownFolder, `Staging-${id}`)
  const isSameDisk = statSync(nearestFolder(usual)).dev === statSync(nearestFolder(content.path)).dev
  return isSameDisk ? usual : join(content.path, `${stagingBesideContent}${id}`)
}

/** Every folder that a pull may write to beside the Content folder, as far as it is there: a link among them leads what it writes elsewhere. */
export function foldersOfPulls({ root, content }: PullTarget): string[] {
  const own = join(root, ownFolder)
  const backups = join(own, 'Backups')
  const inside = [own, backups].flatMap((folder) => namesIn(folder).map((name) => join(folder, name)))
  const beside = namesIn(content.path).filter((name) => name.startsWith(stagingBesideContent))
  return [own, backups, ...inside, ...beside.map((name) => join(content.path, name))]
}

/**
 * Where replaced files are kept: below the project's root, named for when, whose and by what, and not there yet. Letters that every
 * system takes.
 */
export const backupFolder = (root: string, jobId: number, now: Date): string => newFolder(root, `before pull ${jobId}`, now)

/** The same for files that have no place in the project any more. */
export const takenAwayFolder = (root: string, jobId: number, now: Date): string =>
  newFolder(root, `taken away by pull ${jobId}`, now)

function newFolder(root: string, what: string, now: Date): string {
  const when = now.toISOString().slice(0, 19).replace('T', ' ').replaceAll(':', '.')
  const first = `Saved/PropHouse/Backups/${when} ${personHere()}, ${what}`
  let folder = first
  for (let n = 2; existsSync(join(root, folder)); n++) folder = `${first} (${n})`
  return folder
}

function personHere(): string {
  try {
    return userInfo()
      .username.replaceAll(/[^\w.-]/g, '_')
      .slice(0, 60)
  } catch {
    return 'someone'
  }
}

/**
 * Takes the staging folder away, and the folders around it when nothing else is in them. A file that is held there still, and that
 * nothing tells of, may be all that there is of someone's work: it is kept with the backups.
 */
export async function clearStaging(staging: string, root: string): Promise<void> {
  for (const name of namesIn(staging).filter(isHeldName))
    moveAside(join(staging, name), join(root, ownFolder, 'Backups', 'left by an interrupted pull', name))
  await rm(staging, { recursive: true, force: true })
  removeEmptyFolders(staging)
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error
    return []
  }
}

function removeEmptyFolders(staging: string): void {
  try {
    for (let at = dirname(staging), left = 2; left > 0; at = dirname(at), left--)
      if (/^(PropHouse|Saved)$/.test(basename(at))) rmdirSync(at)
  } catch {
    // They hold something, which is as well.
  }
}
