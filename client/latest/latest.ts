/** The latest of a project: what of its files is not current, what stays as it is, and what others added to it. `ph pull` without names brings it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Deletion, LineageFace } from '../../contract/lineages.ts'
import { projectStateFile } from '../folders.ts'
import { type Api, createApi } from '../http/api.ts'
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
import { type AddedProp, findPlaced, hasMoved, type OldFile, type Placed } from './places.ts'
import { findReferring } from './referrers.ts'

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
    return await new LatestSearch({ api: createApi(http), memory, target, report, all }).run()
  } finally {
    memory.close()
    await http.close('destroy')
  }
}

interface SearchParts {
  api: Api
  memory: ProjectMemory
  target: PullTarget
  report: ComparedFiles
  all: boolean
}

/** Files that are not as the library has them. */
interface Differing {
  outdated: StatusFile[]
  missing: StatusFile[]
  /** Those that the pull is to bring up to date. */
  wanted: StatusFile[]
  /** Bytes that the library has as another version are no edit, such as those of another branch. */
  setBack: ReadonlySet<string>
  overRedirectors: ReadonlySet<StatusFile>
}

/** What the library has in the places of the wanted files. */
interface Found {
  faces: ReadonlyMap<string, LineageFace>
  places: Placed
  /** The entry that brings each file; undefined where there is none. Not of files in whose place the project has something else. */
  bringing: ReadonlyMap<string, number | undefined>
  /** The entries of those that refer to files without one, by file. */
  referring: ReadonlyMap<string, number[]>
  redirected: readonly OldFile[]
}

class LatestSearch {
  readonly #parts: SearchParts

  constructor(parts: SearchParts) {
    this.#parts = parts
  }

  async run(): Promise<Latest> {
    const differing = await this.#differing()
    return this.#latest(differing, await this.#find(differing))
  }

  #filesIn = (...states: StatusFile['state'][]): StatusFile[] =>
    this.#parts.report.files.filter(({ state }) => states.includes(state))

  async #differing(): Promise<Differing> {
    const { api, report, all } = this.#parts
    const found = await findSetBack(report.files, api)
    const setBack = new Set([...found.reverted, ...found.overRedirectors].map(({ file }) => file))
    const outdated = [...this.#filesIn('outdated'), ...report.files.filter(({ file }) => setBack.has(file))]
    const missing = this.#filesIn('missing')
    const wanted = all ? [...outdated, ...missing] : outdated
    return { outdated, missing, wanted, setBack, overRedirectors: new Set(found.overRedirectors) }
  }

  async #find({ wanted, setBack, overRedirectors }: Differing): Promise<Found> {
    const { api, memory, target, report } = this.#parts
    const faces = await this.#facesOf(wanted)
    const places = await findPlaced(api, { target, memory, here: report.files })
    const { replacing, gone, displaced, givenUp, takenBy } = places
    const bringing = this.#bringing(wanted, { faces, places })
    const edited = this.#filesIn('modified', 'diverged', 'moved').filter(({ file }) => !setBack.has(file))
    const skipped = new Set(namesOf([...edited, ...displaced, ...givenUp]))
    // A redirector has the place, or may have it: of this project, or of the one that moved the prop.
    const isRedirected = (file: StatusFile) => {
      const other = takenBy(file)
      return other === undefined ? hasMoved(file, { faces, target }) || overRedirectors.has(file) : other.entry_id === null
    }
    const redirected = [...wanted.filter(isRedirected), ...displaced]
    const referring = await findReferring(api, [...redirected, ...gone], { memory, target, replacing, skipped })
    return { faces, places, bringing, referring, redirected }
  }

  async #facesOf(files: readonly StatusFile[]): Promise<Map<string, LineageFace>> {
    const lineageIds = [...new Set(files.flatMap(({ lineage_id }) => lineage_id ?? []))]
    if (lineageIds.length === 0) return new Map()
    const { lineages } = await findFaces(this.#parts.api, { lineageIds, hashes: [], paths: [] })
    return new Map(lineages.map((face) => [face.id, face]))
  }

  /** Where the project has another prop in the place of a file, or in the one that its prop has moved to, that one comes. */
  #bringing(wanted: readonly StatusFile[], { faces, places }: Pick<Found, 'faces' | 'places'>): Map<string, number | undefined> {
    const { memory, target } = this.#parts
    const bringing = new Map<string, number | undefined>()
    for (const one of wanted) {
      const isMoved = hasMoved(one, { faces, target })
      if (!isMoved && places.takenBy(one) !== undefined) continue
      const other = isMoved ? places.overtakenBy(faces.get(one.lineage_id ?? '')) : undefined
      bringing.set(one.file, other ? (other.entry_id ?? undefined) : bringer(one, { faces, memory, target }))
    }
    return bringing
  }

  #latest({ outdated, missing, wanted, setBack }: Differing, { places, bringing, referring, redirected }: Found): Latest {
    const { report, target, all } = this.#parts
    const { elsewhere, replacing, gone, displaced, takenBy } = places
    const edited = (...states: StatusFile['state'][]) => this.#filesIn(...states).filter(({ file }) => !setBack.has(file))
    const levels = report.levels.filter(({ file }) => existsSync(join(target.root, file)))
    const needed = (all ? [...redirected, ...gone] : redirected).flatMap(({ file }) => referring.get(file) ?? [])
    const brought = [...bringing.values(), ...levels.map(({ entry_id }) => entry_id), ...needed].flatMap((id) => id ?? [])
    const placed = [...replacing.values(), ...(all ? (elsewhere ?? []) : [])].map(({ entry_id }) => entry_id)
    const isBrought = (one: OldFile) => bringing.get(one.file) !== undefined || referring.has(one.file)
    // Files that were edited since are conflicts of the pull.
    const taken = [...replacing.keys()].filter((file) => !bringing.has(file))
    return {
      outdated: [...new Set([...namesOf([...outdated, ...displaced].filter(isBrought)), ...levelFiles(levels), ...taken])],
      modified: namesOf(edited('modified', 'moved')),
      diverged: namesOf(edited('diverged')),
      // What left its level is taken away with what the level brings.
      deleted: namesOf(this.#filesIn('deleted').filter(({ part }) => part === undefined)),
      deletions: this.#filesIn('deleted').flatMap(({ file, deleted }) => (deleted ? { file, ...deleted } : [])),
      missing: namesOf([...missing, ...gone.filter(({ file }) => referring.has(file))]),
      not_pulled: namesOf(wanted.filter((one) => !isBrought(one) && (bringing.has(one.file) || takenBy(one)?.entry_id == null))),
      added: elsewhere?.filter(({ entry_id }) => all || !brought.includes(entry_id)) ?? null,
      entry_ids: [...new Set([...brought, ...placed])],
      from_library: report.summary.current + this.#filesIn('outdated', 'modified', 'diverged', 'moved', 'deleted').length,
    }
  }
}

type ComparedFiles = Pick<StatusReport, 'files' | 'levels' | 'summary'>

/** The project may be a folder without a descriptor, or one that is not there yet. */
async function compareFiles(options: LatestOptions): Promise<ComparedFiles> {
  const { root, project, content } = options.target
  if (!existsSync(content.path)) return { files: [], levels: [], summary: summaryOf([], { left_out: 0, failed: 0 }) }
  return status({ ...options, cwd: root, paths: [], project, all: false, filesOnly: true })
}

const isInProject = (folder: string): boolean => existsSync(folder) && locate(folder).root !== folder

/** Of those that have an entry, which brings what changed of their actors. */
const levelFiles = (levels: readonly LevelNews[]): string[] =>
  levels.flatMap(({ entry_id, file }) => (entry_id === null ? [] : file))

const namesOf = (files: readonly OldFile[]): string[] => files.map(({ file }) => file)
