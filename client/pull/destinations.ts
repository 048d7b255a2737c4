/**
 * Where the files of a pull land, and which of them must not: what a server names is believed only within the bounds of the
 * contract, so that none of it leads out of the project or means something else on another system (spec 4.3; contract-gaps 4).
 */

import { join } from 'node:path'
import { notPlacedWarnings } from '../../contract/file-kinds.ts'
import { limits } from '../../contract/limits.ts'
import { misnamedWarnings } from '../../contract/misnamed.ts'
import { nameKey } from '../../contract/names.ts'
import { mountOf, pluginPath } from '../../contract/plugin-content.ts'
import type { PullJobDetail, PullJobObject, PullWarning } from '../../contract/pull-jobs.ts'
import { extensionOf } from '../../formats/package-place.ts'
import { shellWord } from '../../system/shell-word.ts'
import { whyNotInContent } from '../project/places/placeable.ts'
import { ProjectPlaces } from '../project/places/project-places.ts'
import { PluginFolders, type PluginHost } from '../project/plugins.ts'
import type { ContentFolder } from '../project/unreal-project.ts'
import { type Obstacle, obstacle } from './obstacle.ts'

export interface PullFile {
  object: PullJobObject
  /** What people call it. */
  name: string
  /** The package path that it gets, as the editor names it. */
  destination: string
  /** Below the Content folder, with `/` and its extension. */
  path: string
  /** Of content of a plugin: the Content folder of that plugin. */
  content?: ContentFolder
}

/** A file, or the whole list, that is not taken; `why` ends the sentence that begins with `what`. */
export interface DestinationRefusal {
  what: string
  why: string
}

/** A file that is placed into no project, because of its kind or place; it concerns no other file. */
export interface LeftOutFile extends PullFile {
  /** Ends the sentence that begins with the destination. */
  why: string
}

export interface Destinations {
  files: PullFile[]
  leftOut: LeftOutFile[]
  refused: DestinationRefusal[]
}

const packagePath = /^\/Game(\/[A-Za-z0-9_-]+)+$/
const rootPath = /^\/Game(\/[A-Za-z0-9_-]+)*$/
const extension = /^[a-z0-9]{1,12}$/
const sha256 = /^[0-9a-f]{64}$/
const longestPath = 1000
const longestName = 255
const longestText = 1000

/**
 * Says where every object goes below `targetRoot`. With anything in `refused`, nothing of it should be placed: the list is not what a library
 * gives. A file in `leftOut` is what a library may hold and a project must not get; nothing that an editor opens needs it, so the others come.
 */
export function destinationsOf(objects: readonly unknown[], targetRoot: string, receiver: Receiver = anywhere): Destinations {
  const refuse = (what: string, why: string): Destinations => ({ files: [], leftOut: [], refused: [{ what, why }] })
  if (!isText(targetRoot, longestPath) || !rootPath.test(targetRoot))
    return refuse(`The root ${shown(targetRoot)}`, 'is not a folder under /Game')
  const files: PullFile[] = []
  const leftOut: LeftOutFile[] = []
  const refused: DestinationRefusal[] = []
  for (const object of objects) {
    const destined = destinationOf(object, targetRoot, receiver)
    if (!('path' in destined)) {
      refused.push(destined)
      continue
    }
    const why = 'why' in destined ? destined.why : receiver.whyNot(destined)
    if (why === undefined) files.push(destined)
    else leftOut.push({ ...destined, why })
  }
  return { files, leftOut, refused: [...refused, ...findClashes(files, leftOut)] }
}

/** What the project that gets the files has to say of them. */
export interface Receiver {
  /** What keeps a file out of it, as the end of a sentence. */
  whyNot(file: Pick<PullFile, 'path' | 'content'>): string | undefined
  /** The Content folder of a plugin, by its name; or why the project has none, as the end of a sentence about a file of it. */
  plugin(name: string): ContentFolder | string
}

/** A list is looked at without a project. */
const anywhere: Receiver = {
  whyNot: ({ path }) => whyNotInContent(path),
  plugin: (name) => `needs the plugin ${name}`,
}

export function receiverIn({ root, content, descriptor }: PluginHost & { content: ContentFolder }): Receiver {
  const places = new ProjectPlaces()
  let plugins: PluginFolders | undefined
  return {
    whyNot: (file) => whyNotInContent(file.path) ?? places.whyNot(join(root, (file.content ?? content).file, file.path)),
    plugin(name) {
      plugins ??= new PluginFolders({ root, descriptor })
      return plugins.contentOf(name)
    },
  }
}

/** Where it would lie, as people read it. */
const placeIn = ({ path, content, object: { mount } }: PullFile): string =>
  content === undefined && mount === undefined ? `/Game/${path}` : `${mount}/${path}`

const notPlacedOf = (file: LeftOutFile) => ({ path: placeIn(file), object_id: file.object.object_id, why: file.why })

/** What the library warned of; what is left out is decided here, whether the library says it or not. */
export const withLeftOut = (warnings: readonly PullWarning[], leftOut: readonly LeftOutFile[]): PullWarning[] => [
  ...warnings.filter(({ type }) => type !== 'not_placed'),
  ...notPlacedWarnings(leftOut.map(notPlacedOf)),
]

/** A file of a plugin stays out, and anybody can have it elsewhere. */
const orDownload = (why: string, { entry_id }: PullJobObject): string =>
  entry_id == null ? why : `${why}; \`ph download ${entry_id} --to <folder>\` brings it elsewhere`

/** What the library left out by itself, with the command that brings it into this project. */
export function withMisnamed(
  warnings: readonly PullWarning[],
  { misnamed = [] }: Pick<PullJobDetail, 'misnamed'>,
  root: string,
): PullWarning[] {
  if (misnamed.length === 0) return [...warnings]
  return [...warnings.filter(({ type }) => type !== 'misnamed'), ...misnamedWarnings(misnamed, shellWord(root))]
}

/** A pull of which nothing remains has not brought what was ordered. */
export function nothingRemains({ files, leftOut }: Destinations): Obstacle[] {
  if (files.length > 0) return []
  return leftOut.map((file) => obstacle('no-prop', placeIn(file), `${placeIn(file)} ${file.why}.`))
}

function destinationOf(given: unknown, targetRoot: string, receiver: Receiver): PullFile | LeftOutFile | DestinationRefusal {
  const object = given as PullJobObject
  const what = titleOf(object)
  const fault = faultOf(object)
  if (fault) return { what, why: fault }
  const { origin_path, package_name, mount = '/Game' } = object
  const destination = origin_path == null ? String(package_name) : targetRoot + origin_path.slice('/Game'.length)
  const path = `${destination.slice(mount.length + 1)}.${extensionOf(object)}`
  const misnamed = faultOfPath(path)
  if (misnamed) return { what, why: misnamed }
  const name = object.asset_name ?? destination.slice(destination.lastIndexOf('/') + 1)
  const file = { object, name, destination, path }
  if (origin_path != null) return file
  const content = receiver.plugin(mount.slice(1))
  return typeof content === 'string' ? { ...file, why: orDownload(content, object) } : { ...file, content }
}

const isText = (value: unknown, most: number): value is string => typeof value === 'string' && value.length <= most
const isCount = (value: unknown, most: number): boolean =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most

/** What is wrong with an object, as the end of a sentence. */
function faultOf(object: PullJobObject): string | undefined {
  if (typeof object !== 'object' || object === null) return 'is not a file'
  const { content_hash, lineage_id, object_id, blob_size, source_ext, asset_class, asset_name, url } = object
  if (!isText(content_hash, 64) || !sha256.test(content_hash)) return 'has no hash'
  if (!isText(lineage_id, 64) || lineage_id === '' || !isCount(object_id, Number.MAX_SAFE_INTEGER)) return 'belongs to no version'
  const misplaced = faultOfPlace(object)
  if (misplaced) return misplaced
  if (!isCount(blob_size, limits.blobBytes)) return 'has no size that a file can have'
  if (source_ext != null && (!isText(source_ext, 12) || !extension.test(source_ext)))
    return `has an extension that is not allowed: ${shown(source_ext)}`
  if (!isText(asset_class, longestText) || (asset_name != null && !isText(asset_name, longestText)))
    return 'has a name or class that is too long'
  return url === undefined || isText(url, 8000) ? undefined : 'has an address that is too long'
}

/** It has a place under /Game, or one below the mount of a plugin. */
function faultOfPlace({ origin_path, mount, package_name }: PullJobObject): string | undefined {
  if (origin_path == null && mount == null) return 'has no place under /Game'
  const place = origin_path ?? package_name
  const isOfPlugin = (text: string) => pluginPath.test(text) && mountOf(text) === mount && !/^\/game$/i.test(text)
  const isAllowed = (text: string) => (origin_path == null ? isOfPlugin(text) : packagePath.test(text))
  return isText(place, longestPath) && isAllowed(place) ? undefined : `has a place that is not allowed: ${shown(place)}`
}

function faultOfPath(path: string): string | undefined {
  return path.split('/').some((segment) => segment.length > longestName)
    ? `has a name longer than ${longestName} bytes in its path`
    : undefined
}

/** Two files for one place, as the strictest of file systems compares; bytes listed twice. */
function findClashes(files: readonly PullFile[], leftOut: readonly LeftOutFile[]): DestinationRefusal[] {
  const refused: DestinationRefusal[] = []
  const taken = new Map<string, string>()
  const hashes = new Set(leftOut.map(({ object }) => object.content_hash))
  for (const { object, path, destination, content } of files) {
    const key = nameKey(`${content?.path ?? ''}:${path}`)
    const other = taken.get(key)
    if (other !== undefined) refused.push({ what: destination, why: `has the same destination as ${other}` })
    taken.set(key, destination)
    if (hashes.has(object.content_hash))
      refused.push({ what: destination, why: 'has the same bytes as another file of the list' })
    hashes.add(object.content_hash)
  }
  return refused
}

/** What a person calls an object that may be anything. */
function titleOf(object: Partial<PullJobObject> | null | undefined): string {
  const { origin_path, package_name, asset_name, content_hash } = object ?? {}
  return shown(origin_path ?? package_name ?? asset_name ?? content_hash ?? 'A file')
}

/** Foreign text within a message: no control characters, not long. */
const shown = (value: unknown): string =>
  String(value)
    .slice(0, 200)
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '?')
