/** `ph pull --plan`: what a pull would come to, by the library's word and a look at this disk. Changes nothing anywhere. */
import { existsSync, statSync } from 'node:fs'
import { ApiError } from '../contract/errors.ts'
import type { LineageFace } from '../contract/lineages.ts'
import type { PullJobEntry, PullJobObject, PullWarning } from '../contract/pull-jobs.ts'
import { type Content, cachedPath } from './content-cache.ts'
import { findFaces } from './face-search.ts'
import { Fingerprints } from './fingerprints.ts'
import { projectStateFile } from './folders.ts'
import type { Http } from './http.ts'
import { landFiles } from './landing.ts'
import { documentedVersions, type MissingInProject, missingInProject, namedObject } from './missing-in-project.ts'
import { checkReplaced } from './place-check.ts'
import { inspectPlaces } from './place-inspection.ts'
import { type PullCalls, pullCalls } from './pull-calls.ts'
import { type Action, type Decision, decide } from './pull-decision.ts'
import { type Obstacle, obstacle } from './pull-obstacle.ts'
import { type ConflictAnswer, makeOrder, type PullOptions } from './pull-options.ts'
import type { ReportedFile } from './pull-report.ts'
import { statusCalls } from './status-calls.ts'
import { withRootWarning } from './target-root.ts'
import { queuedJobs } from './waiting-jobs.ts'
import { openWire } from './wire.ts'

export interface PlannedFile extends ReportedFile {
  action: Action
  /** As it is counted, where the library counts. */
  version?: number
  /** The version of it that is current by now, when that is another one. */
  newer_object_id?: number
  newer_version?: number
}

export interface JobPlan extends MissingInProject {
  /** Null for what is only thought of. */
  job_id: number | null
  target_root: string
  entries: PullJobEntry[]
  files: PlannedFile[]
  obstacles: Obstacle[]
  warnings: PullWarning[]
  summary: Record<Action, number>
  bytes: { total: number; to_download: number; in_cache: number }
  /** The newest engine that a file was saved by; null when none is known. */
  engine_needed: string | null
  engine_too_old: boolean
}

export interface PullPlan {
  project: string
  root: string
  url: string
  engine_version: string | null
  /** What becomes of conflicts. */
  on_conflict: ConflictAnswer | 'ask'
  plans: JobPlan[]
}

/** Plans what `order` asks for, or every queued manual job of the project. Throws what a pull would throw before it begins. */
export async function planPull(options: PullOptions): Promise<PullPlan> {
  const { url, target, tell = () => {}, signal } = options
  const http = openWire(options, tell)
  const state = projectStateFile(options.folders, url, target.root)
  const fingerprints = existsSync(state) ? new Fingerprints(state, { address: url, root: target.root }) : undefined
  try {
    const calls = pullCalls(http, signal)
    const planner = new Planner({ options, calls, http, fingerprints })
    const thoughts = await thoughtsOf(options, calls)
    const plans: JobPlan[] = []
    for (const thought of thoughts) plans.push(await planner.plan(thought))
    const { project, root, engineVersion: engine_version } = target
    return { project, root, url, engine_version, on_conflict: conflictChoice(options), plans }
  } finally {
    fingerprints?.close()
    await http.close('destroy')
  }
}

const conflictChoice = ({ onConflict = 'keep' }: PullOptions) => (typeof onConflict === 'function' ? 'ask' : onConflict)

/** A job that is there, or one that might be. */
interface Thought {
  jobId: number | null
  targetRoot: string
  entries: PullJobEntry[]
  warnings: PullWarning[]
  objects: PullJobObject[]
}

async function thoughtsOf(options: PullOptions, calls: PullCalls): Promise<Thought[]> {
  if (options.order) return [await thinkOf(options, calls)]
  const jobs = await queuedJobs(calls, options.target.project)
  return Promise.all(
    jobs.map(async ({ id }) => {
      const [{ entries, target_root: targetRoot }, { objects }] = await Promise.all([calls.job(id), calls.closure(id, false)])
      return { jobId: id, targetRoot, entries, warnings: [], objects }
    }),
  )
}

async function thinkOf(options: PullOptions, calls: PullCalls): Promise<Thought> {
  const order = await makeOrder(options, calls)
  try {
    const { target_root: targetRoot, entries, warnings, closure } = await calls.plan(order)
    return { jobId: null, targetRoot, entries, warnings, objects: closure.objects }
  } catch (error) {
    if (!(error instanceof ApiError && (error.code === 'NOT_FOUND' || error.status === 405))) throw error
  }
  // A server that does not plan says what each entry needs.
  const found = await Promise.all(
    order.entries.map(async ({ entry_id }) => ({
      entry: await calls.entry(entry_id),
      closure: await calls.entryClosure(entry_id),
    })),
  )
  const objects = new Map(
    found.flatMap(({ closure }) =>
      closure.members.map((member) => [member.object_id, { ...member, source_ext: member.source_ext ?? null }]),
    ),
  )
  const entries = found.map(({ entry: { id, object_id, name, entry_type, status } }) => ({
    entry_id: id,
    object_id,
    name,
    entry_type,
    status,
  }))
  return {
    jobId: null,
    targetRoot: order.target_root,
    entries,
    warnings: [],
    objects: [...objects.values()],
  }
}

interface PlannerParts {
  options: PullOptions
  calls: PullCalls
  http: Http
  fingerprints: Fingerprints | undefined
}

class Planner {
  readonly #parts: PlannerParts

  constructor(parts: PlannerParts) {
    this.#parts = parts
  }

  async plan({ jobId, targetRoot, entries, warnings, objects }: Thought): Promise<JobPlan> {
    const { options, fingerprints, calls } = this.#parts
    const { files, refused } = landFiles(objects, targetRoot)
    const { places, obstacles } = inspectPlaces(files, options.target.content)
    const decided = await decide(places, { fingerprints, signal: options.signal })
    const isOverwriting = conflictChoice(options) === 'overwrite'
    const placed = decided.decisions.filter(
      ({ action }) => action === 'add' || action === 'safe_overwrite' || (action === 'conflict' && isOverwriting),
    )
    const newer = await this.#newerVersions(objects)
    const engine_needed = newestEngine(objects)
    return {
      job_id: jobId,
      target_root: targetRoot,
      entries,
      files: decided.decisions.map((decision) => plannedFile(decision, newer)),
      obstacles: [
        ...refused.map(({ what, why }) => obstacle('not-allowed', what, `${what} ${why}.`)),
        ...obstacles,
        ...decided.obstacles,
        ...checkReplaced(placed),
      ],
      warnings: withRootWarning(warnings, targetRoot),
      summary: sumsOf(decided.decisions),
      bytes: this.#bytesOf(
        files.map(({ object }) => object),
        placed,
      ),
      engine_needed,
      engine_too_old: isNewer(engine_needed, options.target.engineVersion),
      ...missingInProject(
        [...files.map(({ object }) => namedObject(object)), ...(await documentedVersions(calls, entries))],
        options.target,
      ),
    }
  }

  #bytesOf(objects: readonly PullJobObject[], placed: readonly Decision[]): JobPlan['bytes'] {
    const { folders } = this.#parts.options
    const needed = placed.map(({ landing: { object } }) => ({ hash: object.content_hash, size: object.blob_size }))
    const inCache = needed.filter(({ hash, size }) => sizeAt(cachedPath(folders.cache, hash)) === size)
    const cached = totalOf(inCache)
    return {
      total: objects.reduce((sum, { blob_size }) => sum + blob_size, 0),
      to_download: totalOf(needed) - cached,
      in_cache: cached,
    }
  }

  /** Current versions that are others than those of the list, by the object that they follow. */
  async #newerVersions(objects: readonly PullJobObject[]): Promise<Map<number, LineageFace>> {
    const { http, options } = this.#parts
    const lineageIds = [...new Set(objects.map(({ lineage_id }) => lineage_id))]
    const { lineages } = await findFaces(statusCalls(http, options.signal), { lineageIds, hashes: [], paths: [] })
    const faces = new Map(lineages.map((lineage) => [lineage.id, lineage]))
    return new Map(
      objects.flatMap(({ object_id, lineage_id }) => {
        const face = faces.get(lineage_id)
        return face && face.face_object_id > object_id ? [[object_id, face] as const] : []
      }),
    )
  }
}

const sizeAt = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size
const totalOf = (contents: readonly Content[]): number => contents.reduce((sum, { size }) => sum + size, 0)

function sumsOf(decisions: readonly Decision[]): Record<Action, number> {
  const sums = { add: 0, identical: 0, safe_overwrite: 0, conflict: 0 }
  for (const { action } of decisions) sums[action]++
  return sums
}

function plannedFile({ landing, file, action }: Decision, newer: ReadonlyMap<number, LineageFace>): PlannedFile {
  const { object, name: asset_name, destination } = landing
  const { content_hash, lineage_id, object_id, version, blob_size: size } = object
  const face = newer.get(object_id)
  return {
    ...{ file, action, asset_name, destination, content_hash, lineage_id, object_id, size },
    ...(version === undefined ? {} : { version }),
    ...(face ? { newer_object_id: face.face_object_id } : {}),
    ...(face?.face_version === undefined ? {} : { newer_version: face.face_version }),
  }
}

/** Only major and minor count; 0.0.0 is unknown (contract-gaps 5). */
const engineNumber = (version: string | null): number => {
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number)
  return major * 100_000 + minor
}

const isNewer = (needed: string | null, own: string | null): boolean =>
  own !== null && engineNumber(own) >= 100_000 && engineNumber(needed) > engineNumber(own)

function newestEngine(objects: readonly PullJobObject[]): string | null {
  const versions = objects.flatMap(({ engine_version }) =>
    engineNumber(engine_version) > 0 && engine_version ? [engine_version] : [],
  )
  return versions.reduce<string | null>((newest, one) => (engineNumber(one) > engineNumber(newest) ? one : newest), null)
}
