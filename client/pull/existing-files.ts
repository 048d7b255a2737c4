/**
 * What lies on disk where the files of a pull are to go, and what stands in their way there. A folder or file that is there in other
 * letters is the same one, on file systems that distinguish them too: Unreal does not. Lists folders, reads no file.
 */
import { accessSync, type BigIntStats, constants, type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { nameKey } from '../../contract/names.ts'
import type { PullWarning } from '../../contract/pull-jobs.ts'
import { systemCode } from '../client-error.ts'
import type { ContentFolder } from '../project/unreal-project.ts'
import type { PullFile } from './destinations.ts'
import { type Obstacle, obstacle } from './obstacle.ts'

/** Where a file goes, spelled as it is on the disk, `pullFile` too. `file` is its path below the project's root with `/`. */
export interface Destination {
  pullFile: PullFile
  file: string
  path: string
  /** What is there now; undefined when nothing is. */
  stats: BigIntStats | undefined
}

export interface Inspection {
  destinations: Destination[]
  obstacles: Obstacle[]
  /** Of several folders or files that differ in letters alone, the one that was taken. */
  warnings: PullWarning[]
}

/** What a path may have on this system, in bytes on POSIX and in characters on Windows, where the API adds what it needs. */
const longestPath = process.platform === 'win32' ? 32_000 : 4095

/** Looks at every destination. */
export function inspectDestinations(files: readonly PullFile[], content: ContentFolder): Inspection {
  const walks = new Map<string, Inspector>()
  const walkIn = (folder: ContentFolder): Inspector => {
    const walk = walks.get(folder.path) ?? new Inspector(folder)
    walks.set(folder.path, walk)
    return walk
  }
  const destinations = files.flatMap((pullFile) => walkIn(pullFile.content ?? content).look(pullFile) ?? [])
  const looked = [...walks.values()]
  return {
    destinations,
    obstacles: looked.flatMap(({ obstacles }) => obstacles),
    warnings: looked.flatMap(({ chosen }) => spellingWarnings(chosen)),
  }
}

/** A folder on the disk, or one that is not there yet: then it has no entries. */
interface Place {
  /** Below the Content folder, with `/`, spelled as on the disk; empty for that folder itself. */
  below: string
  /** By the key of their names. */
  entries: ReadonlyMap<string, Dirent[]>
}

/** A folder by its name in the library: usually one on the disk, several where a file system keeps names apart by letters. */
interface Folder {
  places: Place[]
  /** The spellings that are there, where there are several of it, or of a folder above it. */
  spellings: readonly string[]
  isBlocked: boolean
}

class Inspector {
  readonly obstacles: Obstacle[] = []
  /** By spellings that are there beside each other, joined: those, and which of them were taken. */
  readonly chosen = new Map<string, { spellings: readonly string[]; taken: Set<string> }>()
  readonly #content: ContentFolder
  /** By the key of their paths. */
  readonly #folders = new Map<string, Folder>()

  constructor(content: ContentFolder) {
    this.#content = content
  }

  look(pullFile: PullFile): Destination | undefined {
    const [above, name] = splitPath(pullFile.path)
    const folder = this.#folder(above)
    if (folder.isBlocked) return undefined
    const places = exactFirst(folder.places, above)
    const found = places.flatMap((place) => exactFirst(namesakes(place, name), name))
    const entry = found.find(({ below }) => below === pullFile.path) ?? found[0]
    const below = entry?.below ?? joined(places[0]?.below ?? above, name)
    const file = this.#fileOf(below)
    if (found.length > 1) this.#choose(found.map((one) => this.#fileOf(one.below)).sort(), file)
    else if (folder.spellings.length > 0) this.#choose(folder.spellings, file)
    const path = join(this.#content.path, below)
    if (Buffer.byteLength(path) > longestPath)
      return this.#block(obstacle('path-too-long', file, `The path ${file} is too long for this system.`))
    const spelled = spelledAs(pullFile, below)
    if (!entry) return { pullFile: spelled, file, path, stats: undefined }
    if (entry.dirent.isSymbolicLink()) return this.#block(obstacle('leads-elsewhere', file, `${file} is a symbolic link.`))
    if (!entry.dirent.isFile()) return this.#block(obstacle('in-the-way', file, `${file} is there and is not a file.`))
    return { pullFile: spelled, file, path, stats: lstatSync(path, { bigint: true, throwIfNoEntry: false }) }
  }

  #fileOf = (below: string): string => joined(this.#content.file, below)

  #choose(spellings: readonly string[], file: string): void {
    const taken = spellings.find((one) => file === one || file.startsWith(`${one}/`)) ?? file
    const known = this.chosen.get(spellings.join('\n'))
    if (known) known.taken.add(taken)
    else this.chosen.set(spellings.join('\n'), { spellings, taken: new Set([taken]) })
  }

  #block(found: Obstacle): undefined {
    this.obstacles.push(found)
    return undefined
  }

  /** A folder below the Content folder; its obstacles are named once. The first spelling in the list is that of a new one. */
  #folder(below: string): Folder {
    const key = nameKey(below)
    const known = this.#folders.get(key)
    if (known) return known
    const folder = below === '' ? this.#enter(['']) : this.#inner(below)
    this.#folders.set(key, folder)
    return folder
  }

  #inner(below: string): Folder {
    const [above, name] = splitPath(below)
    const parent = this.#folder(above)
    if (parent.isBlocked) return blocked
    const places = exactFirst(parent.places, above)
    const found = places.flatMap((place) => namesakes(place, name))
    const faults = found.flatMap(({ dirent, below: at }) => this.#faultOf(dirent, this.#fileOf(at)) ?? [])
    this.obstacles.push(...faults)
    if (faults.length > 0) return blocked
    if (found.length === 0) {
      const unmade = { below: joined(places[0]?.below ?? above, name), entries: new Map() }
      return { places: [unmade], spellings: parent.spellings, isBlocked: false }
    }
    const spellings = found.map((one) => one.below).sort()
    const entered = this.#enter(spellings)
    return spellings.length > 1 ? entered : { ...entered, spellings: parent.spellings }
  }

  #faultOf(entry: Dirent, file: string): Obstacle | undefined {
    if (entry.isSymbolicLink()) return obstacle('leads-elsewhere', file, `The folder ${file} is a symbolic link.`)
    return entry.isDirectory() ? undefined : obstacle('in-the-way', file, `${file} is there and is not a folder.`)
  }

  #enter(spellings: readonly string[]): Folder {
    const places = spellings.flatMap((below) => this.#read(below) ?? [])
    const files = spellings.length > 1 ? spellings.map(this.#fileOf) : []
    return { places, spellings: files, isBlocked: places.length < spellings.length }
  }

  /** Undefined where it cannot be read or written to, which is named. */
  #read(below: string): Place | undefined {
    const path = join(this.#content.path, below)
    try {
      const entries = Map.groupBy(readdirSync(path, { withFileTypes: true }), ({ name }) => nameKey(name))
      accessSync(path, constants.W_OK)
      return { below, entries }
    } catch (error) {
      const code = systemCode(error)
      if (code === 'ENOENT') return { below, entries: new Map() }
      const file = this.#fileOf(below)
      return this.#block(obstacle('folder-read-only', file, `The folder ${file} cannot be written to (${code}).`))
    }
  }
}

const blocked: Folder = { places: [], spellings: [], isBlocked: true }

const joined = (above: string, name: string): string => (above === '' ? name : name === '' ? above : `${above}/${name}`)

function splitPath(path: string): [above: string, name: string] {
  const at = path.lastIndexOf('/')
  return [path.slice(0, Math.max(at, 0)), path.slice(at + 1)]
}

/** What a folder holds under a name, whatever its letters. */
const namesakes = (place: Place, name: string) =>
  (place.entries.get(nameKey(name)) ?? []).map((dirent) => ({ dirent, below: joined(place.below, dirent.name) }))

/** The one that is spelled so, or whose path ends so, before others. */
function exactFirst<T extends { below: string }>(list: readonly T[], spelling: string): T[] {
  const isExact = ({ below }: T) => below === spelling || below.endsWith(`/${spelling}`)
  return list.toSorted((a, b) => Number(isExact(b)) - Number(isExact(a)))
}

/** The same file at the place that it gets on this disk. */
function spelledAs(pullFile: PullFile, path: string): PullFile {
  if (pullFile.path === path) return pullFile
  const [from, to] = [withoutExtension(pullFile.path), withoutExtension(path)]
  const at = pullFile.destination.lastIndexOf(from)
  const destination = pullFile.destination.slice(0, at) + to + pullFile.destination.slice(at + from.length)
  return { ...pullFile, path, destination }
}

const withoutExtension = (path: string): string => path.replace(/\.[^./]*$/, '')

const spellingWarnings = (chosen: Inspector['chosen']): PullWarning[] =>
  [...chosen.values()].map(({ spellings, taken }) => ({
    type: 'several_spellings',
    message: `${spellings.join(' and ')} are here, and are one to Unreal, Windows and macOS: ${[...taken].join(' and ')} was taken. Keep one.`,
    spellings: [...spellings],
    taken: [...taken],
  }))
