/** `ph send`: orders a pull for somebody else's project. */

import type { PullJobDetail, PullOrder, PullWarning } from '../../contract/pull-jobs.ts'
import { count, number, size } from '../amounts.ts'
import { command, flag, text, value } from '../command.ts'
import type { Context } from '../context.ts'
import { requireEntryIds } from '../entry-reference.ts'
import { entryTable } from '../job-words.ts'
import { withLibrary } from '../library.ts'
import { readPrefer, readReferences, readRoot } from '../order-input.ts'
import type { Output } from '../output.ts'
import { printable } from '../printable.ts'
import { wrongUsage } from '../refusal.ts'
import { shellWord } from '../shell-word.ts'
import { warningLines } from '../warning-lines.ts'
import { wrap } from '../wrap.ts'

export const commands = [
  command({
    usage: 'send <entries...>',
    description:
      'Makes a pull job: the entries in their current versions, with everything they need. Nothing is downloaded here; whoever works in that project brings it with `ph pull`.',
    arguments: { entries: 'ids, names or /Game paths; - reads them from standard input, one a line' },
    options: {
      project: text('--project <name>', 'the project that is to get them, exactly as its .uproject file is named (required)'),
      root: value('--root <path>', 'where they land: /Game leaves paths as they are (default: what the project has)', readRoot),
      toAgent: flag('--to-agent', 'let the desktop agent of your editors bring them, without anybody typing anything'),
      prefer: value(
        '--prefer <which>',
        'newest: of two versions of a prop that would land in one place, take the newer',
        readPrefer,
      ),
      plan: flag('--plan', 'only show what it would bring'),
    },
    examples: [
      ['send SM_Barrel SM_Stool --project Tavern', 'two props and all they need'],
      ['send /Game/Props/SM_Barrel --project Tavern --root /Game', 'into the same folder as here'],
      ['send SM_Barrel --project Tavern --plan', 'see how much it is first'],
      ['search tavern --type mesh --ids | ph send - --project Tavern', 'all that a search finds'],
    ],
    exits: ['conflict'],
    async run(context, { entries: given, project, root, toAgent, prefer, plan }) {
      if (project === undefined || project.trim() === '')
        throw wrongUsage('It is not said which project is to get them.', 'Name it: --project Tavern')
      const references = await readReferences(context, given)
      await withLibrary(context, async ({ api }) => {
        const ids = await requireEntryIds(api, references)
        const order: PullOrder = {
          target_project: project,
          target_root: root,
          entries: ids.map((entry_id) => ({ entry_id })),
          delivery: toAgent ? 'agent' : undefined,
          prefer,
        }
        const job = plan ? await api.pullJobs.plan(order) : await api.pullJobs.create(order)
        context.out.result(job, () => words(job, context))
      })
      return undefined
    },
  }),
]

type Sent = Omit<PullJobDetail, 'id'> & { id: number | null; warnings: PullWarning[] }
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
    ...warningLines(job.warnings, out),
    ...(job.id === null ? [] : ['', ...nextStep(job, out)]),
  ]
}

const nextStep = ({ delivery, target_project }: Sent, { paint, width }: Output): string[] =>
  delivery === 'agent'
    ? wrap(`Your editor with ${printable(target_project)} open takes it, once imports by the agent are on there.`, width)
    : [
        'Whoever works in that project runs, in its folder:',
        `  ${paint('cyan', `ph pull --project ${shellWord(printable(target_project))}`)}`,
      ]
