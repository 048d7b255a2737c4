/** Files that an import did not change: old files of moved props, and files that were edited here. Each is named with the command that settles it. */
import { join } from 'node:path'
import { mineCommand, theirsCommand } from '../../client/latest/ways-out.ts'
import { type LeftFile, leftReasons } from '../../client/pull/removing/take-away.ts'
import type { JobReport } from '../../client/pull/report.ts'
import type { StayingFile } from '../../contract/agent-imports.ts'
import { shellWord } from '../../system/shell-word.ts'
import type { Project } from '../projects/projects.ts'
import type { KeptConflict } from './conflict-file.ts'

type Named = Pick<Project, 'key' | 'root'>
type Left = Pick<JobReport, 'not_taken_away' | 'entries' | 'files'>

/** So many files are named; the message counts the others. */
export const mostStaying = 100
/** So many entries still make a command line that can be copied. */
const mostTyped = 20

export const stayingFiles = (job: Left, project: Named): StayingFile[] =>
  job.not_taken_away.slice(0, mostStaying).map((left) => {
    const { file, why, reason } = left
    return { file, why, to: left.to ?? null, reason, command: commandFor(left, job, project) }
  })

/** Null where a person has to look: something refers to it, or nobody knows whose it is. */
function commandFor(left: LeftFile, job: Left, { key, root }: Named): string | null {
  const { reason, why, file } = left
  if (reason === 'modified') return why === 'moved' ? theirsCommand(join(root, file)) : null
  if (reason !== 'not_allowed' && reason !== 'open') return null
  const entries = bringing(left, job).join(' ')
  return `ph pull ${entries} --project ${shellWord(key)} --into ${shellWord(root)} --yes`
}

/** The entry whose file it was, where that was ordered; else all that was: one of them needs it. */
function bringing({ to }: LeftFile, { entries, files }: Left): number[] {
  const object = to === undefined ? undefined : files.find(({ file }) => file === to)?.object_id
  const own = entries.filter(({ object_id }) => object_id === object)
  return (own.length > 0 ? own : entries.slice(0, mostTyped)).map(({ entry_id }) => entry_id)
}

/** The first of these files as a sentence. Null where there is none. */
export function stayingMessage(job: Left, project: Named): string | null {
  const [first] = stayingFiles(job, project)
  if (!first) return null
  const { file, to, reason, command } = first
  const others = job.not_taken_away.length - 1
  const more = others > 0 ? ` And ${others} more.` : ''
  const where = to === null ? 'and left the library' : `and its prop is ${to} now`
  const next = command === null ? '' : ` \`${command}\` moves it into a backup.`
  return `${file} is still here, ${where}. ${leftReasons[reason]}${next}${more}`
}

/** Of the first file that was kept and whose version waits, with both ways out; null where there is none. */
export function keptMessage([first, ...others]: readonly KeptConflict[]): string | null {
  if (!first) return null
  const path = join(first.root, first.file)
  const why = first.reason === 'open' ? 'was open in the editor' : 'was changed here'
  const mine = first.reason === 'open' ? '' : ` \`${mineCommand(path)}\` keeps yours, which the next push makes the next version.`
  const more = others.length > 0 ? ` And ${others.length} more: \`ph agent conflicts\`.` : ''
  return `${first.file} ${why} and stays. \`${theirsCommand(path)}\` takes the library's version, with a backup of yours.${mine}${more}`
}
