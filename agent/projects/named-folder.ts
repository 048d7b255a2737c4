/** Which project a path names: its folder, its .uproject, or anything in it. */
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, relative, sep } from 'node:path'
import { ClientError } from '../../client/client-error.ts'
import { belowRoot, placeInProject } from '../../client/project/paths.ts'
import { findTarget, type PullTarget } from '../../client/pull/target-project.ts'

const isDescriptor = (name: string): boolean => extname(name).toLowerCase() === '.uproject'

/**
 * `key`: the name of a project in a folder that holds no .uproject. Without it the nearest folder upward that holds one is meant.
 * With links resolved. Throws ClientError `NO_PROJECT`, `SEVERAL_PROJECTS`, `PATH_NOT_FOUND`.
 */
export function namedProject(path: string, key: string | undefined): PullTarget {
  if (!existsSync(path)) throw new ClientError('PATH_NOT_FOUND', `There is no ${path}.`)
  if (statSync(path).isDirectory()) return targetIn(key === undefined ? (upward(path) ?? path) : path, key)
  if (isDescriptor(path)) return targetIn(dirname(path), key ?? basename(path, extname(path)))
  throw noProject(`${path} is not the folder of a project, and no .uproject.`)
}

const next = 'Name the folder that holds the .uproject; where there is none, say the name of the project with --project.'
const noProject = (message: string): ClientError => new ClientError('NO_PROJECT', message, { next })

function targetIn(folder: string, key: string | undefined): PullTarget {
  try {
    return findTarget({ cwd: folder, into: folder, ...(key === undefined ? {} : { project: key }) })
  } catch (error) {
    if (!(error instanceof ClientError) || (error.code !== 'NO_PROJECT' && error.code !== 'SEVERAL_PROJECTS')) throw error
    throw error.code === 'NO_PROJECT' ? noProject(error.message) : several(error)
  }
}

const several = ({ message }: ClientError): ClientError =>
  new ClientError('SEVERAL_PROJECTS', message, { next: 'Name the .uproject file of the one that is meant.' })

/** A link into a project leads to it, and one out of it, such as its Content folder, does not lead away. */
function upward(path: string): string | undefined {
  for (let folder = placeInProject(path); ; folder = dirname(folder)) {
    if (namesIn(folder).some(isDescriptor)) return folder
    if (folder === dirname(folder)) return undefined
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** A place below one of the folders. */
export interface PlaceBelow {
  root: string
  /** Below it, with `/`; empty: the folder itself. */
  file: string
}

/** The nearest of `roots`, whose links are resolved, that a path lies in, by its names or by where it really lies. It need not be there. */
export function placeBelow(given: string, roots: ReadonlySet<string>): PlaceBelow | undefined {
  const real = realPath(given)
  return placeUpward(given, { real, roots }) ?? placeUpward(real, { real, roots })
}

function placeUpward(path: string, { real, roots }: { real: string; roots: ReadonlySet<string> }): PlaceBelow | undefined {
  for (let folder = path; ; folder = dirname(folder)) {
    const root = realPath(folder)
    if (roots.has(root)) return { root, file: relative(root, belowRoot(root, { folder, path, real })).split(sep).join('/') }
    if (folder === dirname(folder)) return undefined
  }
}

/** Of what is not there, the nearest folder that is, with the rest. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path === dirname(path) ? path : join(realPath(dirname(path)), basename(path))
  }
}
