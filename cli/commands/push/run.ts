/** A push as a person sees it: with a display of how far it is, which makes room for questions. */
import { basename } from 'node:path'
import type { PushOptions } from '../../../client/push/push.ts'
import type { PushReport } from '../../../client/push/report.ts'
import type { NewChange } from '../../../client/undo/journal.ts'
import { requireConnection } from '../../connection.ts'
import type { Context } from '../../context.ts'
import { rememberChange } from '../../library.ts'
import { number } from '../../terminal/amounts.ts'
import { openDisplay } from '../../terminal/progress-display.ts'
import { askYesOrNo } from '../../terminal/yes-or-no.ts'
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
  const mayRemove: PushOptions['mayRemove'] = async (parts) => {
    if (!context.interactive) return false
    await display.hide()
    const question = `${number(parts)} actors of levels are not on this disk any more. Take them away in the library too?`
    return askYesOrNo(context, question, false).finally(display.resume)
  }
  const tell: PushOptions['tell'] = (event) => {
    display.tell(event)
    options.tell?.(event)
  }
  let pushed: Pushed | undefined
  const remembered = (one: Pushed) => {
    pushed = one
  }
  try {
    return await push({ mayRemove, ...options, ...(held ? { held } : {}), remembered, tell })
  } catch (error) {
    if (context.signal.aborted) context.out.note('Stopped. What was registered stays; the next push goes on from there.')
    throw error
  } finally {
    await display.hide()
    if (pushed) await rememberPush(context, pushed)
  }
}

type Pushed = NonNullable<NewChange['push']>

/** What was registered, by a push that was stopped too, is a change that `ph undo` takes back. */
async function rememberPush(context: Context, pushed: Pushed): Promise<void> {
  const change = { what: `Pushed ${basename(pushed.root)}`, calls: [], stays: [], push: pushed }
  await rememberChange(context, change, await requireConnection(context))
}
