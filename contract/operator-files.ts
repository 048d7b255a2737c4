/** What an operator may ask about the files of the library: which there are, what a check found, and to hold them for a backup. */
import { type Static, Type } from 'typebox'
import { limits } from './limits.ts'
import { routes } from './route.ts'
import { nullable, oneOf, Timestamp } from './shapes.ts'

/** As the store knows a file; relative to `storage/` of the data folder, where files lie there. */
const Key = Type.String({ pattern: '^[0-9]+(/[A-Za-z0-9_-]+)+$', maxLength: 200 })
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Bytes = Type.Integer({ minimum: 0 })
const keys = (most: number) => Type.Array(Key, { maxItems: most })

/** Of one question. */
export const mostKeys = 1_000

export const StoredFileRow = Type.Object({
  key: Key,
  size: Bytes,
  /** Of pictures and previews it is known once a check has seen them. */
  sha256: nullable(Sha256),
  made_at: Timestamp,
  /** An earlier check found it damaged or missing. */
  damaged: Type.Boolean(),
})
export type StoredFileRow = Static<typeof StoredFileRow>

const Damage = oneOf(['missing', 'size', 'content'])

/** A file that is not what it should be, and what it belongs to. */
export const DamagedFile = Type.Object({
  key: Key,
  damage: Damage,
  workspace: Type.String(),
  /** `version`: a push brings its bytes again. The others are made or attached anew. */
  kind: oneOf(['version', 'thumbnail', 'preview', 'attachment']),
  /** As people know it. */
  name: Type.String(),
  /** The path it was pushed from. */
  origin_path: nullable(Type.String()),
  sha256: nullable(Sha256),
})
export type DamagedFile = Static<typeof DamagedFile>

/** Rows that name a row that is not there. */
export const BrokenReference = Type.Object({
  /** `table.column -> table`. */
  reference: Type.String(),
  rows: Type.Integer(),
  /** Some of the values, each with its workspace. */
  examples: Type.Array(Type.String()),
})
export type BrokenReference = Static<typeof BrokenReference>

/** What was changed of a library of before references were kept for each project, so far. */
export const ReferenceUpgrade = Type.Object({
  is_done: Type.Boolean(),
  /** Versions that are to be looked at, and those that were. */
  found: Type.Integer(),
  versions: Type.Integer(),
  /** References that went, because another one leads to the same path. */
  doubled: Type.Integer(),
  /** Sets that were made of references of levels to their actors, and how many those were. */
  level_sets: Type.Integer(),
  level_parts: Type.Integer(),
  /** References that have found what they named. */
  completed: Type.Integer(),
})
export type ReferenceUpgrade = Static<typeof ReferenceUpgrade>

/** A version that the library took before it refused such files. It stays until someone deletes it, and no project gets it. */
export const ExecutableVersion = Type.Object({
  workspace: Type.String(),
  /** As people know it. */
  name: Type.String(),
  object_id: Type.Integer(),
  version: Type.Integer(),
  /** Null: it is no entry's version, and came along with another file. */
  entry_id: nullable(Type.Integer()),
  origin_path: nullable(Type.String()),
  source_ext: nullable(Type.String()),
  /** Ends the sentence that begins with its name. */
  why: Type.String(),
})
export type ExecutableVersion = Static<typeof ExecutableVersion>

/** So many are listed, the newest. */
export const mostExecutables = 1_000

export const file = routes({
  list: {
    method: 'GET',
    path: '/operator/files',
    scope: 'operator',
    summary: 'List the files that the library names, a page at a time.',
    input: Type.Object({ after: Type.Optional(Type.String({ maxLength: 100 })) }),
    output: Type.Object({ files: Type.Array(StoredFileRow), next: nullable(Type.String()) }),
  },
  count: {
    method: 'GET',
    path: '/operator/files/count',
    scope: 'operator',
    summary: 'Say how many files the library names, and where they lie.',
    output: Type.Object({ place: oneOf(['folder', 'bucket']), files: Type.Integer(), bytes: Bytes }),
  },
  addresses: {
    method: 'POST',
    path: '/operator/files/addresses',
    scope: 'operator',
    summary: 'Give addresses from which files of a bucket are read.',
    input: Type.Object({ keys: keys(mostKeys) }),
    output: Type.Object({ urls: Type.Array(Type.String()) }),
    errors: ['UNAVAILABLE'],
  },
  /** Only of files that rows still name: what was deleted meanwhile is no damage. */
  judge: {
    method: 'POST',
    path: '/operator/files/judged',
    scope: 'operator',
    summary: 'Write down which files are damaged, and which are whole again.',
    input: Type.Object({
      damaged: Type.Array(Type.Object({ key: Key, damage: Damage }), { maxItems: mostKeys }),
      whole: keys(mostKeys),
      sums: Type.Array(Type.Object({ key: Key, sha256: Sha256 }), { maxItems: 5 * mostKeys }),
    }),
    bodyBytes: limits.provisionBodyBytes,
    output: Type.Object({ damaged: Type.Array(DamagedFile) }),
  },
  /** Writes nothing down. Of files that no row names any more nothing is said. */
  name: {
    method: 'POST',
    path: '/operator/files/named',
    scope: 'operator',
    summary: 'Say what files that seem damaged belong to.',
    input: Type.Object({ damaged: Type.Array(Type.Object({ key: Key, damage: Damage }), { maxItems: mostKeys }) }),
    bodyBytes: limits.provisionBodyBytes,
    output: Type.Object({ damaged: Type.Array(DamagedFile) }),
  },
  references: {
    method: 'GET',
    path: '/operator/references',
    scope: 'operator',
    summary: 'Find rows that name a row that is not there.',
    output: Type.Object({
      checked: Type.Integer(),
      broken: Type.Array(BrokenReference),
      upgrade: Type.Optional(nullable(ReferenceUpgrade)),
    }),
  },
  executables: {
    method: 'GET',
    path: '/operator/executables',
    scope: 'operator',
    summary: 'List versions that are programs or scripts, or that the editor would take for one, newest first.',
    output: Type.Object({ total: Type.Integer(), listed: Type.Array(ExecutableVersion) }),
  },
})

const BackupId = Type.String({ pattern: '^[A-Za-z0-9_-]{1,60}$' })

/** A file below the data folder, until the backup ends. */
const SpooledFile = Type.Object({ path: Type.String(), sha256: Sha256, bytes: Bytes, lines: Type.Integer() })

export const backup = routes({
  begin: {
    method: 'POST',
    path: '/operator/backups',
    scope: 'operator',
    summary: 'Write down the database as of one moment, with the files that it names, and hold those for a backup.',
    output: Type.Object({
      id: BackupId,
      place: oneOf(['folder', 'bucket']),
      /** The same for all backups of one library. */
      library: Type.String(),
      migration: Type.Integer(),
      taken_at: Timestamp,
      database: SpooledFile,
      files: SpooledFile,
    }),
    errors: ['UNAVAILABLE'],
  },
  keep: {
    method: 'POST',
    path: '/operator/backups/keep',
    scope: 'operator',
    summary: 'Say that a backup goes on.',
    input: Type.Object({ id: BackupId }),
    output: Type.Object({ id: BackupId }),
    errors: ['NOT_FOUND'],
  },
  end: {
    method: 'POST',
    path: '/operator/backups/end',
    scope: 'operator',
    summary: 'Say that a backup is over.',
    input: Type.Object({ id: BackupId }),
    output: Type.Object({ id: BackupId }),
  },
})
