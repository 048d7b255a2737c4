/** Previews that are made, for people: how far that is, and what came of it. */
import type { MediaReport } from '../../client/previews/report.ts'
import type { MediaEvent } from '../../client/progress.ts'
import { printable } from '../../system/printable.ts'
import type { Context } from '../context.ts'
import { count, number } from '../terminal/amounts.ts'
import { itemRow, startWaiting, stillWaiting, type Track, track, type Waiting, waitingWords } from '../terminal/progress.ts'
import type { ProgressModel } from '../terminal/progress-display.ts'
import { wrapAfter } from '../terminal/wrap.ts'

interface MediaProgress {
  previews: Track
  waiting: Waiting | undefined
}

/** For the display: `Previews: 12 of 67`. */
export const mediaModel: ProgressModel<MediaProgress, MediaEvent> = {
  start: () => ({ previews: track(), waiting: undefined }),
  advance(progress, event, nowMs) {
    if (event.kind === 'wait') return { ...progress, waiting: startWaiting(progress.waiting, event, nowMs) }
    const previews = { ...progress.previews, done: event.done, total: event.total }
    return { previews, waiting: stillWaiting(progress.waiting, nowMs) }
  },
  look: ({ previews, waiting }, nowMs) => ({
    rows: previews.total > 0 ? [itemRow('Previews', previews)] : [],
    waiting: waitingWords(waiting, nowMs),
    idle: 'Asking which previews are wanted',
  }),
}

const mostNamed = 8

/** Nothing where nothing was made and nothing is worth saying. */
export function mediaWords(
  { made, thumbnails, unavailable, failed, reduced }: MediaReport,
  context: Pick<Context, 'out'>,
): string[] {
  const { paint, width } = context.out
  const sums = [...(made > 0 ? [count(made, 'preview')] : []), ...(thumbnails > 0 ? [count(thumbnails, 'thumbnail')] : [])]
  const parts = [
    ...(sums.length > 0 ? [`${sums.join(' and ')} made`] : []),
    ...(unavailable.length > 0 ? [`no preview possible of ${count(unavailable.length, 'prop')}`] : []),
    ...(failed.length > 0 ? [`${number(failed.length)} failed`] : []),
    ...(reduced.length > 0 ? [`${number(reduced.length)} made smaller to fit`] : []),
  ]
  const named = failed
    .slice(0, mostNamed)
    .flatMap(({ name, message }) => wrapAfter(`${paint('yellow', '!')} `, printable(`${name}: ${message}`), width))
  const hidden = failed.length > mostNamed ? [`  and ${number(failed.length - mostNamed)} more (--json names them all)`] : []
  return [...named, ...hidden, ...(parts.length > 0 ? [`  ${paint('dim', parts.join(', '))}`] : [])]
}
