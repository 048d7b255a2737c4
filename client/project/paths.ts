/** From what a person named on the command line to the project and the paths in it where the walk begins. */
import { existsSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, parse, relative, sep } from 'node:path'
import { ClientError, systemCode } from '../client-error.ts'
import type { ScanStart } from './scan.ts'
import { isProject, locate } from './unreal-project.ts'

export interface NamedPaths {
  root: string
  starts: (ScanStart & { isFolder: boolean })[]
}

/**
 * Paths are absolute. All must lie in one project; those outside of any belong together below their common folder.
 * Throws ClientError `PATH_NOT_FOUND`, `SEVERAL_PROJECTS`, `TOO_MUCH` for a whole disk or home folder, `NOTHING_TO_PUSH` when
 * nothing is named.
 */
export function findNamedPaths(paths: readonly string[]): NamedPaths {
  // Many files of one folder are looked up once: every look reads each folder above.
  const places = new Map<string, ReturnType<typeof locate>>()
  const named = [...new Set(paths.map(placeInProject))].map((path) => {
    const isFolder = statSync(path).isDirectory()
    if (isFolder && holdsEverything(path)) throw new ClientError('TOO_MUCH', `${path} holds everything you have, not a project.`)
    const folder = isFolder ? path : dirname(path)
    const place = places.get(folder) ?? locate(folder)
    places.set(folder, place)
    return { path, isFolder, ...place }
  })
  const [first, ...others] = named
  if (!first) throw new ClientError('NOTHING_TO_PUSH', 'No folder and no file was named.')
  const roots = new Set(named.filter(({ mount }) => mount).map(({ root }) => root))
  const [root = others.reduce((common, { root: other }) => commonFolder(common, other), first.root), second] = roots
  const outside = named.find(({ path }) => path !== root && !path.startsWith(root + sep))
  if (second !== undefined) throw severalProjects(root, second)
  if (outside) throw severalProjects(root, outside.root)
  const starts = named.map(({ path, isFolder, mount }) => ({ path, isFolder, mount }))
  return { root, starts }
}

/** A slip of the keyboard, `ph push /`, must not send a million files. A project may lie anywhere, also there. */
function holdsEverything(path: string): boolean {
  const home = homedir()
  return (path === parse(path).root || (existsSync(home) && path === realpathSync(home))) && !isProject(path)
}

const severalProjects = (a: string, b: string): ClientError =>
  new ClientError('SEVERAL_PROJECTS', `${a} and ${b} are different projects.`)

/**
 * An absolute path as a walk of its project names it: links resolved, but for one that leads out of the project, such as a Content folder
 * on another disk. Throws ClientError `PATH_NOT_FOUND`.
 */
export function placeInProject(path: string): string {
  const real = realPath(path)
  if (real === path) return path
  const folder = nearestProject(path)
  return folder === undefined ? real : belowRoot(realPath(folder), { folder, path, real })
}

/** Of a path below `folder`, which really is `root`. */
export const belowRoot = (root: string, { folder, path, real }: { folder: string; path: string; real: string }): string =>
  real === root || real.startsWith(root + sep) ? real : join(root, relative(folder, path))

/** The nearest folder that holds a .uproject, upward by the names alone. */
function nearestProject(path: string): string | undefined {
  for (let folder = path; ; folder = dirname(folder)) {
    if (isProject(folder)) return folder
    if (folder === dirname(folder)) return undefined
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    const code = systemCode(error)
    if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'ELOOP') throw error
    throw new ClientError('PATH_NOT_FOUND', `There is no ${path}.`, { cause: error })
  }
}

function commonFolder(a: string, b: string): string {
  let common = a
  while (b !== common && !b.startsWith(common.endsWith(sep) ? common : common + sep)) common = dirname(common)
  return common
}
