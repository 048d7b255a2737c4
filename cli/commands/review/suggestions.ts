/** Who could review: people that the library suggests, with the reason, and the question that offers them on a terminal. */
import { createInterface } from 'node:readline/promises'
import pLimit from 'p-limit'
import type { Api } from '../../../client/http/api.ts'
import { ApiError, exits } from '../../../contract/errors.ts'
import type { Member } from '../../../contract/members.ts'
import type { SuggestionReason } from '../../../contract/reviews.ts'
import type { UserStub } from '../../../contract/shapes.ts'
import { printable } from '../../../system/printable.ts'
import type { Context } from '../../context.ts'
import { listed, personName } from '../../discussion/people.ts'
import { declined, Refusal } from '../../refusal.ts'
import { columnsOf, shown } from '../../terminal/output.ts'
import { pad, shorten } from '../../terminal/table.ts'
import { typedLine } from '../../terminal/typed-line.ts'
import { columnsWide, wrapAfter } from '../../terminal/wrap.ts'
import { requireReviewers, type Team } from './people.ts'

export interface Suggestion {
  user: UserStub
  reasons: SuggestionReason[]
}

const requestsAtOnce = 8
/** What servers say of a route that they do not have. */
const noSuchRoute = [403, 404, 405]

/** Of several props together, those who know most of them first. */
export async function readSuggestions(api: Api, entryIds: readonly number[]): Promise<Suggestion[]> {
  const atOnce = pLimit(requestsAtOnce)
  const lists = await Promise.all(entryIds.map((entry_id) => atOnce(() => suggestionsOf(api, entry_id))))
  const byPerson = new Map<number, Suggestion & { rank: number }>()
  for (const { user, reasons, rank } of lists.flat()) {
    const known = byPerson.get(user.id) ?? { user, reasons: [], rank: 0 }
    byPerson.set(user.id, { user, reasons: [...new Set([...known.reasons, ...reasons])], rank: known.rank + rank })
  }
  return [...byPerson.values()].toSorted((a, b) => b.rank - a.rank).map(({ user, reasons }) => ({ user, reasons }))
}

async function suggestionsOf(api: Api, entry_id: number): Promise<(Suggestion & { rank: number })[]> {
  try {
    const { people } = await api.reviews.suggestions({ entry_id })
    return people.map((one, at) => ({ ...one, rank: people.length - at }))
  } catch (error) {
    if (error instanceof ApiError && noSuchRoute.includes(error.status) && error.code !== 'ENTRY_NOT_FOUND') return []
    throw error
  }
}

const reasonWords: Record<string, string> = {
  reviewed: 'reviewed it before',
  pushed: 'pushed it',
  commented: 'commented on it',
  reviewed_dependent: 'reviewed what uses it',
  pushed_dependent: 'pushed what uses it',
  commented_dependent: 'commented on what uses it',
} satisfies Record<SuggestionReason, string>

const whyWords = ({ reasons }: Suggestion): string => reasons.map((reason) => reasonWords[reason] ?? printable(reason)).join(', ')

const longestName = 24

export function suggestionLines(suggestions: readonly Suggestion[], { out }: Pick<Context, 'out'>): string[] {
  const width = Math.min(longestName, Math.max(...suggestions.map(({ user }) => columnsWide(personName(user)))))
  return suggestions.flatMap((one, at) =>
    wrapAfter(`  ${at + 1}  ${pad(shorten(personName(one.user), width), width)}  `, whyWords(one), out.width),
  )
}

export interface Offer {
  suggestions: readonly Suggestion[]
  team: Team
  /** Whose review it is: `SM_Barrel v3`, `4 props`. */
  what: string
}

/** Those who are chosen. Where nobody can be asked: Refusal `NO_REVIEWER`, which names the suggested. */
export async function offerReviewers(context: Context, offer: Offer): Promise<Member[]> {
  if (!context.interactive) throw noReviewer(offer)
  const { stdin, stderr, env, signal } = context
  const [first] = offer.suggestions
  const width = columnsOf(stderr, env)
  const said = [
    `Who should review ${printable(offer.what)}?`,
    ...suggestionLines(offer.suggestions, context),
    ...wrapAfter('', first ? hintOf(offer) : othersHint(offer), width),
  ]
  stderr.write(shown(said.map((line) => `${line}\n`).join('')))
  const lines = createInterface({ input: stdin, output: stderr })
  try {
    for (;;) {
      const typed = await typedLine(lines, `${first ? `Enter for ${personName(first.user)}` : 'Enter for nobody'} > `, signal)
      if (typed === undefined || typed === '-' || (typed === '' && !first)) throw declined('Nobody was asked.')
      try {
        return requireReviewers(offer.team, choices(typed, offer.suggestions))
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        stderr.write(`${printable(`${error.message} ${error.next}`)}\n`)
      }
    }
  } finally {
    lines.close()
  }
}

const hintOf = ({ suggestions }: Offer): string =>
  `Type ${suggestions.length === 1 ? 'a number or a name' : 'numbers or names'}, with commas between several; - asks nobody.`

const othersHint = ({ team }: Offer): string =>
  `Nobody else has worked on it or on what uses it yet. Type names, with commas between several: ${listed(othersOf(team))}.`

const othersOf = ({ members, me }: Team): string[] =>
  members.filter(({ active, kind, id }) => active && kind === 'person' && id !== me.id).map(({ name }) => printable(name))

/** A number is that of a line, nothing the first of them. */
function choices(typed: string, suggestions: readonly Suggestion[]): string[] {
  const parts = typed === '' ? ['1'] : typed.split(',').flatMap((part) => part.trim() || [])
  return parts.flatMap((part) => {
    const numbers = part.split(/\s+/)
    const lines = numbers.map((number) => (/^\d{1,2}$/.test(number) ? suggestions[Number(number) - 1] : undefined))
    return lines.every((line) => line !== undefined) ? lines.map((line) => line?.user.name ?? '') : [part]
  })
}

function noReviewer({ suggestions, team, what }: Offer): Refusal {
  const people = suggestions.map((one) => `${personName(one.user)} (${whyWords(one)})`)
  const [first] = suggestions
  return new Refusal({
    code: 'NO_REVIEWER',
    exit: exits.usage,
    message:
      people.length > 0
        ? `Nobody was named to review ${what}. These could: ${people.join('; ')}.`
        : `Nobody was named to review ${what}. There are ${listed(othersOf(team))}.`,
    next: `Name them: --reviewer ${first ? printable(first.user.name) : '<who>'}`,
    details: { suggestions },
  })
}
