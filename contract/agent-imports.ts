/** What the desktop agent brings into projects, and what it asks people where that would replace their work. */
import { type Static, Type } from 'typebox'
import { AgentPath } from './agent-files.ts'
import { ProjectName, PullJob } from './pull-jobs.ts'
import { routes } from './route.ts'
import { Count, Hash, Id, nullable, oneOf, Timestamp, UserStub } from './shapes.ts'

const Text = Type.String()
const Path = AgentPath

/** A file that has no place in a project any more, and stays there. */
const StayingFile = Type.Object({
  /** Below the project's root, with `/`. */
  file: Text,
  /** `moved`: its prop lies elsewhere now, in `to`. `removed`: nothing in the library has it there. */
  why: oneOf(['moved', 'removed'] as const),
  to: nullable(Text),
  /** `not_allowed`: the agent takes nothing away in this project. */
  reason: oneOf(['referred', 'modified', 'open', 'not_ours', 'no_file', 'not_allowed'] as const),
  /** Takes it away, once nothing else is in the way; null where a person has to look. */
  command: nullable(Text),
})
export type StayingFile = Static<typeof StayingFile>

export const ImportReport = Type.Object({
  job_id: Id,
  project_key: Text,
  /** The other person who sent it, and why; null where it was this person, or nobody said why. */
  sent_by: nullable(UserStub),
  note: nullable(Text),
  /**
   * `asking`: everything else is there, and a conflict waits for an answer. `waiting`: it goes on by itself, when the server is reached, a
   * pause is over, or what is in its way is gone. `given_up`: someone else has the job, or its claim is lost.
   */
  state: oneOf(['running', 'asking', 'waiting', 'done', 'failed', 'given_up'] as const),
  /** `order`, `compare`, `fetch`, `place` or `report`; null before and after these. */
  phase: nullable(Text),
  /** Files that lie in their places, and bytes that are on this machine, of those of the job. */
  files: Count,
  total_files: Count,
  bytes: Count,
  total_bytes: Count,
  /** Files that had no place in the project any more, with where they are kept, below its root; up to 100. */
  taken_away: Type.Array(Type.Object({ file: Text, backup: Text })),
  /** Those that stay all the same; up to 100. */
  not_taken_away: Type.Array(StayingFile),
  /** Why it waits, failed or was given up. */
  message: nullable(Text),
  started_at: Timestamp,
  ended_at: nullable(Timestamp),
})
export type ImportReport = Static<typeof ImportReport>

export const conflictAnswers = ['keep_local', 'take_incoming'] as const

/** One side of a conflict. */
const Side = Type.Object({
  content_hash: nullable(Hash),
  size: nullable(Count),
  at: nullable(Timestamp),
  /** Whose it is. */
  by: nullable(Text),
  /** `v3` where the server counts versions; of the local side the version that it was edited from. */
  version: nullable(Text),
  object_id: nullable(Id),
  /** A PNG of the agent's machine; null where there is none. */
  picture: nullable(Path),
})
/** A file that an import would replace although it was changed here, or is open in an editor. */
export const AgentConflict = Type.Object({
  id: Id,
  job_id: Id,
  project_key: Text,
  /** Below the project's root, with `/`. */
  file: Text,
  path: Path,
  package: nullable(Text),
  /** `open`: it was not changed on the disk, and an editor has it open. */
  reason: oneOf(['modified', 'open'] as const),
  /** An editor has it open, changed or not. */
  open: Type.Boolean(),
  local: Side,
  incoming: Side,
  /** What differs, in words: `triangles: 900 here, 1,200 incoming`. */
  differences: Type.Array(Text),
  /** `asked`: an answer is waited for until `answer_by`. `waiting`: the local file was kept, and the incoming version waits. */
  state: oneOf(['asked', 'waiting', 'answered'] as const),
  answer: nullable(oneOf(conflictAnswers)),
  /**
   * Where the local file is kept since the incoming version was taken: below `Saved/PropHouse/Backups` of the project, in a folder named
   * for when, whose and by which pull. Of an answer to a conflict that is asked, the event `imported` tells it.
   */
  copy: nullable(Path),
  asked_at: Timestamp,
  answer_by: Timestamp,
})
export type AgentConflict = Static<typeof AgentConflict>

export const agentConflicts = routes({
  list: {
    method: 'GET',
    path: '/agent/v1/conflicts',
    scope: 'local',
    summary: 'List conflicts that wait for an answer, and incoming versions that wait because the local file was kept.',
    input: Type.Object({ project_key: Type.Optional(ProjectName) }),
    output: Type.Object({ conflicts: Type.Array(AgentConflict) }),
  },
  answer: {
    method: 'POST',
    path: '/agent/v1/conflicts/{conflict_id}',
    scope: 'local',
    summary:
      'Answer a conflict. `take_incoming` keeps a copy of a changed or open file in the Saved folder of the project. Of a version that waits, it brings that version now, and `keep_local` lets it wait no more.',
    input: Type.Object({ conflict_id: Id, answer: oneOf(conflictAnswers) }),
    output: AgentConflict,
    errors: ['NOT_FOUND', 'CONFLICT', 'UNAVAILABLE'],
  },
})

export const agentImports = routes({
  list: {
    method: 'GET',
    path: '/agent/v1/imports',
    scope: 'local',
    summary: 'List the imports that are under way, the newest that ended, and the jobs that wait.',
    output: Type.Object({ imports: Type.Array(ImportReport), waiting: Type.Array(PullJob) }),
  },
})
