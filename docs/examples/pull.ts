// Plans a pull, and pulls when nothing here would be lost: node pull.js <project folder> <prop> …
import { resolve } from 'node:path'
import { openLibrary } from '@prop-house/client'
import { findTarget, type PullOptions, planPull, pull, requireEntryIds } from '@prop-house/client/pull'

const [folder = '.', ...props] = process.argv.slice(2)
const library = await openLibrary()
try {
  const options: PullOptions = {
    ...library.wire,
    target: findTarget({ cwd: resolve(folder) }),
    // Props are named by id, by name or by /Game path.
    order: async (api) => (await requireEntryIds(api, props)).map((entry_id) => ({ entry_id })),
  }
  const [plan] = (await planPull(options)).plans
  for (const { action, file, size } of plan?.files ?? []) console.log(`${action.padEnd(14)} ${file} (${size} bytes)`)
  const conflicts = plan?.summary.conflict ?? 0
  if (conflicts > 0 || plan?.obstacles.length) {
    for (const { message } of plan?.obstacles ?? []) console.log(message)
    console.log(`${conflicts} files here were changed. Nothing was pulled.`)
    process.exitCode = 5
  } else {
    const { jobs } = await pull(options)
    for (const { status, summary, reason } of jobs)
      console.log(
        `${status}: ${summary.added} added, ${summary.updated} updated, ${summary.identical} there already ${reason ?? ''}`,
      )
    if (jobs.some(({ status }) => status !== 'done')) process.exitCode = 1
  }
} finally {
  await library.close()
}
