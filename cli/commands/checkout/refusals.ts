/** Props that someone else has checked out: who, since when, until when, why, and what to do. */

import { ApiError, exits } from '../../../contract/errors.ts'
import type { Lock } from '../../../contract/locks.ts'
import { printable } from '../../../system/printable.ts'
import { lockWords } from '../../entries/lock-words.ts'
import { Refusal } from '../../refusal.ts'
import { number } from '../../terminal/amounts.ts'

interface Names {
  name: string
  lineage_id: string
}

const mostTold = 5

/** `locks`: the locks of others on some of the props. */
export function heldRefusal(
  locks: readonly Lock[],
  { props, now, isAdmin }: { props: readonly Names[]; now: Date; isAdmin: boolean },
): Refusal {
  const names = new Map(props.map(({ name, lineage_id }) => [lineage_id, printable(name)]))
  const told = locks.slice(0, mostTold).map((lock) => `${names.get(lock.lineage_id) ?? 'a file'} (${lockWords(lock, now)})`)
  const hidden = locks.length - told.length
  const list = hidden > 0 ? `${told.join('; ')}; and ${number(hidden)} more` : told.join('; ')
  const who = locks.length === 1 ? 'who has it to check it in or to release it' : 'them to check these in or to release them'
  const allLeft = locks.every((lock) => lock.holder_left)
  const ask = allLeft
    ? 'Ask an owner or admin of the workspace to release it.'
    : `Ask ${who}. An admin of the workspace can release it.`
  return new Refusal({
    code: 'LOCKED',
    exit: exits.conflict,
    message: `Checked out by someone else: ${list}. Nothing was checked out.`,
    next: isAdmin ? `${allLeft ? 'Take' : `Ask ${who}, or take`} it over with --steal "<why>".` : ask,
    details: { locked: locks.map((lock) => ({ lineage_id: lock.lineage_id, holder: lock.holder, lock })) },
  })
}

/** The locks that a refusal of the library names. */
export function locksOf(error: unknown): Lock[] {
  if (!(error instanceof ApiError && error.code === 'LOCKED')) return []
  const { locked, lock } = error.details
  if (Array.isArray(locked))
    return locked.flatMap((one) => ((one as { lock?: Lock } | null)?.lock ? [(one as { lock: Lock }).lock] : []))
  return lock ? [lock as Lock] : []
}
