/** Whether a pull may take files away whose props lie elsewhere now, or that left their level: few without a question, many after a yes. */
import { partNameOf } from '../../../client/entries/part-names.ts'
import type { LeavingFile } from '../../../client/pull/removing/take-away.ts'
import { printable } from '../../../system/printable.ts'
import type { Context } from '../../context.ts'
import { partGroups } from '../../entries/levels/part-groups.ts'
import { count, number } from '../../terminal/amounts.ts'
import { shown } from '../../terminal/output.ts'
import { askYesOrNo } from '../../terminal/yes-or-no.ts'

/** More files than these are asked about. */
const mostWithoutAsking = 20
const mostNamed = 5

interface Consent {
  /** `--yes`. */
  yes: boolean
  display: { hide(): Promise<void>; resume(): void }
}

/** Without a terminal it takes the flag: else they stay, and the report names them. */
export const consent =
  (context: Context, { yes, display }: Consent) =>
  async (files: readonly LeavingFile[], root: string): Promise<boolean> => {
    if (yes || files.length <= mostWithoutAsking) return true
    if (!context.interactive) return false
    await display.hide()
    const { moved = [], removed = [] } = Object.groupBy(files, ({ why }) => why)
    const parts = removed.flatMap(({ file }) => partNameOf(root, file) ?? [])
    const named = [...moved.slice(0, mostNamed).map(({ file }) => file), ...partGroups(parts, { all: false })]
    const more = moved.length > mostNamed ? [`and ${number(moved.length - mostNamed)} more`] : []
    context.stderr.write(shown(`\n${[...named, ...more].map((line) => `  ${printable(line)}\n`).join('')}`))
    const question = `${[
      ...(moved.length > 0 ? [`The props of ${count(moved.length, 'file')} lie elsewhere now.`] : []),
      ...(removed.length > 0 ? [`${count(removed.length, 'file')} left their level in the library.`] : []),
    ].join(' ')} Move ${moved.length > 0 ? 'the old files' : 'them'} into a backup?`
    return askYesOrNo(context, question, false).finally(display.resume)
  }
