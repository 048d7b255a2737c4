// Pushes the Content folder of a project from a build machine: node push.js <project folder> <what is new>
import { relative, resolve } from 'node:path'
import { openLibrary } from '@prop-house/client'
import { isPartly, push } from '@prop-house/client/push'

const [folder = '.', note] = process.argv.slice(2)
const project = resolve(folder)
const library = await openLibrary({ clientName: 'nightly-build/1.0' })
try {
  const report = await push({ ...library.wire, paths: [project], contentOnly: true, note })
  const { new: made, dedup, held, denied, locked, outdated, failed } = report.summary
  console.log(`${made} new, ${dedup} there already, ${Math.round(report.took_ms / 1000)} s`)
  for (const { file, status, reason } of report.items)
    if (status !== 'new' && status !== 'dedup') console.log(`${status}: ${file}${reason ? ` (${reason})` : ''}`)
  for (const { message } of report.problems) console.log(message)
  // Someone has to look: what is held waits for an answer, what is locked for the person who has it checked out.
  if (isPartly(report)) process.exitCode = 6
  console.log(`${held + denied + locked + outdated + failed} to look at in ${relative('', report.root) || '.'}`)
} finally {
  await library.close()
}
