/**
 * Where downloaded files lie below the folder that was asked for: as they were pushed, packages below `Content`, companions where
 * the files that name them look for them. What the library names is believed only as far as it stays in that folder. Pure.
 */
import { nameKey } from '../../contract/names.ts'
import { extensionOf } from '../../formats/package-place.ts'
import { withoutEnd } from '../../system/text/text-end.ts'
import { companionPath } from '../project/companion-path.ts'
import { isDeviceName } from '../project/places/placeable.ts'
import { type DownloadedObject, type LaidFile, type RefusedFile, TakenPaths } from './taken-paths.ts'

/** An entry and what it needs, itself first. */
export interface DownloadSet {
  entry_id: number
  name: string
  members: readonly DownloadedObject[]
}

export interface DownloadLayout {
  files: LaidFile[]
  /** Entries that would have lain where another one does, and the folder that they have to themselves. */
  apart: { entry_id: number; name: string; folder: string; path: string }[]
  /** Addresses that lead to no file that came along. */
  unresolved: { file: string; address: string }[]
  /** Addresses for which the only file of that kind was taken, although it was pushed under another name: `taken`. */
  guessed: { file: string; address: string; taken: string }[]
  /** Files whose names this system cannot have; the others come. */
  left_out: RefusedFile[]
  /** What ph places nowhere, because no library names it: then nothing comes. */
  refused: RefusedFile[]
}

/** The addresses that the bytes of a version name, relative to its own folder. */
export type CompanionsOf = (object: DownloadedObject) => readonly string[]

/** Lays out entry after entry; one that clashes with those before gets a folder of its own, with all that it needs. */
export function layOut(sets: readonly DownloadSet[], companionsOf: CompanionsOf): DownloadLayout {
  const taken = new TakenPaths()
  const layout: DownloadLayout = { files: [], apart: [], unresolved: [], guessed: [], left_out: [], refused: [] }
  for (const set of sets) {
    const { files, unresolved, guessed } = layOutSet(set, companionsOf)
    const clash = taken.clashOf(files)
    const folder = clash === undefined ? '' : `${plainName(set.name)}-${set.entry_id}`
    const placed = folder === '' ? files : files.map(({ path, object }) => ({ path: `${folder}/${path}`, object }))
    if (clash !== undefined) layout.apart.push({ entry_id: set.entry_id, name: set.name, folder, path: clash })
    const within = <T extends { file: string }>(one: T): T => (folder === '' ? one : { ...one, file: `${folder}/${one.file}` })
    layout.unresolved.push(...unresolved.map(within))
    layout.guessed.push(...guessed.map(within))
    const { leftOut, refused } = taken.add(placed)
    layout.left_out.push(...leftOut)
    layout.refused.push(...refused)
  }
  layout.files = taken.files
  return layout
}

type SetLayout = Pick<DownloadLayout, 'files' | 'unresolved' | 'guessed'>

function layOutSet({ members }: DownloadSet, companionsOf: CompanionsOf): SetLayout {
  const [root] = members
  const files = new Map<string, LaidFile>()
  const unresolved: SetLayout['unresolved'] = []
  const guessed: SetLayout['guessed'] = []
  /** False where another file lies. */
  const put = (path: string, object: DownloadedObject): boolean => {
    const known = files.get(nameKey(path))
    if (!known) files.set(nameKey(path), { path, object })
    return known === undefined || known.object.object_id === object.object_id
  }
  const follow = (from: LaidFile): void => {
    for (const address of companionsOf(from.object)) {
      const path = companionPath(from.path, address)
      const { companion, isGuess } = path === undefined ? nothing : findCompanion({ path, from, members })
      const isNew = path !== undefined && !files.has(nameKey(path))
      if (path === undefined || !companion || !put(path, companion)) unresolved.push({ file: from.path, address })
      else {
        if (isGuess && isNew) guessed.push({ file: from.path, address, taken: fileOf(ownPath(companion)) })
        if (isNew) follow({ path, object: companion })
      }
    }
  }
  if (root) {
    const file = { path: ownPath(root), object: root }
    put(file.path, root)
    follow(file)
  }
  const placed = new Set([...files.values()].map(({ object }) => object.object_id))
  for (const object of members) {
    if (placed.has(object.object_id)) continue
    const path = freePath(ownPath(object), object, files)
    put(path, object)
    follow({ path, object })
  }
  return { files: [...files.values()], unresolved, guessed }
}

/** Two files that an entry needs were pushed as one path, from two folders. */
const freePath = (path: string, { object_id }: DownloadedObject, files: ReadonlyMap<string, LaidFile>): string =>
  files.has(nameKey(path)) ? path.replace(/(\.[^./]*)?$/, `-${object_id}$1`) : path

interface FoundCompanion {
  companion: DownloadedObject | undefined
  /** Only its kind speaks for it. */
  isGuess: boolean
}

const nothing: FoundCompanion = { companion: undefined, isGuess: false }

interface CompanionSearch {
  path: string
  from: LaidFile
  members: readonly DownloadedObject[]
}

/**
 * The file that an address leads to: the one that was pushed at that place; else the only one of that file name; else the only one
 * of that kind, because bytes that were pushed under two names are one version.
 */
function findCompanion({ path, from, members }: CompanionSearch): FoundCompanion {
  const others = members.filter(({ object_id, source_ext }) => object_id !== from.object.object_id && source_ext !== null)
  const key = nameKey(path)
  const atPlace = others.find((object) => nameKey(ownPath(object)) === key)
  if (atPlace) return { companion: atPlace, isGuess: false }
  const named = others.filter((object) => fileOf(nameKey(ownPath(object))) === fileOf(key))
  const own = members.find(({ object_id }) => object_id === from.object.object_id)
  const alike = named.length > 0 ? named : others.filter(({ source_ext }) => key.endsWith(`.${source_ext}`))
  const near = alike.filter((object) => sharesFolder(own, object))
  const [only, second] = alike.length === 1 ? alike : near
  return { companion: second ? undefined : only, isGuess: named.length === 0 }
}

/** Both were pushed from one folder, or one below it. */
function sharesFolder(own: DownloadedObject | undefined, { source_path }: DownloadedObject): boolean {
  const path = own?.source_path
  return path != null && source_path?.startsWith(path.slice(0, path.lastIndexOf('/') + 1)) === true
}

const fileOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Where a version was pushed: a package by its `/Game` path, another file by its path below the folder that was pushed. */
export function ownPath(object: DownloadedObject): string {
  const { origin_path, package_name, source_path, source_ext, asset_class } = object
  const extension = extensionOf({ source_ext, asset_class })
  // A name with other letters than an `origin_path` has is a path under /Game too.
  const path = origin_path ?? (/^\/Game\//i.test(package_name ?? '') ? package_name : undefined)
  const inContent = path == null ? undefined : `Content${path.slice('/Game'.length)}.${extension}`
  const asPushed = source_path ?? undefined
  const first = source_ext === null ? (inContent ?? asPushed) : (asPushed ?? inContent)
  return first ?? `${plainName(object.asset_name ?? `version ${object.object_id}`)}.${extension}`
}

/** A name from the library as the name of a file on any system. */
export function plainName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no file name may hold them
  const allowed = name.replace(/[\u0000-\u001f<>:"/\\|?*]/g, '_')
  const shown = withoutEnd(allowed, '. ')
  const device = isDeviceName(shown.split('.')[0] ?? '') ? '_' : ''
  return `${device}${shown.replace(/^\.+/, '_')}${shown === allowed ? '' : '_'}` || 'entry'
}
