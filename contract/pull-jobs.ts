/** Pull jobs: an order to bring entries with everything they need into a project, and how it went (spec 2, 3, 4.3; contract-gaps 4 and 9). */
import { type Static, Type } from 'typebox'
import { dependencyModes } from './dependency-modes.ts'
import { memberSet } from './level-sets.ts'
import { limits } from './limits.ts'
import { Lock } from './locks.ts'
import { MisnamedFile } from './misnamed.ts'
import { pluginMember } from './plugin-content.ts'
import { PullReport } from './pull-reports.ts'
import { routes } from './route.ts'
import {
  absentOrNull,
  Count,
  Cursor,
  entryStatuses,
  Hash,
  Id,
  LineageId,
  named,
  nullable,
  oneOf,
  PageLimit,
  Timestamp,
} from './shapes.ts'
import { versionFacts } from './version-facts.ts'

const Text = Type.String()

export const pullJobStatuses = ['queued', 'claimed', 'running', 'done', 'failed', 'cancelled'] as const
export type PullJobStatus = (typeof pullJobStatuses)[number]
export const deliveries = ['manual', 'agent'] as const

/** Exactly the name of the project that is to get the files. */
export const ProjectName = named(limits.pullJob.projectName)
/** Where in a project files land: `/Game/A/B` under `R` becomes `R/A/B`. */
export const TargetRoot = Type.String({ pattern: '^/Game(/[A-Za-z0-9_-]+)*$', maxLength: 500 })
/** A secret: at least 160 random bits. */
const ChosenToken = Type.String({ pattern: '^[A-Za-z0-9_-]{27,200}$' })
/** `major.minor.patch`; the patch may be missing, and whatever the editor prints behind is ignored. */
const EditorVersion = Type.String({ pattern: '^[0-9]{1,5}\\.[0-9]{1,5}(\\.[0-9]{1,5})?([^0-9.].{0,60})?$' })

const closed = { additionalProperties: false }

/** The part that a job brings of the `total` files that an order came to; jobs of one order have the same `key`. */
const JobSlice = Type.Object({ key: Text, from: Count, count: Count, total: Count })

const jobFields = {
  id: Id,
  target_project: Text,
  target_root: Text,
  requested_by: Id,
  claimed_by: nullable(Id),
  status: oneOf(pullJobStatuses),
  delivery: oneOf(deliveries),
  failure_reason: nullable(Text),
  engine_version: nullable(Text),
  /** Why it was sent, in the words of who did. */
  note: Type.Optional(nullable(Text)),
  /** Null where the job brings all that was ordered. */
  slice: Type.Optional(nullable(JobSlice)),
  entry_count: Count,
  object_count: Count,
  total_bytes: Count,
  created_at: Timestamp,
  updated_at: Timestamp,
}

/** A pull job as lists show it. A claim whose lease is over shows as `queued`. */
export const PullJob = Type.Object(jobFields)
export type PullJob = Static<typeof PullJob>

/** A prop that a job brings, in the version that it brings. */
export const PullJobEntry = Type.Object({
  entry_id: Id,
  object_id: Id,
  name: Text,
  entry_type: Text,
  status: oneOf(entryStatuses),
  ...versionFacts,
})
export type PullJobEntry = Static<typeof PullJobEntry>

const detailFields = {
  ...jobFields,
  entries: Type.Array(PullJobEntry),
  report_json: nullable(PullReport),
  /** Files that are needed and do not come, because no project can have them under their names. */
  misnamed: Type.Optional(Type.Array(MisnamedFile)),
}

/** A pull job with what it brings and, once it is finished, how it went. */
export const PullJobDetail = Type.Object(detailFields)
export type PullJobDetail = Static<typeof PullJobDetail>

/** Something that does not stop a pull, and that people want to know. `type` is an open set. */
export const PullWarning = Type.Object({ type: Text, message: Text }, { additionalProperties: true })
export type PullWarning = Static<typeof PullWarning> & Record<string, unknown>

/** A file of a job. `url` only when asked for with `urls=true`. */
export const PullJobObject = Type.Object({
  object_id: Id,
  content_hash: Hash,
  lineage_id: LineageId,
  asset_class: Text,
  asset_name: nullable(Text),
  origin_path: nullable(Text),
  blob_size: Count,
  engine_version: nullable(Text),
  source_ext: nullable(Text),
  ...versionFacts,
  ...memberSet,
  ...pluginMember,
  /** Who has its lineage checked out now. */
  lock: Type.Optional(nullable(Lock)),
  url: Type.Optional(Text),
})
export type PullJobObject = Static<typeof PullJobObject>

const closure = { objects: Type.Array(PullJobObject), total_objects: Count, total_bytes: Count }

/** A part of the list of files that an order plans: an order of more files than a job holds goes as several jobs, a slice each. */
const Slice = Type.Object(
  {
    /** The `key` of the plan, so that all slices are of one list; 409 when the list is another by now. Only a plan needs none. */
    key: absentOrNull(Type.String({ maxLength: 100 })),
    /** The first file of the list that belongs to it, counted from 0. */
    from: Type.Integer({ minimum: 0, maximum: limits.graph.counted }),
    /** As many files, fewer at the end of the list. */
    count: Type.Integer({ minimum: 1, maximum: limits.pullJob.files }),
  },
  closed,
)

const order = Type.Object({
  target_project: ProjectName,
  target_root: absentOrNull(TargetRoot),
  entries: absentOrNull(
    Type.Array(Type.Object({ entry_id: Id, object_id: absentOrNull(Id) }), { minItems: 1, maxItems: limits.pullJob.entries }),
  ),
  collection_id: absentOrNull(Id),
  delivery: absentOrNull(oneOf(deliveries)),
  prefer: absentOrNull(oneOf(['newest'])),
  /** `as_pushed` where it is absent. Answers say which it was; a server that does not know the field says nothing, and brings `as_pushed`. */
  dependencies: absentOrNull(oneOf(dependencyModes)),
  /** By whose pushes references are read first; `target_project` where it is absent. */
  project: absentOrNull(ProjectName),
  slice: absentOrNull(Slice),
  /** Content of plugins comes too, as members with a `mount`; without it, an order that needs such content is refused. */
  plugin_content: absentOrNull(Type.Boolean()),
  /** Sets of levels that the project has: of the levels that come, parts that are the same since are left out. What parts need comes all the same. */
  have_set: absentOrNull(Type.Array(Id, { minItems: 1, maxItems: limits.pullJob.entries })),
  /** Why it is sent, for who gets it. */
  note: absentOrNull(Type.String({ maxLength: limits.note })),
})
/** What to bring, and where to. Exactly one of `entries` and `collection_id`. */
export type PullOrder = Static<typeof order>

const orderErrors = [
  'ENTRY_NOT_FOUND',
  'OBJECT_NOT_FOUND',
  'COLLECTION_NOT_FOUND',
  'LINEAGE_CONFLICT',
  'CONFLICT',
  'VALIDATION',
] as const

export const pullJobs = routes({
  create: {
    method: 'POST',
    path: '/pull-jobs',
    scope: 'write',
    summary: 'Order a pull: what the entries need is resolved and saved now.',
    input: order,
    output: Type.Object({
      ...detailFields,
      warnings: Type.Array(PullWarning),
      dependencies: Type.Optional(oneOf(dependencyModes)),
    }),
    status: 201,
    transaction: false,
    errors: orderErrors,
  },
  plan: {
    method: 'POST',
    path: '/pull-jobs/plan',
    scope: 'write',
    effect: 'reads',
    summary: 'Answer what an order would, with its files, and record nothing.',
    input: order,
    output: Type.Object({
      ...detailFields,
      id: nullable(Id),
      warnings: Type.Array(PullWarning),
      dependencies: Type.Optional(oneOf(dependencyModes)),
      closure: Type.Object(closure),
      /** Names the whole list of planned files, for the slices of an order. */
      key: Type.Optional(Text),
      /** Files of that list; `closure` holds those of the slice that was asked for. */
      planned_files: Type.Optional(Count),
    }),
    transaction: false,
    repeatable: true,
    extension: true,
    errors: orderErrors,
  },
  list: {
    method: 'GET',
    path: '/pull-jobs',
    scope: 'read',
    summary: 'List pull jobs, newest first.',
    input: Type.Object({
      target_project: Type.Optional(Type.String({ maxLength: limits.pullJob.projectName })),
      status: Type.Optional(oneOf(pullJobStatuses)),
      requested_by: Type.Optional(Id),
      limit: Type.Optional(PageLimit),
      cursor: Type.Optional(Cursor),
    }),
    output: Type.Object({ jobs: Type.Array(PullJob), next_cursor: nullable(Text) }),
    errors: ['VALIDATION'],
  },
  get: {
    method: 'GET',
    path: '/pull-jobs/{job_id}',
    scope: 'read',
    summary: 'Show a pull job.',
    input: Type.Object({ job_id: Id }),
    output: PullJobDetail,
    errors: ['JOB_NOT_FOUND'],
  },
  update: {
    method: 'PATCH',
    path: '/pull-jobs/{job_id}',
    scope: 'write',
    summary: 'Cancel a job that waits, or say how far the one that was claimed is.',
    input: Type.Object({
      job_id: Id,
      status: oneOf(['running', 'done', 'failed', 'cancelled']),
      claim_token: absentOrNull(Type.String({ maxLength: 200 })),
      failure_reason: absentOrNull(Type.String({ maxLength: 4000 })),
      report_json: absentOrNull(PullReport),
    }),
    bodyBytes: limits.reportBodyBytes,
    output: PullJobDetail,
    errors: ['JOB_NOT_FOUND', 'JOB_STATE', 'FORBIDDEN', 'VALIDATION'],
  },
  claim: {
    method: 'POST',
    path: '/pull-jobs/{job_id}/claim',
    scope: 'write',
    summary:
      'Take on a job that waits; the token that is answered belongs to this claim alone. Who chooses it at random, and writes it down before, can go on with a claim whose answer never came: the same claim again is answered again.',
    input: Type.Object({
      job_id: Id,
      project_key: ProjectName,
      engine_version: absentOrNull(EditorVersion),
      claim_token: Type.Optional(ChosenToken),
    }),
    output: Type.Object({ ...detailFields, claim_token: Text, warnings: Type.Array(PullWarning) }),
    errors: ['JOB_NOT_FOUND', 'CONFLICT', 'JOB_STATE', 'ENGINE_TOO_OLD'],
  },
  heartbeat: {
    method: 'POST',
    path: '/pull-jobs/{job_id}/heartbeat',
    scope: 'write',
    summary: 'Keep a claim for another hour.',
    input: Type.Object({ job_id: Id, claim_token: Type.String({ minLength: 1, maxLength: 200 }) }),
    output: Type.Object({ job_id: Id, status: oneOf(pullJobStatuses), lease_expires_at: Timestamp }),
    repeatable: true,
    errors: ['JOB_NOT_FOUND', 'JOB_STATE'],
  },
  closure: {
    method: 'GET',
    path: '/pull-jobs/{job_id}/closure',
    scope: 'read',
    summary: 'List every file of a job, as it was when it was ordered.',
    input: Type.Object({ job_id: Id, urls: Type.Optional(Type.Boolean()) }),
    output: Type.Object({ job_id: Id, ...closure }),
    errors: ['JOB_NOT_FOUND'],
  },
})
