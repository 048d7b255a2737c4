/** The tool that brings props into a project on this machine, as `ph pull` does. */
import { dirname, join } from 'node:path'
import { Type } from 'typebox'
import { withPartNames } from '../../client/entries/part-names.ts'
import type { PullOptions } from '../../client/pull/options.ts'
import type { JobPlan } from '../../client/pull/plan.ts'
import type { PullTarget } from '../../client/pull/target-project.ts'
import { limits } from '../../contract/limits.ts'
import { TargetRoot } from '../../contract/pull-jobs.ts'
import { Id, oneOf } from '../../contract/shapes.ts'
import type { Fields } from '../tools/tool.ts'
import { fileTool, ProjectArgument } from './file-tool.ts'
import { type Machine, projectToChange, requireInside } from './machine.ts'

interface Input {
  entry_ids?: number[]
  project?: string
  target_root?: string
  on_conflict?: 'keep' | 'overwrite'
}

export const pullTool = fileTool({
  name: 'pull_files',
  title: 'Pull props into a project here',
  description:
    'Bring props with everything they need into a project on this machine; without entry_ids, whatever is outdated there, and what waits for the project. Files that left (their props moved, or they left their level) are named and stay. Changed files stay, unless on_conflict is overwrite, which keeps a backup.',
  routes: ['pullJobs.plan', 'pullJobs.create', 'pullJobs.claim'],
  input: Type.Object({
    entry_ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: limits.pullJob.entries })),
    project: ProjectArgument,
    target_root: Type.Optional(TargetRoot),
    on_conflict: Type.Optional(oneOf(['keep', 'overwrite'])),
  }),
  replacesFiles: true,
  async plan(machine, input) {
    const { project, root, on_conflict, plans } = await safePlan(await optionsOf(machine, input))
    return { project, root, on_conflict, pulls: plans.map(pullOf) }
  },
  async run(machine, input) {
    const options = await optionsOf(machine, input)
    await safePlan(options)
    const { pull } = await import('../../client/pull/pull.ts')
    const { project, root, jobs, waiting, notes } = await pull(options)
    const done = jobs.map(
      ({ job_id, sent_by, note, status, reason, summary, bytes, files, obstacles, warnings, taken_away, not_taken_away }) => ({
        ...{ job_id, sent_by, note, status, reason, summary, bytes, obstacles, warnings, taken_away },
        not_taken_away: withPartNames(root, not_taken_away),
        files: files.flatMap(({ file, outcome, backup }) =>
          outcome === 'identical' ? [] : { file, outcome, ...(backup === undefined ? {} : { backup }) },
        ),
      }),
    )
    return { project, root, pulls: done, waiting_jobs: waiting.length, notes }
  },
})

async function optionsOf(machine: Machine, { entry_ids, project, target_root, on_conflict }: Input): Promise<PullOptions> {
  const { wire, cacheBytes } = machine
  const target = await projectToChange(machine, project)
  const ordered = entry_ids ?? (await outdatedIn(machine, target))
  return {
    ...wire,
    target,
    cacheBytes,
    onConflict: on_conflict ?? 'keep',
    order: async () => ordered.map((entry_id) => ({ entry_id })),
    alsoQueued: entry_ids === undefined,
    ...(target_root === undefined ? {} : { targetRoot: target_root }),
  }
}

async function outdatedIn({ wire }: Machine, target: PullTarget): Promise<number[]> {
  const { findLatest } = await import('../../client/latest/latest.ts')
  return (await findLatest({ ...wire, target })).entry_ids
}

/** Throws ToolRefusal `OUTSIDE_PROJECT` where a file would land behind a link that leads out of the project. */
async function safePlan(options: PullOptions) {
  const { planPull } = await import('../../client/pull/plan.ts')
  const plan = await planPull(options)
  const folders = new Set(plan.plans.flatMap(({ files }) => files.map(({ file }) => dirname(join(plan.root, file)))))
  for (const folder of folders) requireInside(plan.root, folder)
  return plan
}

const pullOf = ({
  job_id,
  sent_by,
  note,
  target_root,
  entries,
  files,
  leaving,
  obstacles,
  warnings,
  summary,
  bytes,
  engine_too_old,
}: JobPlan): Fields => ({
  ...{ job_id, sent_by, note },
  target_root,
  props: entries.map(({ entry_id, name }) => ({ entry_id, name })),
  files: files.flatMap(({ file, action, size }) => (action === 'identical' ? [] : { file, action, size })),
  leaving: leaving.map(({ lineage_id: _, ...one }) => one),
  ...{ obstacles, warnings, summary, bytes, engine_too_old },
})
