/** The latest of a project: what of its files is not current, what stays as it is, and what others added to it. `ph pull` without names brings it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Deletion } from '../../contract/lineages.ts'
import { projectStateFile } from '../folders.ts'
import { createApi } from '../http/api.ts'
import { openWire, type Wire } from '../http/open-http.ts'
import { findFaces } from '../memory/find-versions.ts'
import { ProjectMemory } from '../memory/project-memory.ts'
import type { TellPush } from '../progress.ts'
import { findProjectName, locate } from '../project/unreal-project.ts'
import type { PullTarget } from '../pull/target-project.ts'
import { findSetBack } from '../status/advice.ts'
import type { LevelNews } from '../status/level-news.ts'
import { type StatusFile, type StatusReport, summaryOf } from '../status/report.ts'
import { status } from '../status/status.ts'
import { bringer } from './bringer.ts'
import { type AddedProp, findPlaced, findReferring, hasMoved, type OldFile } from './places.ts'

export interface LatestOptions extends Wire {
  target: PullTarget
  /** What is not here is brought too: what others added, and what is missing. */
  all?: boolean
  tell?: TellPush
}

/** Files below the project's root, with `/`. */
export interface Latest {
  /** Other versions than the current ones, or another prop lies in their place in the library: the pull brings what is current. */
  outdated: string[]
  /** Edited here, from the current version: they stay. */
  modified: string[]
  /** Edited here, from another version than the current one: they stay until someone says what is to become of them. */
  diverged: string[]
  /** Their props were deleted from the library: they stay. */
  deleted: string[]
  /** Who deleted those, and when. */
  deletions: (Deletion & { file: string })[]
  /** They were here before; of deleted props, those that something here refers to. Brought with `all`. */
  missing: string[]
  /** Outdated ones that no pull brings: their current version has no place in a project, or no prop here needs them. */
  not_pulled: string[]
  /** What others added to the project; brought with `all`. Null where the server does not say it. */
  added: AddedProp[] | null
  /** The entries that bring all this. */
  entry_ids: number[]
  /** So many files here are from the library; null where they were not compared. */
  from_library: number | null
}

const nothing: Latest = {
  ...{ outdated: [], modified: [], diverged: [], deleted: [], deletions: [], missing: [], not_pulled: [] },
  ...{ added: null, entry_ids: [], from_library: null },
}

/** Reads what changed here and asks the library. Changes nothing but what is remembered here. */
export async function findLatest(options: LatestOptions): Promise<Latest> {
  const { target, all = false, tell } = options
  // The files are those of another project, to which this one is something else.
  if (target.descriptor === undefined ? isInProject(target.root) : findProjectName(target.root) !== target.project) return nothing
  const report = await compareFiles(options)
  const http = openWire(options, tell ?? (() => {}))
  const memory = new ProjectMemory(projectStateFile(options.folders, options.url, target.root), {
    address: options.url,
    root: target.root,
  })
  try {
    const api = createApi(http)
    const filesIn = (...states: StatusFile['state'][]) => report.files.filter(({ state }) => states.includes(state))
    // Bytes that the library has as another version are no edit, such as those of another branch.
    const { reverted, overRedirectors } = await findSetBack(report.files, api)
    const setBack = new Set([...reverted, ...overRedirectors].map(({ file }) => file))
    const isSetBack = ({ file }: StatusFile) => setBack.has(file)
    const [outdated, missing] = [[...filesIn('outdated'), ...report.files.filter(isSetBack)], filesIn('missing')]
    const notSetBack = (one: StatusFile) => !isSetBack(one)
    const wanted = all ? [...outdated, ...missing] : outdated
    const lineageIds = [...new Set(wanted.flatMap(({ lineage_id }) => lineage_id ?? []))]
    const { lineages } = lineageIds.length > 0 ? await findFaces(api, { lineageIds, hashes: [], paths: [] }) : { lineages: [] }
    const faces = new Map(lineages.map((face) => [face.id, face]))
    const { elsewhere, replacing, gone, displaced, givenUp, takenBy } = await findPlaced(api, {
      target,
      memory,
      here: report.files,
    })
    const isMoved = (file: StatusFile) => hasMoved(file, { faces, target })
    // Another prop or a redirector has the place now: that one comes, unless its own prop has moved on.
    const isReplaced = (file: StatusFile) => takenBy(file) !== undefined && !isMoved(file)
    const bringing = new Map(
      wanted.filter((file) => !isReplaced(file)).map((file) => [file.file, bringer(file, { faces, memory, target })]),
    )
    const levels = report.levels.filter(({ file }) => existsSync(join(target.root, file)))
    const edited = filesIn('modified', 'diverged', 'moved').filter(notSetBack)
    const skipped = new Set(namesOf([...edited, ...displaced, ...givenUp]))
    // A redirector has the place, or may have it: of this project, or of the one that moved the prop.
    const isOver = new Set(overRedirectors)
    const isRedirected = (file: StatusFile) =>
      takenBy(file) === undefined ? isMoved(file) || isOver.has(file) : takenBy(file)?.entry_id === null
    const redirected = [...wanted.filter(isRedirected), ...displaced]
    const referring = await findReferring(api, [...redirected, ...gone], { memory, target, replacing, skipped })
    const needed = (all ? [...redirected, ...gone] : redirected).flatMap(({ file }) => referring.get(file) ?? [])
    const brought = [...bringing.values(), ...levels.map(({ entry_id }) => entry_id), ...needed].flatMap((id) => id ?? [])
    const isBrought = (one: OldFile) => bringing.get(one.file) !== undefined || referring.has(one.file)
    // Files that were edited since are conflicts of the pull.
    const taken = [...replacing.keys()].filter((file) => !bringing.has(file))
    return {
      outdated: [...new Set([...namesOf([...outdated, ...displaced].filter(isBrought)), ...levelFiles(levels), ...taken])],
      modified: namesOf(filesIn('modified', 'moved').filter(notSetBack)),
      diverged: namesOf(filesIn('diverged').filter(notSetBack)),
      // What left its level is taken away with what the level brings.
      deleted: namesOf(filesIn('deleted').filter(({ part }) => part === undefined)),
      deletions: filesIn('deleted').flatMap(({ file, deleted }) => (deleted ? { file, ...deleted } : [])),
      missing: namesOf([...missing, ...gone.filter(({ file }) => referring.has(file))]),
      not_pulled: namesOf(wanted.filter((one) => !isBrought(one) && (bringing.has(one.file) || takenBy(one)?.entry_id == null))),
      added: elsewhere,
      entry_ids: [
        ...new Set([...brought, ...[...replacing.values(), ...(all ? (elsewhere ?? []) : [])].map(({ entry_id }) => entry_id)]),
      ],
      from_library: report.summary.current + filesIn('outdated', 'modified', 'diverged', 'moved', 'deleted').length,
    }
  } finally {
    memory.close()
    await http.close('destroy')
  }
}

/** The project may be a folder without a descriptor, or one that is not there yet. */
async function compareFiles(options: LatestOptions): Promise<Pick<StatusReport, 'files' | 'levels' | 'summary'>> {
  const { root, project, content } = options.target
  if (!existsSync(content.path)) return { files: [], levels: [], summary: summaryOf([], { left_out: 0, failed: 0 }) }
  return status({ ...options, cwd: root, paths: [], project, all: false, filesOnly: true })
}

const isInProject = (folder: string): boolean => existsSync(folder) && locate(folder).root !== folder

/** Of those that have an entry, which brings what changed of their actors. */
const levelFiles = (levels: readonly LevelNews[]): string[] =>
  levels.flatMap(({ entry_id, file }) => (entry_id === null ? [] : file))

const namesOf = (files: readonly OldFile[]): string[] => files.map(({ file }) => file)
