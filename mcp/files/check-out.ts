/** The tools that check props out and in with their files in a project on this machine, as `ph checkout` and `ph checkin` do. */
import { existsSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { Type } from 'typebox'
import type { CheckedOut } from '../../client/check-out/take.ts'
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { Lock } from '../../contract/locks.ts'
import { fileTool, ProjectArgument } from './file-tool.ts'
import { type Machine, placeIn, projectOf, projectToChange } from './machine.ts'
import { Note, noteIn, planSending, pushed, send } from './push.ts'

const Props = Type.Array(
  Type.String({ description: 'Id, name or /Game path of a prop, or a file or folder, from the folder of the project' }),
  { minItems: 1, maxItems: limits.lock.many },
)

interface Named {
  project?: string
  props: string[]
  bring_newest?: boolean
}

export const checkOutTool = fileTool({
  name: 'check_out_files',
  title: 'Check props out in a project here',
  description:
    'Say that this person edits props, so that nobody else pushes them, and make their files in a project here ready. bring_newest: true brings newer versions; what was changed here stays.',
  routes: ['locks.radar', 'locks.batch', 'pullJobs.create'],
  input: Type.Object({
    props: Props,
    project: ProjectArgument,
    note: Note,
    ttl_hours: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.lock.hours })),
    bring_newest: Type.Optional(Type.Boolean()),
  }),
  replacesFiles: true,
  async plan(machine, input) {
    const { plan, findToBring, foretell } = await planned(machine, input)
    const brings = input.bring_newest ? findToBring(plan, foretell(plan)) : []
    return {
      project: plan.project,
      root: plan.root,
      ...noteIn(input),
      ...(input.ttl_hours === undefined ? {} : { ttl_hours: input.ttl_hours }),
      props: foretell(plan).map(propOf),
      around_it: plan.radar,
      brings_entry_ids: brings,
    }
  },
  async run(machine, input) {
    const { plan, naming, findToBring, takeProps, bringNewest, afterBringing } = await planned(machine, input)
    const made = await takeProps(machine.api, plan, { note: input.note, ttlHours: input.ttl_hours })
    const toBring = input.bring_newest ? findToBring(plan, made) : []
    if (toBring.length === 0) return { props: made.map(propOf) }
    const brought = await bringNewest(plan, toBring, { ...naming.wire, cacheBytes: machine.cacheBytes })
    return {
      props: afterBringing(made, brought).map(propOf),
      brought: brought.jobs.map(({ status, summary }) => ({ status, summary })),
    }
  },
})

const propOf = ({ entry_id, name, files, standing, extended, lock }: CheckedOut) => ({
  ...{ entry_id, name, files, standing, extended },
  ...(lock ? { until: lock.expires_at } : {}),
})

/** Throws ApiError `LOCKED` where someone else has one of them. */
async function planned(machine: Machine, input: Named) {
  const [naming, { heldByOthers, planCheckOut }, taking, bringing] = await Promise.all([
    namingOf(machine, input),
    import('../../client/check-out/plan.ts'),
    import('../../client/check-out/take.ts'),
    import('../../client/check-out/bring-newest.ts'),
  ])
  const plan = await planCheckOut(input.props, { ...naming, closure: false })
  const others = heldByOthers(plan)
  if (others.length > 0)
    throw new ApiError('LOCKED', `${[...new Set(others.map(holderWords))].join(', ')} checked out what was named.`, {
      locked: others.map((lock) => ({ lineage_id: lock.lineage_id, holder: lock.holder, lock })),
    })
  return { plan, naming, ...taking, ...bringing }
}

/** Who has left cannot be asked to give it back. */
const holderWords = ({ holder, holder_left }: Lock): string =>
  holder_left ? `${holder.name} (who has left: an owner or admin can release it)` : holder.name

export const checkInTool = fileTool({
  name: 'check_in_files',
  title: 'Check props in from a project here',
  description:
    'Push what was changed in checked out props from a project here, and give back what is in the library then. keep: true keeps them checked out.',
  routes: ['push.negotiate', 'push.commit', 'locks.release'],
  input: Type.Object({ props: Props, project: ProjectArgument, note: Note, keep: Type.Optional(Type.Boolean()) }),
  replacesFiles: false,
  async plan(machine, input) {
    const { named, sent } = await toSend(machine, input)
    const push = await planSending(machine, sent)
    const props = named.props.map(({ entry_id, name, files }) => ({
      entry_id,
      name,
      files: files.map(({ file, state }) => ({ file, state })),
    }))
    return { ...noteIn(input), props, push: pushed(push), gives_back: input.keep !== true }
  },
  async run(machine, input) {
    const { naming, named, sent } = await toSend(machine, input)
    const push = await send(machine, sent)
    const { giveBack } = await import('../../client/check-out/give-back.ts')
    const { released, still_checked_out, not_checked_out } = await giveBack(named, { ...naming, push, keep: input.keep === true })
    return {
      push: pushed(push),
      released: released.map(({ entry_id, name }) => ({ entry_id, name })),
      still_checked_out: still_checked_out.map(({ entry_id, name, because }) => ({ entry_id, name, because })),
      not_checked_out,
    }
  },
})

async function toSend(machine: Machine, input: Named & { note?: string }) {
  const [naming, { findNamedProps }, { filesToPush }] = await Promise.all([
    namingOf(machine, input),
    import('../../client/check-out/named-props.ts'),
    import('../../client/check-out/files-to-push.ts'),
  ])
  const named = await findNamedProps(input.props, naming)
  return { naming, named, sent: { ...filesToPush(named), note: input.note } }
}

/** Throws ToolRefusal `OUTSIDE_PROJECT` for a path out of the project; what is none is a prop of the library. */
async function namingOf(machine: Machine, { project, props, bring_newest }: Named) {
  const { wire, api } = machine
  const { root } = await (bring_newest ? projectToChange : projectOf)(machine, project)
  for (const reference of props) {
    const isLibraryPath = isAbsolute(reference) && !existsSync(reference) && !reference.split(/[/\\]/).includes('..')
    if (!isLibraryPath) placeIn(root, resolve(root, reference))
  }
  return { wire, api, cwd: root }
}
