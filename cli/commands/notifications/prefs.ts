/** What a person wants to be told: their choices as words, and one of them changed. */
import type { NotificationReason, Prefs } from '../../../contract/notifications.ts'
import { printable } from '../../../system/printable.ts'
import type { Context } from '../../context.ts'
import { nearNames } from '../../entries/near-names.ts'
import { wrongUsage } from '../../refusal.ts'
import { table } from '../../terminal/table.ts'

const everyReason = '*'
const all = 'all'

const meanings: Record<string, string> = {
  'review.requested': 'someone asks you to review',
  'review.responded': 'an answer to your review request',
  'review.assigned': 'changes were assigned to you',
  'review.mention': 'named in a review',
  'comment.mention': 'named in a comment',
  'comment.reply': 'a reply in your thread',
  'comment.new': 'a comment on what you watch',
  'comment.resolved': 'your thread was resolved',
  'entry.deleted': 'what you work on was deleted',
} satisfies Record<NotificationReason, string>

export const choices = ['on', 'off', 'default'] as const
export type Choice = (typeof choices)[number]

/** Of what this server knows, which may be more than this program does. */
export function readReason(given: string, { reasons }: Prefs): string {
  const typed = given.trim().toLowerCase()
  if (typed === all || typed === everyReason) return everyReason
  const found = reasons.find((reason) => reason.toLowerCase() === typed)
  if (found !== undefined) return found
  const near = nearNames(typed, reasons).map(printable)
  const meant = near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''
  throw wrongUsage(`There is no reason "${given}".`, `${meant}There are ${reasons.map(printable).join(', ')}, and all.`)
}

export function readChoice(given: string | undefined, reason: string): Choice {
  const found = choices.find((choice) => choice === given?.trim().toLowerCase())
  if (found) return found
  const what = given === undefined ? `What should become of ${reason}?` : `"${given}" is no choice.`
  throw wrongUsage(what, `Say it: \`ph notifications prefs ${reason} <on, off or default>\``)
}

type Overrides = { reason: NotificationReason | typeof everyReason; enabled: boolean }[]

/** All choices with this one changed, as the library takes them. */
export function changedPrefs({ prefs }: Prefs, reason: string, choice: Choice): Overrides {
  const others = prefs.filter((one) => one.reason !== reason)
  return (choice === 'default' ? others : [...others, { reason, enabled: choice === 'on' }]) as Overrides
}

export function prefLines({ prefs, reasons }: Prefs, { out }: Context): string[] {
  const chosen = new Map(prefs.map(({ reason, enabled }) => [reason, enabled]))
  const rest = chosen.get(everyReason) ?? true
  const onOff = (enabled: boolean) => (enabled ? 'on' : 'off')
  const rows = [
    ...reasons.map((reason) => ({ reason, state: onOff(chosen.get(reason) ?? rest), isChosen: chosen.has(reason) })),
    { reason: all, state: onOff(rest), isChosen: chosen.has(everyReason) },
  ]
  return table(
    rows,
    [
      { title: 'REASON', value: ({ reason }) => reason },
      { title: 'TOLD', value: ({ state, isChosen }) => `${state}${isChosen ? '' : ' (default)'}` },
      {
        title: 'WHEN',
        value: ({ reason }) => (reason === all ? 'every reason not chosen above' : (meanings[reason] ?? '')),
        spare: true,
      },
    ],
    out,
  )
}
