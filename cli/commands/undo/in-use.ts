/** Why a push is not taken back whole: who did what with what it brought. */
import { basename, posix } from 'node:path'
import type { Remembered } from '../../../client/push/undo.ts'
import { exits } from '../../../contract/errors.ts'
import { levelsOf } from '../../../contract/level-parts.ts'
import type { PushUse } from '../../../contract/push-undo.ts'
import { printable } from '../../../system/printable.ts'
import type { Context } from '../../context.ts'
import { personName } from '../../discussion/people.ts'
import { Refusal } from '../../refusal.ts'
import { age, count } from '../../terminal/amounts.ts'

/** So many uses are told in words. */
const mostTold = 10

/** What a person did, with one prop and with several. */
const words: Record<PushUse['did'], readonly [one: string, several: string]> = {
  pulled: ['pulled it', 'pulled them'],
  downloaded: ['downloaded it', 'downloaded them'],
  restored: ['made it current', 'made them current'],
  reviewed: ['reviewed it', 'reviewed them'],
  commented: ['commented on it', 'commented on them'],
  curated: ['changed its entry', 'changed their entries'],
  checked_out: ['has it checked out', 'has them checked out'],
  built_on: ['pushed a newer version', 'pushed newer versions'],
  referred_to: ['pushed something that refers to it', 'pushed something that refers to them'],
  pushed: ['pushed the same file', 'pushed the same files'],
}

/** One line of the message: what one person did with a prop, or with several actors of one level. */
interface Told {
  what: (amount: number) => string
  amount: number
  use: PushUse
}

export function inUse(context: Context, { root, push }: Remembered, used: readonly PushUse[]): Refusal {
  const told = together(used, new Map(push.versions.map(({ lineageId, file }) => [lineageId, file])))
  const hidden = told.length - mostTold
  const lines = [
    ...told.slice(0, mostTold).map((one) => inWords(one, context.now())),
    ...(hidden > 0 ? [`${hidden} more (--json lists all)`] : []),
  ]
  const entryId = used.find(({ entry_id }) => entry_id !== null)?.entry_id
  return new Refusal({
    code: 'CONFLICT',
    exit: exits.conflict,
    message: `The last push from ${basename(root)} is not taken back: others use what it brought. ${lines.join('; ')}. Nothing was changed.`,
    next: `Push a next version instead, or make an earlier one current with \`ph restore\`.${entryId ? ` What versions there are: \`ph history ${entryId}\`.` : ''}`,
    details: { used },
  })
}

function together(used: readonly PushUse[], files: ReadonlyMap<string, string>): Told[] {
  const told = new Map<string, Told>()
  for (const use of used) {
    const { group, what } = subjectOf(use, files.get(use.lineage_id))
    const key = JSON.stringify([group, use.did, use.by])
    const same = told.get(key)
    if (same) same.amount++
    else told.set(key, { what, amount: 1, use })
  }
  return [...told.values()]
}

/** The file of an actor is called by a hash: it is told of by its level. */
function subjectOf({ entry_id, name, lineage_id }: PushUse, file: string | undefined): { group: string; what: Told['what'] } {
  const [level] = entry_id === null && file !== undefined ? levelsOf(`/${file}`) : []
  if (level !== undefined)
    return { group: level, what: (amount) => `${count(amount, 'actor')} of ${printable(posix.basename(level))}` }
  const called = name ?? (file === undefined ? undefined : posix.basename(file))
  return called === undefined
    ? { group: '', what: (amount) => count(amount, 'file') }
    : { group: lineage_id, what: () => printable(called) }
}

function inWords({ what, amount, use: { did, by, at } }: Told, now: Date): string {
  const when = at === null ? '' : ` (${age(at, now)})`
  // A newer server may know more uses.
  const act = words[did]?.[amount === 1 ? 0 : 1] ?? printable(did)
  return `${what(amount)}: ${personName(by)} ${act}${when}`
}
