/** `ph send`: orders a pull for someone else's project. */

import { requireEntryIds } from '../../client/entries/reference.ts'
import type { Api } from '../../client/http/api.ts'
import { versionsOf } from '../../client/pull/options.ts'
import { planSend, type Sent, send } from '../../client/pull/orders/send.ts'
import { chosenRoot, withRootWarning } from '../../client/pull/orders/target-root.ts'
import { findHost } from '../../client/pull/target-project.ts'
import { printable } from '../../system/printable.ts'
import { shellWord } from '../../system/shell-word.ts'
import { among, command, flag, text, value } from '../command.ts'
import type { Context } from '../context.ts'
import { entriesArgument, readEntryList } from '../entries/list.ts'
import { missingWords } from '../entries/missing-dependency-words.ts'
import { readText } from '../entries/note-text.ts'
import { withLibrary } from '../library.ts'
import { readPrefer, readRoot } from '../pull-orders/input.ts'
import { entryTable, jobsNamed, noteLines } from '../pull-orders/job-words.ts'
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
      'Makes a pull job, or several where it is too much for one: the entries in their current versions, with everything they need. Nothing is downloaded here; someone who works in that project brings it with `ph pull`.',
    arguments: { entries: entriesArgument },
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
      toAgent: flag(
        '--to-agent',
        'let the desktop agent bring them: yours to your own projects, a colleague’s once they allowed you to send to theirs',
      ),
      exact: flag('--exact', 'bring what they need in exactly the versions that they were pushed with, not in the current ones'),
      prefer: value(
        '--prefer <which>',
        'newest, which is always done now: of two versions of a prop with the same destination, take the newer',
        among(['newest'], readPrefer),
      ),
      note: value('--note <text>', 'why, shown to who gets them', readText('--note')),
      create: flag('--create', 'send to a project that the library does not know yet'),
      plan: flag('--plan', 'only show what it would bring'),
    },
    examples: [
      ['send SM_Barrel SM_Stool --project Tavern', 'two props and all they need'],
      ['send SM_Barrel --project NewInn --create', 'to a project that no one has pulled into yet'],
      ['send SM_Barrel --project Tavern --plan', 'see how much it is first'],
      ["send SM_Barrel --project Tavern --note 'for the bar scene'", 'who gets it reads why'],
      ['search tavern --type mesh --ids | ph send - --project Tavern', 'all that a search finds'],
    ],
    exits: ['conflict'],
    async run(context, { entries: given, project = context.env.PH_PROJECT, root, toAgent, exact, note, create, plan }) {
      if (project === undefined || project.trim() === '')
        throw wrongUsage(
          'The project that gets them is missing.',
          'Name it: --project Tavern, or once for all: `ph config set project Tavern`',
        )
      const references = await readEntryList(context, given)
      await withLibrary(context, async ({ api }) => {
        const [ids, { projects }] = await Promise.all([requireEntryIds(api, references), api.projects.list()])
        await requireKnownProject(context, { api, projects, project, create, isPlan: plan })
        const order = {
          target_project: project,
          target_root: root ?? chosenRoot(projects, project),
          entries: ids.map((entry_id) => ({ entry_id })),
          delivery: toAgent ? ('agent' as const) : undefined,
          ...versionsOf({ isExact: exact }),
          ...(note === undefined ? {} : { note }),
        }
        const sending = { order, host: findHost(context.cwd, project) }
        const sent = plan ? await planSend(api, sending) : await sendAll(context, { ...sending, api })
        if (note !== undefined && sent.note === undefined)
          context.out.note('This server is older than your ph, and keeps no notes with what is sent.')
        context.out.result(sent, () => words(sent, context))
      })
      return undefined
    },
  }),
]

/** Where it stops between two jobs of one order, it is said which of them stand. */
async function sendAll(context: Context, { api, ...sending }: Parameters<typeof planSend>[1] & { api: Api }): Promise<Sent> {
  let standing: number[] = []
  const onMade = (made: number[]) => {
    standing = made
  }
  try {
    return await send(api, { ...sending, onMade })
  } catch (error) {
    const project = shellWord(printable(sending.order.target_project))
    if (standing.length > 0)
      context.out.note(
        `Pull ${jobsNamed(standing)} had been ordered before that, of more. See \`ph jobs list --project ${project} --status queued\`; \`ph jobs cancel <job>\` takes one back.`,
      )
    throw error
  }
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
        : `${out.paint('bold', `Pull ${jobsNamed(job.jobs.map(({ id }) => id))}`)} for ${project}: ${what}, into ${job.target_root}.`,
      out.width,
    ),
    ...noteLines(job.note, out),
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
        ...wrap(
          'A colleague’s agent asks them once whether it may take what you send to their project; until then it waits there.',
          width,
        ),
      ]
    : [
        'Someone who works in that project runs, in its folder:',
        `  ${paint('cyan', `ph pull --project ${shellWord(printable(target_project))}`)}`,
      ]
