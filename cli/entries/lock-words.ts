/** Check-outs in words: who has it, since when, until when, and why. */
import type { Lock } from '../../contract/locks.ts'
import { printable } from '../../system/printable.ts'
import { age, moment, timeLeft } from '../terminal/amounts.ts'

export const holderName = ({ holder }: Pick<Lock, 'holder'>): string => printable(holder.display_name || holder.name)

/** Who has it; that they have left is said, because they cannot give it back any more. */
export const holderWords = (lock: Pick<Lock, 'holder' | 'holder_left'>): string =>
  lock.holder_left ? `${holderName(lock)}, who has left` : holderName(lock)

/** `2026-11-26 14:05, 2 d 4 h left` */
export const untilWords = ({ expires_at }: Lock, now: Date): string => `${moment(expires_at)}, ${timeLeft(expires_at, now)} left`

/** A note on one line, whatever was typed into it. */
export const noteLine = (note: string): string => printable(note.replaceAll(/\s+/g, ' ').trim())

/** `Max, 2 hours ago, until 2026-11-26 14:05, 2 d 4 h left: new legs` */
export function lockWords(lock: Lock, now: Date, name = holderWords(lock)): string {
  const why = lock.note === null || lock.note.trim() === '' ? '' : `: ${noteLine(lock.note)}`
  return `${name}, ${age(lock.created_at, now)}, until ${untilWords(lock, now)}${why}`
}

/** The same as a sentence, with who can end it where its holder cannot. */
export const lockSentence = (lock: Lock, now: Date): string =>
  `Checked out by ${lockWords(lock, now)}.${lock.holder_left ? ' An owner or admin of the workspace can release it.' : ''}`
