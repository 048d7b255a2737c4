/** The plugin for the Unreal editor: the files that this program brings, and how those of a project stand to them. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PluginState } from '../../contract/agent.ts'
import { isLater, readVersion } from '../version.ts'

/** Beside `client/` in the sources, and beside it in dist/. */
export const broughtPlugin = fileURLToPath(new URL('../../integrations/unreal/PropHouse', import.meta.url))
/** Where it lies in a project. */
export const pluginPlace = join('Plugins', 'PropHouse')
/** What was put there, so that an update tells an older file from one that someone changed. */
export const recordFile = 'installed.json'
const descriptorFile = 'PropHouse.uplugin'

const mostBytes = 1024 * 1024
const mostFiles = 1000
/** What the editor's Python leaves beside the files. */
const cacheFolder = '__pycache__'

/** SHA-256 of each file, by its path below the plugin's folder. */
export type Hashes = ReadonlyMap<string, string>

interface InstallRecord {
  /** The version of the program that put it there. */
  ph: string
  files: Hashes
}

export interface PluginStanding {
  state: PluginState
  /** What its descriptor says; null where there is none. */
  version: string | null
  /** What this program brings. */
  available: string
  /** Files that are neither as this program brings them nor as they were put there. */
  changed: string[]
  /** Files as they are now, of those that this program or an earlier one brings. */
  hashes: Hashes
}

export function pluginStanding(root: string, brought: string = broughtPlugin): PluginStanding {
  const folder = join(root, pluginPlace)
  const ours = hashesOf(brought, filesIn(brought))
  const record = readRecord(folder)
  const hashes = hashesOf(folder, [...new Set([...ours.keys(), ...(record?.files.keys() ?? [])])].toSorted())
  const changed = [...hashes].flatMap(([path, hash]) => (hash === ours.get(path) || hash === record?.files.get(path) ? [] : path))
  const [own, there] = [readDescriptor(brought), readDescriptor(folder)]
  const isCurrent = hashes.size === ours.size && [...ours].every(([path, hash]) => hashes.get(path) === hash)
  const stateThere = (): PluginState => {
    if (isCurrent) return 'current'
    if (there !== undefined && own !== undefined && isNewer(there.number - own.number, record)) return 'newer'
    return changed.length > 0 ? 'changed' : 'old'
  }
  const state = hashes.size === 0 ? 'missing' : stateThere()
  return { state, version: there?.name ?? null, available: own?.name ?? '', changed, hashes }
}

/** Of one number two programs may bring different files; then the later program decides. */
const isNewer = (by: number, record: InstallRecord | undefined): boolean =>
  by > 0 || (by === 0 && record !== undefined && isLater(record.ph, readVersion()))

/** Paths below a folder, without what Python keeps there and without the record. */
export function filesIn(folder: string, below = ''): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((one) => {
    const path = below === '' ? one.name : `${below}/${one.name}`
    if (one.isDirectory()) return one.name === cacheFolder ? [] : filesIn(folder, path)
    return path === recordFile ? [] : [path]
  })
}

export function hashesOf(folder: string, paths: readonly string[]): Hashes {
  return new Map(
    paths.flatMap((path) => {
      const bytes = readBounded(join(folder, path))
      return bytes === undefined ? [] : [[path, hashOf(bytes)]]
    }),
  )
}

/** All are texts, and version control may have given them the line ends of the system. */
const hashOf = (bytes: Buffer): string =>
  createHash('sha256').update(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1').digest('hex')

/** Undefined where there is no such file. Of one that is too large to be ours, so much that it is told from ours. */
function readBounded(path: string): Buffer | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats?.isFile()) return undefined
  return stats.size > mostBytes ? Buffer.from(`${stats.size} bytes`) : readFileSync(path)
}

/** The text of the record of files that were put there. */
export const recordOf = (files: Hashes): string =>
  `${JSON.stringify({ ph: readVersion(), files: Object.fromEntries([...files].toSorted()) }, null, 2)}\n`

function readRecord(folder: string): InstallRecord | undefined {
  const said = readJson(join(folder, recordFile))
  if (typeof said?.ph !== 'string' || typeof said.files !== 'object' || said.files === null) return undefined
  const files = Object.entries(said.files).filter(
    (row): row is [string, string] => isOwnPath(row[0]) && typeof row[1] === 'string',
  )
  return { ph: said.ph, files: new Map(files.slice(0, mostFiles)) }
}

/** It leads to nothing outside of the plugin's folder. */
const isOwnPath = (path: string): boolean => /^[\w.-]+(\/[\w.-]+)*$/.test(path) && !path.split('/').includes('..')

function readDescriptor(folder: string): { number: number; name: string } | undefined {
  const said = readJson(join(folder, descriptorFile))
  return said && { number: Number(said.Version) || 0, name: String(said.VersionName ?? said.Version ?? '').slice(0, 40) }
}

function readJson(path: string): { [name: string]: unknown } | undefined {
  try {
    const said: unknown = JSON.parse(readBounded(path)?.toString('utf8') ?? '')
    return typeof said === 'object' && said !== null ? { ...said } : undefined
  } catch {
    return undefined
  }
}
