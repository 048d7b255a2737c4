/** What comes behind a push: the previews that the library wants of its files, with a display of how far they are. */
import type { Wire } from '../../../client/http/open-http.ts'
import type { ProjectMediaOptions } from '../../../client/previews/project-previews.ts'
import type { TellPush } from '../../../client/progress.ts'
import type { PushReport } from '../../../client/push/report.ts'
import type { SourceThreads } from '../../../previews/threads/source-threads.ts'
import type { Context } from '../../context.ts'
import { failureOf } from '../../exit.ts'
import { wrongUsage } from '../../refusal.ts'

interface Pushed {
  report: PushReport
  /** What the command answers with `--json`, with the push as it is told in the end; for others than `ph push`. */
  answer?: (report: PushReport) => unknown
  show: () => string[]
}

interface How {
  wire: Wire
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
 * Runs a push, and makes its previews when it is done. The push is told first, whatever becomes of its previews. With --json its report comes
 * last, with what became of them. Ctrl-C and failures end the previews only.
 */
export async function withPreviews<T extends Pushed>(
  context: Context,
  { wire, isOff }: How,
  push: (tell: TellPush) => Promise<T>,
): Promise<T> {
  let threads: Promise<SourceThreads | undefined> | undefined
  const tell: TellPush = ({ kind }) => {
    if (kind === 'upload' && !isOff) threads ??= startThreads().catch(() => undefined)
  }
  try {
    const pushed = await push(tell)
    const { report, show, answer = (told) => told } = pushed
    if (isOff || !report.previews_due) context.out.result(answer(report), show)
    else await makePreviews(context, { ...wire, root: report.root, threads: await threads }, { report, show, answer })
    return pushed
  } finally {
    await (await threads)?.end()
  }
}

/** Loads the code that makes previews and starts a thread of it. A failure is met, and told, when the previews are made. */
async function startThreads(): Promise<SourceThreads> {
  const { makerThreads } = await import('../../../client/previews/media-run.ts')
  const threads = makerThreads()
  threads.prepare()
  return threads
}

async function makePreviews(
  context: Context,
  options: ProjectMediaOptions,
  { report, show, answer }: Required<Pushed>,
): Promise<void> {
  const { out, signal } = context
  out.lines(show)
  const [{ makeProjectMedia }, { mediaModel, mediaWords }, { openDisplay }] = await Promise.all([
    import('../../../client/previews/project-previews.ts'),
    import('../../entries/preview-words.ts'),
    import('../../terminal/progress-display.ts'),
  ])
  const display = openDisplay(context, mediaModel)
  const { error, ...made } = await makeProjectMedia({ ...options, signal, tell: display.tell }).finally(display.hide)
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
