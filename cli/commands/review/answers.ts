/** `ph review approve` and `changes`: the answer of someone who was asked. `ph review cancel`: the end of a round. */
import { createInterface } from 'node:readline/promises'
import { type Picture, readPictures, uploadPictures } from '../../../client/discussion/pictures.ts'
import type { Api } from '../../../client/http/api.ts'
import { type FoundRound, findRounds, roundName } from '../../../client/reviews/find-rounds.ts'
import { ApiError } from '../../../contract/errors.ts'
import type { Member } from '../../../contract/members.ts'
import type { ReviewRequest, responses } from '../../../contract/review-requests.ts'
import { printable } from '../../../system/printable.ts'
import { command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { personName } from '../../discussion/people.ts'
import { requireWriter } from '../../entries/key-rights.ts'
import { readEntryList } from '../../entries/list.ts'
import { readText } from '../../entries/note-text.ts'
import { withLibrary } from '../../library.ts'
import { declined, type Refusal, wrongUsage } from '../../refusal.ts'
import { typedLine } from '../../terminal/typed-line.ts'
import { askYesOrNo } from '../../terminal/yes-or-no.ts'
import { actOnReviews, type ReviewAct } from './each.ts'
import { assignOption, dryRunOption, imageOption, noteOption, roundsArgument } from './options.ts'
import { readTeam, requirePerson, type Team } from './people.ts'
import { explainRound, otherVersion } from './refusals.ts'
import { standingWords } from './round-words.ts'

const jsonTerms = {
  title: 'JSON',
  list: [
    [
      '--json',
      '{dry_run, done, failed, reviews: [{request_id, entry_id, name, version, status: done, would or failed, outcome, request, error?}]}; request is as `ph api GET /review-requests/<id>` gives it',
    ],
  ],
} as const

export const answerCommands = [
  command({
    usage: 'review approve <reviews...>',
    summary: 'Approve versions that you were asked to review',
    description:
      'The version is approved once everyone who was asked has approved. As long as the review is open you may answer again: the new answer takes the place of the earlier one.',
    arguments: { reviews: roundsArgument },
    options: { note: noteOption('what you want to say with it'), image: imageOption, dryRun: dryRunOption },
    terms: jsonTerms,
    examples: [
      ['review approve SM_Barrel', 'the open review of a prop'],
      ['review approve r12 r13 --note "Both look great"', 'two reviews, as `ph review list` names them'],
      ['review list --waiting-on-me --ids | ph review approve -', 'everything that waits for you'],
    ],
    exits: ['conflict', 'partly'],
    run: (context, { reviews, ...said }) => answer(context, reviews, { ...said, response: 'approved', assign: undefined }),
  }),
  command({
    usage: 'review changes <reviews...>',
    summary: 'Request changes of versions that you were asked to review',
    description:
      'Say what should change with --note, or show it with --image. Who asked for the review is to make the changes, unless --assign names someone else; they are told.',
    arguments: { reviews: roundsArgument },
    options: {
      note: noteOption('what should change'),
      assign: assignOption('who is to make the changes'),
      image: imageOption,
      dryRun: dryRunOption,
    },
    terms: jsonTerms,
    examples: [
      ['review changes SM_Barrel --note "The rings are too thick"', 'of who asked for the review'],
      ['review changes r12 --note "Needs LODs" --assign mia', 'of someone else'],
      ['review changes r12 --image paintover.png', 'shown instead of told'],
    ],
    exits: ['conflict', 'partly'],
    run: (context, { reviews, ...said }) => answer(context, reviews, { ...said, response: 'changes_requested' }),
  }),
  command({
    usage: 'review cancel <reviews...>',
    summary: 'Close reviews that you asked for, without an outcome',
    description:
      'Nobody has to answer any more. A version about which nobody has answered is a draft again. Admins may cancel any review.',
    arguments: { reviews: roundsArgument },
    options: { dryRun: dryRunOption },
    terms: jsonTerms,
    examples: [['review cancel SM_Barrel', 'its open review']],
    exits: ['conflict', 'partly'],
    async run(context, { reviews, dryRun }) {
      const references = await readEntryList(context, reviews)
      return withLibrary(context, async ({ api }) => {
        if (!dryRun) await requireWriter(api)
        const me = await api.members.me()
        const rounds = await findRounds(api, references, me.id)
        return actOnReviews(
          context,
          rounds.map((round) => cancelling(api, round, me)),
          { dryRun },
        )
      })
    },
  }),
]

interface Said {
  response: (typeof responses)[number]
  note: string | undefined
  assign: string | undefined
  image: readonly string[]
  dryRun: boolean
}

async function answer(context: Context, given: readonly string[], said: Said): Promise<number> {
  const references = await readEntryList(context, given)
  const pictures = await readPictures(said.image, context.cwd)
  const isUnexplained = said.response === 'changes_requested' && said.note === undefined && pictures.length === 0
  if (isUnexplained && !said.dryRun && !context.interactive)
    throw wrongUsage(
      'Nobody can know what should change.',
      'Say it: --note "The rings are too thick"; or show it: --image <file>',
    )
  return withLibrary(context, async ({ api }) => {
    if (!said.dryRun) await requireWriter(api)
    const team = await readTeam(api)
    const assignee = said.assign === undefined ? undefined : requirePerson(team, said.assign)
    const rounds = await findRounds(api, references, team.me.id)
    const meant = context.interactive && !said.dryRun ? await askWhichVersion(context, rounds, said.response) : 'unsaid'
    const note = isUnexplained && !said.dryRun ? await askForNote(context) : said.note
    const acts = rounds.map((round) => answering(api, round, { ...said, note, pictures, assignee, team, meant }))
    return actOnReviews(context, acts, { dryRun: said.dryRun })
  })
}

/** Asks about each prop whose review is of another version than the current one. Throws Refusal when the answer is no. */
async function askWhichVersion(
  context: Context,
  rounds: readonly FoundRound[],
  response: Said['response'],
): Promise<'that of the review'> {
  const verb = response === 'approved' ? 'Approve' : 'Request changes of'
  for (const { name, version, request } of rounds.filter(isOfOtherVersion)) {
    const question = `${printable(name)}: its review, ${roundName(request.id)}, is of ${version}, and another version is current by now. ${verb} ${version} all the same?`
    if (!(await askYesOrNo(context, question, false))) throw declined('Nothing was changed.')
  }
  return 'that of the review'
}

const isOfOtherVersion = ({ isOutdated, isNamed }: FoundRound): boolean => isOutdated && !isNamed

async function askForNote({ stdin, stderr, signal }: Context): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr })
  try {
    const typed = await typedLine(lines, 'What should change? > ', signal)
    if (!typed) throw declined('Nothing was changed.')
    return readText('--note')(typed)
  } finally {
    lines.close()
  }
}

interface Answer extends Pick<Said, 'response' | 'note'> {
  pictures: readonly Picture[]
  assignee: Member | undefined
  team: Team
  /** Which version is meant where a prop is named whose review is of another one than the current. */
  meant: 'that of the review' | 'unsaid'
}

function answering(api: Api, round: FoundRound, said: Answer): ReviewAct {
  const { request, name, version, isOutdated } = round
  const { response, note, pictures, assignee, team } = said
  const verb = response === 'approved' ? 'approved' : `changes requested of ${personName(assignee ?? request.requested_by)}`
  const remark = isOutdated ? ['another version is current by now'] : []
  return {
    ...{ entry_id: request.entry_id, name, version, request_id: request.id },
    plan: [`would be ${verb}`, ...remark].join('; '),
    refused:
      refusalOf(request, 'answer', team.me) ??
      (said.meant === 'unsaid' && isOfOtherVersion(round)
        ? otherVersion(round, response === 'approved' ? 'approve' : 'changes')
        : undefined),
    explain: (error) => explainRound(error, request, { doing: 'answer' }),
    async perform() {
      const attachments = pictures.length > 0 ? { attachment_ids: await uploadPictures(api, pictures) } : {}
      const { request: answered } = await api.reviewRequests.respond({
        ...{ request_id: request.id, response, note, ...attachments },
        ...(assignee ? { assign_to: assignee.id } : {}),
      })
      return {
        request: answered,
        words: [verbOf(answered, team) ?? verb, standingWords(answered, team.me.id), ...remark].filter(Boolean).join('; '),
      }
    },
  }
}

/** What can be known before: a dry run says it, and nothing is uploaded in vain. */
function refusalOf(request: ReviewRequest, doing: 'answer' | 'cancel it', me: Member): Refusal | undefined {
  const mayChange = request.requested_by.id === me.id || me.role === 'admin'
  const isAllowed = doing === 'answer' ? request.reviewers.some(({ user }) => user.id === me.id) : mayChange
  if (!isAllowed)
    return explainRound(new ApiError('FORBIDDEN'), request, { doing, canAdd: mayChange && request.status === 'open' })
  if (request.status === 'open') return undefined
  return explainRound(new ApiError('CONFLICT', undefined, { status: request.status }), request, { doing })
}

/** Whom the library chose to make the changes: nobody where who asked for the review has left. */
function verbOf({ reviewers }: ReviewRequest, { me, members }: Team): string | undefined {
  const own = reviewers.find(({ user }) => user.id === me.id)
  if (own?.response !== 'changes_requested') return undefined
  const assignee = members.find(({ id }) => id === own.assign_to)
  return assignee ? `changes requested of ${personName(assignee)}` : 'changes requested'
}

function cancelling(api: Api, { request, name, version }: FoundRound, me: Member): ReviewAct {
  return {
    ...{ entry_id: request.entry_id, name, version, request_id: request.id },
    plan: 'would be cancelled',
    refused: refusalOf(request, 'cancel it', me),
    explain: (error) => explainRound(error, request, { doing: 'cancel it' }),
    async perform() {
      const { request: cancelled } = await api.reviewRequests.cancel({ request_id: request.id })
      const isUnanswered = cancelled.reviewers.every(({ response }) => response === 'pending')
      const left = isUnanswered ? 'the version is a draft again' : 'what was answered stays'
      return { request: cancelled, words: `${roundName(request.id)} is cancelled; ${left}` }
    },
  }
}
