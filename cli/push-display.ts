/** Shows a push while it runs: a display on a terminal, now and then a plain line elsewhere, nothing with `--json`. */
import type { PushEvent } from '../client/push-events.ts'
import type { Context } from './context.ts'
import { columnsOf, hasColor } from './output.ts'
import { advance, type PushProgress, progressLine, startOfPush } from './push-progress.ts'
import type { ProgressDisplay } from './views/push-progress.tsx'

export interface PushDisplay {
  tell(event: PushEvent): void
  /** Takes the display away: for good, or until `resume`. */
  hide(): Promise<void>
  resume(): void
}

/** A push that is done sooner than this needs no display, and does not pay for one. */
const patienceMs = 400
const redrawMs = 100
const plainLineMs = 5000

export function openPushDisplay(context: Context): PushDisplay {
  if (context.out.json) return { tell: () => undefined, hide: async () => undefined, resume: () => undefined }
  return context.stderr.isTTY ? onTerminal(context) : inLines(context)
}

const nowMs = ({ now }: Context): number => now().getTime()

function onTerminal(context: Context): PushDisplay {
  let progress = startOfPush()
  let display: Promise<ProgressDisplay> | undefined
  let drawn = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const startedMs = nowMs(context)
  const draw = async () => {
    display ??= openDisplay(context)
    const open = await display
    open.show(progress, nowMs(context))
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
      progress = advance(progress, event, nowMs(context))
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

async function openDisplay({ stderr, env }: Context): Promise<ProgressDisplay> {
  const { openProgress } = await import('./views/push-progress.tsx')
  return openProgress({ stream: stderr, columns: columnsOf(stderr, env), color: hasColor(stderr, env) })
}

function inLines(context: Context): PushDisplay {
  let progress: PushProgress = startOfPush()
  let timer: NodeJS.Timeout | undefined
  const tellLine = () => context.out.note(progressLine(progress, nowMs(context)))
  const resume = () => {
    timer = setInterval(tellLine, plainLineMs)
  }
  resume()
  return {
    tell(event) {
      progress = advance(progress, event, nowMs(context))
      if (event.kind === 'wait') tellLine()
    },
    resume,
    async hide() {
      clearInterval(timer)
    },
  }
}
