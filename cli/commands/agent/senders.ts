/** `ph agent senders`, `allow`, `deny`. */
import type { AgentApi } from '../../../client/desktop/agent.ts'
import { findTarget } from '../../../client/pull/target-project.ts'
import type { AgentSender, senderAnswers } from '../../../contract/agent-senders.ts'
import type { UserStub } from '../../../contract/shapes.ts'
import { printable } from '../../../system/printable.ts'
import { shellWord } from '../../../system/shell-word.ts'
import { command, flag, text } from '../../command.ts'
import type { Context } from '../../context.ts'
import { withLibrary } from '../../library.ts'
import { noteLines } from '../../pull-orders/job-words.ts'
import { failed, wrongUsage } from '../../refusal.ts'
import { count } from '../../terminal/amounts.ts'
import { wrap } from '../../terminal/wrap.ts'
import { askAgent } from './workspace.ts'

const person = 'the colleague, by login name, display name or id'
const projectOption = text('--project <name>', 'the project that they send to (default: the one that you are in)')

export const senderCommands = [
  command({
    usage: 'agent senders',
    summary: 'List colleagues who sent props to your projects, what waits, and whom you allowed',
    description:
      'What a colleague sends with `ph send --to-agent` arrives only after you allowed them for that project. Until then it waits, and `ph pull` brings it. `ph jobs refuse` sends it back.',
    examples: [['agent senders', 'with why they sent it']],
    async run(context) {
      const { api } = await askAgent(context)
      const found = await api.agentSenders.list()
      context.out.result(found, () =>
        found.senders.length === 0
          ? 'No colleague has sent anything to your projects.'
          : found.senders.flatMap((one) => lines(one, context)),
      )
      return undefined
    },
  }),
  command({
    usage: 'agent allow <person>',
    summary: 'Let what a colleague sends to a project arrive by itself',
    description: 'What waits already arrives now. It is remembered until `ph agent deny` takes it back.',
    arguments: { person },
    options: { project: projectOption },
    examples: [['agent allow ada --project Inn', 'what ada sends to the Inn']],
    run: (context, { person: who, project }) => answer(context, { who, project, answer: 'allow' }),
  }),
  command({
    usage: 'agent deny <person>',
    summary: 'Let nothing arrive by itself that a colleague sends to a project',
    description:
      'What they send waits for `ph pull`, and you are not asked again. With --ask the next thing that they send asks you.',
    arguments: { person },
    options: { project: projectOption, ask: flag('--ask', 'forget what you answered') },
    examples: [
      ['agent deny ada --project Inn', 'take back what you allowed'],
      ['agent deny ada --project Inn --ask', 'be asked again'],
    ],
    run: (context, { person: who, project, ask }) => answer(context, { who, project, answer: ask ? null : 'deny' }),
  }),
]

interface Answering {
  who: string
  project: string | undefined
  answer: (typeof senderAnswers)[number] | null
}

async function answer(context: Context, { who, project: named, answer: said }: Answering): Promise<undefined> {
  const { api } = await askAgent(context)
  const project = named ?? findTarget({ cwd: context.cwd, project: undefined, into: undefined }).project
  const { id } = await findPerson(context, api, who)
  const known = await api.agentSenders.answer({ project_key: project, sender_id: id, answer: said })
  const [name, where] = [printable(known.sender.display_name || known.sender.name), printable(project)]
  context.out.result(known, () => {
    if (said === 'allow') return `What ${name} sends to ${where} arrives by itself now.`
    return said === 'deny'
      ? `What ${name} sends to ${where} waits for \`ph pull\`.`
      : `What ${name} sends to ${where} asks you first.`
  })
  return undefined
}

const isNamed = ({ id, name, display_name }: UserStub, given: string): boolean =>
  String(id) === given || name.toLowerCase() === given.toLowerCase() || display_name.toLowerCase() === given.toLowerCase()

/** Those who sent something come first: they are known without the library. */
async function findPerson(context: Context, api: AgentApi, given: string): Promise<UserStub> {
  const { senders } = await api.agentSenders.list()
  const known = new Map(senders.map(({ sender }) => [sender.id, sender]))
  const found = [...known.values()].filter((one) => isNamed(one, given))
  const members: UserStub[] = []
  if (found.length === 0)
    await withLibrary(context, async ({ api: library }) => members.push(...(await library.members.list()).members))
  const [only, ...others] = found.length > 0 ? found : members.filter((one) => isNamed(one, given))
  if (!only)
    throw failed(
      'USER_NOT_FOUND',
      `Nobody in the workspace is called ${printable(given)}.`,
      'See who sent something with `ph agent senders`.',
    )
  if (others.length === 0) return only
  const ids = [only, ...others].map(({ id, name }) => `${printable(name)} (${id})`).join(', ')
  throw wrongUsage(`Several people are called ${printable(given)}: ${ids}.`, 'Name one by their id.')
}

export const allowCommand = ({ sender, project_key }: AgentSender): string =>
  `ph agent allow ${shellWord(printable(sender.name))} --project ${shellWord(printable(project_key))}`

/** `Ada sent 2 props to Inn.` */
export function senderWords({ sender, project_key, jobs }: AgentSender): string {
  const props = jobs.reduce((sum, { entry_count }) => sum + entry_count, 0)
  const what = jobs.length === 0 ? 'nothing that waits' : `${count(props, 'prop')} that ${props === 1 ? 'waits' : 'wait'}`
  return `${printable(sender.display_name || sender.name)} sent ${what} to ${printable(project_key)}.`
}

const answerWords = { allow: 'allowed', deny: 'not allowed' } as const

function lines(one: AgentSender, { out }: Context): string[] {
  const said = one.answer === null ? 'not answered' : answerWords[one.answer]
  return [
    ...wrap(`${out.paint('bold', said)}  ${senderWords(one)}`, out.width),
    ...one.jobs.flatMap(({ id, entry_count, object_count, note }) => [
      ...wrap(`job ${id}: ${count(entry_count, 'prop')}, ${count(object_count, 'file')}`, out.width, '  '),
      ...noteLines(note, out),
    ]),
    ...(one.answer === null ? [`  ${out.paint('cyan', allowCommand(one))}`] : []),
  ]
}
