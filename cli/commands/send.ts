/** `ph send`: orders a pull for someone else's project. */

import { requireEntryIds } from '../../client/entries/reference.ts'
import type { Api } from '../../client/http/api.ts'
import type { PluginHost } from '../../client/project/plugins.ts'
import { type MissingInProject, missingInProject, missingOfJob, namedObject } from '../../client/pull/missing-in-project.ts'
import { versionsOf } from '../../client/pull/options.ts'
import { findHost } from '../../client/pull/target-project.ts'
import { chosenRoot, withRootWarning } from '../../client/pull/target-root.ts'
import type { PullJobDetail, PullOrder, PullWarning } from '../../contract/pull-jobs.ts'
import { printable } from '../../system/printable.ts'
import { shellWord } from '../../system/shell-word.ts'
import { among, command, flag, text, value } from '../command.ts'
import type { Context } from '../context.ts'
import { missingWords } from '../entries/missing-dependency-words.ts'
import { withLibrary } from '../library.ts'
import { readPrefer, readReferences, readRoot } from '../pull-orders/input.ts'
import { entryTable } from '../pull-orders/job-words.ts'
import { requireKnownProject } from '../pull-orders/known-project.ts'
import { warningLines } from '../pull-orders/warning-lines.ts'
import { wrongUsage } from '../refusal.ts'
import { count, number, size } from '../terminal/amounts.ts'
import type { Output } from '../terminal/output.ts'
import { wrap } from '../terminal/wrap.ts'

export const commands = [
  command({
    usage: 'send <entries...>',
    description:
      'Makes a pull job: the entries in their current versions, with everything they need. Nothing is downloaded here; someone who works in that project brings it with `ph pull`.',
    arguments: { entries: 'ids, names or /Game paths; - reads them from standard input, one a line' },
    options: {
      project: text(
        '--project <name>',
        'the project that is to get them, exactly as its .uproject file is named (default: the one of `ph config set project`)',
      ),
      root: value(
        '--root <path>',
        'where they land; references between the files break below any folder other than /Game (default: the root of the project, /Game where no one chose another)',
        readRoot,
      ),
      toAgent: flag('--to-agent', 'let your desktop agent bring them, so that nobody has to type a command'),
      exact: flag('--exact', 'bring what they need in exactly the versions that they were pushed with, not in the current ones'),
      prefer: value(
        '--prefer <which>',
        'newest, which is always done now: of two versions of a prop with the same destination, take the newer',
        among(['newest'], readPrefer),
      ),
      create: flag('--create', 'send to a project that the library does not know yet'),
      plan: flag('--plan', 'only show what it would bring'),
    },
    examples: [
      ['send SM_Barrel SM_Stool --project Tavern', 'two props and all they need'],
      ['send SM_Barrel --project NewInn --create', 'to a project that no one has pulled into yet'],
      ['send SM_Barrel --project Tavern --plan', 'see how much it is first'],
      ['search tavern --type mesh --ids | ph send - --project Tavern', 'all that a search finds'],
    ],
    exits: ['conflict'],
    async run(context, { entries: given, project = context.env.PH_PROJECT, root, toAgent, exact, create, plan }) {
      if (project === undefined || project.trim() === '')
        throw wrongUsage(
          'The project that gets them is missing.',
          'Name it: --project Tavern, or once for all: `ph config set project Tavern`',
        )
      const references = await readReferences(context, given)
      await withLibrary(context, async ({ api }) => {
        const [ids, { projects }] = await Promise.all([requireEntryIds(api, references), api.projects.list()])
        await requireKnownProject(context, { api, projects, project, create, isPlan: plan })
        const order: PullOrder = {
          target_project: project,
          target_root: root ?? chosenRoot(projects, project),
          entries: ids.map((entry_id) => ({ entry_id })),
          delivery: toAgent ? 'agent' : undefined,
          ...versionsOf({ isExact: exact }),
        }
        const host = findHost(context.cwd, project)
        const sent = plan ? await planned(api, order, host) : await ordered(api, order, host)
        context.out.result(sent, () => words(sent, context))
      })
      return undefined
    },
  }),
]

type Sent = Omit<PullJobDetail, 'id'> & { id: number | null; warnings: PullWarning[] } & MissingInProject

async function planned(api: Api, order: PullOrder, host: PluginHost | undefined): Promise<Sent> {
  const job = await api.pullJobs.plan(order)
  return { ...job, ...missingInProject(job.closure.objects.map(namedObject), host) }
}

/** The order stands, whatever becomes of the question what it lacks. */
async function ordered(api: Api, order: PullOrder, host: PluginHost | undefined): Promise<Sent> {
  const job = await api.pullJobs.create(order)
  return { ...job, ...(await missingOfJob(job, host, () => api.pullJobs.closure({ job_id: job.id }))) }
}

/** Longer lists end in a line that says how many more there are. */
const mostEntries = 12

function words(job: Sent, { out }: Context): string[] {
  const shown = job.entries.slice(0, mostEntries)
  const hidden = job.entries.length - shown.length
  const what = `${count(job.entry_count, 'entry', 'entries')}, ${count(job.object_count, 'file')}, ${size(job.total_bytes)}`
  const project = printable(job.target_project)
  return [
    ...wrap(
      job.id === null
        ? `A job for ${project} would bring ${what} into ${job.target_root}; nothing was ordered.`
        : `${out.paint('bold', `Pull job ${job.id}`)} for ${project}: ${what}, into ${job.target_root}.`,
      out.width,
    ),
    '',
    ...entryTable(shown, out),
    ...(hidden > 0 ? [`and ${number(hidden)} more`] : []),
    ...missingWords(job, { out, entries: job.entries.length, all: false, allFlag: '--json' }),
    ...warningLines(withRootWarning(job.warnings, job.target_root), out),
    ...(job.id === null ? [] : ['', ...nextStep(job, out)]),
  ]
}

const nextStep = ({ delivery, target_project }: Sent, { paint, width }: Output): string[] =>
  delivery === 'agent'
    ? [
        ...wrap(`Your desktop agent brings it to where it looks after ${printable(target_project)} and takes imports:`, width),
        `  ${paint('cyan', 'ph agent link <folder of the project> --accept-imports')}`,
      ]
    : [
        'Someone who works in that project runs, in its folder:',
        `  ${paint('cyan', `ph pull --project ${shellWord(printable(target_project))}`)}`,
      ]
