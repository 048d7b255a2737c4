/** How a pull job went, file by file, as it is sent and kept (spec 4.3). */
import { type Static, Type } from 'typebox'
import { limits } from './limits.ts'
import { Hash, LineageId, nullable, oneOf } from './shapes.ts'

const closed = { additionalProperties: false }
const reportFields = {
  /** As in the closure of the job; null for files that have no name there. */
  asset_name: nullable(Type.String({ maxLength: 1000 })),
  /** Where the file lies, or would lie: a package path as the editor names it. */
  destination: Type.String({ maxLength: 2000 }),
  content_hash: Hash,
  lineage_id: LineageId,
}
const upToAll = { maxItems: limits.pullJob.files }

/** What became of every file of a job: each in one of the four lists, once. A report of a job that is done has nothing in `failed`. */
export const PullReport = Type.Object(
  {
    added: Type.Array(Type.Object({ ...reportFields, action: oneOf(['add', 'safe_overwrite']) }, closed), upToAll),
    skipped_identical: Type.Array(Type.Object(reportFields, closed), upToAll),
    conflicts: Type.Array(
      Type.Object({ ...reportFields, resolution: oneOf(['keep_local', 'overwrite', 'skip']) }, closed),
      upToAll,
    ),
    failed: Type.Array(Type.Object({ ...reportFields, error: Type.String() }, closed), upToAll),
  },
  closed,
)
export type PullReport = Static<typeof PullReport>
