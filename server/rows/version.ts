/** The only list of the columns of a version that handlers work with. */

import { ApiError } from '../../contract/errors.ts'
import type { PullJobObject } from '../../contract/pull-jobs.ts'
import type { ReviewRecord } from '../../contract/reviews.ts'
import type { VersionFact } from '../../contract/version-facts.ts'
import { extensionOf } from '../../formats/package-place.ts'
import type { Fragment, Sql } from '../database/sql.ts'
import { momentOf, stubOf } from './json.ts'
import { soleAt } from './places.ts'

export interface Version {
  object_id: number
  content_hash: string
  blob_size: number
  lineage_id: string
  asset_class: string
  asset_name: string | null
  origin_path: string | null
  source_ext: string | null
}

export async function findVersion(sql: Sql, workspaceId: number, objectId: number): Promise<Version | undefined> {
  const [row] = await sql<Version[]>`
    select id as object_id, content_hash, blob_size, lineage_id, asset_class, asset_name, origin_path, source_ext
      from objects where workspace_id = ${workspaceId} and id = ${objectId}`
  return row
}

/** A version of the given lineage: OBJECT_NOT_FOUND when it is nowhere, LINEAGE_CONFLICT when it is another prop's. */
export async function requireVersionOf(
  sql: Sql,
  workspaceId: number,
  { objectId, lineageId }: { objectId: number; lineageId: string },
): Promise<Version> {
  const version = await findVersion(sql, workspaceId, objectId)
  if (!version) throw new ApiError('OBJECT_NOT_FOUND', `There is no version ${objectId} in this workspace.`)
  if (version.lineage_id !== lineageId)
    throw new ApiError('LINEAGE_CONFLICT', `Version ${objectId} belongs to another prop than this entry.`)
  return version
}

interface NamedVersion {
  entryId: number
  currentId: number
  /** The version that the request names. */
  objectId: number
}

/** A version that is not the current one of its entry, or none at all: CONFLICT with the current one (spec 4.5). */
export const notCurrent = ({ entryId, currentId, objectId }: NamedVersion): ApiError =>
  new ApiError('CONFLICT', `Version ${objectId} is not the current one of entry ${entryId}; ${currentId} is.`, {
    entry_id: entryId,
    current_object_id: currentId,
  })

/** OBJECT_NOT_FOUND if there is no such version, otherwise `notCurrent`. */
export async function notCurrentOrUnknown(sql: Sql, workspaceId: number, named: NamedVersion): Promise<ApiError> {
  if (await findVersion(sql, workspaceId, named.objectId)) return notCurrent(named)
  return new ApiError('OBJECT_NOT_FOUND', `There is no version ${named.objectId} in this workspace.`)
}

/** Ours says all of it. */
export type VersionFacts = Required<Pick<PullJobObject, VersionFact>>

/** What `versionFacts` of the contract says; o = objects. Most versions have no missing dependencies, and none is looked for. What lies elsewhere in the library, and nowhere twice, comes with a closure: it is not missing. */
export const versionFacts = (sql: Sql): Fragment => sql`
  o.version, o.push_note, o.plugins,
  case when o.has_missing then coalesce((
    select jsonb_agg(path order by path_key)
      from (select distinct on (a.path_key) a.path_key, a.path from awaited_imports a
             where a.workspace_id = o.workspace_id and a.object_id = o.id and a.path is not null) missing
     where not exists ${soleAt(sql, sql`o.workspace_id`, sql`missing.path_key`)}), '[]') else '[]' end as missing_dependencies`

/**
 * The long package name of a version that has no `origin_path`, as its push said: of content of a plugin, or with letters that no
 * `origin_path` has; o = objects.
 */
export const packageName = (sql: Sql): Fragment => sql`
  case when o.origin_path is null then left(o.metadata_doc #>> '{ext,unreal,package_name}', 1000) end as package_name`

/** The name a downloaded version gets. */
export function fileNameOf(version: Version, entryName: string): string {
  const stem = version.asset_name ?? version.origin_path?.split('/').at(-1) ?? entryName
  return `${stem}.${extensionOf(version)}`
}

/** The review of a version as JSON, by the only list of its columns; null for a draft. A part of the statement that reads the version, so that both are of one moment. */
export const reviewOf = (sql: Sql, workspaceId: number, objectId: Fragment): Fragment => sql`(
  select json_build_object('object_id', v.object_id, 'state', v.state, 'assignee', ${stubOf(sql, 'assignee')}, 'decided_by', ${stubOf(sql, 'decider')},
                           'decided_at', ${momentOf(sql, sql`v.decided_at`)}, 'note', v.note, 'request_id', v.request_id)
    from reviews v
    join members decider on decider.workspace_id = ${workspaceId} and decider.id = v.decided_by
    left join members assignee on assignee.workspace_id = ${workspaceId} and assignee.id = v.assignee_id
   where v.workspace_id = ${workspaceId} and v.object_id = ${objectId})`

/** The review of a version; null for a draft. */
export async function selectReview(sql: Sql, workspaceId: number, objectId: number): Promise<ReviewRecord | null> {
  const [row] = await sql<{ review: ReviewRecord | null }[]>`select ${reviewOf(sql, workspaceId, sql`${objectId}`)} as review`
  return row?.review ?? null
}
