/** Why a file is not as the library has it: everything that is known of it, in sentences, each with the command that fixes it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Api } from '../../client/http/api.ts'
import { mineCommand, theirsCommand } from '../../client/latest/ways-out.ts'
import { findFacesInBulk } from '../../client/memory/find-versions.ts'
import { findIgnoring, type IgnoredBy } from '../../client/project/ignored-by.ts'
import type { Problem } from '../../client/project/problem.ts'
import type { StatusReport } from '../../client/status/report.ts'
import type { FileReason, WatchedFile } from '../../contract/agent-files.ts'
import type { AgentConflict } from '../../contract/agent-imports.ts'
import { printable } from '../../system/printable.ts'
import { isEdited, type Row, watchedFile } from './file-table.ts'
import { nearestThere } from './hearing/folder-places.ts'
import type { Looks } from './looks.ts'
import type { ProjectWatch } from './project-watch.ts'
import { freeReason, lockReason, moment, nameOf, stateReason } from './words.ts'

export interface Question {
  root: string
  projectKey: string
  /** Below the root, with `/`. */
  file: string
  /** Undefined while watching is paused. */
  watch: ProjectWatch | undefined
  looks: Looks
  conflicts: readonly AgentConflict[]
  signal: AbortSignal
}

export interface Standing {
  row: Row
  report: StatusReport
  file: WatchedFile
}

/** Looks at it now. Undefined where there is no such file, here or in what is remembered. */
export async function standingOf(question: Question): Promise<Standing | undefined> {
  const { root, file, watch } = question
  const isHere = existsSync(join(root, file))
  const report = await lookAt(question)
  const differing = report?.files.find((one) => one.file === file)
  if (!report || (!isHere && !differing)) return undefined
  const lock = report.locks.find((one) => one.file === file) ?? watch?.table.row(file).lock
  const row: Row = { file, differing: differing?.state === 'current' ? undefined : differing, lock }
  return { row, report, file: watchedFile(row, { root, isPending: watch?.isPending(file) ?? false, known: differing }) }
}

/** Of what is known by memory alone the library says which project its prop is of. Unchanged where it does not answer. */
export async function withProject(standing: Standing, { looks, watch, signal }: Question): Promise<Standing> {
  const { report, file } = standing
  const known = report.files.find((one) => one.file === file.file)
  const id = known?.lineage_id
  if (!id || known.pushed_from !== undefined || watch?.isOnline === false) return standing
  const ask = (api: Api) => findFacesInBulk(api, { lineageIds: [id], hashes: [], paths: [] })
  const found = await looks.ask(ask, signal).catch(() => undefined)
  const from = found?.lineages[0]?.face_pushed_from
  if (from === undefined) return standing
  const files = report.files.map((one) => (one === known ? { ...one, pushed_from: from } : one))
  return { ...standing, report: { ...report, files } }
}

function lookAt({ root, file, watch, looks, signal }: Question): Promise<StatusReport | undefined> {
  const start = nearestThere(root, file)
  if (start === undefined) return Promise.resolve(undefined)
  if (watch) return watch.lookAt([start], signal)
  return looks.take({ paths: [start], all: true }, signal)
}

/** `findIgnoring` comes first: what is left out on purpose is not pushed by the whole project. */
export function reasonsOf({ row, report, file: seen }: Standing, question: Question): FileReason[] {
  const { root, file, projectKey, watch, conflicts } = question
  const place = { path: join(root, file), projectKey }
  const ignored = findIgnoring(root, file)
  const known = report.files.find((one) => one.file === file)
  return [
    ...conflicts.filter(({ path, state }) => path === place.path && state !== 'answered').map(conflictReason),
    ...(seen.state === 'pending' ? [pendingReason(place.path)] : []),
    ...(ignored ? [ignoredReason(ignored, place.path)] : []),
    ...report.problems.filter(({ files }) => files.includes(file)).map(problemReason),
    ...(row.lock ? [lockReason(row.lock, isEdited(row), place)] : []),
    ...(known ? [byState(stateReason(known, place), row)] : []),
    ...(known || report.problems.length > 0 ? [] : [leftOut(report, place.path)]),
    ...(watch && !watch.isOnline ? [offlineReason(watch.asOf)] : []),
  ]
}

/** What to know of a file before it is edited: nothing where it is the current version and free, or held by this person. */
export function openingWords(
  { row, report }: Standing,
  { root, projectKey, file }: Question,
): { warnings: FileReason[]; suggestion: FileReason | null } {
  const place = { path: join(root, file), projectKey }
  const known = report.files.find((one) => one.file === file)
  const isOld = known?.state === 'outdated' || known?.state === 'diverged'
  const warnings = [
    ...(row.lock && !row.lock.mine ? [lockReason(row.lock, isEdited(row), place)] : []),
    ...(known && isOld ? [stateReason(known, place)] : []),
  ]
  const isFree = known !== undefined && known.lineage_id !== null && !row.lock && !isOld
  return { warnings, suggestion: isFree ? freeReason(place.path) : null }
}

/** What someone else holds is not pushed, and what this person holds is checked in instead. */
const byState = (reason: FileReason, { lock }: Row): FileReason =>
  lock && (reason.kind === 'modified' || reason.kind === 'moved') ? { ...reason, command: null } : reason

function conflictReason({ file, job_id, state, path, reason }: AgentConflict): FileReason {
  const name = nameOf(file)
  if (state === 'asked') {
    const message = `Job ${job_id} brings another version of ${name}, and waits for you to say which one stays.`
    return { kind: 'conflict', message, command: 'ph agent conflicts' }
  }
  const mine = reason === 'open' ? '' : ` To keep yours for good: \`${mineCommand(path)}\`.`
  const message = `Job ${job_id} brought another version of ${name}, which waits: yours was kept.${mine}`
  return { kind: 'conflict', message, command: theirsCommand(path) }
}

const pendingReason = (path: string): FileReason => ({
  kind: 'pending',
  message: `${nameOf(path)} is being written at this moment. It is compared as soon as nobody writes it.`,
  command: null,
})

function ignoredReason(ignored: IgnoredBy, path: string): FileReason {
  const name = nameOf(path)
  const push = 'To push it anyway, name it to `ph push`.'
  if (ignored.kind === 'rule') {
    const { file, line, rule } = ignored
    const message = `${name} is left out by line ${line} of ${printable(file)}, which says ${printable(rule.trim())}. Change that line to have it pushed.`
    return { kind: 'ignored', message, command: null }
  }
  const folder = printable(ignored.folder)
  const message =
    ignored.kind === 'hidden'
      ? `${name} is left out because the name ${folder} begins with a dot.`
      : `${name} is left out because the editor fills ${folder} by itself. ${push}`
  return { kind: 'ignored', message, command: null }
}

const problemReason = ({ weight, message, next }: Problem): FileReason => ({
  kind: weight === 'left-out' ? 'left-out' : 'unreadable',
  message: `${printable(message)} ${next}`,
  command: null,
})

const leftOut = ({ summary }: StatusReport, path: string): FileReason => ({
  kind: 'left-out',
  message:
    summary.left_out > 0
      ? `${nameOf(path)} is no prop, so a push leaves it out: a redirector, or a package that holds none. Redirectors go when they are fixed up in the editor.`
      : `${nameOf(path)} is no kind of file that is pushed as a prop.`,
  command: null,
})

const offlineReason = (asOf: Date | undefined): FileReason => ({
  kind: 'offline',
  message: asOf
    ? `The server is not reached: this is as of ${moment(asOf.toISOString())}.`
    : 'The server was not reached yet: only what this machine remembers is known.',
  command: 'ph agent status',
})
