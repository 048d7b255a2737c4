/** `ph agent conflicts`, `answer`. */
import { readFile } from 'node:fs/promises'
import type { AgentApi } from '../../../client/desktop/agent.ts'
import { mineCommand, theirsCommand } from '../../../client/latest/ways-out.ts'
import type { AgentConflict, conflictAnswers } from '../../../contract/agent-imports.ts'
import { ApiError, exits } from '../../../contract/errors.ts'
import { printable } from '../../../system/printable.ts'
import { command, flag } from '../../command.ts'
import type { Context } from '../../context.ts'
import { wholeNumber, wrongUsage } from '../../refusal.ts'
import { moment, size, timeLeft } from '../../terminal/amounts.ts'
import { showFramed } from '../../terminal/gallery.ts'
import { pictureTerms } from '../../terminal/pictures.ts'
import { wrap } from '../../terminal/wrap.ts'
import { askAgent } from './workspace.ts'

type Answer = (typeof conflictAnswers)[number]

const readId = wholeNumber('<conflicts>', 1, Number.MAX_SAFE_INTEGER)

export const conflictCommands = [
  command({
    usage: 'agent conflicts',
    summary: 'List files that an import would replace, and that wait for your answer',
    description:
      'A file that was changed here, or is open in the editor, is not replaced without an answer. After ten minutes the file here is kept, and the version that came waits until you take it.',
    options: { noPictures: flag('--no-pictures', 'show no pictures') },
    terms: pictureTerms,
    examples: [
      ['agent conflicts', 'with both sides of each'],
      ['agent conflicts --json', 'for a program, with the files of their pictures'],
    ],
    async run(context, { noPictures }) {
      const { api } = await askAgent(context)
      const found = await api.agentConflicts.list()
      if (!noPictures) for (const one of found.conflicts.slice(0, mostPictured)) await showBoth(one, context)
      context.out.result(found, () =>
        found.conflicts.length === 0
          ? 'Nothing waits for an answer.'
          : [...found.conflicts.flatMap((one) => lines(one, context)), ...allWords(found.conflicts)],
      )
      return undefined
    },
  }),
  command({
    usage: 'agent answer [conflicts...]',
    summary: 'Answer conflicts: keep the files here, or take those that came',
    description: 'Of several, each is answered by itself: those that cannot be are named, and the others are done.',
    arguments: { conflicts: 'their numbers, as `ph agent conflicts` shows them' },
    options: {
      keep: flag('--keep', 'keep the file as it is here'),
      take: flag('--take', 'put the version that came in its place; a copy of the file here is kept'),
      all: flag('--all', 'every conflict that waits for an answer'),
    },
    examples: [
      ['agent answer 3 --keep', 'leave my work'],
      ['agent answer 3 4 --take', 'bring theirs, and keep copies of mine'],
      ['agent answer --all --keep', 'leave everything as it is here'],
    ],
    exits: ['conflict'],
    async run(context, { conflicts, keep, take, all }) {
      if (keep === take) throw wrongUsage('Say which of both you want.', 'Use --keep or --take.')
      if (all === conflicts.length > 0) throw wrongUsage('Say which conflicts you mean.', 'Give their numbers, or --all.')
      const { api } = await askAgent(context)
      const ids = all ? (await api.agentConflicts.list()).conflicts.map(({ id }) => id) : conflicts.map(readId)
      const outcome = await answerAll(api, { ids: [...new Set(ids)], answer: keep ? 'keep_local' : 'take_incoming' })
      if (ids.length === 1 && outcome.failures[0]) throw outcome.failures[0].error
      tell(context, outcome)
      return outcome.failures.length > 0 ? exits.conflict : undefined
    },
  }),
]

/** More of them scroll away the first. */
const mostPictured = 4

/** Side by side, each with its number and version below. A picture that is gone by now is left out. */
async function showBoth({ id, local, incoming }: AgentConflict, context: Context): Promise<void> {
  if (context.out.json || !context.out.terminal) return
  const framed = await Promise.all(
    Object.entries({ here: local, came: incoming }).map(async ([name, { picture, version }]) => ({
      picture: picture === null ? undefined : await readFile(picture).catch(() => undefined),
      caption: `${id} ${name}${version === null ? '' : `: ${version}`}`,
    })),
  )
  if (framed.some(({ picture }) => picture)) await showFramed(context, framed)
}

interface Outcome {
  answered: AgentConflict[]
  failures: { id: number; error: ApiError }[]
}

async function answerAll(api: AgentApi, { ids, answer }: { ids: readonly number[]; answer: Answer }): Promise<Outcome> {
  const outcome: Outcome = { answered: [], failures: [] }
  for (const id of ids)
    try {
      outcome.answered.push(await api.agentConflicts.answer({ conflict_id: id, answer }))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      outcome.failures.push({ id, error })
    }
  return outcome
}

function tell({ out }: Context, { answered, failures }: Outcome): void {
  const failed = failures.map(({ id, error: { code, message } }) => ({ id, error: { code, message } }))
  out.result({ answered, failed }, () => [
    ...answered.flatMap((one) => answerWords(one)),
    ...failed.map(({ id, error }) => `! ${id}: ${printable(error.message)}`),
    ...(answered.length + failed.length === 0 ? ['Nothing waits for an answer.'] : []),
  ])
}

function answerWords(conflict: AgentConflict): string[] {
  const file = printable(conflict.file)
  if (conflict.answer === 'keep_local') return [`${file}: kept as it is here.`]
  return [`${file}: the version that came is taken.`, copyWords(conflict)]
}

/** Of an import that goes on, it is made when the file is replaced. */
const copyWords = ({ copy }: AgentConflict): string =>
  copy === null
    ? 'It takes its place when everything else is there, unless the file changes before; yours is kept in Saved/PropHouse/Backups of the project.'
    : `Your file is kept as ${printable(copy)}`

const allWords = ({ length }: readonly AgentConflict[]): string[] =>
  length < 2 ? [] : ['', `All ${length} at once: ph agent answer --all --keep or --take`]

/** They work without the agent too. */
const waysOut = (path: string, reason: AgentConflict['reason']): string[] => [
  `${printable(theirsCommand(path))} (yours becomes a backup)`,
  ...(reason === 'open' ? [] : [`${printable(mineCommand(path))} (the next push makes it the next version)`]),
]

function lines(
  { id, project_key, file, path, reason, local, incoming, differences, state, answer_by }: AgentConflict,
  { out, now }: Context,
): string[] {
  const why = reason === 'open' ? 'open in the editor' : 'changed here'
  const side = (name: string, { version, by, at, size: bytes }: AgentConflict['local']) => {
    const facts = [version, by, at === null ? null : moment(at), bytes === null ? null : size(bytes)]
    return `    ${name}: ${facts.flatMap((fact) => (fact === null ? [] : printable(fact))).join(', ') || 'not known'}`
  }
  const about = [
    side('here', local),
    side('came', incoming),
    ...(differences.length === 0 ? ['    Nothing that is known of them differs but their bytes.'] : []),
    ...differences.map((one) => `    ${printable(one)}`),
    state === 'asked'
      ? `    Answer within ${timeLeft(answer_by, now())}: ph agent answer ${id} --keep or --take`
      : `    The file here was kept. ph agent answer ${id} --take brings the other, now or later, and so do:`,
    ...(state === 'asked' ? [] : waysOut(path, reason).map((way) => `      ${way}`)),
  ]
  return [
    `${out.paint('bold', String(id))}  ${printable(project_key)}: ${printable(file)}, ${why}`,
    ...about.flatMap((line) => wrap(line, out.width)),
  ]
}
