/** Where in an Unreal project a path lies, also one that is not there yet, by its own folders and by where links on the way lead. Reads names only. */
import { readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { kindOf } from '../../../contract/file-kinds.ts'
import { ClientError } from '../../client-error.ts'
import { whyNotInContent } from './placeable.ts'

/** `content`: below a Content folder that the editor knows, with the path below it, with `/`. */
type Place = { kind: 'outside' } | { kind: 'content'; path: string } | { kind: 'elsewhere' }

export class ProjectPlaces {
  readonly #descriptors = new Map<string, Descriptors>()
  readonly #resolved = new Map<string, string>()
  /** Files that are about to lie there, by folder. */
  readonly #coming: ReadonlyMap<string, string[]>

  /** `coming`: absolute paths of files that are placed together: the descriptor of a project may be among them. */
  constructor(coming: readonly string[] = []) {
    this.#coming = Map.groupBy(coming.filter(isDescriptor), dirname)
  }

  /**
   * Why a file is not placed at an absolute path, as the end of a sentence about it. Outside of projects everything may be; in one, props in
   * its Content folder and in those of its plugins.
   */
  whyNot(path: string): string | undefined {
    const real = join(this.#resolve(dirname(path)), basename(path))
    return this.#whyNotAt(path) ?? (real === path ? undefined : this.#whyNotAt(real))
  }

  #resolve(folder: string): string {
    const known = this.#resolved.get(folder) ?? resolved(folder)
    this.#resolved.set(folder, known)
    return known
  }

  #whyNotAt(path: string): string | undefined {
    const place = this.#placeOf(path)
    if (place.kind === 'outside') return undefined
    if (place.kind === 'content') return whyNotInContent(place.path)
    return 'would lie in an Unreal project and outside of its Content folder'
  }

  #placeOf(path: string): Place {
    let plugin: string | undefined
    for (let at = dirname(path); ; at = dirname(at)) {
      // A descriptor by itself makes no project of the place where it goes.
      const isOwn = at === dirname(path) && isDescriptor(path)
      const { hasProject, hasPlugin } = isOwn ? this.#read(at, basename(path)) : this.#in(at)
      if (hasProject) return inProject(path, at, plugin)
      if (hasPlugin) plugin = plugin === undefined || contentPath(path, plugin) === undefined ? at : plugin
      if (at === dirname(at)) return plugin === undefined ? { kind: 'outside' } : toPlace(contentPath(path, plugin))
    }
  }

  #in(folder: string): Descriptors {
    const known = this.#descriptors.get(folder) ?? this.#read(folder)
    this.#descriptors.set(folder, known)
    return known
  }

  #read(folder: string, except?: string): Descriptors {
    const coming = (this.#coming.get(folder) ?? []).map((path) => basename(path))
    const kinds = new Set([...namesIn(folder), ...coming].map((name) => (name === except ? '' : kindOf(name))))
    return { hasProject: kinds.has('uproject'), hasPlugin: kinds.has('uplugin') }
  }
}

/** Refuses a file that a project must not get at this absolute path. Throws ClientError `NOT_PLACED`. */
export function requirePlaceable(path: string): void {
  const why = new ProjectPlaces().whyNot(path)
  if (why !== undefined) throw new ClientError('NOT_PLACED', `Nothing was placed. ${path} ${why}.`, { next: elsewhere })
}

/** What to do about a file that a project does not get. */
export const elsewhere = 'Choose a folder outside of the project; props may also go into its Content folder.'

interface Descriptors {
  hasProject: boolean
  hasPlugin: boolean
}

const isDescriptor = (path: string): boolean => ['uproject', 'uplugin'].includes(kindOf(path))

const toPlace = (path: string | undefined): Place => (path === undefined ? { kind: 'elsewhere' } : { kind: 'content', path })

/** The editor looks for plugins below `Plugins` only. */
function inProject(path: string, root: string, plugin: string | undefined): Place {
  const isKnown = plugin !== undefined && /^plugins\//i.test(below(plugin, root))
  return toPlace(contentPath(path, root) ?? (isKnown ? contentPath(path, plugin) : undefined))
}

/** Below the Content folder of a project or plugin. */
const contentPath = (path: string, owner: string): string | undefined => /^content\/(.+)$/is.exec(below(path, owner))?.[1]

const below = (path: string, folder: string): string => relative(folder, path).split(sep).join('/')

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** With the links resolved of what is there of it. */
function resolved(folder: string): string {
  const rest: string[] = []
  for (let at = folder; ; at = dirname(at)) {
    try {
      return join(realpathSync(at), ...rest)
    } catch {
      if (at === dirname(at)) return folder
      rest.unshift(basename(at))
    }
  }
}
