/** Changes: the catalog feed for mirroring software, its head as it moves, and the export it starts from (spec 4.6; contract-gaps 9). */
import { type Static, Type } from 'typebox'
import { EntryWithTags } from './entries.ts'
import { limits } from './limits.ts'
import { pullJobStatuses } from './pull-jobs.ts'
import { routes } from './route.ts'
import { Count, Id, LibraryEpoch, LineageId, nullable, oneOf } from './shapes.ts'

export const changeEntities = ['entry', 'object', 'lock', 'review', 'collection'] as const
export type ChangeEntity = (typeof changeEntities)[number]

/** One change. `record` only with `expand=true`, on upserts: what the refresh address of the entity would answer, of a lock the lock itself. */
export const ChangeRecord = Type.Object({
  seq: Id,
  entity: Type.String(),
  entity_id: Id,
  lineage_id: nullable(LineageId),
  op: oneOf(['upsert', 'delete']),
  record: Type.Optional(nullable(Type.Object({}, { additionalProperties: true }))),
})
export type ChangeRecord = Static<typeof ChangeRecord>

/**
 * First line of the export: the feed's head before the first row was read, about how many entries follow, and that a last line says when
 * all have come. Servers that end without one leave `ends` out; their `total` is exact unless entries are deleted meanwhile.
 */
export const ExportHead = Type.Object({
  cursor: Count,
  total: Count,
  ends: Type.Literal(true),
  library_epoch: Type.Optional(LibraryEpoch),
})
/** Last line of the export, with the number of entries before it. Whatever ends without this line was cut. */
export const ExportEnd = Type.Object({ end: Type.Literal(true), entries: Count })

/**
 * What a stream of changes says. `head`: the newest number of the feed, first of all and whenever it moves. `job`: a pull job that the
 * holder of the key ordered was made, or is in another state; told to all keys of that person. Each says how things are, not what happened on
 * the way: of several changes at once only the last is told. That a claim has run out, and the job waits again, is told within seconds.
 */
export const LiveEvent = Type.Union([
  Type.Object({ event: Type.Literal('head'), data: Type.Object({ seq: Count, library_epoch: Type.Optional(LibraryEpoch) }) }),
  Type.Object({ event: Type.Literal('job'), data: Type.Object({ job_id: Id, status: oneOf(pullJobStatuses) }) }),
])
export type LiveEvent = Static<typeof LiveEvent>

export const changes = routes({
  list: {
    method: 'GET',
    path: '/catalog/changes',
    scope: 'read',
    summary:
      'List what changed since a cursor, oldest first. `reset`: the feed does not reach back to the cursor, or the cursor is one of a stretch that the library lost when it was set back to an earlier state; load everything anew. With `expand`, each `upsert` has a `record`: what its own address answers, null where it is gone by now. `collection_entries=false` leaves the entries out of the records of collections, for those who only list these.',
    input: Type.Object({
      cursor: Type.Optional(Count),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.changesPage.max })),
      expand: Type.Optional(Type.Boolean()),
      collection_entries: Type.Optional(Type.Boolean()),
    }),
    output: Type.Object({
      changes: Type.Array(ChangeRecord),
      next_cursor: Count,
      reset: Type.Boolean(),
      library_epoch: Type.Optional(LibraryEpoch),
    }),
    errors: ['VALIDATION'],
  },
  export: {
    method: 'GET',
    path: '/catalog/export',
    scope: 'read',
    summary:
      'Stream every entry, deprecated ones included, by id, one JSON object a line. First line: `{cursor, total, ends: true}`, the total being an estimate. Last line: `{end: true, entries}`, the number of entries that were sent; a stream without it was cut. `after` goes on behind the last entry that came: keep the cursor of the first stream then, for the feed tells what changed since.',
    input: Type.Object({ after: Type.Optional(Id) }),
    output: Type.Union([ExportHead, EntryWithTags, ExportEnd]),
    answers: 'ndjson',
    extension: true,
    errors: ['VALIDATION'],
  },
  live: {
    method: 'GET',
    path: '/catalog/changes/live',
    scope: 'read',
    summary: `Follow the head of the change feed, as server-sent events: \`head\` \`{seq}\` at once and within a second of every change; \`job\` \`{job_id, status}\` when a pull job of yours was made or is in another state. What moves after the first \`head\` is told; ask for your jobs once it has come. At least every 20 seconds a line says that the connection is alive. The stream ends with the key, with a workspace that is closed, and with the server: come back then. At most ${limits.liveStreams} for each key at each process of the server.`,
    output: LiveEvent,
    answers: 'events',
    extension: true,
    errors: ['RATE_LIMITED'],
  },
})
