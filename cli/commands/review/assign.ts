/** `ph review assign`: who is asked in an open round, and who is to make the changes that were requested. */
import { versionName } from '../../../client/entries/current-version.ts'
import type { Api } from '../../../client/http/api.ts'
import { type FoundRound, findRounds, readRoundName, roundName } from '../../../client/reviews/find-rounds.ts'
import { ApiError, exits } from '../../../contract/errors.ts'
import type { Member } from '../../../contract/members.ts'
import { command, text, texts } from '../../command.ts'
import { listed, personName } from '../../discussion/people.ts'
import { requireWriter } from '../../entries/key-rights.ts'
import { readEntryList } from '../../entries/list.ts'
import { withLibrary } from '../../library.ts'
import { Refusal, wrongUsage } from '../../refusal.ts'
import { deciding, readAssignee, stateWords } from './decide.ts'
import { actOnReviews, type ReviewAct } from './each.ts'
import { type ReviewedEntry, readReviewed } from './entries.ts'
import { dryRunOption, roundsArgument } from './options.ts'
import { readTeam, requirePeople, requireReviewers, type Team, whoWords } from './people.ts'
import { explainRound } from './refusals.ts'
import { namesOf, standingWords } from './round-words.ts'

export const assignCommand = command({
  usage: 'review assign <reviews...>',
  summary: 'Ask more people, or fewer; or say who makes the changes',
  description:
    '--add and --remove change who is asked in an open review; who asked for it, or an admin, may do that. When the last one who has not answered is taken out and the others have approved, the version is approved. --to says who is to make the changes of a version whose review is over, and keeps its state and its note; in an open review who requests changes says that.',
  arguments: { reviews: roundsArgument },
  options: {
    add: texts('--add <who>', `ask these too: ${whoWords}; several with commas, or by giving this again`),
    remove: texts('--remove <who>', 'ask these no longer; what they answered goes'),
    to: text('--to <who>', 'who is to make the changes; nobody takes it off'),
    dryRun: dryRunOption,
  },
  terms: {
    title: 'JSON',
    list: [
      [
        '--json',
        '{dry_run, done, failed, reviews: [{request_id, entry_id, name, version, status: done, would or failed, outcome, request, error?}]}',
      ],
    ],
  },
  examples: [
    ['review assign SM_Barrel --add max', 'ask one person more'],
    ['review assign r12 --add max --remove mia', 'one instead of another'],
    ['review assign SM_Barrel --to mia', 'who makes the changes that were requested'],
  ],
  exits: ['conflict', 'partly'],
  async run(context, { reviews, add, remove, to, dryRun }) {
    const changesPeople = add.length + remove.length > 0
    if (changesPeople === (to !== undefined))
      throw wrongUsage(
        changesPeople ? '--to does not go with --add and --remove.' : 'Nobody was named.',
        'Give --add or --remove for who is asked, or --to for who makes the changes.',
      )
    const references = await readEntryList(context, reviews)
    return withLibrary(context, async ({ api }) => {
      if (!dryRun) await requireWriter(api)
      const team = await readTeam(api)
      const acts = changesPeople
        ? await changesOfPeople(api, references, {
            team,
            add: requireReviewers(team, add),
            remove: requirePeople(team, remove, { left: 'too' }),
          })
        : await assignments(api, references, { team, to: readAssignee(team, to) ?? null })
      return actOnReviews(context, acts, { dryRun })
    })
  },
})

interface Changes {
  team: Team
  add: readonly Member[]
  remove: readonly Member[]
}

async function changesOfPeople(api: Api, references: readonly string[], changes: Changes): Promise<ReviewAct[]> {
  const both = changes.add.find((one) => changes.remove.includes(one))
  if (both) throw wrongUsage(`${personName(both)} is named with --add and with --remove.`, 'Name each person once.')
  const rounds = await findRounds(api, references, changes.team.me.id)
  return rounds.map((round) => changing(api, round, changes))
}

function changing(api: Api, { request, name, version }: FoundRound, { team, add, remove }: Changes): ReviewAct {
  const reviewers = new Set(request.reviewers.map(({ user }) => user.id))
  const [added, removed] = [add.filter(({ id }) => !reviewers.has(id)), remove.filter(({ id }) => reviewers.has(id))]
  const ids = (people: readonly Member[]) => people.map(({ id }) => id)
  const words = [
    ...(added.length > 0 ? [`${listed(added.map(personName))} ${added.length === 1 ? 'is' : 'are'} asked too`] : []),
    ...(removed.length > 0 ? [`${listed(removed.map(personName))} ${removed.length === 1 ? 'is' : 'are'} asked no longer`] : []),
  ].join('; ')
  const isAllowed = request.requested_by.id === team.me.id || team.me.role === 'admin'
  const doing = { doing: 'change who reviews' } as const
  return {
    ...{ entry_id: request.entry_id, name, version, request_id: request.id },
    plan: words || 'is so already',
    refused: isAllowed
      ? request.status === 'open'
        ? requireSomeone(request.reviewers.length + added.length - removed.length)
        : explainRound(new ApiError('CONFLICT', undefined, { status: request.status }), request, doing)
      : explainRound(new ApiError('FORBIDDEN'), request, doing),
    explain: (error) => explainRound(error, request, doing),
    async perform() {
      const { request: changed } = await api.reviewRequests.update({
        ...{ request_id: request.id, add_reviewer_ids: ids(add), remove_reviewer_ids: ids(remove) },
      })
      const left =
        changed.status === 'open' ? standingWords(changed) : `the review of ${namesOf(changed.reviewers)} is ${changed.status}`
      return { request: changed, words: [words || 'is so already', left].filter(Boolean).join('; ') }
    },
  }
}

function requireSomeone(left: number): Refusal | undefined {
  if (left > 0) return undefined
  return new Refusal({
    code: 'VALIDATION',
    exit: exits.usage,
    message: 'Nobody would be left to review it.',
    next: 'Add someone with --add, or close the review with `ph review cancel`.',
  })
}

interface Assignment {
  team: Team
  to: Member | null
}

/** Reviews that are named stand for their props: what is assigned is the current version. */
async function assignments(api: Api, references: readonly string[], { team, to }: Assignment): Promise<ReviewAct[]> {
  const entries = await Promise.all(
    references.map(async (reference) => {
      const request_id = readRoundName(reference)
      return request_id === undefined ? reference : String((await api.reviewRequests.get({ request_id })).request.entry_id)
    }),
  )
  return (await readReviewed(api, entries)).map((reviewed) => assigning(api, reviewed, { team, to }))
}

function assigning(api: Api, reviewed: ReviewedEntry, { team: { me }, to }: Assignment): ReviewAct {
  const { entry, open } = reviewed
  const state = entry.review_status
  const decision = deciding(api, { entry, open }, { state, note: entry.review?.note ?? undefined, assignee: to, me })
  const words = to === null ? 'assigned to nobody' : `assigned to ${personName(to)}`
  const own = open?.reviewers.find(({ user, response }) => user.id === me.id && response === 'changes_requested')
  if (open && own && to)
    return {
      ...{ ...decision, plan: `would be ${words}`, request_id: open.id, refused: undefined },
      async perform() {
        const said = { request_id: open.id, response: 'changes_requested', note: own.note, assign_to: to.id } as const
        return { words: `${stateWords(state)}; ${words}`, request: (await api.reviewRequests.respond(said)).request }
      },
    }
  return {
    ...decision,
    plan: `would be ${words}`,
    refused: open ? stillOpen(roundName(open.id)) : state === 'draft' ? isDraft(versionName(entry.face)) : decision.refused,
    async perform() {
      await decision.perform()
      return { words: `${stateWords(state)}; ${words}`, request: null }
    },
  }
}

const stillOpen = (round: string): Refusal =>
  new Refusal({
    code: 'CONFLICT',
    exit: exits.conflict,
    message: `${round} is open, and who requests changes in it says who makes them.`,
    next: `When you were asked in it: \`ph review changes ${round} --assign <who> --note "<what>"\``,
  })

const isDraft = (version: string): Refusal =>
  new Refusal({
    code: 'CONFLICT',
    exit: exits.conflict,
    message: `${version} is a draft: nothing was decided of it, so there is nothing to assign.`,
    next: 'Request changes of someone with `ph review decide changes-requested <prop> --assign <who> --note "<what>"`.',
  })
