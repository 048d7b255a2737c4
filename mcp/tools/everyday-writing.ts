/** Tools that an assistant sees at first and that change something: each says first, by reading alone, what it would do. */
import { type Static, type TObject, Type } from 'typebox'
import { limits } from '../../contract/limits.ts'
import { ProjectName, TargetRoot } from '../../contract/pull-jobs.ts'
import { responses } from '../../contract/review-requests.ts'
import { Id, oneOf } from '../../contract/shapes.ts'
import { ToolRefusal } from './refusal.ts'
import { own } from './said.ts'
import type { Ask, Fields, RouteName, Tool } from './tool.ts'

const Any = Type.Object({})
const entry = { entry_id: Id }
const Note = Type.Optional(Type.String({ maxLength: limits.note }))

interface Writing<I extends TObject> {
  name: string
  title: string
  description: string
  routes: readonly RouteName[]
  input: I
  card?: 'review'
  onlyLooks?(input: Static<I>): boolean
  plan(ask: Ask, input: Static<I>): Promise<Fields>
  run(ask: Ask, input: Static<I>): Promise<Fields>
}

/** Its input is checked against `input` before `plan` and `run` get it. */
const writing = <I extends TObject>(tool: Writing<I>): Tool => ({ toolset: 'default', output: Any, ...tool }) as unknown as Tool

export const everydayWriting: readonly Tool[] = [
  writing({
    name: 'pull',
    title: 'Pull props into a project',
    description: 'Order props with everything they need for a project; its editor or `ph pull` brings the files.',
    routes: ['pullJobs.plan', 'pullJobs.create'],
    input: Type.Object({
      entry_ids: Type.Array(Id, { minItems: 1, maxItems: limits.pullJob.entries }),
      target_project: ProjectName,
      target_root: Type.Optional(TargetRoot),
    }),
    async plan(ask, input) {
      const { closure, warnings, target_project, target_root, object_count, total_bytes } = await ask(
        'pullJobs',
        'plan',
        orderOf(input),
      )
      const locks = closure.objects.flatMap(({ lock, asset_name }) => (lock ? [{ asset_name, holder: lock.holder.name }] : []))
      return {
        entry_ids: input.entry_ids,
        target_project,
        target_root,
        files: object_count,
        bytes: total_bytes,
        checked_out: locks,
        warnings,
      }
    },
    async run(ask, input) {
      const { id, status, object_count, total_bytes, warnings } = await ask('pullJobs', 'create', orderOf(input))
      return { job_id: id, status, files: object_count, bytes: total_bytes, warnings }
    },
  }),
  writing({
    name: 'check_out',
    title: 'Check a prop out',
    description: 'Say that this person edits a prop, so that nobody else pushes it meanwhile.',
    routes: ['entries.get', 'locks.radar', 'locks.create'],
    input: Type.Object({
      ...entry,
      note: Note,
      ttl_hours: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.lock.hours })),
    }),
    async plan(ask, { entry_id, ...terms }) {
      const { name, lineage_id } = await ask('entries', 'get', { entry_id })
      const { lineages } = await ask('locks', 'radar', { lineage_ids: [lineage_id] })
      return { prop: name, ...terms, around_it: lineages[0]?.locks ?? [], editors: lineages[0]?.editors ?? [] }
    },
    async run(ask, { entry_id, ...terms }) {
      const { lineage_id } = await ask('entries', 'get', { entry_id })
      return ask('locks', 'create', { lineage_id, ...terms })
    },
  }),
  writing({
    name: 'release',
    title: 'Release a check-out',
    description: 'End the check-out of a prop. Changed files are pushed with `ph checkin` first.',
    routes: ['entries.get', 'lineages.get', 'locks.release'],
    input: Type.Object(entry),
    async plan(ask, { entry_id }) {
      const { name, lineage_id } = await ask('entries', 'get', { entry_id })
      const { lock } = await ask('lineages', 'get', { lineage_id })
      return { prop: name, lock }
    },
    async run(ask, { entry_id }) {
      const { lineage_id } = await ask('entries', 'get', { entry_id })
      const { lock } = await ask('lineages', 'get', { lineage_id })
      return lock ? ask('locks', 'release', { lock_ids: [lock.id] }) : { released: 0 }
    },
  }),
  writing({
    name: 'comment',
    title: 'Comment on a prop',
    description: 'Say something about a prop, or reply in a thread (parent_id); @name tells people.',
    routes: ['entries.get', 'comments.create'],
    input: Type.Object({
      ...entry,
      body: Type.String({ minLength: 1, maxLength: limits.comment }),
      parent_id: Type.Optional(Id),
    }),
    async plan(ask, { entry_id, body, parent_id }) {
      const { name } = await ask('entries', 'get', { entry_id })
      return { prop: name, ...(parent_id === undefined ? {} : { in_reply_to: parent_id }), says: body }
    },
    run: (ask, input) => ask('comments', 'create', input),
  }),
  writing({
    name: 'request_review',
    title: 'Ask for a review',
    description: 'Ask members to review the current version of a prop.',
    routes: ['entries.get', 'members.list', 'reviewRequests.create'],
    input: Type.Object({
      ...entry,
      reviewers: Type.Array(Type.String({ description: 'Name of a member' }), { minItems: 1, maxItems: limits.reviewers }),
      note: Note,
    }),
    async plan(ask, { entry_id, reviewers, note }) {
      const { name, object_id, review_status } = await ask('entries', 'get', { entry_id })
      return { prop: name, object_id, review_status, reviewers: await peopleOf(ask, reviewers), ...noteIn(note) }
    },
    async run(ask, { entry_id, reviewers, note }) {
      const { object_id } = await ask('entries', 'get', { entry_id })
      const people = await peopleOf(ask, reviewers)
      return ask('reviewRequests', 'create', { entry_id, object_id, reviewer_ids: people.map(({ id }) => id), note })
    },
  }),
  writing({
    name: 'review',
    title: 'Show a review, or answer it',
    description:
      'Show a review round (request_id alone), or answer one that this person was asked in: approve, or request changes.',
    routes: ['reviewRequests.get', 'reviewRequests.respond'],
    input: Type.Object({ request_id: Id, response: Type.Optional(oneOf(responses)), note: Note }),
    card: 'review',
    onlyLooks: ({ response }) => response === undefined,
    async plan(ask, { request_id, response, note }) {
      const { request, entry: of } = await ask('reviewRequests', 'get', { request_id })
      const is_current = of.face_object_id === request.object_id
      if (response === undefined) return { prop: of.name, is_current, request: { ...request, entry: undefined }, entry: of }
      return {
        prop: of.name,
        object_id: request.object_id,
        is_current,
        response,
        ...noteIn(note),
        asked_by: request.requested_by,
      }
    },
    run: (ask, { response, ...input }) =>
      ask('reviewRequests', 'respond', { ...input, response: response as (typeof responses)[number] }),
  }),
]

const noteIn = (note: string | undefined) => (note === undefined ? {} : { note })

const orderOf = ({ entry_ids, ...to }: { entry_ids: number[]; target_project: string; target_root?: string }) => ({
  ...to,
  entries: entry_ids.map((entry_id) => ({ entry_id })),
  plugin_content: true,
})

/** Members by the names that people call them. Throws USER_NOT_FOUND that lists who there is. */
async function peopleOf(ask: Ask, names: readonly string[]): Promise<{ id: number; name: string }[]> {
  const { members } = await ask('members', 'list')
  return names.map((asked) => {
    const found = members.find(({ name }) => name.toLowerCase() === asked.toLowerCase().replace(/^@/, ''))
    if (found) return { id: found.id, name: found.name }
    const known = members.map(({ name }) => name).slice(0, 50)
    throw new ToolRefusal('USER_NOT_FOUND', own`There is no member of that name. The data says who there is.`, {
      about: { asked: asked.slice(0, 200), members: known },
    })
  })
}
