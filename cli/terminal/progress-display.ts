/** Shows a push or a pull while it runs: a display on a terminal, now and then a plain line elsewhere, nothing with `--json`. */
import type { Context } from '../context.ts'
import { columnsOf, hasColor } from './output.ts'
import { type ProgressLook, progressLine } from './progress.ts'
import type { ProgressView } from './views/progress.tsx'

/** How what is told becomes something to see. Pure. */
export interface ProgressModel<Progress, Event> {
  start(): Progress
  advance(progress: Progress, event: Event, nowMs: number): Progress
  look(progress: Progress, nowMs: number): ProgressLook
}

export interface ProgressDisplay<Event> {
  tell(event: Event): void
  /** Takes the display away: for good, or until `resume`. */
  hide(): Promise<void>
  resume(): void
}

/** What is done sooner than this needs no display, and does not pay for one. */
const patienceMs = 400
const redrawMs = 100
const plainLineMs = 5000

export function openDisplay<Progress, Event extends { kind: string }>(
  context: Context,
  model: ProgressModel<Progress, Event>,
): ProgressDisplay<Event> {
  if (context.out.json) return { tell: () => undefined, hide: async () => undefined, resume: () => undefined }
  return context.stderr.isTTY ? onTerminal(context, model) : inLines(context, model)
}

const nowMs = ({ now }: Context): number => now().getTime()

function onTerminal<Progress, Event>(context: Context, model: ProgressModel<Progress, Event>): ProgressDisplay<Event> {
  let progress = model.start()
  let display: Promise<ProgressView> | undefined
  let drawn = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const startedMs = nowMs(context)
  const draw = async () => {
    display ??= openView(context)
    const open = await display
    open.show(model.look(progress, nowMs(context)))
  }
  const resume = () => {
    timer = setInterval(() => {
      if (nowMs(context) - startedMs < patienceMs) return
      drawn = draw()
      // A display that cannot be drawn is met where it is taken away.
      drawn.catch(() => undefined)
    }, redrawMs)
  }
  resume()
  return {
    tell(event) {
      progress = model.advance(progress, event, nowMs(context))
    },
    resume,
    async hide() {
      clearInterval(timer)
      await drawn
      const open = await display
      display = undefined
      await open?.end()
    },
  }
}

async function openView({ stderr, env }: Context): Promise<ProgressView> {
  const { openProgress } = await import('./views/progress.tsx')
  return openProgress({ stream: stderr, columns: columnsOf(stderr, env), color: hasColor(stderr, env) })
}

function inLines<Progress, Event extends { kind: string }>(
  context: Context,
  model: ProgressModel<Progress, Event>,
): ProgressDisplay<Event> {
  let progress = model.start()
  let timer: NodeJS.Timeout | undefined
  const tellLine = () => context.out.note(progressLine(model.look(progress, nowMs(context))))
  const resume = () => {
    timer = setInterval(tellLine, plainLineMs)
  }
  resume()
  return {
    tell(event) {
      progress = model.advance(progress, event, nowMs(context))
      if (event.kind === 'wait') tellLine()
    },
    resume,
    async hide() {
      clearInterval(timer)
    },
  }
}
