/** A push as a person sees it: with a display of how far it is, which makes room for questions. */
import { basename } from 'node:path'
import { placeInProject } from '../../../client/project/paths.ts'
import type { PushOptions } from '../../../client/push/push.ts'
import type { PushReport } from '../../../client/push/report.ts'
import { foldersOf, requireConnection } from '../../connection.ts'
import type { Context } from '../../context.ts'
import { rememberChange } from '../../library.ts'
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
  const before = await lastPushOf(context, options)
  try {
    return await push({ ...options, ...(held ? { held } : {}), tell: display.tell })
  } catch (error) {
    if (context.signal.aborted) context.out.note('Stopped. What was registered stays; the next push goes on from there.')
    throw error
  } finally {
    await display.hide()
    if (options.dryRun !== true) await rememberPush(context, options, before)
  }
}

interface Remembered {
  root: string
  begunAt: string
  /** Differs as soon as a push has registered something. */
  state: string
}

/** Undefined too where the memory cannot be read: the push itself says so. */
async function lastPushOf(context: Context, { paths: [path], url }: PushOptions): Promise<Remembered | undefined> {
  if (path === undefined) return undefined
  const { openLastPush } = await import('../../../client/push/undo.ts')
  try {
    const last = openLastPush(placeInProject(path), { folders: foldersOf(context), url })
    if (!last) return undefined
    const { root, memory, push } = last
    memory.close()
    const { begunAt } = push.run
    return { root, begunAt, state: JSON.stringify([begunAt, push.versions.length, push.versions[0]?.objectId]) }
  } catch {
    return undefined
  }
}

/** What was registered, by a push that was stopped too, is a change that `ph undo` takes back. */
async function rememberPush(context: Context, options: PushOptions, before: Remembered | undefined): Promise<void> {
  const now = await lastPushOf(context, options)
  if (!now || now.state === before?.state) return
  const { root, begunAt } = now
  const change = { what: `Pushed ${basename(root)}`, calls: [], stays: [], push: { root, begunAt } }
  await rememberChange(context, change, await requireConnection(context))
}
