/** What goes on around props that are about to be checked out, in words: locks nearby, reviews, editors that have them open. */
import type { CheckOutPlan } from '../../../client/check-out/plan.ts'
import { readEntryDetails } from '../../../client/entries/details.ts'
import type { Api } from '../../../client/http/api.ts'
import { isAgentSession } from '../../../contract/agent-sessions.ts'
import { partWords } from '../../../contract/level-parts.ts'
import type { RadarLineage } from '../../../contract/locks.ts'
import { printable } from '../../../system/printable.ts'
import { lockWords } from '../../entries/lock-words.ts'
import { number } from '../../terminal/amounts.ts'
import type { Paint } from '../../terminal/output.ts'
import { wrapAfter } from '../../terminal/wrap.ts'

export interface RadarLook {
  paint: Paint
  width: number
  now: Date
}

/** So much of what goes on is told line by line. */
const mostLines = 12

/** No lines where nothing goes on. */
export async function radarWords(plan: CheckOutPlan, api: Api, look: RadarLook): Promise<string[]> {
  const happenings = [...needsLeftOut(plan), ...(await locksAround(plan, api, look)), ...reviews(plan), ...editors(plan)]
  if (happenings.length === 0) return []
  const hidden = happenings.length - mostLines + plan.radar.reduce((sum, { more_locks }) => sum + more_locks, 0)
  return [
    look.paint('bold', 'Around these:'),
    ...happenings.slice(0, mostLines).flatMap((text) => wrapAfter('  - ', text, look.width)),
    ...(hidden > 0 ? [`  and ${number(hidden)} more (--json tells all)`] : []),
    '',
  ]
}

/** Warns that locks on dependencies are unknown, because the props have too many dependencies. */
const needsLeftOut = ({ radar }: CheckOutPlan): string[] =>
  radar.some(({ needs_left_out }) => needs_left_out)
    ? ['What these need is too much to be looked through: whether others have checked some of it out is not known.']
    : []

const sentences = {
  dependency: (name: string, of: string) => `${name}, which ${of} needs, is checked out by`,
  dependent: (name: string, of: string) => `${name}, which needs ${of}, is checked out by`,
} as const

const nameIn = (plan: CheckOutPlan, lineageId: string): string =>
  printable(plan.props.find(({ lineage_id }) => lineage_id === lineageId)?.name ?? 'a file')

/** Of others, on what is not to be checked out itself; each once. */
async function locksAround(plan: CheckOutPlan, api: Api, { now }: RadarLook): Promise<string[]> {
  const own = new Set(plan.props.map(({ lineage_id }) => lineage_id))
  const seen = new Set<number>()
  const around = plan.radar.flatMap(({ lineage_id, locks }) =>
    locks.flatMap(({ lock, relation, entry_id, name, part }) => {
      if (relation === 'self' || own.has(lock.lineage_id) || lock.holder.id === plan.me.id || seen.has(lock.id)) return []
      seen.add(lock.id)
      return { lock, relation, entry_id, name, part, of: nameIn(plan, lineage_id) }
    }),
  )
  const shown = around.slice(0, mostLines)
  const names = await readEntryDetails(
    api,
    shown.flatMap(({ entry_id, name }) => (name === undefined ? (entry_id ?? []) : [])),
  )
  return around.map(({ lock, relation, entry_id, name, part, of }) => {
    const told = part ? partWords(part) : (name ?? names.get(entry_id ?? 0)?.name ?? 'A file without an entry')
    return `${sentences[relation](printable(told), of)} ${lockWords(lock, now)}`
  })
}

const reviewWords: Partial<Record<RadarLineage['review_status'], string>> = {
  in_review: 'is in review',
  changes_requested: 'was reviewed, and changes are requested',
}

const reviews = (plan: CheckOutPlan): string[] =>
  plan.radar.flatMap(({ lineage_id, review_status }) => {
    const words = reviewWords[review_status]
    return words === undefined ? [] : [`${nameIn(plan, lineage_id)} ${words}`]
  })

/** One line for each editor of someone else. */
function editors(plan: CheckOutPlan): string[] {
  const open = plan.radar.flatMap(({ lineage_id, editors: sessions }) => sessions.map((session) => ({ lineage_id, session })))
  const others = open.filter(({ session }) => session.user.id !== plan.me.id)
  return [...Map.groupBy(others, ({ session }) => session.session_id).values()].flatMap(([first, ...more]) => {
    if (!first) return []
    const { user, project_key, session_id } = first.session
    const who = printable(user.display_name || user.name)
    const what = `${nameIn(plan, first.lineage_id)}${more.length > 0 ? ` and ${number(more.length)} more of these` : ''}`
    const has = isAgentSession(session_id)
      ? `works on ${printable(project_key)}`
      : `has ${printable(project_key)} open in the editor`
    return `${who} ${has}, into which ${what} was pulled`
  })
}
