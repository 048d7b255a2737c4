/** Which project a pull goes into: its folder, its Content folder, its name and its engine. Creates nothing. */
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ClientError } from '../client-error.ts'
import { type ContentFolder, isContentFolder, readEngineVersion } from '../project/unreal-project.ts'

export interface PullTarget {
  /** Exactly as it is claimed: the stem of the `.uproject`, or what was asked for where there is none. */
  project: string
  /** Absolute, links resolved; it need not be there yet. */
  root: string
  content: ContentFolder
  /** The `.uproject`, when there is one. */
  descriptor: string | undefined
  /** `major.minor.patch`; null when not known. */
  engineVersion: string | null
}

export interface TargetChoice {
  cwd: string
  project?: string
  /** Absolute path of the folder to pull into. */
  into?: string
}

/**
 * Finds the project: in `into`, else the nearest one from `cwd` upward, else one just below it. Throws ClientError
 * `NO_PROJECT`, `SEVERAL_PROJECTS`.
 */
export function findTarget({ cwd, project, into }: TargetChoice): PullTarget {
  if (into !== undefined) return targetIn(into, project)
  const folder = upward(cwd, project) ?? justBelow(cwd, project)
  if (folder !== undefined) return targetIn(folder, project)
  const what = project === undefined ? 'an Unreal project' : `${project}.uproject`
  throw new ClientError('NO_PROJECT', `There is no ${what} in ${cwd}, above it or just below it.`.replace('no an', 'no'))
}

/** The project of exactly this name, where it lies here, above or just below; to know more of a project that others pull into. */
export function findHost(cwd: string, project: string): PullTarget | undefined {
  try {
    return findTarget({ cwd, project })
  } catch (error) {
    if (error instanceof ClientError) return undefined
    throw error
  }
}

function upward(cwd: string, project: string | undefined): string | undefined {
  for (let at = cwd; ; at = dirname(at)) {
    if (holds(at, project)) return at
    if (at === dirname(at)) return undefined
  }
}

function justBelow(cwd: string, project: string | undefined): string | undefined {
  const folders = namesIn(cwd)
    .map((name) => join(cwd, name))
    .filter((path) => holds(path, project))
  const [folder, other, ...others] = folders
  const more = others.length > 0 ? ` and ${others.length} more` : ''
  if (folder !== undefined && other !== undefined)
    throw new ClientError('SEVERAL_PROJECTS', `More than one folder here holds a project: ${folder}, ${other}${more}.`, {
      next: 'Say which one with --into, or go into its folder.',
    })
  return folder
}

const holds = (folder: string, project: string | undefined): boolean => {
  const stems = projectsIn(folder)
  return project === undefined ? stems.length > 0 : stems.includes(project)
}

/** Stems of the project descriptors in a folder. */
const projectsIn = (folder: string): string[] => namesIn(folder).flatMap((name) => /^(.+)\.uproject$/i.exec(name)?.[1] ?? [])

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

function targetIn(folder: string, name: string | undefined): PullTarget {
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (stats && !stats.isDirectory()) throw new ClientError('NO_PROJECT', `${folder} is not a folder.`)
  const root = stats ? realpathSync(folder) : folder
  const stems = projectsIn(root)
  const project = name ?? stems[0]
  if (project === undefined)
    throw new ClientError('NO_PROJECT', `${folder} holds no .uproject, so the name of the project is not known.`)
  if (name === undefined && stems.length > 1)
    throw new ClientError('SEVERAL_PROJECTS', `${folder} holds several projects: ${stems.join(', ')}.`, {
      next: 'Say which one with --project.',
    })
  if (stems.length > 0 && !stems.includes(project))
    throw new ClientError('NO_PROJECT', `${folder} holds the project ${stems.join(', ')}, not ${project}.`, {
      next: `Pull with --project ${stems[0]}, or into another folder.`,
    })
  const file = namesIn(root).find((name) => name.replace(/\.uproject$/i, '') === project && /\.uproject$/i.test(name))
  const descriptor = file === undefined ? undefined : join(root, file)
  return {
    project,
    root,
    content: contentIn(root, descriptor !== undefined),
    descriptor,
    engineVersion: descriptor === undefined ? null : readEngineVersion(descriptor),
  }
}

/** The Content folder as it is spelled there; where it leads when it is a link. */
function contentIn(root: string, hasDescriptor: boolean): ContentFolder {
  const name = namesIn(root).find((one) => isContentFolder(one, hasDescriptor)) ?? 'Content'
  const path = join(root, name)
  return { path: existsSync(path) ? realpathSync(path) : path, file: name }
}
