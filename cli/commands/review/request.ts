/** `ph review request`: asks people to review the current versions of props. */

import { type Picture, readPictures, uploadPictures } from '../../../client/discussion/pictures.ts'
import { versionName } from '../../../client/entries/current-version.ts'
import type { Api } from '../../../client/http/api.ts'
import { roundName } from '../../../client/reviews/find-rounds.ts'
import type { EntryDetail } from '../../../contract/entries.ts'
import { exits } from '../../../contract/errors.ts'
import { limits } from '../../../contract/limits.ts'
import type { Member } from '../../../contract/members.ts'
import type { ReviewRequest } from '../../../contract/review-requests.ts'
import { printable } from '../../../system/printable.ts'
import { shellWord } from '../../../system/shell-word.ts'
import { command, texts, value } from '../../command.ts'
import type { Context } from '../../context.ts'
import { listed, personName } from '../../discussion/people.ts'
import { requireWriter } from '../../entries/key-rights.ts'
import { entriesArgument, readEntryList } from '../../entries/list.ts'
import { chooseVersion, readVersionChoice, type VersionChoice } from '../../entries/version-name.ts'
import { withLibrary } from '../../library.ts'
import { Refusal, wrongUsage } from '../../refusal.ts'
import { count } from '../../terminal/amounts.ts'
import { wrapAfter } from '../../terminal/wrap.ts'
import { actOnReviews, type ReviewAct, type ReviewRow } from './each.ts'
import { readEntries } from './entries.ts'
import { dryRunOption, imageOption, noteOption } from './options.ts'
import { readTeam, requireReviewers, type Team, whoWords } from './people.ts'
import { explainRequest } from './refusals.ts'
import { offerReviewers, readSuggestions, type Suggestion, suggestionLines } from './suggestions.ts'

export const requestCommand = command({
  usage: 'review request <entries...>',
  summary: 'Ask people to review the current versions of props',
  description:
    'Each version is in review at once, and everyone who was asked is told. It is approved when all of them have approved; one who requests changes outweighs the others. Without --reviewer the library suggests people who know the prop, with the reason; on a terminal you choose among them. A @name in the note tells that person too. Reviews are of current versions: --version says which one you mean, and nothing happens when another has become current.',
  arguments: { entries: entriesArgument },
  options: {
    reviewer: texts('--reviewer <who>', `who is to review it: ${whoWords}; several with commas, or by giving this again`),
    note: noteOption('what is new, or what to look at'),
    image: imageOption,
    version: value('--version <version>', 'only while this version of one prop is current, such as v3', readVersionChoice),
    dryRun: dryRunOption,
  },
  terms: {
    title: 'JSON',
    list: [
      [
        '--json',
        '{dry_run, reviewers, suggestions, done, failed, reviews: [{request_id, entry_id, name, version, status: done, would or failed, outcome, request, error?}]}; request is as `ph api GET /review-requests/<id>` gives it',
      ],
    ],
  },
  examples: [
    ['review request SM_Barrel', 'choose among the people who know it'],
    ['review request SM_Barrel --reviewer mia,max --note "New rings, @adam"', 'ask two people, and tell a third'],
    ['review request SM_Barrel SM_Stool --reviewer mia --image shot.png', 'two props, each with a picture'],
    ['review request SM_Barrel --dry-run --json | jq ".suggestions[].user.name"', 'whom the library suggests'],
  ],
  exits: ['conflict', 'partly'],
  async run(context, { entries: given, reviewer, note, image, version, dryRun }) {
    const references = await readEntryList(context, given)
    const pictures = await readPictures(image, context.cwd)
    return withLibrary(context, async ({ api }) => {
      if (!dryRun) await requireWriter(api)
      const entries = await readEntries(api, references)
      if (version !== undefined) await requireCurrent(api, entries, version)
      const team = await readTeam(api)
      const named = reviewer.length > 0 ? requireReviewers(team, reviewer) : []
      requireRoom(named)
      const suggestions =
        named.length > 0
          ? []
          : await readSuggestions(
              api,
              entries.map(({ id }) => id),
            )
      const reviewers = await chooseReviewers(context, { named, suggestions, team, dryRun, entries })
      requireRoom(reviewers)
      const acts = entries.map((entry) => requestOf(api, entry, { reviewers, note, pictures }))
      return actOnReviews(context, acts, {
        dryRun,
        more: { reviewers: reviewers.map(({ id, name, display_name }) => ({ id, name, display_name })), suggestions },
        closing: (rows) => closing(rows, { context, suggestions: dryRun ? suggestions : [] }),
      })
    })
  },
})

/** Refuses a version that is not the current one: the library reviews no other. */
async function requireCurrent(api: Api, entries: readonly EntryDetail[], choice: VersionChoice): Promise<void> {
  const [entry, another] = entries
  if (!entry || another)
    throw wrongUsage('--version names a version of one prop.', 'Ask about the others by commands of their own.')
  const { objects } = await api.lineages.get({ lineage_id: entry.lineage_id })
  const chosen = chooseVersion(objects, choice, entry.name)
  if (chosen.object_id === entry.object_id) return
  const name = shellWord(printable(entry.name))
  throw new Refusal({
    code: 'CONFLICT',
    exit: exits.conflict,
    message: `${printable(entry.name)} ${versionName(chosen)} is not the current version, ${versionName(entry.face)} is, and only that can be reviewed.`,
    next: `Ask about ${versionName(entry.face)}, or make the other one current first: \`ph restore ${name} --version ${versionName(chosen)}\``,
    details: { current_object_id: entry.object_id },
  })
}

function requireRoom(people: readonly Member[]): void {
  if (people.length <= limits.reviewers) return
  throw wrongUsage(`A review takes up to ${limits.reviewers} people, and these are ${people.length}.`, 'Name fewer.')
}

interface Choosing {
  named: Member[]
  suggestions: readonly Suggestion[]
  team: Team
  dryRun: boolean
  entries: readonly EntryDetail[]
}

async function chooseReviewers(context: Context, { named, dryRun, entries, ...offer }: Choosing): Promise<Member[]> {
  if (named.length > 0 || dryRun) return named
  const [only, another] = entries
  const what = only && !another ? `${only.name} ${versionName(only.face)}` : count(entries.length, 'prop')
  return offerReviewers(context, { ...offer, what })
}

interface Request {
  reviewers: readonly Member[]
  note: string | undefined
  pictures: readonly Picture[]
}

function requestOf(api: Api, entry: EntryDetail, { reviewers, note, pictures }: Request): ReviewAct {
  const { id: entry_id, name, object_id } = entry
  const people = listed(reviewers.map(personName))
  return {
    ...{ entry_id, name, version: versionName(entry.face), request_id: null },
    plan: reviewers.length > 0 ? `${people} would be asked to review it` : 'nobody is named to review it',
    explain: (error) => explainRequest(error, name),
    async perform() {
      const attachment_ids = await uploadPictures(api, pictures)
      const reviewer_ids = reviewers.map(({ id }) => id)
      const { request } = await api.reviewRequests.create({ entry_id, object_id, reviewer_ids, note, attachment_ids })
      return { request, words: askedWords(request) }
    },
  }
}

function askedWords({ reviewers, mentions, attachments }: ReviewRequest): string {
  const people = listed(reviewers.map(({ user }) => personName(user)))
  return [
    `${people} ${reviewers.length === 1 ? 'is' : 'are'} asked to review it`,
    ...(mentions.length > 0 ? [`mentioned: ${listed(mentions.map(personName))}`] : []),
    ...(attachments.length > 0 ? [count(attachments.length, 'picture')] : []),
  ].join('; ')
}

interface Closing {
  context: Context
  suggestions: readonly Suggestion[]
}

function closing(rows: readonly ReviewRow[], { context, suggestions }: Closing): string[] {
  if (suggestions.length > 0) return ['', 'These could review:', ...suggestionLines(suggestions, context)]
  const rounds = rows.flatMap(({ status, request }) => (status === 'done' && request ? [roundName(request.id)] : []))
  if (rounds.length === 0) return []
  const line = `\`ph review ${rounds.length === 1 ? `show ${rounds[0]}` : 'list --mine'}\` says who has answered.`
  return wrapAfter('→ ', line, context.out.width).map((text) => context.out.paint('dim', text))
}
