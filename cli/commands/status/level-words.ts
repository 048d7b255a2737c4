/** Levels whose actors are files of their own, in words: what changed in the library, and actors by their labels. */
import { basename, extname, join, relative } from 'node:path'
import type { LevelNews } from '../../../client/status/level-news.ts'
import type { StatusFile, StatusReport } from '../../../client/status/report.ts'
import type { FileState } from '../../../contract/file-states.ts'
import { printable } from '../../../system/printable.ts'
import { shellWord } from '../../../system/shell-word.ts'
import { partGroups } from '../../entries/levels/part-groups.ts'
import { setChanges } from '../../entries/levels/set-words.ts'
import { age } from '../../terminal/amounts.ts'
import type { Paint } from '../../terminal/output.ts'
import { remarked, wrap } from '../../terminal/wrap.ts'

interface LevelLook {
  paint: Paint
  width: number
  cwd: string
  all: boolean
  now: Date
}

/** So many levels still make a command line that can be copied. */
const mostInCommand = 50

/** Their own file may be as it was. */
export function levelNews({ levels, root, project }: StatusReport, { paint, width, cwd, now }: LevelLook): string[] {
  if (levels.length === 0) return []
  const line = ({ file, newest: { author, created_at }, changes }: LevelNews) => {
    const by = `${author === null ? '' : `by ${printable(author)}, `}${age(created_at, now)}`
    const said = changes ? `: ${setChanges(changes)}` : ''
    return remarked(`  < ${printable(relative(cwd, join(root, file)))}`, paint('dim', `${by}${said}`), width)
  }
  const ids = levels.slice(0, mostInCommand).map(({ file, entry_id }) => entry_id ?? shellWord(basename(file, extname(file))))
  return [
    '',
    paint(['yellow', 'bold'], 'Levels whose actors changed in the library:'),
    ...levels.flatMap(line),
    ...wrap(`→ ${pulling(ids, project)}`, width, '    ').map((words) => paint('dim', words)),
  ]
}

const pulling = (what: readonly (string | number)[], project: string | null): string =>
  `ph pull ${what.join(' ')}${project === null ? '' : ` --project ${shellWord(project)}`}`

/** The levels that parts belong to, as commands name them. */
export const levelsOf = (files: readonly StatusFile[]): string[] => [
  ...new Set(files.flatMap(({ part }) => (part ? shellWord(part.level) : []))),
]

/** Actors under their level, by their labels: `M L_Inn: Door_2, Table`. */
export const actorLines = (
  sign: string,
  files: readonly StatusFile[],
  { width, all }: Pick<LevelLook, 'width' | 'all'>,
): string[] =>
  partGroups(
    files.flatMap(({ part }) => part ?? []),
    { all, more: '--all' },
  ).flatMap((words) => wrap(printable(`${sign} ${words}`), width, '  '))

/** What is to be done about parts, besides what is said of all files in that state. */
export function partAdvice(state: FileState, parts: readonly StatusFile[], { project }: Pick<StatusReport, 'project'>): string[] {
  const levels = levelsOf(parts).slice(0, mostInCommand)
  if (levels.length === 0) return []
  if (state === 'deleted') return [`Unchanged ones are taken away, into a backup: \`${pulling(levels, project)}\``]
  return state === 'missing' ? ['A push of the level takes those that are missing out of it.'] : []
}
