/** `ph previews`: makes what the library wants to show of props, on any machine; and says how much is wanted. */
import { mayPass, workQueue } from '../../client/previews/queue-work.ts'
import { emptyReport, type MediaReport } from '../../client/previews/report.ts'
import { exits } from '../../contract/errors.ts'
import { command, flag } from '../command.ts'
import { requireWire } from '../connection.ts'
import type { Context } from '../context.ts'
import { requireWriter } from '../entries/key-rights.ts'
import { mediaModel, mediaWords } from '../entries/preview-words.ts'
import { failureOf } from '../exit.ts'
import { withLibrary } from '../library.ts'
import { requireCacheSize } from '../pull-orders/cache-room.ts'
import { number } from '../terminal/amounts.ts'
import { openDisplay } from '../terminal/progress-display.ts'
import { table } from '../terminal/table.ts'

/** Between two looks with --watch: soon after something was made, less and less often while nothing is wanted. */
const looks = { firstMs: 5_000, longestMs: 60_000 }

export const commands = [
  command({
    usage: 'previews work',
    summary: 'Make previews and thumbnails of everything that lacks them',
    description:
      'Takes the files of versions without a preview from the library (out of the content cache of this machine, where they are in it), makes a GLB of each mesh, a PNG of each texture, a WAV of each sound, and a thumbnail where there is none, and sends them. `ph push` does it for what it pushes: this is for what others pushed, with other programs or with --no-previews. Several machines can work side by side. What took too long or too much memory twice is left alone by this machine.',
    options: {
      watch: flag('-w, --watch', 'stay, and look again until Ctrl-C; with --json a line for each time that something was made'),
    },
    examples: [
      ['previews work', 'once, until nothing is left to do'],
      ['previews work --watch', 'on a machine that does it for the team'],
    ],
    exits: ['partly'],
    async run(context, { watch }) {
      await withLibrary(context, ({ api }) => requireWriter(api))
      if (watch) return watchQueue(context)
      const report = await workOnce(context)
      context.out.result(report, () => wordsOf(report, context))
      return report.failed.length > 0 ? exits.partly : exits.done
    },
  }),
  command({
    usage: 'previews status',
    summary: 'Count previews by type: wanted, there, impossible',
    examples: [['previews status', 'how much is left to do']],
    async run(context) {
      await withLibrary(context, async ({ api }) => {
        const [stats, { total: thumbnails_wanted }] = await Promise.all([
          api.media.previewStats(),
          api.media.thumbnailQueue({ limit: 1 }),
        ])
        const { pending, ready, unavailable } = stats
        const types = [...new Set([pending, ready, unavailable].flatMap(Object.keys))].sort()
        const amount = (of: Record<string, number>) => (type: string) => number(of[type] ?? 0)
        const columns = [
          { title: 'Type', value: (type: string) => type },
          { title: 'Wanted', value: amount(pending), right: true },
          { title: 'There', value: amount(ready), right: true },
          { title: 'Impossible', value: amount(unavailable), right: true },
        ]
        context.out.result({ ...stats, thumbnails_wanted }, () => [
          ...(types.length > 0 ? table(types, columns, context.out) : ['There are no props yet.']),
          `Without a thumbnail, or asked for anew: ${number(thumbnails_wanted)}`,
        ])
      })
      return undefined
    },
  }),
]

async function workOnce(context: Context): Promise<MediaReport> {
  const wire = await requireWire(context)
  const display = openDisplay(context, mediaModel)
  const { signal } = context
  return workQueue({ ...wire, signal, cacheBytes: requireCacheSize(context), tell: display.tell }).finally(display.hide)
}

const wordsOf = (report: MediaReport, context: Context): string[] => {
  const lines = mediaWords(report, context)
  return lines.length > 0 ? lines : ['Nothing is wanted that can be made here.']
}

/** Ends by its signal, and by what waiting does not fix. */
async function watchQueue(context: Context): Promise<never> {
  const { out, pause, signal } = context
  let waitMs = looks.firstMs
  let isAway = false
  for (;;) {
    const report = await workOnce(context).catch((error: unknown) => {
      signal.throwIfAborted()
      if (!mayPass(error)) throw error
      if (!isAway) out.note(`${failureOf(error).message} It is tried again.`)
      isAway = true
      return undefined
    })
    if (report) isAway = false
    const { made, thumbnails, unavailable, failed } = report ?? emptyReport()
    const isQuiet = made + thumbnails + unavailable.length + failed.length === 0
    if (report && !isQuiet) {
      await out.event(report, () => mediaWords(report, context))
    }
    waitMs = isQuiet ? Math.min(waitMs * 2, looks.longestMs) : looks.firstMs
    await pause(waitMs, signal)
  }
}
