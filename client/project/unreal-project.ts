/** Unreal projects and plugins on disk: where one begins, what its Content folders are called, which engine it uses. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { knownEngine } from '../../formats/engine-version.ts'

/**
 * A Content folder and the first part of its packages' names: `/Game`, or `/<plugin>`. `assumed`: no descriptor lies
 * beside it, so the name is a guess from the folders' names, to be confirmed by what the packages say of themselves.
 */
export interface Mount {
  /** Absolute path of the Content folder. */
  folder: string
  /** Its path below the project's root, with `/` behind: what the paths of its files begin with. */
  prefix: string
  name: string
  assumed: boolean
  /** `major.minor.patch` of the nearest project's engine, null when not known. */
  engineVersion: string | null
}

/** A Content folder that files may go to. */
export interface ContentFolder {
  /** Absolute. */
  path: string
  /** Below the project's root, for example `Content`. */
  file: string
}

/** The project and Content folder of a path. `root`: the folder of its project, or else of what was named. */
export interface LocatedProject {
  root: string
  mount: Mount | undefined
}

/**
 * Whether a folder may be a Content folder. With a descriptor beside it the case of letters does not matter; without one,
 * only the engine's own spelling is taken for it.
 */
export const isContentFolder = (name: string, hasDescriptor: boolean): boolean =>
  name === 'Content' || (hasDescriptor && name.toLowerCase() === 'content')

/**
 * Looks upward from a folder for its Content folder, plugin and project. The root is the folder of the nearest `.uproject`,
 * else of the nearest `.uplugin`, else the one that holds a folder named Content, else `folder` itself.
 */
export function locate(folder: string): LocatedProject {
  let content: string | undefined
  let isSure = false
  let plugin: string | undefined
  for (let at = folder, below = ''; ; below = at, at = dirname(at)) {
    const descriptors = descriptorsIn(at)
    const here = descriptors.project !== undefined || descriptors.plugin !== undefined
    // Content inside of Content is a folder like any other where a descriptor says which one counts.
    if (below !== '' && !isSure && isContentFolder(basename(below), here) && (here || content === undefined)) content = below
    isSure ||= here
    plugin ??= descriptors.plugin === undefined ? undefined : at
    const end = at === dirname(at)
    if (descriptors.project === undefined && !end) continue
    const root = descriptors.project === undefined ? (plugin ?? (content === undefined ? folder : dirname(content))) : at
    return { root, mount: content === undefined ? undefined : mountAt(content, root) }
  }
}

/** What a Content folder is, by the descriptor beside it. Without one, `Plugins/X/Content` is taken for `/X`, else for `/Game`. */
export function mountAt(folder: string, root: string): Mount {
  const owner = dirname(folder)
  const prefix = `${relative(root, folder).split(sep).join('/')}/`
  const { project, plugin } = descriptorsIn(owner)
  const engineVersion = engineVersionAbove(owner)
  if (project) return { folder, prefix, name: '/Game', assumed: false, engineVersion }
  if (plugin) return { folder, prefix, name: `/${plugin}`, assumed: false, engineVersion }
  const inPlugins = basename(dirname(owner)).toLowerCase() === 'plugins'
  return { folder, prefix, name: inPlugins ? `/${basename(owner)}` : '/Game', assumed: true, engineVersion }
}

/** The long package name that a file's place gives it; `relative` is its path below the Content folder, with `/`. */
export const packageNameAt = (mount: Mount, relative: string): string => `${mount.name}/${relative.replace(/\.[^./]*$/, '')}`

/** The file, relative to the Content folder and without extension, that a package of this mount is kept in. */
export function pathOfPackage(mount: Mount, packageName: string): string | undefined {
  const prefix = `${mount.name}/`
  return packageName.toLowerCase().startsWith(prefix.toLowerCase()) ? packageName.slice(prefix.length) : undefined
}

/** What a project is called: the stem of its `.uproject`; undefined where a folder has none. */
export const findProjectName = (root: string): string | undefined => descriptorsIn(root).project

/** The path of its `.uproject`; undefined where a folder has none. */
export function findDescriptor(root: string): string | undefined {
  const { project } = descriptorsIn(root)
  return project === undefined ? undefined : join(root, `${project}.uproject`)
}

/** Whether the descriptor of a project lies directly in a folder. */
export const isProject = (folder: string): boolean => descriptorsIn(folder).project !== undefined

/** The same of a plugin. */
export const isPlugin = (folder: string): boolean => descriptorsIn(folder).plugin !== undefined

/** Whether the descriptor of either does. */
export const holdsDescriptor = (folder: string): boolean => isProject(folder) || isPlugin(folder)

/** The stems of the first `.uproject` and the first `.uplugin` in a folder. */
function descriptorsIn(folder: string): { project?: string; plugin?: string } {
  const names = namesIn(folder)
  const stem = (extension: string) => {
    const name = names.find((candidate) => candidate.toLowerCase().endsWith(extension))
    return name?.slice(0, -extension.length)
  }
  return { project: stem('.uproject'), plugin: stem('.uplugin') }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

/** The engine of the nearest project from here upward: a package says 0.0.0 when its engine was built without version. */
function engineVersionAbove(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    const { project } = descriptorsIn(at)
    if (project !== undefined) return readEngineVersion(join(at, `${project}.uproject`))
    if (at === dirname(at)) return null
  }
}

const largestDescriptorBytes = 4 * 1024 * 1024

/** What a `.uproject` says; undefined where it cannot be read. */
export function readDescriptor(path: string): Record<string, unknown> | undefined {
  try {
    if (statSync(path).size > largestDescriptorBytes) return undefined
    const said: unknown = JSON.parse(decodeText(readFileSync(path)))
    return typeof said === 'object' && said !== null ? (said as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** `EngineAssociation` of a `.uproject`: `5.4` gives `5.4.0`; a source build's GUID, a path or nothing gives null. */
export function readEngineVersion(descriptor: string): string | null {
  const match = /^(\d{1,5})\.(\d{1,5})(?:\.(\d{1,5}))?$/.exec(String(readDescriptor(descriptor)?.EngineAssociation ?? ''))
  return match ? knownEngine(`${match[1]}.${match[2]}.${match[3] ?? 0}`) : null
}

/** Editors write descriptors as UTF-8, some tools as UTF-16 with a mark. */
function decodeText(bytes: Buffer): string {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  return new TextDecoder(utf16 ? 'utf-16le' : 'utf-8').decode(bytes)
}
