/** `ph send`: an order for someone else's project, as one job or as several where it is too much for one. */
import { PullJob, type PullJobDetail, type PullJobObject, type PullWarning } from '../../../contract/pull-jobs.ts'
import type { Api } from '../../http/api.ts'
import type { PluginHost } from '../../project/plugins.ts'
import { uniteEntries, uniteWarnings } from '../job-report.ts'
import { type MissingInProject, missingInProject, namedObject } from '../missing-in-project.ts'
import { askInParts, type EntriesOrder } from './parts.ts'
import { uniteFiles } from './united-files.ts'

/** The fields of the first job; entries, files, bytes and warnings are those of all of them together. */
export interface Sent extends Omit<PullJobDetail, 'id'>, MissingInProject {
  /** Null: it is only thought of. */
  id: number | null
  warnings: PullWarning[]
  /** Every job that was ordered. */
  jobs: PullJob[]
}

export interface SendPlan extends Sent {
  closure: { objects: PullJobObject[]; total_objects: number; total_bytes: number }
}

interface Sending {
  order: EntriesOrder
  /** The project that gets it, where it lies on this disk. */
  host: PluginHost | undefined
}

type Part = Omit<PullJobDetail, 'id'> & { id: number | null; warnings: PullWarning[] }

/** What an order would come to, with its files. */
export async function planSend(api: Api, { order, host }: Sending): Promise<SendPlan> {
  const plans = await askInParts(api, order, { ask: (part) => api.pullJobs.plan(part) })
  const { objects } = uniteFiles(
    plans.map(({ closure }) => closure.objects),
    order,
  )
  const { key: _key, planned_files: _planned, ...sums } = unite(plans, objects)
  const { object_count: total_objects, total_bytes } = sums
  const closure = { objects, total_objects, total_bytes }
  return { ...sums, ...missingInProject(objects.map(namedObject), host), closure, jobs: [] }
}

/** Orders all of it or nothing. `onMade` hears of each job at once: after an interruption those stand. */
export async function send(api: Api, { order, host, onMade }: Sending & { onMade: (made: number[]) => void }): Promise<Sent> {
  const made: (PullJobDetail & { warnings: PullWarning[] })[] = []
  const undo = async () => {
    for (const { id: job_id } of made.splice(0)) await api.pullJobs.update({ job_id, status: 'cancelled' })
    onMade([])
  }
  const ask = async (part: EntriesOrder) => {
    const job = await api.pullJobs.create(part)
    made.push(job)
    onMade(made.map(({ id }) => id))
    return job
  }
  const jobs = await askInParts(api, order, { ask, undo })
  const lists = await listsOf(api, jobs)
  try {
    const { objects } = uniteFiles(lists ?? [], order)
    const missing = missingInProject(lists ? objects.map(namedObject) : jobs.flatMap(({ entries }) => entries), host)
    return { ...unite(jobs, lists && objects), ...missing, jobs: jobs.map(jobOf) }
  } catch (error) {
    await undo()
    throw error
  }
}

/** Undefined where they cannot be learned: the order stands, whatever becomes of that question. */
const listsOf = (api: Api, jobs: readonly PullJobDetail[]): Promise<PullJobObject[][] | undefined> =>
  Promise.all(jobs.map(async ({ id }) => (await api.pullJobs.closure({ job_id: id })).objects)).catch(() => undefined)

/** A file that several jobs bring counts once, where their files are known. */
function unite<P extends Part>(parts: readonly P[], objects: readonly PullJobObject[] | undefined): P {
  const [first, ...others] = parts
  if (!first) throw new Error('an order came to no job')
  if (others.length === 0) return first
  const entries = uniteEntries(parts)
  const sizes = objects ? objects.map(({ blob_size }) => blob_size) : parts.map(({ total_bytes }) => total_bytes)
  return {
    ...first,
    entries,
    entry_count: new Set(entries.map(({ entry_id }) => entry_id)).size,
    object_count: objects?.length ?? parts.reduce((sum, { object_count }) => sum + object_count, 0),
    total_bytes: sizes.reduce((sum, size) => sum + size, 0),
    warnings: uniteWarnings(
      parts.flatMap(({ warnings }) => warnings),
      { objects: [], engineVersion: null },
    ),
  }
}

/** As lists show it. */
function jobOf(detail: PullJobDetail): PullJob {
  return Object.fromEntries(Object.keys(PullJob.properties).map((field) => [field, detail[field as keyof PullJob]])) as PullJob
}
