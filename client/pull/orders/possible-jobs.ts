/** What a pull would bring: jobs that wait, and the one that its order would make. Nothing is recorded. */
import type { PullJobDetail, PullJobEntry, PullJobObject, PullWarning } from '../../../contract/pull-jobs.ts'
import type { Api } from '../../http/api.ts'
import { isMissingRoute } from '../../http/failures/missing-route.ts'
import type { ProjectMemory } from '../../memory/project-memory.ts'
import { uniteEntries, uniteMisnamed, uniteWarnings } from '../job-report.ts'
import { makeOrder, type PullOptions, versionWarnings } from '../options.ts'
import { askApart } from './apart.ts'
import { askInParts } from './parts.ts'
import { uniteFiles } from './united-files.ts'
import { queuedOrders, type WaitingOrder } from './waiting-jobs.ts'

/** A job that is there, or one that might be. */
export interface PossibleJob {
  jobId: number | null
  sentBy?: string | null
  note?: string | null
  targetRoot: string
  entries: PullJobEntry[]
  warnings: PullWarning[]
  objects: PullJobObject[]
  misnamed?: PullJobDetail['misnamed']
  /** Sets of levels since which only changes are in the list. */
  have?: readonly number[]
  /** Of what waits: when it was ordered. */
  orderedAt?: string | undefined
}

interface Asking {
  api: Api
  memory: ProjectMemory | undefined
}

export async function possibleJobs(options: PullOptions, { api, memory }: Asking): Promise<PossibleJob[]> {
  const ordered = options.order ? await possibleOrder(options, { api, memory }) : []
  if (options.order && !options.alsoQueued) return ordered
  const orders = await queuedOrders(api, options.target.project)
  return [...ordered, ...(await Promise.all(orders.map((order) => waitingJob(api, order))))]
}

/** The jobs of one order as one. */
async function waitingJob(api: Api, { jobs }: WaitingOrder): Promise<PossibleJob> {
  const details = await Promise.all(jobs.map(({ id }) => api.pullJobs.get({ job_id: id })))
  const lists = await Promise.all(jobs.map(async ({ id }) => (await api.pullJobs.closure({ job_id: id })).objects))
  const { objects, warnings } = uniteFiles(lists)
  return {
    jobId: jobs[0]?.id ?? null,
    sentBy: jobs[0]?.requested_by_name ?? null,
    note: jobs[0]?.note ?? null,
    targetRoot: details[0]?.target_root ?? '',
    entries: uniteEntries(details),
    warnings,
    objects,
    misnamed: uniteMisnamed(details),
    orderedAt: details[0]?.created_at,
  }
}

/** None for an order of nothing that waiting jobs follow. */
async function possibleOrder(options: PullOptions, { api, memory }: Asking): Promise<PossibleJob[]> {
  const order = await makeOrder(options, { api, memory })
  if (options.alsoQueued && order.entries.length === 0) return []
  return askApart(order, { options, ask: (part) => possibleJob(options, api, part) })
}

async function possibleJob(options: PullOptions, api: Api, order: Awaited<ReturnType<typeof makeOrder>>): Promise<PossibleJob> {
  try {
    const plans = await askInParts(api, order, { ask: (part) => api.pullJobs.plan(part) })
    const lists = plans.map(({ closure }) => closure.objects)
    const { objects, warnings } = uniteFiles(lists, order)
    const said = plans.flatMap((plan) => [...plan.warnings, ...versionWarnings(order, plan)])
    return {
      jobId: null,
      targetRoot: order.target_root,
      entries: uniteEntries(plans),
      warnings: uniteWarnings([...said, ...warnings], { objects, engineVersion: options.target.engineVersion }),
      objects,
      misnamed: uniteMisnamed(plans),
      have: order.have_set ?? [],
    }
  } catch (error) {
    if (!isMissingRoute(error)) throw error
  }
  // A server that does not plan says what each entry needs.
  const found = await Promise.all(
    order.entries.map(async ({ entry_id }) => ({
      entry: await api.entries.get({ entry_id }),
      closure: await api.entries.closure({ entry_id, dependencies: order.dependencies ?? undefined }),
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
