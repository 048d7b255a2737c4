/** What is pushed from a folder that is no Unreal project is shown first, and asked about: it may be anything. */
import type { PushReport } from '../../../client/push/report.ts'
import { exits } from '../../../contract/errors.ts'
import { printable } from '../../../system/printable.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refusal.ts'
import { askYesOrNo } from '../../terminal/yes-or-no.ts'

export interface Consent {
  /** Folders that lie in no project. */
  outside: readonly string[]
  /** `--yes`. */
  given: boolean
  /** Shows what a push would do. */
  showPlan(): Promise<PushReport>
}

/** Whether the push may begin. Without a terminal nobody can be asked: then it takes the flag. */
export async function mayPush(context: Context, { outside, given, showPlan }: Consent): Promise<boolean> {
  const [first] = outside
  if (given || first === undefined) return true
  if (!context.interactive)
    throw new Refusal({
      code: 'OUTSIDE_PROJECT',
      exit: exits.usage,
      message: `${first} lies in no Unreal project or plugin.`,
      next: 'See what would be pushed with --dry-run, then push it with --yes.',
      details: { folders: outside },
    })
  const { summary } = await showPlan()
  const what = printable(first) + (outside.length > 1 ? ` and ${outside.length - 1} more` : '')
  context.stderr.write('\n')
  if (summary.new === 0) return true
  return askYesOrNo(context, `${what} lies in no Unreal project or plugin. Push it anyway?`, false)
}
