/** Faults of this machine: the Node that runs ph, its own folders, room on the disks, the keychain. */

import { randomBytes } from 'node:crypto'
import { accessSync, constants, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Finding, fault, fine, note, warning } from '../../system/finding.ts'
import { freeBytes, nearestFolder } from '../../system/free-space.ts'
import { systemCode } from '../client-error.ts'
import type { Folders } from '../folders.ts'
import { unlessAborted } from '../http/abort-race.ts'
import { programFolder, runsByOwnNode } from '../installation.ts'
import { keychainWorks } from '../sign-in/credentials.ts'
import type { Limited } from './options.ts'

export async function checkMachine({ folders, cwd, limitMs }: Limited): Promise<Finding[]> {
  const own = [checkNode(), ...checkFolders(folders), ...checkDisks([...Object.values(folders), cwd])]
  return [...own, await checkKeychain(limitMs)]
}

/** An older one than package.json asks for does not get as far as here (bin/ph.mjs). */
function checkNode(): Finding {
  const { execPath, platform, arch, versions } = process
  const whose = runsByOwnNode(programFolder()) ? 'the one that ph brings' : execPath
  return fine('node', `Node ${versions.node} on ${platform}, ${arch}: ${whose}.`)
}

const folderUses: Record<keyof Folders, readonly [holds: string, variable: string]> = {
  config: ['profiles', 'PH_CONFIG_DIR'],
  state: ['what it knows of projects', 'PH_STATE_DIR'],
  cache: ['the content cache', 'PH_CACHE_DIR'],
}

function checkFolders(folders: Folders): Finding[] {
  return Object.entries(folderUses).map(([kind, [holds, variable]]) => {
    const folder = folders[kind as keyof Folders]
    const why = whyNotWritable(folder)
    if (why === undefined) return fine(kind, `ph keeps ${holds} in ${folder}.`)
    return fault(
      kind,
      `ph cannot keep ${holds} in ${folder}: ${why}.`,
      `Fix that folder, or choose another one with ${variable}.`,
    )
  })
}

const reasons: Record<string, string> = {
  EACCES: 'it is not yours to write',
  EPERM: 'it is not yours to write',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your quota on the disk is used up',
  ENOTDIR: 'it lies below something that is not a folder',
}

/** Tried where the folder is there, else asked of the folder that it would be made in. */
function whyNotWritable(folder: string): string | undefined {
  try {
    const there = nearestFolder(folder)
    if (!statSync(there).isDirectory()) return reasons.ENOTDIR
    if (there !== folder) accessSync(there, constants.W_OK)
    else tryWriting(folder)
    return undefined
  } catch (error) {
    const code = systemCode(error) ?? String(error)
    return reasons[code] ?? code
  }
}

function tryWriting(folder: string): void {
  const file = join(folder, `.${randomBytes(6).toString('hex')}.part`)
  try {
    writeFileSync(file, 'ph doctor', { flag: 'wx' })
  } finally {
    rmSync(file, { force: true })
  }
}

const GiB = 1024 ** 3
const scarceBytes = 2 * GiB
/** A pull begins with nothing less (pull/preflight.ts). */
const hardlyAnyBytes = GiB / 32

/** Each disk once. */
function checkDisks(paths: readonly string[]): Finding[] {
  const disks = new Map(paths.flatMap((path) => diskOf(path)))
  return [...disks.values()].map((folder) => {
    const free = freeBytes(folder)
    const said = `${(free / GiB).toFixed(1)} GiB are free on the disk of ${folder}.`
    const next = 'Free some space; `ph help pull` says how to bound the content cache (PH_CACHE_SIZE).'
    if (free < hardlyAnyBytes) return fault('disk', said, next)
    return free < scarceBytes ? warning('disk', said, next) : fine('disk', said)
  })
}

function diskOf(path: string): [number, string][] {
  try {
    const folder = nearestFolder(path)
    return [[statSync(folder).dev, folder]]
  } catch {
    // It is named as a folder that cannot be used.
    return []
  }
}

async function checkKeychain(limitMs: number): Promise<Finding> {
  const works = await unlessAborted(keychainWorks(), AbortSignal.timeout(limitMs)).catch(() => undefined)
  if (works === undefined)
    return warning(
      'keychain',
      'The keychain of this system does not answer.',
      'Unlock it, or see whether a window of it waits for an answer.',
    )
  if (works) return fine('keychain', 'ph keeps keys in the keychain of this system.')
  return note('keychain', 'This system has no keychain that ph could use. ph asks before it keeps a key in a file.')
}
