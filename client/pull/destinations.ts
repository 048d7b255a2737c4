/**
 * Where the files of a pull land, and which of them must not: what a server names is believed only within the bounds of the
 * contract, so that none of it leads out of the project or means something else on another system (spec 4.3; contract-gaps 4).
 */

import { join } from 'node:path'
import { notPlacedWarnings } from '../../contract/file-kinds.ts'
import { limits } from '../../contract/limits.ts'
import { misnamedWarnings } from '../../contract/misnamed.ts'
import { nameKey } from '../../contract/names.ts'
import type { PullJobDetail, PullJobObject, PullWarning } from '../../contract/pull-jobs.ts'
import { extensionOf } from '../../formats/package-place.ts'
import { shellWord } from '../../system/shell-word.ts'
import { whyNotInContent } from '../project/places/placeable.ts'
import { ProjectPlaces } from '../project/places/project-places.ts'
import { type Obstacle, obstacle } from './obstacle.ts'

export interface PullFile {
  object: PullJobObject
  /** What people call it. */
  name: string
  /** The package path that it gets, as the editor names it. */
  destination: string
  /** Below the Content folder, with `/` and its extension. */
  path: string
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
 * `whyNot` is asked about paths below the Content folder.
 */
export function destinationsOf(
  objects: readonly unknown[],
  targetRoot: string,
  whyNot: (path: string) => string | undefined = whyNotInContent,
): Destinations {
  const refuse = (what: string, why: string): Destinations => ({ files: [], leftOut: [], refused: [{ what, why }] })
  if (!isText(targetRoot, longestPath) || !rootPath.test(targetRoot))
    return refuse(`The root ${shown(targetRoot)}`, 'is not a folder under /Game')
  const files: PullFile[] = []
  const leftOut: LeftOutFile[] = []
  const refused: DestinationRefusal[] = []
  for (const object of objects) {
    const destined = destinationOf(object, targetRoot)
    if (!('path' in destined)) {
      refused.push(destined)
      continue
    }
    const why = whyNot(destined.path)
    if (why === undefined) files.push(destined)
    else leftOut.push({ ...destined, why })
  }
  return { files, leftOut, refused: [...refused, ...findClashes(files, leftOut)] }
}

/** What keeps a file out of the Content folder of a project, by its path below it. `root`: the folder of the project. */
export function whyNotIn({ root, content }: { root: string; content: { file: string } }): (path: string) => string | undefined {
  const places = new ProjectPlaces()
  return (path) => whyNotInContent(path) ?? places.whyNot(join(root, content.file, path))
}

const notPlacedOf = ({ path, object, why }: LeftOutFile) => ({ path: `/Game/${path}`, object_id: object.object_id, why })

/** What the library warned of; what is left out is decided here, whether the library says it or not. */
export const withLeftOut = (warnings: readonly PullWarning[], leftOut: readonly LeftOutFile[]): PullWarning[] => [
  ...warnings.filter(({ type }) => type !== 'not_placed'),
  ...notPlacedWarnings(leftOut.map(notPlacedOf)),
]

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
  return leftOut.map(({ path, why }) => obstacle('no-prop', `/Game/${path}`, `/Game/${path} ${why}.`))
}

function destinationOf(given: unknown, targetRoot: string): PullFile | DestinationRefusal {
  const object = given as PullJobObject
  const what = titleOf(object)
  const fault = faultOf(object)
  if (fault) return { what, why: fault }
  const destination = targetRoot + (object.origin_path as string).slice('/Game'.length)
  const path = `${destination.slice('/Game/'.length)}.${extensionOf(object)}`
  const misnamed = faultOfPath(path)
  if (misnamed) return { what, why: misnamed }
  const name = object.asset_name ?? destination.slice(destination.lastIndexOf('/') + 1)
  return { object, name, destination, path }
}

const isText = (value: unknown, most: number): value is string => typeof value === 'string' && value.length <= most
const isCount = (value: unknown, most: number): boolean =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most

/** What is wrong with an object, as the end of a sentence. */
function faultOf(object: PullJobObject): string | undefined {
  if (typeof object !== 'object' || object === null) return 'is not a file'
  const { content_hash, lineage_id, object_id, origin_path, blob_size, source_ext, asset_class, asset_name, url } = object
  if (!isText(content_hash, 64) || !sha256.test(content_hash)) return 'has no hash'
  if (!isText(lineage_id, 64) || lineage_id === '' || !isCount(object_id, Number.MAX_SAFE_INTEGER)) return 'belongs to no version'
  if (origin_path === null || origin_path === undefined) return 'has no place under /Game'
  if (!isText(origin_path, longestPath) || !packagePath.test(origin_path))
    return `has a place that is not allowed: ${shown(origin_path)}`
  if (!isCount(blob_size, limits.blobBytes)) return 'has no size that a file can have'
  if (source_ext != null && (!isText(source_ext, 12) || !extension.test(source_ext)))
    return `has an extension that is not allowed: ${shown(source_ext)}`
  if (!isText(asset_class, longestText) || (asset_name != null && !isText(asset_name, longestText)))
    return 'has a name or class that is too long'
  return url === undefined || isText(url, 8000) ? undefined : 'has an address that is too long'
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
  for (const { object, path, destination } of files) {
    const other = taken.get(nameKey(path))
    if (other !== undefined) refused.push({ what: destination, why: `has the same destination as ${other}` })
    taken.set(nameKey(path), destination)
    if (hashes.has(object.content_hash))
      refused.push({ what: destination, why: 'has the same bytes as another file of the list' })
    hashes.add(object.content_hash)
  }
  return refused
}

/** What a person calls an object that may be anything. */
function titleOf(object: Partial<PullJobObject> | null | undefined): string {
  const { origin_path, asset_name, content_hash } = object ?? {}
  return shown(origin_path ?? asset_name ?? content_hash ?? 'A file')
}

/** Foreign text within a message: no control characters, not long. */
const shown = (value: unknown): string =>
  String(value)
    .slice(0, 200)
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '?')
