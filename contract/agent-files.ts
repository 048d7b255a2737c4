/** Files of projects that the desktop agent watches: how they stand, why, checked out and in from an editor. */
import { type Static, Type } from 'typebox'
import { watchedFileStates } from './file-states.ts'
import { limits } from './limits.ts'
import { routes } from './route.ts'
import { absentOrNull, Id, nullable, oneOf, Timestamp, UserStub } from './shapes.ts'

const Text = Type.String()
const most = limits.agent
export const AgentPath = Type.String({ minLength: 1, maxLength: most.path })
const Path = AgentPath
const Paths = Type.Array(Path, { minItems: 1, maxItems: most.paths })

/** How a file stands, as its project is watched. */
export const WatchedFile = Type.Object({
  /** Below the project's root, with `/`. */
  file: Text,
  path: Path,
  state: oneOf(watchedFileStates),
  entry_id: nullable(Id),
  lineage_id: nullable(Text),
  held_by: nullable(UserStub),
  held_until: nullable(Timestamp),
  held_note: nullable(Text),
  mine: Type.Boolean(),
})
export type WatchedFile = Static<typeof WatchedFile>

/**
 * Why a file is not as the library has it: its state, or what else is to know. `earlier`: its bytes are another version than the current one. `mine`, `held`: checked out, by
 * this person or someone else. `ignored`: a list or a rule leaves it out. `left-out`: no prop. `conflict`: an import waits for an answer.
 * `offline`: the library was not reached, so this is as of an earlier time.
 */
export const FileReason = Type.Object({
  kind: oneOf([
    ...watchedFileStates,
    'earlier',
    'held',
    'mine',
    'free',
    'ignored',
    'left-out',
    'unreadable',
    'conflict',
    'offline',
  ] as const),
  /** A sentence. */
  message: Text,
  /** What fixes it; null where nothing has to be done. */
  command: nullable(Text),
})
export type FileReason = Static<typeof FileReason>

export const agentFiles = routes({
  list: {
    method: 'GET',
    path: '/agent/v1/files',
    scope: 'local',
    summary: 'List the files of a watched project that are not as the library has them, or that someone holds.',
    input: Type.Object({ path: Path, all: Type.Optional(Type.Boolean()) }),
    output: Type.Object({
      root: Path,
      /** False while the first look is under way: files may be missing here. */
      complete: Type.Boolean(),
      /** When the library was last heard of; null: never. */
      as_of: nullable(Timestamp),
      files: Type.Array(WatchedFile),
    }),
    errors: ['NOT_FOUND'],
  },
  touched: {
    method: 'GET',
    path: '/agent/v1/files/touched',
    scope: 'local',
    summary:
      'Say in which folders of a watched project files were touched since the last look at all of it. `walk`: the name under which the agent kept what it found then, beside what `ph` remembers of the project; null where it may not have heard of everything. A folder that ends with `/` stands for all below it, too.',
    input: Type.Object({ path: Path }),
    output: Type.Object({ walk: nullable(Text), touched: Type.Array(Text) }),
  },
  why: {
    method: 'GET',
    path: '/agent/v1/files/why',
    scope: 'local',
    summary: 'Say why a file is not as the library has it, and what fixes that.',
    input: Type.Object({ path: Path }),
    output: Type.Object({ file: WatchedFile, reasons: Type.Array(FileReason) }),
    errors: ['NOT_FOUND'],
  },
  checkOut: {
    method: 'POST',
    path: '/agent/v1/files/check-out',
    scope: 'local',
    summary: 'Check files out, all of them or none.',
    input: Type.Object({
      paths: Paths,
      note: absentOrNull(Type.String({ maxLength: limits.note })),
      ttl_hours: absentOrNull(Type.Integer({ minimum: 1, maximum: limits.lock.hours })),
    }),
    output: Type.Object({ files: Type.Array(WatchedFile) }),
    errors: ['NOT_FOUND', 'LOCKED', 'VALIDATION'],
  },
  checkIn: {
    method: 'POST',
    path: '/agent/v1/files/check-in',
    scope: 'local',
    summary: 'Push files and give their check-outs back, as far as what is here is in the library then.',
    input: Type.Object({
      paths: Paths,
      note: absentOrNull(Type.String({ maxLength: limits.note })),
      keep: absentOrNull(Type.Boolean()),
    }),
    output: Type.Object({
      released: Type.Array(Text),
      /** What stays checked out, and why in a word: docs of `ph checkin` name them. */
      still_checked_out: Type.Array(Type.Object({ file: Text, because: Text })),
    }),
    errors: ['NOT_FOUND', 'VALIDATION'],
  },
})
