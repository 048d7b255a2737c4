/** A push as a person sees it: with a display of how far it is, which makes room for questions. */
import type { PushOptions } from '../../../client/push/push.ts'
import type { PushReport } from '../../../client/push/report.ts'
import type { Context } from '../../context.ts'
import { openDisplay } from '../../terminal/progress-display.ts'
import { pushModel } from './progress.ts'

export async function runPush(context: Context, options: PushOptions): Promise<PushReport> {
  const { push } = await import('../../../client/push/push.ts')
  const display = openDisplay(context, pushModel)
  const { held: decide } = options
  const held: PushOptions['held'] =
    decide &&
    (async (items) => {
      await display.hide()
      const answers = await decide(items)
      display.resume()
      return answers
    })
  try {
    return await push({ ...options, ...(held ? { held } : {}), tell: display.tell })
  } catch (error) {
    if (context.signal.aborted) context.out.note('Stopped. What was registered stays; the next push goes on from there.')
    throw error
  } finally {
    await display.hide()
  }
}
