/** The only writers of the sets of the parts of levels. */

import { amongIds, amongTexts } from '../../database/among.ts'
import type { Sql } from '../../database/sql.ts'
import { type KnownSet, neverEnded, partRows, partsAt } from './sets.ts'

/** A set that is to be written, with what it changes of the one before. */
export interface NewSet extends Omit<KnownSet, 'parts'> {
  parts: number
  added: number
  changed: number
  removed: number
  /** The set of another project that this one begins with. */
  copyOf: KnownSet | undefined
  put: readonly { path_key: string; object_id: number }[]
  remove: readonly string[]
}

interface Making {
  /** The push that makes them. */
  pushId?: number | undefined
  sql: Sql
  workspace: { id: number }
  actor: { id: number }
  now: Date
}

function* batches<T>(all: readonly T[]): Iterable<T[]> {
  for (let at = 0; at < all.length; at += partRows) yield all.slice(at, at + partRows)
}

/** As many rows as parts change, however many the levels have; a project's first set of another's level takes them all. */
export async function writeSets(
  { sql, workspace, actor, now, pushId }: Making,
  sets: readonly NewSet[],
  note?: string | null,
): Promise<void> {
  if (sets.length === 0) return
  const rows = sets.map(({ put: _put, remove: _remove, copyOf: _copy, ...row }) => row)
  await sql`
    insert into level_sets (workspace_id, id, lineage_id, project_id, number, object_id, author_id, made_at, note, parts, added, changed, removed, push_id)
    select ${workspace.id}, r.id, r.lineage_id, r.project_id, r.number, r.object_id, ${actor.id}, ${now.toISOString()}, ${note || null},
           r.parts, r.added, r.changed, r.removed, ${pushId ?? null}::bigint
      from jsonb_to_recordset(${sql.json(rows)})
           as r(id bigint, lineage_id text, project_id bigint, number int, object_id bigint, parts int, added int, changed int, removed int)`
  for (const { copyOf, ...set } of sets)
    if (copyOf)
      await sql`
    insert into level_parts (workspace_id, lineage_id, project_id, path_key, from_set, object_id)
    select ${workspace.id}, ${set.lineage_id}, ${set.project_id}, p.path_key, ${set.id}, p.object_id
      from (${partsAt(sql, workspace.id, { lineage: sql`${set.lineage_id}`, project: sql`${copyOf.project_id}`, set: sql`${copyOf.id}` })}) p
     where p.path_key not ${amongTexts(sql, [...set.put.map(({ path_key }) => path_key), ...set.remove])}`
  const changes = sets.flatMap(({ id, lineage_id, project_id, put, remove }) => {
    const key = { set_id: id, lineage_id, project_id }
    return [
      ...put.map((one) => ({ ...key, ...one })),
      ...remove.map((path_key) => ({ ...key, path_key, object_id: null as number | null })),
    ]
  })
  for (const batch of batches(changes)) {
    const changed = sql`
      jsonb_to_recordset(${sql.json(batch)}) as r(set_id bigint, lineage_id text, project_id bigint, path_key text, object_id bigint)`
    await sql`
      update level_parts p set until_set = r.set_id from ${changed}
       where p.workspace_id = ${workspace.id} and p.lineage_id = r.lineage_id and p.project_id = r.project_id and p.path_key = r.path_key
         and p.until_set = ${neverEnded}`
    await sql`
      insert into level_parts (workspace_id, lineage_id, project_id, path_key, from_set, object_id)
      select ${workspace.id}, r.lineage_id, r.project_id, r.path_key, r.set_id, r.object_id from ${changed} where r.object_id is not null`
  }
}

/** What makes the newest set of a project equal to an earlier one, of whichever project. */
export const selectWayBack = (
  sql: Sql,
  workspaceId: number,
  { newest, to }: { newest: KnownSet; to: KnownSet },
): PromiseLike<{ path_key: string; now: number | null; then: number | null }[]> => {
  const at = ({ lineage_id, project_id, id }: KnownSet) =>
    partsAt(sql, workspaceId, { lineage: sql`${lineage_id}`, project: sql`${project_id}::bigint`, set: sql`${id}::bigint` })
  return sql`
    select coalesce(here.path_key, there.path_key) as path_key, here.object_id as now, there.object_id as then
      from (${at(newest)}) here full join (${at(to)}) there on there.path_key = here.path_key
     where here.object_id is distinct from there.object_id`
}

/** Levels that are gone have no sets; sets of versions that are gone are then of the version that is current. */
export async function forgetSets(
  sql: Sql,
  workspaceId: number,
  { lineageIds, objectIds }: { lineageIds: readonly string[]; objectIds: readonly number[] },
): Promise<void> {
  if (lineageIds.length > 0) {
    await sql`delete from level_sets where workspace_id = ${workspaceId} and lineage_id ${amongTexts(sql, lineageIds)}`
    await sql`delete from level_parts where workspace_id = ${workspaceId} and lineage_id ${amongTexts(sql, lineageIds)}`
  }
  await sql`delete from level_parts where workspace_id = ${workspaceId} and object_id ${amongIds(sql, objectIds)}`
  await sql`
    update level_sets s set object_id = l.face_object_id from lineages l
     where s.workspace_id = ${workspaceId} and s.object_id ${amongIds(sql, objectIds)} and l.workspace_id = s.workspace_id and l.id = s.lineage_id`
}
