/** Conflicts in the report of a pull: files that stay as they are, and the commands that settle each. */
import { join, relative } from 'node:path'
import { deletedBy } from '../../../client/entries/deletion.ts'
import { whoseProp } from '../../../client/entries/whose-prop.ts'
import { deletedWaysOut, twoWaysOut } from '../../../client/latest/ways-out.ts'
import type { JobReport, PulledFile, PullReport } from '../../../client/pull/report.ts'
import { shellWord } from '../../../system/shell-word.ts'
import { filesOf, listed, type PullLook, waysOut } from './listed.ts'

/** So many entries still make a command line that can be copied. */
const mostTyped = 8

export function keptFiles(job: JobReport, { root }: PullReport, look: PullLook): string[] {
  const edited = filesOf(job, 'kept', 'skipped').filter(({ other }) => !other)
  const [gone, files] = [edited.filter(({ deleted }) => deleted), edited.filter(({ deleted }) => !deleted)]
  const typed = (list: readonly PulledFile[]) => list.map(({ file }) => relative(look.cwd, join(root, file)))
  const words = 'These files were changed here, or never came from the library. They stay as they are.'
  const goneWords = 'These were changed here, and came because something needs them. They stay as they are.'
  const named = gone.map(({ file, deleted }) => (deleted ? `${file}  deleted in the library ${deletedBy(deleted)}` : file))
  return [
    ...listed(
      ['Conflicts:', words],
      files.map(({ file }) => file),
      look,
    ),
    ...waysOut(twoWaysOut(typed(files)), look),
    ...listed(['Deleted in the library:', goneWords], named, look),
    ...waysOut(deletedWaysOut(typed(gone)), look),
  ]
}

/** Places where the project has another prop than the pulled one, such as its own beside that of another game. */
export function otherProps(job: JobReport, report: PullReport, look: PullLook): string[] {
  const { project } = report
  const files = filesOf(job, 'kept', 'skipped').flatMap(({ file, asset_name, other }) =>
    other ? `${file} (${whoseProp(other)}, not the ${asset_name} that was pulled, ${whoseProp(other.pulled)})` : [],
  )
  const words = `${project} has other props in these places, such as its own beside those of another game. They stay as they are.`
  return [
    ...listed(['Another prop lies there:', words], files, look),
    ...waysOut(files.length > 0 ? otherPropWays(job, report, look) : [], look),
  ]
}

/** The folder is beside the project: props go nowhere else in it than into its Content. */
function otherPropWays({ entries }: JobReport, { project, root }: PullReport, { cwd }: PullLook): string[] {
  const [first, ...more] = entries.slice(0, mostTyped).map(({ entry_id }) => entry_id)
  if (first === undefined) return []
  const beside = shellWord(relative(cwd, join(root, '..', `entry-${first}`)))
  const pull = `ph pull ${[first, ...more].join(' ')} --project ${shellWord(project)} --on-conflict overwrite`
  return [
    `To take what was pulled instead, with yours as a backup: \`${pull}\``,
    `To look at it outside of the project: \`ph download ${first} --to ${beside}\``,
  ]
}
