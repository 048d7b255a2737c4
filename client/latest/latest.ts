/** The latest of a project: what of its files is not current, what stays as it is, and what others added to it. `ph pull` without names brings it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Deletion, LineageFace } from '../../contract/lineages.ts'
import { pulledTo } from '../../contract/plugin-content.ts'
import { projectStateFile } from '../folders.ts'
import { createApi } from '../http/api.ts'
import { openWire, type Wire } from '../http/open-http.ts'
import { relation } from '../memory/current-versions.ts'
import { findPlaces } from '../memory/find-places.ts'
import { findFaces } from '../memory/find-versions.ts'
import { ProjectMemory } from '../memory/project-memory.ts'
import type { TellPush } from '../progress.ts'
import { findProjectName, locate } from '../project/unreal-project.ts'
import type { PullTarget } from '../pull/target-project.ts'
import type { LevelNews } from '../status/level-news.ts'
import { type StatusFile, type StatusReport, summaryOf } from '../status/report.ts'
import { status } from '../status/status.ts'

export interface LatestOptions extends Wire {
  target: PullTarget
  /** What is not here is brought too: what others added, and what is missing. */
  all?: boolean
  tell?: TellPush
}

/** A prop of the project that never was here. */
export interface AddedProp {
  entry_id: number
  /** Where it lies: a package path in lower case, of source files with their extension. */
  path: string
}

/** Files below the project's root, with `/`. */
export interface Latest {
  /** Older here than in the library, or another prop lies in their place there: the pull brings what is current. */
  outdated: string[]
  /** Edited here, from the current version: they stay. */
  modified: string[]
  /** Edited here, from another version than the current one: they stay until someone says what is to become of them. */
  diverged: string[]
  /** Their props were deleted from the library: they stay. */
  deleted: string[]
  /** Who deleted those, and when. */
  deletions: (Deletion & { file: string })[]
  /** They were here before: brought with `all`. */
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
    const [outdated, missing] = [filesIn('outdated'), filesIn('missing')]
    const wanted = all ? [...outdated, ...missing] : outdated
    const lineageIds = [...new Set(wanted.flatMap(({ lineage_id }) => lineage_id ?? []))]
    const { lineages } = lineageIds.length > 0 ? await findFaces(api, { lineageIds, hashes: [], paths: [] }) : { lineages: [] }
    const faces = new Map(lineages.map((face) => [face.id, face]))
    const added = await findAdded(api, { target, memory, here: report.files })
    const { elsewhere, replacing } = added
    const takenPlaces = new Set([...replacing.values(), ...(elsewhere ?? [])].map(({ path }) => path))
    // Another prop has taken the place, or for a file that is gone a redirector: that one comes, unless its own prop has moved on.
    const isReplaced = ({ file, lineage_id, state }: StatusFile) => {
      const place = placeOf(file, target)
      const isTaken = takenPlaces.has(place) || (state === 'missing' && (added.placed.get(place) ?? lineage_id) !== lineage_id)
      return isTaken && faces.get(lineage_id ?? '')?.origin_path?.toLowerCase() === place
    }
    const bringing = new Map(
      wanted.filter((file) => !isReplaced(file)).map((file) => [file.file, bringer(file, { faces, memory, target })]),
    )
    const levels = report.levels.filter(({ file }) => existsSync(join(target.root, file)))
    const redirected = await findRedirected(api, outdated, { faces, memory, target, replacing })
    const brought = [...bringing.values(), ...levels.map(({ entry_id }) => entry_id), ...redirected].flatMap((id) => id ?? [])
    // Files that were edited since are conflicts of the pull.
    const taken = [...replacing.keys()].filter((file) => !bringing.has(file))
    return {
      outdated: [
        ...new Set([...namesOf(outdated).filter((file) => bringing.get(file) !== undefined), ...levelFiles(levels), ...taken]),
      ],
      modified: namesOf(filesIn('modified', 'moved')),
      diverged: namesOf(filesIn('diverged')),
      // What left its level is taken away with what the level brings.
      deleted: namesOf(filesIn('deleted').filter(({ part }) => part === undefined)),
      deletions: filesIn('deleted').flatMap(({ file, deleted }) => (deleted ? { file, ...deleted } : [])),
      missing: namesOf(missing),
      not_pulled: namesOf(wanted).filter((file) => bringing.has(file) && bringing.get(file) === undefined),
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

const namesOf = (files: readonly StatusFile[]): string[] => files.map(({ file }) => file)

export interface Around {
  faces: ReadonlyMap<string, LineageFace>
  memory: ProjectMemory
  target: PullTarget
}

/** The entry (id) that brings the current version of a file: its own, or that of the level that it is a part of. Undefined where there is none. */
export function bringer(
  { file, lineage_id }: Pick<StatusFile, 'file' | 'lineage_id'>,
  { faces, memory, target }: Around,
): number | undefined {
  const face = faces.get(lineage_id ?? '')
  if (!face || pulledTo(face) === null) return undefined
  if (face.entry_id !== null) return face.entry_id
  const level = levelOf(file)
  const known = level === undefined ? undefined : memory.find(level)
  return known?.base?.entryId != null && existsSync(join(target.root, known.file)) ? known.base.entryId : undefined
}

const folderOfParts = /\/__External(?:Actors|Objects)__\//

/** `Content/__ExternalActors__/Maps/L_Inn/A/BC/….uasset` is a part of `Content/Maps/L_Inn.umap`. */
function levelOf(file: string): string | undefined {
  const [content, below, ...others] = file.split(folderOfParts)
  const parts = below?.split('/') ?? []
  // Two folders and the file follow the level.
  if (content === undefined || others.length > 0 || parts.length < 4) return undefined
  return `${content}/${parts.slice(0, -3).join('/')}.umap`
}

/**
 * Files whose props lie elsewhere now, and a redirector lies in their place: the entries of what is here and refers to it. With them the
 * redirector comes; one that another prop replaces is not brought for it.
 */
async function findRedirected(
  api: Parameters<typeof findFaces>[0],
  outdated: readonly StatusFile[],
  { faces, memory, target, replacing }: Around & Pick<Added, 'replacing'>,
): Promise<(number | undefined)[]> {
  const former = new Map(
    outdated.flatMap(({ file, lineage_id }) => {
      const [place, now] = [placeOf(file, target), faces.get(lineage_id ?? '')?.origin_path]
      return place !== '' && now && now.toLowerCase() !== place ? [[place, lineage_id] as const] : []
    }),
  )
  const known = former.size > 0 ? await findPlaces(api, target.project, [...former.keys()]) : undefined
  if (!known) return []
  const replaced = new Set(known.places.flatMap(({ path, lineage_id }) => (former.get(path) === lineage_id ? [] : path)))
  const referring = known.referrers.flatMap(({ path, lineage_id }) => (replaced.has(path) ? (lineage_id ?? []) : []))
  const isHere = (file: string) => existsSync(join(target.root, file)) && !replacing.has(file)
  const here = memory.findByLineages([...new Set(referring)]).filter(({ file }) => isHere(file))
  const lineageIds = here.flatMap(({ base }) => base?.lineageId ?? [])
  const { lineages } = lineageIds.length > 0 ? await findFaces(api, { lineageIds, hashes: [], paths: [] }) : { lineages: [] }
  const around = { faces: new Map(lineages.map((face) => [face.id, face])), memory, target }
  return here.map(({ file, base }) => bringer({ file, lineage_id: base?.lineageId ?? null }, around))
}

interface Added {
  /** Props that lie in the project by its pushes and were never here; null where the server does not say it. */
  elsewhere: AddedProp[] | null
  /** By path: the lineage that the project has there. */
  placed: ReadonlyMap<string, string>
  /** Those that took the place of a file that is here: by that file. */
  replacing: Map<string, AddedProp>
}

async function findAdded(
  api: Parameters<typeof findPlaces>[0],
  { target, memory, here }: { target: PullTarget; memory: ProjectMemory; here: readonly StatusFile[] },
): Promise<Added> {
  const replacing: Added['replacing'] = new Map()
  const found = await findPlaces(api, target.project)
  if (!found) return { elsewhere: null, placed: new Map(), replacing }
  const known = new Set(here.flatMap(({ lineage_id }) => lineage_id ?? []))
  const files = new Map<string, string>()
  for (const [file, , bits, lineageId] of memory.faces.rows()) {
    if (!(bits & relation.based) || lineageId === null) continue
    known.add(lineageId)
    files.set(placeOf(file, target), file)
  }
  const entries = new Map(found.lineages.map(({ id, entry_id, origin_path }) => [id, origin_path === null ? null : entry_id]))
  const elsewhere: AddedProp[] = []
  for (const { path, lineage_id } of found.places) {
    const entry_id = entries.get(lineage_id) ?? null
    if (entry_id === null || known.has(lineage_id)) continue
    const file = files.get(path)
    if (file !== undefined && existsSync(join(target.root, file))) replacing.set(file, { entry_id, path })
    else elsewhere.push({ entry_id, path })
  }
  return { elsewhere, placed: new Map(found.places.map(({ path, lineage_id }) => [path, lineage_id])), replacing }
}

/** Where a file lies, as places are named. */
const placeOf = (file: string, { content }: PullTarget): string =>
  file.startsWith(`${content.file}/`)
    ? `/game/${file.slice(content.file.length + 1).toLowerCase()}`.replace(/\.(uasset|umap)$/, '')
    : ''
