/** What a pull would come to, in words. */

import { versionName } from '../../../client/entries/current-version.ts'
import type { JobPlan, PlannedFile, PullPlan } from '../../../client/pull/plan.ts'
import { printable } from '../../../system/printable.ts'
import { partGroups } from '../../entries/levels/part-groups.ts'
import { missingWords } from '../../entries/missing-dependency-words.ts'
import { sentLines } from '../../pull-orders/job-words.ts'
import { warningLines } from '../../pull-orders/warning-lines.ts'
import { count, number, size } from '../../terminal/amounts.ts'
import { remarked, wrap } from '../../terminal/wrap.ts'
import type { PullLook } from './listed.ts'
import { leftFiles, obstacleLines, restoredFiles } from './words.ts'

const mostFiles = 12

export function planWords(report: PullPlan, look: PullLook): string[] {
  if (report.plans.length === 0) return [`No pull job waits for ${printable(report.project)}.`]
  return report.plans.flatMap((plan, index) => [...(index > 0 ? [''] : []), ...onePlan(plan, report, look)])
}

const actionWords: Record<PlannedFile['action'], readonly [sign: string, what: string]> = {
  add: ['+', 'would be added'],
  safe_overwrite: ['~', 'would be replaced by another version'],
  conflict: ['!', 'different here: conflicts'],
  identical: ['=', 'there already'],
  newer: ['=', 'newer here than when it was sent, and would stay'],
}

const conflictWords: Record<PullPlan['on_conflict'], string> = {
  keep: 'would stay as they are',
  skip: 'would stay as they are',
  overwrite: 'would be overwritten, with a backup',
  ask: 'would be asked about',
}

function onePlan(plan: JobPlan, report: PullPlan, look: PullLook): string[] {
  const { out } = look
  const job = plan.job_id === null ? '' : ` of job ${plan.job_id}`
  const what = `${count(plan.entries.length, 'entry', 'entries')}${job}, ${count(plan.files.length, 'file')}, ${size(plan.bytes.total)}`
  return [
    ...wrap(
      `A pull of ${what} into ${printable(report.project)} (${printable(report.root)}) would do this. Nothing was changed.`,
      out.width,
    ),
    ...sentLines(plan, out),
    ...sums(plan, report, look),
    ...engineWords(plan, report, look),
    ...files(plan, look),
    ...restoredFiles(plan.files, look),
    ...leaving(plan, report.root, look),
    ...newer(plan, look),
    ...missingWords(plan, { out, entries: plan.entries.length, all: look.verbose, allFlag: '--verbose' }),
    ...(plan.obstacles.length > 0 ? ['', out.paint(['red', 'bold'], 'In the way:'), ...obstacleLines(plan.obstacles, look)] : []),
    ...warningLines(plan.warnings, out),
  ]
}

function sums({ summary, bytes }: JobPlan, { on_conflict }: PullPlan, { out: { paint } }: PullLook): string[] {
  const actions = (Object.keys(actionWords) as PlannedFile['action'][]).filter((action) => (summary[action] ?? 0) > 0)
  const width = Math.max(0, ...actions.map((action) => number(summary[action] ?? 0).length))
  const cached = bytes.in_cache > 0 ? `; ${size(bytes.in_cache)} are on this machine` : ''
  const wordsOf = (action: PlannedFile['action']) =>
    action === 'conflict' ? `${actionWords.conflict[1]}, which ${conflictWords[on_conflict]}` : actionWords[action][1]
  return [
    ...actions.map((action) => `  ${paint('bold', number(summary[action] ?? 0).padStart(width))} ${wordsOf(action)}`),
    `  ${paint('dim', `${size(bytes.to_download)} to download${cached}`)}`,
  ]
}

const releaseOf = (version: string): string => version.split('.').slice(0, 2).join('.')

function engineWords({ engine_needed, engine_too_old }: JobPlan, { engine_version }: PullPlan, { out }: PullLook): string[] {
  if (engine_needed === null) return []
  // A project names only the release of its engine, not the patch.
  const own = engine_version === null ? 'the engine of the project is not known' : `the project has ${releaseOf(engine_version)}`
  if (!engine_too_old) return ['', ...wrap(`The files were saved by engines up to ${engine_needed}; ${own}.`, out.width)]
  const line = `Engine ${releaseOf(engine_needed)} or newer is needed, and ${own}: this pull would be refused. Open the project with a newer engine.`
  return ['', ...wrap(out.paint(['red', 'bold'], line), out.width)]
}

function files({ files: all }: JobPlan, { out, verbose }: PullLook): string[] {
  const changing = all.filter(({ action }) => (action !== 'identical' && action !== 'newer') || verbose)
  const shown = verbose ? changing : changing.slice(0, mostFiles)
  if (shown.length === 0) return []
  return [
    '',
    ...shown.flatMap(({ file, action, size: bytes }) =>
      remarked(`  ${actionWords[action][0]} ${printable(file)}`, out.paint('dim', size(bytes)), out.width),
    ),
    ...(changing.length > shown.length ? [`    and ${number(changing.length - shown.length)} more (--verbose)`] : []),
  ]
}

/** What something still refers to stays. */
function leaving({ leaving: all }: JobPlan, root: string, look: PullLook): string[] {
  const { moved = [], removed = [] } = Object.groupBy(all, ({ why }) => why)
  const [staying, going] = [moved.filter(staysReferred), moved.filter((one) => !staysReferred(one))]
  const left = staying.map((one) => ({ ...one, reason: 'referred' as const }))
  return [...movedAway(going, look), ...leavingParts(removed, look), ...leftFiles(left, root, look)]
}

const staysReferred = ({ referred_by }: JobPlan['leaving'][number]): boolean => referred_by !== undefined

function movedAway(moved: JobPlan['leaving'], { out, verbose }: PullLook): string[] {
  const shown = verbose ? moved : moved.slice(0, mostFiles)
  if (shown.length === 0) return []
  return [
    '',
    out.paint('bold', 'Would be moved away:'),
    ...wrap(
      'The props of these files lie elsewhere now. Old files go into a backup where they were not changed here:',
      out.width,
      '  ',
    ),
    ...shown.map(({ file, to }) => `    ${printable(file)}${to === undefined ? '' : ` → ${printable(to)}`}`),
    ...(moved.length > shown.length ? [`    and ${number(moved.length - shown.length)} more (--verbose)`] : []),
  ]
}

/** Parts of levels, under their level. */
function leavingParts(removed: JobPlan['leaving'], { out, verbose }: Pick<PullLook, 'out' | 'verbose'>): string[] {
  if (removed.length === 0) return []
  const named = partGroups(
    removed.flatMap(({ part }) => part ?? []),
    { all: verbose, more: '--verbose' },
  )
  return [
    '',
    out.paint('bold', 'Would be taken away:'),
    ...wrap('These left their level in the library. They go into a backup where they were not changed here:', out.width, '  '),
    ...named.flatMap((words) => wrap(printable(`- ${words}`), out.width, '    ')),
  ]
}

function newer({ files: all }: JobPlan, { out, verbose }: PullLook): string[] {
  const old = all.filter(({ newer_object_id }) => newer_object_id !== undefined)
  if (old.length === 0) return []
  const shown = verbose ? old : old.slice(0, mostFiles)
  return [
    '',
    out.paint('bold', 'Outdated when this pull is done:'),
    ...wrap('A prop comes with the versions that it was pushed with. These have another current version:', out.width, '  '),
    ...shown.map(
      ({ destination, object_id, version, newer_object_id = 0, newer_version }) =>
        `    ${printable(destination)}  ${out.paint('dim', `${versionName({ object_id, version })}, now ${versionName({ object_id: newer_object_id, version: newer_version })}`)}`,
    ),
    ...(old.length > shown.length ? [`    and ${number(old.length - shown.length)} more (--verbose)`] : []),
  ]
}
