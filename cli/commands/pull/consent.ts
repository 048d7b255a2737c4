/** Whether a pull may take files away whose props lie elsewhere now: few without a question, many after a yes. */
import type { LeavingFile } from '../../../client/pull/removing/take-away.ts'
import { printable } from '../../../system/printable.ts'
import type { Context } from '../../context.ts'
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
  async (files: readonly LeavingFile[]): Promise<boolean> => {
    if (yes || files.length <= mostWithoutAsking) return true
    if (!context.interactive) return false
    await display.hide()
    const named = files.slice(0, mostNamed).map(({ file }) => `  ${printable(file)}\n`)
    const more = `  and ${number(files.length - mostNamed)} more\n`
    context.stderr.write(shown(`\n${named.join('')}${more}`))
    const question = `The props of ${count(files.length, 'file')} lie elsewhere now. Move the old files into a backup?`
    return askYesOrNo(context, question, false).finally(display.resume)
  }
