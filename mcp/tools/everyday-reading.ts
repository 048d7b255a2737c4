/** Tools that an assistant sees at first and that only look: each a few calls of the library and a short answer. */
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import { pullJobStatuses } from '../../contract/pull-jobs.ts'
import { Count, Id, nullable, oneOf, PageLimit } from '../../contract/shapes.ts'
import { searchTool } from './search.ts'
import type { Ask, Fields, RouteName, Tool } from './tool.ts'

const Text = Type.String()
const Any = Type.Object({})
const fewRows = 20
const page = { limit: Type.Optional(PageLimit), cursor: Type.Optional(Text) }
const idPage = { limit: Type.Optional(PageLimit), cursor: Type.Optional(Id) }
const entry = { entry_id: Id }

interface Reading<I extends TObject> {
  name: string
  title: string
  description: string
  routes: readonly RouteName[]
  input: I
  output: TObject
  pictured?: boolean
  run(ask: Ask, input: Static<I>): Promise<Fields>
}

/** Its input is checked against `input` before `run` gets it. */
const reading = <I extends TObject>(tool: Reading<I>): Tool => ({ toolset: 'default', ...tool }) as unknown as Tool

const listOf = <S extends TSchema>(item: S) => Type.Array(item)
const paged = (rows: Record<string, TSchema>) => Type.Object({ ...rows, next_cursor: nullable(Text) })
const idPaged = (rows: Record<string, TSchema>) => Type.Object({ ...rows, next_cursor: nullable(Id) })

export const everydayReading: readonly Tool[] = [
  searchTool,
  reading({
    name: 'look',
    title: 'Look at a prop',
    description: 'Show one prop: facts, current version, tags, who reviewed it, newest comments, and who has it checked out.',
    routes: ['entries.get', 'lineages.get'],
    input: Type.Object(entry),
    output: Type.Object({ entry: Any, lock: Type.Unknown(), versions: Count }),
    pictured: true,
    async run(ask, { entry_id }) {
      const one = await ask('entries', 'get', { entry_id })
      const { lock, objects } = await ask('lineages', 'get', { lineage_id: one.lineage_id })
      return { entry: { ...one, comments: one.comments.slice(-10) }, lock, versions: objects.length }
    },
  }),
  reading({
    name: 'versions',
    title: 'List versions',
    description: 'List the versions of a prop, newest first, with who pushed them and how they were reviewed.',
    routes: ['entries.get', 'lineages.get'],
    input: Type.Object(entry),
    output: Type.Object({ lineage_id: Text, face_object_id: Id, versions: listOf(Any) }),
    async run(ask, { entry_id }) {
      const { lineage_id } = await ask('entries', 'get', { entry_id })
      const { objects, face_object_id } = await ask('lineages', 'get', { lineage_id })
      return { lineage_id, face_object_id, versions: objects }
    },
  }),
  reading({
    name: 'compare_versions',
    title: 'Compare versions',
    description: 'Say which facts, measures and direct needs differ between two versions of a prop.',
    routes: ['entries.get', 'lineages.version'],
    input: Type.Object({ ...entry, from_object_id: Id, to_object_id: Id }),
    output: Type.Object({ differences: listOf(Type.Object({ field: Text, from: Type.Unknown(), to: Type.Unknown() })) }),
    async run(ask, { entry_id, from_object_id, to_object_id }) {
      const { lineage_id } = await ask('entries', 'get', { entry_id })
      const [from, to] = await Promise.all(
        [from_object_id, to_object_id].map((object_id) => ask('lineages', 'version', { lineage_id, object_id })),
      )
      return { differences: differencesOf(from, to) }
    },
  }),
  reading({
    name: 'needs',
    title: 'What a prop needs',
    description: 'List every file that a prop needs, directly or through others, itself first, with sizes and check-outs.',
    routes: ['entries.closure'],
    input: Type.Object({ ...entry, object_id: Type.Optional(Id) }),
    output: Type.Object({ total_objects: Count, total_bytes: Count, members: listOf(Any) }),
    run: (ask, input) => ask('entries', 'closure', input),
  }),
  reading({
    name: 'dependents',
    title: 'What needs a prop',
    description:
      'List every file that needs a prop now, directly or through others, whichever version of it they were saved with.',
    routes: ['entries.dependents'],
    input: Type.Object(entry),
    output: Type.Object({ total_objects: Count, used_by_entries: Count, members: listOf(Any) }),
    run: (ask, input) => ask('entries', 'dependents', { ...input, dependencies: 'current' }),
  }),
  reading({
    name: 'inbox',
    title: 'What waits for you',
    description: 'List your notifications and the review rounds that wait for your answer.',
    routes: ['notifications.list', 'reviewRequests.list'],
    input: Type.Object({ unread: Type.Optional(Type.Boolean()), ...idPage }),
    output: idPaged({ notifications: listOf(Any), waiting_reviews: listOf(Any) }),
    async run(ask, { limit = fewRows, ...question }) {
      const [{ requests }, page] = await Promise.all([
        ask('reviewRequests', 'list', { view: 'waiting_on_me', limit }),
        ask('notifications', 'list', { ...question, limit }),
      ])
      return { ...page, waiting_reviews: requests }
    },
  }),
  reading({
    name: 'activity',
    title: 'What happened',
    description: 'List what happened in the library, or to one prop, newest first.',
    routes: ['activity.list'],
    input: Type.Object({ entry_id: Type.Optional(Id), ...idPage }),
    output: idPaged({ events: listOf(Any) }),
    run: (ask, { limit = fewRows, ...question }) => ask('activity', 'list', { ...question, limit }),
  }),
  reading({
    name: 'jobs',
    title: 'List pull jobs',
    description: 'List orders to bring props into projects, newest first, and how they stand.',
    routes: ['pullJobs.list'],
    input: Type.Object({ target_project: Type.Optional(Text), status: Type.Optional(oneOf(pullJobStatuses)), ...page }),
    output: paged({ jobs: listOf(Any) }),
    run: (ask, { limit = fewRows, ...question }) => ask('pullJobs', 'list', { ...question, limit }),
  }),
]

/** Of two versions, by the path of each fact: `metadata.mesh.tri_count`. Lists are compared whole. */
export function differencesOf(from: unknown, to: unknown, path = ''): { field: string; from: unknown; to: unknown }[] {
  if (!isRecord(from) || !isRecord(to))
    return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ field: path, from: from ?? null, to: to ?? null }]
  const keys = new Set([...Object.keys(from), ...Object.keys(to)])
  return [...keys].flatMap((key) => differencesOf(from[key], to[key], path ? `${path}.${key}` : key))
}

const isRecord = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
