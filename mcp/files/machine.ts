/** Projects on this machine that an assistant may work in: those that the person linked, or named at the start. Nothing outside of them is touched. */
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { ClientError } from '../../client/client-error.ts'
import type { Api } from '../../client/http/api.ts'
import type { Wire } from '../../client/http/open-http.ts'
import { findDescriptor } from '../../client/project/unreal-project.ts'
import { findTarget, type PullTarget } from '../../client/pull/target-project.ts'
import { ToolRefusal } from '../tools/refusal.ts'
import { own } from '../tools/said.ts'

export interface Project {
  /** As its `.uproject` is called. */
  key: string
  /** Absolute, links resolved. */
  root: string
  /** Where that is not there, the folder is what a missing disk leaves behind. */
  hasDescriptor: boolean
}

/** What tools on files work with. */
export interface Machine {
  wire: Wire
  api: Api
  cacheBytes: number
  /** Asked for each call: people link and unlink. */
  projects(): Promise<readonly Project[]>
}

/** The project that a person named when they started the program. Throws ClientError `NO_PROJECT`, `SEVERAL_PROJECTS`, `PATH_NOT_FOUND`. */
export function namedProject(path: string): Project {
  if (!existsSync(path)) throw new ClientError('PATH_NOT_FOUND', `There is no ${path}.`)
  const folder = path.toLowerCase().endsWith('.uproject') ? dirname(path) : path
  const { project: key, root, descriptor } = findTarget({ cwd: folder, into: folder })
  return { key, root, hasDescriptor: descriptor !== undefined }
}

/** By its name or its folder; without either the only one. Throws ToolRefusal `NO_PROJECT`, `SEVERAL_PROJECTS`, with what to do. */
export async function projectOf({ projects }: Machine, given: string | undefined): Promise<PullTarget> {
  const all = await projects()
  const found = given === undefined ? all : all.filter(({ key, root }) => key === given || root === given)
  const [one, other] = found
  const about = { projects: all.slice(0, 20).map(({ key, root }) => ({ project: key, folder: root })) }
  if (!one) throw noProject(given, about)
  if (other)
    throw new ToolRefusal('SEVERAL_PROJECTS', own`Several projects are linked. The data says which.`, {
      about,
      next: own`Say which with \`project\`: its name, or its folder where two have one name.`,
    })
  if (one.hasDescriptor && findDescriptor(one.root) === undefined)
    throw new ToolRefusal('NO_PROJECT', own`That project is not in its folder any more.`, {
      about: { project: one.key, folder: one.root },
      next: own`Connect its disk, or link it where it is now.`,
    })
  const target = findTarget({ cwd: one.root, into: one.root, ...(one.hasDescriptor ? {} : { project: one.key }) })
  requireInside(target.root, target.content.path)
  return target
}

const noProject = (given: string | undefined, { projects }: { projects: readonly object[] }): ToolRefusal =>
  new ToolRefusal(
    'NO_PROJECT',
    projects.length === 0
      ? own`No project of this machine is linked.`
      : own`No linked project is called that. The data says which there are.`,
    {
      next: own`The person links one with \`ph agent link <folder>\`, or starts \`ph mcp --project <folder>\`.`,
      ...(projects.length === 0 ? {} : { about: { asked: given?.slice(0, 200), projects } }),
    },
  )

/**
 * The project, for a tool that replaces files in it: what it keeps of them, and what is on its way, lies in it too. Throws ToolRefusal
 * `OUTSIDE_PROJECT` where a link leads these out of it.
 */
export async function projectToChange(machine: Machine, given: string | undefined): Promise<PullTarget> {
  const [target, { foldersOfPulls }] = await Promise.all([
    projectOf(machine, given),
    import('../../client/pull/placing/folders.ts'),
  ])
  for (const folder of foldersOfPulls(target)) requireInside(target.root, folder)
  return target
}

/** The absolute path of something that is named in a project. It need not be there. Throws ToolRefusal `OUTSIDE_PROJECT`. */
export function placeIn(root: string, path: string): string {
  const place = resolve(root, path)
  requireInside(root, place)
  return place
}

/** The path of a file of any project. */
export async function fileIn(machine: Machine, path: string): Promise<string> {
  const roots = (await machine.projects()).map(({ root }) => root)
  const [root = ''] = isAbsolute(path) ? roots.filter((one) => isInside(one, resolve(path))) : roots
  if (root === '') throw outside(path)
  if (!isAbsolute(path) && roots.length > 1)
    throw new ToolRefusal('SEVERAL_PROJECTS', own`Several projects are linked, so a file is named by its whole path.`, {
      next: own`Name it by its whole path.`,
    })
  return placeIn(root, path)
}

/** By where it really lies: links lead nowhere else, whatever they are called. */
export function requireInside(root: string, place: string): void {
  if (!isInside(root, place) || !isInside(root, realPlace(place))) throw outside(place)
}

const isInside = (root: string, place: string): boolean =>
  place === root || place.startsWith(root.endsWith(sep) ? root : root + sep)

/** Of what is not there, the nearest folder that is, with the rest. A link that leads nowhere could be made to lead anywhere. */
function realPlace(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path === dirname(path) ? path : join(realPlace(dirname(path)), basename(path))
  }
}

const outside = (path: string): ToolRefusal =>
  new ToolRefusal('OUTSIDE_PROJECT', own`That lies outside of the projects that an assistant may work in.`, {
    about: { path },
    next: own`Name something in a linked project. Links that lead out of one are not followed.`,
  })
