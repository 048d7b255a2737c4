/** `ph pull` without names: the latest of the project, with the jobs that wait for it. On a terminal the plan is shown first. */
import type { PullOptions } from '../../../client/pull/options.ts'
import type { PullPlan } from '../../../client/pull/plan.ts'
import type { PullReport } from '../../../client/pull/report.ts'
import { exits } from '../../../contract/errors.ts'
import type { Context } from '../../context.ts'
import { declined } from '../../refusal.ts'
import { shown } from '../../terminal/output.ts'
import { askYesOrNo } from '../../terminal/yes-or-no.ts'
import { exitOf } from './exit-code.ts'
import { latestWords, staysOpen } from './latest-words.ts'
import type { PullLook } from './listed.ts'
import { planWords } from './plan-words.ts'
import { rememberTakenAway } from './taken-away.ts'
import { pullWords } from './words.ts'

export interface PullingLatest {
  options: PullOptions
  look: PullLook
  /** Makes room for what is printed. */
  hide(): Promise<void>
  all: boolean
  planOnly: boolean
  /** Nobody is to be asked. */
  yes: boolean
}

export async function pullLatest(context: Context, pulling: PullingLatest): Promise<number> {
  const { options, look, hide, all, planOnly, yes } = pulling
  const { findLatest } = await import('../../../client/latest/latest.ts')
  const { tell: _tell, ...quiet } = options
  const latest = await findLatest({ ...quiet, all }).finally(hide)
  const order = async () => latest.entry_ids.map((entry_id) => ({ entry_id }))
  const ordered: PullOptions = { ...options, order, alsoQueued: true }
  const left = (came: boolean, told?: ReadonlySet<string>) =>
    latestWords({ latest, all, came, told, look, target: options.target, cwd: context.cwd })
  const edited = new Set([...latest.modified, ...latest.diverged, ...latest.deleted])
  if (planOnly) {
    const plan = await planOf(ordered).finally(hide)
    context.out.result({ ...plan, latest }, () => [...planned(planWithout(plan, edited), look), ...left(plan.plans.length > 0)])
    return exits.done
  }
  const isAsked = context.interactive && !yes
  if (isAsked) {
    const plan = await planOf(ordered).finally(hide)
    if (doesSomething(plan)) {
      context.stderr.write(shown([...planned(planWithout(plan, edited), look), ''].map((line) => `${line}\n`).join('')))
      if (!(await askYesOrNo(context, 'Bring this?', true))) throw declined('Nothing was changed.')
    }
  }
  const { pull } = await import('../../../client/pull/pull.ts')
  const report = await pull(ordered).finally(hide)
  await rememberTakenAway(context, report)
  const told = reportWithout(report, edited)
  context.out.result({ ...report, latest }, () => [...pulled(told, look), ...left(report.jobs.length > 0, stayedEdited(report))])
  const code = exitOf(told)
  return code === exits.done && staysOpen(latest) ? exits.partly : code
}

/** Edited files in old places of their props. */
const stayedEdited = ({ jobs }: PullReport): Set<string> =>
  new Set(jobs.flatMap(({ not_taken_away: left }) => left.flatMap(({ reason, file }) => (reason === 'modified' ? file : []))))

/**
 * The same without files that stay because they were edited here: those of the current version are no conflicts, and of those that both changed
 * is told behind it, with the ways out. Where another prop lies is told of all the same.
 */
function reportWithout(report: PullReport, edited: ReadonlySet<string>): PullReport {
  const jobs = report.jobs.map((job) => {
    const { summary, files } = job
    const [kept, rest] = parted(files, ({ outcome, file, other }) => outcome === 'kept' && !other && edited.has(file))
    return { ...job, files: rest, summary: { ...summary, kept: summary.kept - kept.length } }
  })
  return { ...report, jobs }
}

function planWithout(plan: PullPlan, edited: ReadonlySet<string>): PullPlan {
  if (plan.on_conflict === 'overwrite') return plan
  const plans = plan.plans.map((one) => {
    const { summary, files } = one
    const [kept, rest] = parted(files, ({ action, file }) => action === 'conflict' && edited.has(file))
    return { ...one, files: rest, summary: { ...summary, conflict: summary.conflict - kept.length } }
  })
  return { ...plan, plans }
}

const parted = <T>(all: readonly T[], isKept: (one: T) => boolean): [kept: T[], rest: T[]] => [
  all.filter(isKept),
  all.filter((one) => !isKept(one)),
]

async function planOf(options: PullOptions): Promise<PullPlan> {
  const { planPull } = await import('../../../client/pull/plan.ts')
  return planPull(options)
}

const doesSomething = ({ plans, on_conflict }: PullPlan): boolean =>
  plans.some(
    ({ summary: { add, safe_overwrite, conflict }, leaving }) =>
      add +
        safe_overwrite +
        leaving.filter(({ referred_by }) => referred_by === undefined).length +
        (on_conflict === 'overwrite' ? conflict : 0) >
      0,
  )

const planned = (plan: PullPlan, look: PullLook): string[] => (plan.plans.length > 0 ? planWords(plan, look) : [])

const pulled = (report: PullReport, look: PullLook): string[] =>
  report.jobs.length + report.waiting.length + report.notes.length > 0 ? pullWords(report, look) : []
