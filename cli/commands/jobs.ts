/** `ph jobs`: pull jobs, what they bring and how they went. */

import type { Api } from '../../client/http/api.ts'
import { missingOfJob } from '../../client/pull/missing-in-project.ts'
import { findHost } from '../../client/pull/target-project.ts'
import { limits } from '../../contract/limits.ts'
import { type PullJob, type PullJobStatus, pullJobStatuses } from '../../contract/pull-jobs.ts'
import { printable } from '../../system/printable.ts'
import { among, command, flag, text, value } from '../command.ts'
import { readText } from '../entries/note-text.ts'
import { withLibrary } from '../library.ts'
import { jobDescription, jobsNamed, jobTable, type People } from '../pull-orders/job-words.ts'
import { wholeNumber, wrongUsage } from '../refusal.ts'
import { count } from '../terminal/amounts.ts'

const mostJobs = 100_000

export const commands = [
  command({
    usage: 'jobs list',
    summary: 'List pull jobs, newest first',
    options: {
      project: text('--project <name>', 'only jobs for the project of exactly this name'),
      status: value('--status <status>', `only jobs that are ${pullJobStatuses.join(', ')}`, among(pullJobStatuses, readStatus)),
      mine: flag('--mine', 'only jobs that you ordered'),
      limit: value('--limit <n>', 'at most so many (default 50)', wholeNumber('--limit', 1, mostJobs)),
      cursor: text('--cursor <text>', 'go on where the `next_cursor` of an earlier answer stopped'),
    },
    examples: [
      ['jobs list', 'the 50 newest'],
      ['jobs list --project Tavern --status queued', 'what waits for a project'],
      ['jobs list --mine --json | jq ".jobs[].id"', 'ids for a script'],
    ],
    async run(context, { project, status, mine, limit = limits.page.default, cursor }) {
      await withLibrary(context, async ({ api }) => {
        const requested_by = mine ? (await api.members.me()).id : undefined
        const filter = { target_project: project, status, requested_by }
        const found = await pages(api, { filter, limit, cursor })
        const people = context.out.json ? new Map() : await peopleOf(api)
        context.out.result(found, () => (found.jobs.length > 0 ? jobTable(found.jobs, people, context) : 'No pull jobs.'))
        if (found.next_cursor) context.out.note(`${count(found.jobs.length, 'job')} shown; there are more: raise --limit.`)
      })
      return undefined
    },
  }),
  command({
    usage: 'jobs show <job>',
    summary: 'Show what a pull job brings, and how it went',
    arguments: { job: 'its id' },
    options: { all: flag('--all', 'show long lists whole') },
    examples: [
      ['jobs show 12', 'its entries, its files in sum, its report'],
      ['jobs show 12 --json', 'the same as JSON'],
    ],
    async run(context, { job: given, all }) {
      const job_id = readId(given)
      await withLibrary(context, async ({ api }) => {
        const found = await api.pullJobs.get({ job_id })
        const host = findHost(context.cwd, found.target_project)
        const job = { ...found, ...(await missingOfJob(found, host, () => api.pullJobs.closure({ job_id }))) }
        const people = context.out.json ? new Map() : await peopleOf(api)
        context.out.result(job, () => jobDescription(job, people, { ...context, all }))
      })
      return undefined
    },
  }),
  command({
    usage: 'jobs cancel <job>',
    summary: 'Cancel a pull job that no one has started yet',
    description:
      'The person who ordered it may do that, and admins. A job that has started cannot be cancelled: it ends by itself, or an hour after the program that does it has stopped.',
    arguments: { job: 'its id' },
    examples: [['jobs cancel 12', 'nobody will bring it any more']],
    exits: ['conflict'],
    async run(context, { job: given }) {
      const job_id = readId(given)
      await withLibrary(context, async ({ api }) => {
        const job = await api.pullJobs.update({ job_id, status: 'cancelled' })
        context.out.result(job, `Pull job ${job.id} for ${printable(job.target_project)} is cancelled.`)
      })
      return undefined
    },
  }),
  command({
    usage: 'jobs refuse <job>',
    summary: 'Refuse what someone sent to your project',
    description:
      'The job ends as failed, with your name and why, which its sender reads with `ph jobs show`; what was ordered with it too, all or nothing. Only a job that waits can be refused; your own you cancel.',
    arguments: { job: 'its id' },
    options: { reason: value('--reason <text>', 'why, for who sent it', readText('--reason')) },
    examples: [['jobs refuse 12 --reason "We have newer ones"', 'it does not come']],
    exits: ['conflict'],
    async run(context, { job: given, reason }) {
      const job_id = readId(given)
      await withLibrary(context, async ({ api }) => {
        const [job, me] = await Promise.all([api.pullJobs.get({ job_id }), api.members.me()])
        const { refuseJob } = await import('../../client/pull/orders/refuse.ts')
        const ids = await refuseJob(api, job, { person: me.display_name || me.name, reason })
        const jobs = await Promise.all(ids.map((id) => api.pullJobs.get({ job_id: id })))
        context.out.result(
          { refused: jobs },
          `Pull ${jobsNamed(ids)} for ${printable(job.target_project)} ${ids.length === 1 ? 'is' : 'are'} refused.`,
        )
      })
      return undefined
    },
  }),
]

function readStatus(given: string): PullJobStatus {
  const status = pullJobStatuses.find((known) => known === given.toLowerCase())
  if (status) return status
  throw wrongUsage(`There is no status ${given}.`, `Use one of ${pullJobStatuses.join(', ')}.`)
}

function readId(given: string): number {
  if (/^[1-9]\d{0,14}$/.test(given)) return Number(given)
  throw wrongUsage(`"${given}" is not the id of a pull job.`, 'See the ids with `ph jobs list`.')
}

interface PageOptions {
  filter: Pick<NonNullable<Parameters<Api['pullJobs']['list']>[0]>, 'target_project' | 'status' | 'requested_by'>
  limit: number
  cursor: string | undefined
}

/** Page after page until there are enough; the answer has the form of one page. */
async function pages(api: Api, { filter, limit, cursor: first }: PageOptions) {
  const jobs: PullJob[] = []
  let cursor: string | null | undefined = first
  do {
    const page = Math.min(limit - jobs.length, limits.page.max)
    const answer = await api.pullJobs.list({ ...filter, limit: page, ...(cursor ? { cursor } : {}) })
    jobs.push(...answer.jobs)
    cursor = answer.next_cursor
  } while (cursor && jobs.length < limit)
  return { jobs, next_cursor: cursor ?? null }
}

const peopleOf = async (api: Api): Promise<People> =>
  new Map((await api.members.list()).members.map(({ id, display_name, name }) => [id, display_name || name]))
