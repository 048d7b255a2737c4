/** What becomes of files that are held by a placement which did not come to its end, or met an edit: none is lost. */

import { existsSync, lstatSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { IntendedFile } from '../../memory/open-pulls.ts'
import type { FilePlaced } from '../../memory/project-memory.ts'
import type { PulledFile } from '../report.ts'
import { heldName, isUnchanged, moveAside, putBack } from './set-aside.ts'

export interface HeldParts {
  /** Where the new file was staged. */
  staged: string
  /** Of the project. */
  root: string
  jobId: number
}

const editFolder = (jobId: number): string => `Saved/PropHouse/Backups/edited during pull ${jobId}`

/** Someone wrote into the replaced file while it was replaced: it is kept as a backup. Gives what is reported of it. */
export function keepEdit(item: PulledFile, { path, root, jobId }: { path: string; root: string; jobId: number }): PulledFile {
  const kept = moveAside(path, join(root, editFolder(jobId), item.file))
  return { ...item, outcome: 'overwritten', backup: kept.slice(root.length + 1) }
}

/** What is reported of a file that a killed run placed. What it replaced goes, or is kept where the report says. */
export async function finishReplaced({ item: intention }: IntendedFile<Intention>, parts: HeldParts): Promise<PulledFile> {
  const { item, replacedMark, replacedHash = null } = intention
  const { staged, root, jobId } = parts
  const held = heldName(staged)
  if (!existsSync(held)) return reportKept(item, parts)
  if (item.backup !== undefined) {
    const kept = moveAside(held, join(root, item.backup))
    return { ...item, backup: kept.slice(root.length + 1) }
  }
  if (replacedMark === null || !(await isUnchanged(held, { identity: replacedMark, hash: replacedHash })))
    return keepEdit(item, { path: held, root, jobId })
  rmSync(held)
  return item
}

/** It was kept before, or nothing was to be. A backup that someone removed since is not promised. */
function reportKept(item: PulledFile, { root, jobId }: HeldParts): PulledFile {
  const edit = `${editFolder(jobId)}/${item.file}`
  if (item.backup === undefined && existsSync(join(root, edit))) return { ...item, outcome: 'overwritten', backup: edit }
  if (item.backup === undefined || existsSync(join(root, item.backup))) return item
  const { backup: _gone, ...rest } = item
  return rest
}

/**
 * Of a file that was not placed: what is held goes back to its place where nothing lies there, and goes where the same lies there, or a
 * version that the library has; else it is kept as a backup. Gives that one's path below the project's root.
 */
export async function settleHeld(one: IntendedFile<Intention>, { staged, root, jobId }: HeldParts): Promise<string | undefined> {
  const { item, replacedMark, replacedHash = null } = one.item
  const [held, path] = [heldName(staged), join(root, one.file)]
  const second = lstatSync(held, { bigint: true, throwIfNoEntry: false })
  if (!second) return undefined
  const there = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  const isSame = there?.ino === second.ino && there.dev === second.dev
  const isVacant = !there || (there.isFile() && there.size === 0n && second.size > 0n)
  if (isVacant && there) renameSync(held, path)
  if (isVacant && (there || putBack(held, path))) return undefined
  const isVersion = item.outcome === 'updated' && replacedMark !== null
  if (isSame || (isVersion && (await isUnchanged(held, { identity: replacedMark, hash: replacedHash })))) {
    rmSync(held)
    return undefined
  }
  return moveAside(held, join(root, editFolder(jobId), one.file)).slice(root.length + 1)
}

/** What a killed pull leaves of each file, so that the next one knows what became of it. Earlier versions left the first three. */
export interface Intention {
  item: PulledFile
  placed: Omit<FilePlaced, 'stat'>
  /** `fileIdentity` of what was to be replaced; null where nothing was there. The name is that of the JSON on the disk. */
  replacedMark: string | null
  /** SHA-256 of that, where it was read. */
  replacedHash?: string | null
  /** The version that was remembered of the place before. */
  baseBefore?: number | null
  /** Where it was staged; the name of the journal there, and the place of this file in its order. */
  folder?: string
  journal?: string
  index?: number
}
