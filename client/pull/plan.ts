/** `ph pull --plan`: what a pull would come to, by the library's word and a look at this disk. Changes nothing anywhere. */

import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { LineageFace } from '../../contract/lineages.ts'
import type { PullJobEntry, PullJobObject, PullWarning } from '../../contract/pull-jobs.ts'
import { engineOrder, isNewerEngine } from '../../formats/engine-version.ts'
import { type Content, cachedPath } from '../content/cache.ts'
import { type PartName, withPartNames } from '../entries/part-names.ts'
import { projectStateFile } from '../folders.ts'
import { type Api, createApi } from '../http/api.ts'
import type { Http } from '../http/http.ts'
import { openWire } from '../http/open-http.ts'
import { findFaces } from '../memory/find-versions.ts'
import { ProjectMemory } from '../memory/project-memory.ts'
import { type Action, compareProject, type Decision } from './compare.ts'
import { destinationsOf, nothingRemains, receiverIn, withLeftOut, withMisnamed } from './destinations.ts'
import { documentedVersions, type MissingInProject, missingInProject, namedObject } from './missing-in-project.ts'
import { type Obstacle, obstacle } from './obstacle.ts'
import type { ConflictAnswer, PullOptions } from './options.ts'
import { forgetLost, withoutOlderSets } from './orders/older-sets.ts'
import { type PossibleJob, possibleJobs } from './orders/possible-jobs.ts'
import { withRootWarning } from './orders/target-root.ts'
import { checkReplaced } from './preflight.ts'
import { findFormerPlaces } from './removing/former-places.ts'
import { findLeavingParts } from './removing/leaving.ts'
import type { LeavingReason } from './removing/take-away.ts'
import type { ReportedFile, Sums } from './report.ts'

export interface PlannedFile extends ReportedFile {
  action: Action
  /** Of `safe_overwrite`, where a later version is there: who made this one current again; null where that account is gone. */
  restored_by?: string | null
  /** As it is counted, where the library counts. */
  version?: number
  /** The version of it that is current by now, when that is another one. */
  newer_object_id?: number
  newer_version?: number
}

export interface JobPlan extends MissingInProject {
  /** Null for a job that is only thought of. */
  job_id: number | null
  /** Of a job that waits: who sent it, as people call them, and why. */
  sent_by: string | null
  note: string | null
  target_root: string
  entries: PullJobEntry[]
  files: PlannedFile[]
  /** Files that would be taken away where nothing is against it: their props lie elsewhere now, or they left their level. */
  leaving: { file: string; lineage_id: string; why: LeavingReason; to?: string; referred_by?: string; part?: PartName }[]
  obstacles: Obstacle[]
  warnings: PullWarning[]
  summary: Sums<Action>
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

/** Plans what `order` asks for, or every job that `pull` brings. Throws what a pull would throw before it begins. */
export async function planPull(options: PullOptions): Promise<PullPlan> {
  const { url, target, tell = () => {} } = options
  const http = openWire(options, tell)
  const state = projectStateFile(options.folders, url, target.root)
  const memory = existsSync(state) ? new ProjectMemory(state, { address: url, root: target.root }) : undefined
  try {
    const api = createApi(http)
    const planner = new Planner({ options, api, http, memory })
    const jobs = await possibleJobs(options, { api, memory })
    const plans: JobPlan[] = []
    for (const job of jobs) plans.push(await planner.plan(job))
    const { project, root, engineVersion: engine_version } = target
    return { project, root, url, engine_version, on_conflict: conflictChoice(options), plans }
  } finally {
    memory?.close()
    await http.close('destroy')
  }
}

const conflictChoice = ({ onConflict = 'keep' }: PullOptions) => (typeof onConflict === 'function' ? 'ask' : onConflict)

interface PlannerParts {
  options: PullOptions
  api: Api
  http: Http
  memory: ProjectMemory | undefined
}

class Planner {
  readonly #parts: PlannerParts

  constructor(parts: PlannerParts) {
    this.#parts = parts
  }

  async plan({
    jobId,
    sentBy = null,
    note = null,
    targetRoot,
    entries,
    warnings,
    objects,
    misnamed,
    have = [],
    orderedAt,
  }: PossibleJob): Promise<JobPlan> {
    const { options, memory, api } = this.#parts
    const { target, signal } = options
    const destined = destinationsOf(objects, targetRoot, receiverIn(target))
    const { files, leftOut, refused } = destined
    await forgetLost({ memory, api }, objects)
    const comparing = { ...target, memory, library: api, orderedAt, signal }
    const { decisions, obstacles, warnings: spellings } = await compareProject(files, comparing)
    const isOverwriting = conflictChoice(options) === 'overwrite'
    const placed = decisions.filter(
      ({ action }) => action === 'add' || action === 'safe_overwrite' || (action === 'conflict' && isOverwriting),
    )
    const newer = await this.#newerVersions(objects)
    const brought = decisions.map(({ file, pullFile: { object } }) => ({ ...object, file }))
    const leaving = [
      ...(await findFormerPlaces({ target, memory, api, targetRoot, signal }, brought)),
      ...(await findLeavingParts({ memory, api }, withoutOlderSets(memory, objects, orderedAt).objects, have)),
    ]
      .filter(({ file }) => existsSync(join(target.root, file)))
      .map(({ lineageId: lineage_id, referredBy, ...one }) => ({
        ...{ ...one, lineage_id },
        ...(referredBy === undefined ? {} : { referred_by: referredBy }),
      }))
    const engine_needed = newestEngine(objects)
    return {
      ...{ job_id: jobId, sent_by: sentBy, note },
      target_root: targetRoot,
      entries,
      files: decisions.map((decision) => plannedFile(decision, newer)),
      leaving: withPartNames(target.root, leaving),
      obstacles: [
        ...refused.map(({ what, why }) => obstacle('not-allowed', what, `${what} ${why}.`)),
        ...nothingRemains(destined),
        ...obstacles,
        ...(await checkReplaced(placed, signal)),
      ],
      warnings: [
        ...withLeftOut(withRootWarning(withMisnamed(warnings, { misnamed }, target.root), targetRoot), leftOut),
        ...spellings,
      ],
      summary: sumsOf(decisions),
      bytes: this.#bytesOf(
        files.map(({ object }) => object),
        placed,
      ),
      engine_needed,
      engine_too_old: isNewerEngine(engine_needed, options.target.engineVersion),
      ...missingInProject(
        [...files.map(({ object }) => namedObject(object)), ...(await documentedVersions(api, entries))],
        options.target,
      ),
    }
  }

  #bytesOf(objects: readonly PullJobObject[], placed: readonly Decision[]): JobPlan['bytes'] {
    const { folders } = this.#parts.options
    const needed = placed.map(({ pullFile: { object } }) => ({ hash: object.content_hash, size: object.blob_size }))
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
    const { api } = this.#parts
    const lineageIds = [...new Set(objects.map(({ lineage_id }) => lineage_id))]
    const { lineages } = await findFaces(api, { lineageIds, hashes: [], paths: [] })
    const faces = new Map(lineages.map((lineage) => [lineage.id, lineage]))
    return new Map(
      objects.flatMap(({ object_id, lineage_id }) => {
        const face = faces.get(lineage_id)
        return face && face.face_object_id !== object_id ? [[object_id, face] as const] : []
      }),
    )
  }
}

const sizeAt = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size
const totalOf = (contents: readonly Content[]): number => contents.reduce((sum, { size }) => sum + size, 0)

function sumsOf(decisions: readonly Decision[]): JobPlan['summary'] {
  const sums: JobPlan['summary'] = { add: 0, identical: 0, safe_overwrite: 0, conflict: 0 }
  for (const { action } of decisions) sums[action] = (sums[action] ?? 0) + 1
  return sums
}

function plannedFile(
  { pullFile, file, action, restoredBy: restored_by }: Decision,
  newer: ReadonlyMap<number, LineageFace>,
): PlannedFile {
  const { object, name: asset_name, destination } = pullFile
  const { content_hash, lineage_id, object_id, version, blob_size: size } = object
  const face = newer.get(object_id)
  return {
    ...{ file, action, asset_name, destination, content_hash, lineage_id, object_id, size },
    ...(restored_by === undefined ? {} : { restored_by }),
    ...(version === undefined ? {} : { version }),
    ...(face ? { newer_object_id: face.face_object_id } : {}),
    ...(face?.face_version === undefined ? {} : { newer_version: face.face_version }),
  }
}

function newestEngine(objects: readonly PullJobObject[]): string | null {
  return objects.reduce<string | null>(
    (newest, { engine_version: one }) => (engineOrder(one) > engineOrder(newest) ? one : newest),
    null,
  )
}
