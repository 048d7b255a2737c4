/** What comes behind a push: the previews that the library wants of its files, with a display of how far they are. */
import type { Wire } from '../../../client/http/open-http.ts'
import type { PushReport } from '../../../client/push/report.ts'
import type { Context } from '../../context.ts'
import { failureOf } from '../../exit.ts'
import { wrongUsage } from '../../refusal.ts'

interface Pushed {
  wire: Wire
  report: PushReport
  /** What the command answers with `--json`, with the push as it is told in the end; for others than `ph push`. */
  answer?: (report: PushReport) => unknown
  show: () => string[]
  /** Not wanted this time. */
  isOff: boolean
}

/** Reads the setting. Throws a Refusal for anything else than on and off. */
export function areOn(setting = 'on'): boolean {
  if (['on', '1', 'true', ''].includes(setting)) return true
  if (['off', '0', 'false'].includes(setting)) return false
  throw wrongUsage(`PH_PREVIEWS is "${setting}"; it takes on or off.`, 'Set it to off to make no previews after a push.')
}

/**
 * The push is told first: it is done, whatever becomes of its previews. With --json its report comes last, with what became of them. Ctrl-C
 * and failures end the previews only.
 */
export async function showWithPreviews(context: Context, pushed: Pushed): Promise<void> {
  const { out, signal } = context
  const { wire, report, show, isOff, answer = (told) => told } = pushed
  if (isOff || !report.previews_due) return out.result(answer(report), show)
  out.lines(show)
  const [{ makeProjectMedia }, { mediaModel, mediaWords }, { openDisplay }] = await Promise.all([
    import('../../../client/previews/project-previews.ts'),
    import('../../entries/preview-words.ts'),
    import('../../terminal/progress-display.ts'),
  ])
  const display = openDisplay(context, mediaModel)
  const { error, ...made } = await makeProjectMedia({ ...wire, signal, root: report.root, tell: display.tell }).finally(
    display.hide,
  )
  const stopped = error === undefined ? undefined : stoppedBy(error, context)
  const previews = { ...made.report, ...(stopped ? { stopped } : {}) }
  const told = { ...report, previews_due: made.isDue, previews }
  out.result(answer(told), () => mediaWords(made.report, context))
  if (stopped) out.note(`${stopped.message} The push is done; the next push makes the previews that are missing.`)
}

function stoppedBy(error: unknown, { signal }: Context): { code: string; message: string } {
  if (signal.aborted) return { code: 'INTERRUPTED', message: 'Stopped while previews were made.' }
  const { code, message } = failureOf(error)
  return { code, message: `Previews could not be sent: ${message}` }
}
