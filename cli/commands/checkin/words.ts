/** What became of check-outs after a push, in words: what was given back, what stays and why. */

import { join, relative } from 'node:path'
import type { CheckedIn, StaysBecause, StillHeld } from '../../../client/check-out/give-back.ts'
import { printable } from '../../../system/printable.ts'
import { shellWord } from '../../../system/shell-word.ts'
import { untilWords } from '../../entries/lock-words.ts'
import { count, number } from '../../terminal/amounts.ts'
import type { Paint } from '../../terminal/output.ts'
import { remarked, wrap } from '../../terminal/wrap.ts'

export interface CheckInLook {
  paint: Paint
  width: number
  cwd: string
  root: string
  now: Date
}

const mostNamed = 12
/** Files that the advised commands name. */
const mostInCommand = 3

const reasons: Record<Exclude<StaysBecause, 'kept'>, string> = {
  modified: 'the library does not have it as it is here',
  deleted: 'it was deleted in the library, as above',
  held: 'held: say first what it is a version of, as above',
  denied: 'denied, as above',
  locked: 'it needs something that someone else has checked out',
  outdated: 'another version became current meanwhile',
  failed: 'it could not be sent, as above',
}

export function checkInWords(
  { released, still_checked_out: still, not_checked_out, others }: CheckedIn,
  look: CheckInLook,
): string[] {
  const failed = still.filter(({ because }) => because !== 'kept')
  const kept = still.filter(({ because }) => because === 'kept')
  const [first] = kept
  return [
    '',
    ...(released.length > 0 ? [`Released ${count(released.length, 'prop')}.`] : []),
    ...(first
      ? wrap(
          `Still checked out by you, as you asked: ${count(kept.length, 'prop')}, until ${untilWords(first.lock, look.now)}.`,
          look.width,
        )
      : []),
    ...(released.length + still.length === 0 ? wrap('Nothing of this was checked out by you.', look.width) : []),
    ...(released.length + still.length > 0 && not_checked_out.length > 0
      ? wrap(
          `${count(not_checked_out.length, 'file')} among these ${not_checked_out.length === 1 ? 'was' : 'were'} not checked out by you.`,
          look.width,
        )
      : []),
    ...stayed(failed, look),
    ...(others > 0 ? wrap(`You have ${count(others, 'other prop')} checked out (\`ph locks --mine\`).`, look.width) : []),
  ]
}

function stayed(failed: readonly StillHeld[], { paint, width, cwd, root }: CheckInLook): string[] {
  if (failed.length === 0) return []
  const hidden = failed.length - mostNamed
  const placeOf = ({ name, files: [file] }: StillHeld) => (file === undefined ? name : relative(cwd, join(root, file)))
  const named = failed.length > mostInCommand ? '<files>' : failed.map((one) => shellWord(placeOf(one))).join(' ')
  const next = [`→ Once that is settled: \`ph checkin ${named}\``, `→ To give it back as it is: \`ph release ${named}\``]
  return [
    paint(['yellow', 'bold'], 'Not registered, and still checked out by you:'),
    ...failed.slice(0, mostNamed).flatMap((one) => {
      const { because } = one
      return because === 'kept' ? [] : remarked(`  ${printable(placeOf(one))}`, paint('dim', reasons[because]), width)
    }),
    ...(hidden > 0 ? [`  and ${number(hidden)} more (--json tells all)`] : []),
    ...next.flatMap((line) => wrap(printable(line), width, '    ').map((part) => paint('dim', part))),
  ]
}
