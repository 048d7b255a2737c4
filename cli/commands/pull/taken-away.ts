/** What a pull took away is remembered for `ph undo`. */
import type { PullReport } from '../../../client/pull/report.ts'
import { requireConnection } from '../../connection.ts'
import type { Context } from '../../context.ts'
import { rememberChange, tellUndo } from '../../library.ts'
import { count } from '../../terminal/amounts.ts'

export async function rememberTakenAway(context: Context, { root, project, jobs }: PullReport): Promise<void> {
  const files = jobs.flatMap(({ taken_away }) => taken_away)
  if (files.length === 0) return
  const { takenAwayChange } = await import('../../../client/undo/taken-away.ts')
  const hasMoved = files.some(({ why }) => why === 'moved')
  const hasLeft = files.some(({ why }) => why === 'removed')
  const why = [...(hasMoved ? ['their props lie elsewhere now'] : []), ...(hasLeft ? ['they left their level'] : [])].join(
    ', or ',
  )
  const what = `Moved ${count(files.length, 'old file')} out of ${project}: ${why}`
  const change = takenAwayChange(what, { root, files })
  if (await rememberChange(context, change, await requireConnection(context))) tellUndo(context)
}
