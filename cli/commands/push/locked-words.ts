/** Files of a push that wait for someone else's check-out, in words: who has it, until when, why, and what to do. */
import type { PushedItem, PushReport } from '../../../client/push/report.ts'
import { printable } from '../../../system/printable.ts'
import { lockSentence, lockWords } from '../../entries/lock-words.ts'
import { number } from '../../terminal/amounts.ts'
import type { Paint } from '../../terminal/output.ts'
import { wrap } from '../../terminal/wrap.ts'

export interface LockedLook {
  paint: Paint
  width: number
  now: Date
  verbose: boolean
}

/** Lists longer than this end in a line that says how many more there are. */
const mostFiles = 5

const advice =
  'Someone else has these checked out, so nothing of them was sent; your files stay as they are. Ask them to check in or to release, then push again. `ph locks` lists what is checked out.'

export function lockedWords({ items }: PushReport, look: LockedLook): string[] {
  const locked = items.filter(({ status }) => status === 'locked')
  if (locked.length === 0) return []
  const names = new Map(items.map(({ content_hash, name }) => [content_hash, name]))
  const shown = look.verbose ? locked : locked.slice(0, mostFiles)
  const hidden = locked.length - shown.length
  return [
    '',
    look.paint(['yellow', 'bold'], 'Locked:'),
    ...wrap(advice, look.width, '  '),
    ...shown.flatMap((item) => itemLines(item, names, look)),
    ...(hidden > 0 ? [`      and ${number(hidden)} more (--verbose)`] : []),
  ]
}

function itemLines(item: PushedItem, names: ReadonlyMap<string, string>, { paint, width, now }: LockedLook): string[] {
  const { file, entry_id } = item
  const why = wrap(whyLocked(item, { names, now }), width, '        ')
  return [`      ${printable(file)}${entry_id ? ` (entry ${entry_id})` : ''}`, ...why.map((line) => paint('dim', line))]
}

function whyLocked(
  { lock, locked_dependencies: needs = [] }: PushedItem,
  { names, now }: { names: ReadonlyMap<string, string>; now: Date },
): string {
  if (lock?.holder_left) return lockSentence(lock, now)
  if (lock) return lockWords(lock, now)
  const [first, ...others] = needs.flatMap((hash) => names.get(hash) ?? [])
  if (first === undefined) return 'needs a file that is checked out'
  return `needs ${printable(first)}${others.length > 0 ? ` and ${number(others.length)} more` : ''}, checked out by someone else`
}
