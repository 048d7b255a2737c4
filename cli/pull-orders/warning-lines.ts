/** Warnings about pulls, as the library words them. */

import type { PullWarning } from '../../contract/pull-jobs.ts'
import { printable } from '../../system/printable.ts'
import type { Output } from '../terminal/output.ts'
import { weightLook } from '../terminal/severity.ts'
import { wrapAfter } from '../terminal/wrap.ts'

/** What to do about warnings of a kind. */
const advice: Partial<Record<string, string>> = {
  not_placed: '`ph download <entry> --with-deps --to <folder>` brings them into a folder outside of any project',
  other_root: '--root /Game this time, `ph project edit <project> --root /Game` for all later pulls into it',
}

/** Kinds that are only good to know; all others are warnings. */
const noteTypes = new Set(['newer_version_used', 'own_prop_used', 'older_engine'])

/** Things that do not stop a pull, in sections as a push has them: notes, then warnings. */
export function warningLines(warnings: readonly PullWarning[], look: Output): string[] {
  const [notes = [], others = []] = [true, false].map((isNote) => warnings.filter(({ type }) => noteTypes.has(type) === isNote))
  return [...section('note', notes, look), ...section('warning', others, look)]
}

function section(weight: 'note' | 'warning', warnings: readonly PullWarning[], { paint, width }: Output): string[] {
  if (warnings.length === 0) return []
  const { sign, title } = weightLook(weight, paint)
  return [
    '',
    title,
    ...warnings.flatMap(({ type, message }) => [
      ...wrapAfter(sign, printable(message), width),
      ...(advice[type] ? wrapAfter('    → ', advice[type], width).map((line) => paint('dim', line)) : []),
    ]),
  ]
}
