/** Puts the plugin for the Unreal editor into a project, or takes it away: whole or not at all. */
import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { FolderSync } from '../../system/folder-sync.ts'
import { writeWhole } from '../../system/whole-file.ts'
import { ClientError, systemCode } from '../client-error.ts'
import {
  broughtPlugin,
  filesIn,
  type Hashes,
  hashesOf,
  type PluginStanding,
  pluginPlace,
  pluginStanding,
  recordFile,
  recordOf,
} from './plugin-standing.ts'

/** Below Saved, where neither the editor nor a push looks, and on the project's disk. */
const ownFolder = join('Saved', 'PropHouse')
const stagedName = /^Plugin-[0-9a-f]{12}(\.old)?$/
/** What is older was left by a kill. */
const longestMs = 3_600_000

interface PluginChange {
  /** Replace what was changed, and what is newer. A copy is kept. */
  force: boolean
  now: Date
  /** The files to bring; those of this program where left out. */
  brought?: string
}

export interface ChangedPlugin {
  before: PluginStanding
  /** Something was written or taken away. */
  isDone: boolean
  /** Where files of people are kept that were replaced, below the project's root. */
  copy: string | null
}

/** Throws ClientError `PLUGIN_CHANGED`, `PLUGIN_NEWER`, `PLUGIN_HELD`. Files that others put beside ours stay. */
export async function installPlugin(root: string, change: PluginChange): Promise<ChangedPlugin> {
  const { force, now, brought = broughtPlugin } = change
  sweep(root, now)
  const before = pluginStanding(root, brought)
  if (before.state === 'current') return { before, isDone: false, copy: null }
  const folder = folderOf(root)
  if (!force) refuse(before, folder)
  const staged = join(root, ownFolder, `Plugin-${randomBytes(6).toString('hex')}`)
  try {
    const files = hashesOf(brought, filesIn(brought))
    for (const path of files.keys()) await write(join(staged, path), readFileSync(join(brought, path)))
    await write(join(staged, recordFile), recordOf(files))
    const known = new Set([...files.keys(), ...before.hashes.keys()])
    for (const path of existsSync(folder) ? filesIn(folder) : [])
      if (!known.has(path)) cpSync(join(folder, path), join(staged, path), { preserveTimestamps: true })
    mkdirSync(dirname(folder), { recursive: true })
    const old = setAside(folder, { staged, hashes: before.hashes })
    try {
      renameSync(staged, folder)
    } catch (error) {
      if (old !== undefined) renameSync(old, folder)
      throw error
    }
    await new FolderSync().settle([dirname(folder)])
    return {
      before,
      isDone: true,
      copy: putAway(old, { root, now, isKept: before.changed.length > 0 || before.state === 'newer' }),
    }
  } catch (error) {
    throw inWords(error, folder)
  } finally {
    rmSync(staged, { recursive: true, force: true })
  }
}

/** Throws as installPlugin. A folder in which others put something is kept as a copy. */
export function removePlugin(root: string, { force, now, brought = broughtPlugin }: PluginChange): ChangedPlugin {
  const before = pluginStanding(root, brought)
  const folder = folderOf(root)
  if (before.state === 'missing') return { before, isDone: false, copy: null }
  if (!force && before.changed.length > 0) refuse({ ...before, state: 'changed' }, folder)
  sweep(root, now)
  const staged = join(root, ownFolder, `Plugin-${randomBytes(6).toString('hex')}`)
  try {
    mkdirSync(dirname(staged), { recursive: true })
    const others = filesIn(folder).filter((path) => !before.hashes.has(path))
    const old = setAside(folder, { staged, hashes: before.hashes })
    return { before, isDone: true, copy: putAway(old, { root, now, isKept: before.changed.length > 0 || others.length > 0 }) }
  } catch (error) {
    throw inWords(error, folder)
  }
}

/** A link, or something that is no folder, was made by someone on purpose. */
function folderOf(root: string): string {
  const folder = join(root, pluginPlace)
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  if (stats === undefined || stats.isDirectory()) return folder
  throw new ClientError('PLUGIN_CHANGED', `${folder} is a ${stats.isSymbolicLink() ? 'link' : 'file'}, which is not replaced.`, {
    next: 'Move it away, then run the command again.',
  })
}

function refuse({ state, version, available, changed }: PluginStanding, folder: string): void {
  if (state === 'newer')
    throw new ClientError(
      'PLUGIN_NEWER',
      `${folder} holds version ${version}, which is newer than the ${available} that this ph brings.`,
    )
  if (changed.length === 0) return
  const more = changed.length > 3 ? ` and ${changed.length - 3} more` : ''
  throw new ClientError('PLUGIN_CHANGED', `Someone changed ${changed.slice(0, 3).join(', ')}${more} in ${folder}.`, {
    details: { changed },
  })
}

const write = (path: string, content: Buffer | string): Promise<void> => writeWhole(path, (file) => file.writeFile(content))

/** Moves the folder away, if there is one and it is as it was looked at. */
function setAside(folder: string, { staged, hashes }: { staged: string; hashes: Hashes }): string | undefined {
  if (!existsSync(folder)) return undefined
  const old = `${staged}.old`
  renameSync(folder, old)
  const now = hashesOf(old, [...hashes.keys()])
  if ([...hashes].every(([path, hash]) => now.get(path) === hash)) return old
  renameSync(old, folder)
  throw new ClientError('PLUGIN_CHANGED', `Someone changed files in ${folder} at this moment.`, {
    next: 'Run the command again.',
  })
}

function putAway(old: string | undefined, { root, now, isKept }: { root: string; now: Date; isKept: boolean }): string | null {
  if (old === undefined) return null
  if (isKept) return keep(old, root, now)
  rmSync(old, { recursive: true, force: true })
  return null
}

function keep(old: string, root: string, now: Date): string {
  const when = now.toISOString().slice(0, 19).replace('T', ' ').replaceAll(':', '.')
  const copy = `Saved/PropHouse/Backups/${when} editor plugin ${basename(old).slice(7, 11)}`
  mkdirSync(dirname(join(root, copy)), { recursive: true })
  renameSync(old, join(root, copy))
  return copy
}

/** What a kill left: new files go, and old ones may be all that there is of someone's work. */
function sweep(root: string, now: Date): void {
  const folder = join(root, ownFolder)
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const path = join(folder, name)
    const isLeft = stagedName.test(name) && now.getTime() - (statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0) > longestMs
    if (isLeft && name.endsWith('.old')) keep(path, root, now)
    else if (isLeft) rmSync(path, { recursive: true, force: true })
  }
}

/** Windows moves no folder in which a program has something open. */
function inWords(error: unknown, folder: string): unknown {
  const code = systemCode(error)
  if (error instanceof ClientError || code === undefined || !/^(EPERM|EACCES|EBUSY|EXDEV|EROFS)$/.test(code)) return error
  return new ClientError('PLUGIN_HELD', `${folder} could not be replaced, and is as it was: ${(error as Error).message}`, {
    cause: error,
  })
}
