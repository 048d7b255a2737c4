/** `ph agent conflicts`, `answer`. */
import { requireAgent } from '../../../client/desktop/agent.ts'
import type { AgentConflict } from '../../../contract/agent-imports.ts'
import { printable } from '../../../system/printable.ts'
import { command, flag } from '../../command.ts'
import { foldersOf } from '../../connection.ts'
import type { Context } from '../../context.ts'
import { wholeNumber, wrongUsage } from '../../refusal.ts'
import { moment, size, timeLeft } from '../../terminal/amounts.ts'

const readId = wholeNumber('<conflict>', 1, Number.MAX_SAFE_INTEGER)

export const conflictCommands = [
  command({
    usage: 'agent conflicts',
    summary: 'List files that an import would replace, and that wait for your answer',
    description:
      'A file that was changed here, or is open in the editor, is not replaced without an answer. After ten minutes the file here is kept, and the version that came waits until you take it.',
    examples: [
      ['agent conflicts', 'with both sides of each'],
      ['agent conflicts --json', 'for a program'],
    ],
    async run(context) {
      const { api } = await requireAgent(foldersOf(context))
      const found = await api.agentConflicts.list()
      context.out.result(found, () =>
        found.conflicts.length === 0 ? 'Nothing waits for an answer.' : found.conflicts.flatMap((one) => lines(one, context)),
      )
      return undefined
    },
  }),
  command({
    usage: 'agent answer <conflict>',
    summary: 'Answer a conflict: keep the file here, or take the one that came',
    arguments: { conflict: 'its number, as `ph agent conflicts` shows it' },
    options: {
      keep: flag('--keep', 'keep the file as it is here'),
      take: flag('--take', 'put the version that came in its place; a copy of the file here is kept'),
    },
    examples: [
      ['agent answer 3 --keep', 'leave my work'],
      ['agent answer 3 --take', 'bring theirs, and keep a copy of mine'],
    ],
    exits: ['conflict'],
    async run(context, { conflict, keep, take }) {
      if (keep === take) throw wrongUsage('Say which of both you want.', 'Use --keep or --take.')
      const { api } = await requireAgent(foldersOf(context))
      const answer = keep ? 'keep_local' : 'take_incoming'
      const answered = await api.agentConflicts.answer({ conflict_id: readId(conflict), answer })
      context.out.result(
        answered,
        () => `${printable(answered.file)}: ${keep ? 'kept as it is here' : 'the version that came is taken'}.`,
      )
      return undefined
    },
  }),
]

function lines(
  { id, file, reason, local, incoming, differences, state, answer_by }: AgentConflict,
  { out, now }: Context,
): string[] {
  const why = reason === 'open' ? 'open in the editor' : 'changed here'
  const side = (name: string, { version, by, at, size: bytes }: AgentConflict['local']) => {
    const facts = [version, by, at === null ? null : moment(at), bytes === null ? null : size(bytes)]
    return `    ${name}: ${facts.flatMap((fact) => (fact === null ? [] : printable(fact))).join(', ') || 'not known'}`
  }
  return [
    `${out.paint('bold', String(id))}  ${printable(file)}, ${why}`,
    side('here', local),
    side('came', incoming),
    ...differences.map((one) => `    ${printable(one)}`),
    state === 'asked'
      ? `    Answer within ${timeLeft(answer_by, now())}: ph agent answer ${id} --keep or --take`
      : `    The file here was kept. ph agent answer ${id} --take brings the other.`,
  ]
}
