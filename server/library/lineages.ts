/** Lineages: the version history of one prop (contract-gaps 4). */
import { ApiError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { lineages as contract, DirectNeed, FoundLineages, VersionDetail } from '../../contract/lineages.ts'
import type { FlatMetadata } from '../../contract/metadata.ts'
import { fromCursor, toCursor } from '../cursor.ts'
import type { Sql } from '../database/sql.ts'
import { atOneMoment } from '../database/transaction.ts'
import { type EpochRow, epochOf } from '../epoch.ts'
import type { Handlers } from '../handler.ts'
import { pathKey } from '../push/manifest.ts'
import { toMetadata } from '../rows/entry.ts'
import { selectDeletions } from '../rows/former/deleted-lineages.ts'
import { selectSetParts } from '../rows/levels/set-parts.ts'
import { type KnownSet, selectLevelSets, selectNewestOfAll, selectSets } from '../rows/levels/sets.ts'
import {
  lineagesNotFound,
  type ObjectRow,
  objectColumns,
  selectFaceIds,
  selectFaces,
  selectLineages,
  selectVersionsByHash,
  withPublisher,
} from '../rows/lineage.ts'
import { findPlaces, findProject, placeKeyOf, placesOf, referrersOf, selectReferred } from '../rows/places.ts'

export const lineages: Handlers<typeof contract> = {
  async parts({ sql, workspace, input }) {
    const { lineage_id: lineageId, project, limit = limits.page.default, cursor } = input
    const [lineage] = await sql`select 1 from lineages where workspace_id = ${workspace.id} and id = ${lineageId}`
    if (!lineage) throw await goneOrUnknown(sql, workspace.id, lineageId)
    const bound = ['level-sets', workspace.id, lineageId, project]
    const before = cursor === undefined ? undefined : fromCursor(bound, cursor, ['id'])[0]
    const found = await selectLevelSets(sql, workspace.id, { lineageId, project, before, limit: limit + 1 })
    const sets = found.slice(0, limit)
    const last = found.length > limit ? sets.at(-1) : undefined
    return { sets, next_cursor: last ? toCursor(bound, [last.id]) : null }
  },

  async setParts({ sql, workspace, input }) {
    const { lineage_id: lineageId, limit = limits.lineagesFound, since: sinceId, cursor } = input
    const sets = await selectSets(sql, workspace.id, [input.set, ...(sinceId === undefined ? [] : [sinceId])])
    const set = await requireSet(sql, workspace.id, { sets, lineageId, id: input.set })
    const since = sinceId === undefined ? undefined : await requireSet(sql, workspace.id, { sets, lineageId, id: sinceId })
    const bound = ['set-parts', workspace.id, set.id, sinceId]
    const [after = ''] = cursor === undefined ? [] : fromCursor(bound, cursor, ['text'])
    const found = await selectSetParts(sql, workspace.id, { set, since, after, limit: limit + 1 })
    const [shown] = await selectLevelSets(sql, workspace.id, { lineageId, before: set.id + 1, limit: 1 })
    if (!shown) throw noSet(set.id)
    const parts = found.slice(0, limit)
    const last = found.length > limit ? parts.at(-1) : undefined
    return { set: shown, parts, next_cursor: last ? toCursor(bound, [pathKey(last.path)]) : null }
  },

  async find({ sql, workspace, now, input }) {
    const { lineage_ids, content_hashes, origin_paths, package_guids, names } = input
    const paths = new Set((origin_paths ?? []).map(pathKey))
    return atOneMoment(sql, async (sql) => {
      const [head] = await sql<(EpochRow & { change_seq: number })[]>`
        select change_seq, epoch_id, epoch_began_at from feed_heads where workspace_id = ${workspace.id}`
      if (!head) throw new Error(`workspace ${workspace.id} has no feed head`)
      const versions = await selectVersionsByHash(sql, workspace.id, content_hashes ?? [])
      const atPaths = await selectFaceIds(sql, workspace.id, paths)
      const { places, ...next } = await placesAsked(sql, workspace.id, input.places)
      const inProject = places?.map(({ lineage_id }) => lineage_id) ?? []
      const ids = new Set([...(lineage_ids ?? []), ...versions.map(({ lineage_id }) => lineage_id), ...atPaths, ...inProject])
      const sets = await selectNewestOfAll(sql, workspace.id, ids)
      const faces = await selectFaces({ sql, workspace, now }, ids)
      const lineages = faces.map((face) => (sets.has(face.id) ? { ...face, sets: sets.get(face.id) ?? [] } : face))
      const sought = {
        lineageIds: ids,
        hashes: new Set(content_hashes),
        guids: new Set(package_guids),
        paths,
        names: new Set(names),
      }
      const deleted = await selectDeletions(sql, workspace.id, sought)
      const referred = await selectReferred(sql, workspace.id, paths)
      return {
        cursor: head.change_seq,
        lineages,
        versions,
        deleted,
        referred,
        ...(places ? { places, ...next } : {}),
        library_epoch: epochOf(head),
      }
    })
  },

  async get({ sql, workspace, now, input }) {
    const [lineage] = await selectLineages({ sql, workspace, now }, [input.lineage_id])
    if (!lineage) throw await goneOrUnknown(sql, workspace.id, input.lineage_id)
    return lineage
  },

  async version({ sql, workspace, input }) {
    return requireVersionDetail(sql, workspace.id, { lineageId: input.lineage_id, objectId: input.object_id })
  },
}

/** Nothing of a project that never pushed, and where nobody asked. */
async function placesAsked(
  sql: Sql,
  workspaceId: number,
  asked: { project: string; paths?: string[] | null; after?: number } | null | undefined,
): Promise<Pick<FoundLineages, 'places' | 'places_next' | 'referrers'>> {
  if (!asked) return {}
  const projectId = await findProject(sql, workspaceId, asked.project)
  const paths = new Set(asked.paths?.map(placeKeyOf))
  if (asked.paths) {
    const places = [...(await findPlaces(sql, workspaceId, { projectId: projectId ?? -1, paths }))]
    const referrers = await referrersOf(sql, workspaceId, { projectId: projectId ?? -1, paths })
    return { places: places.map(([path, { lineage_id }]) => ({ path, lineage_id })), places_next: null, referrers }
  }
  if (projectId === undefined) return { places: [], places_next: null }
  const { places, next } = await placesOf(sql, workspaceId, { projectId, after: asked.after ?? 0, most: limits.lineagesFound })
  return { places, places_next: next }
}

type Media = Pick<VersionDetail, 'thumbnail_artifact_id' | 'preview_artifact_id' | 'preview_kind'>

interface Row extends ObjectRow, Media {
  lineage_id: string
  entry_id: number | null
  metadata: FlatMetadata
  needs: DirectNeed[]
}

interface Which {
  lineageId: string
  objectId: number
}

/** By one statement, so that all of it is of one moment. LINEAGE_NOT_FOUND, OBJECT_NOT_FOUND otherwise. */
async function requireVersionDetail(sql: Sql, workspaceId: number, which: Which): Promise<VersionDetail> {
  const { lineageId, objectId } = which
  const [row] = await sql<Row[]>`
    select l.id as lineage_id, e.id as entry_id, ${objectColumns(sql)}, o.metadata, o.thumbnail_artifact_id, o.preview_artifact_id,
           o.preview_kind, coalesce(${needsOf(sql, workspaceId)}, '[]') as needs
      from lineages l
      join objects o on o.workspace_id = l.workspace_id and o.lineage_id = l.id and o.id = ${objectId}
      left join entries e on e.workspace_id = l.workspace_id and e.lineage_id = l.id
      left join members m on m.workspace_id = o.workspace_id and m.id = o.published_by
     where l.workspace_id = ${workspaceId} and l.id = ${lineageId}`
  if (!row) throw await notFound(sql, workspaceId, which)
  return { ...withPublisher(row), metadata: toMetadata(row.metadata) }
}

const needsOf = (sql: Sql, workspaceId: number) => sql`(
  select json_agg(json_build_object(
           'object_id', n.id, 'lineage_id', n.lineage_id, 'entry_id', u.id, 'asset_name', n.asset_name, 'origin_path', n.origin_path,
           'source_ext', n.source_ext, 'version', n.version, 'hard', d.hard) order by n.path_key, n.asset_name, n.id)
    from dependencies d
    join objects n on n.workspace_id = ${workspaceId} and n.id = d.needs_object_id
    left join entries u on u.workspace_id = ${workspaceId} and u.lineage_id = n.lineage_id
   where d.workspace_id = ${workspaceId} and d.object_id = o.id and d.project_id = coalesce(o.project_id, 0))`

async function notFound(sql: Sql, workspaceId: number, { lineageId, objectId }: Which): Promise<ApiError> {
  const [lineage] = await sql`select 1 from lineages where workspace_id = ${workspaceId} and id = ${lineageId}`
  return lineage
    ? new ApiError('OBJECT_NOT_FOUND', `There is no version ${objectId} of this prop.`)
    : goneOrUnknown(sql, workspaceId, lineageId)
}

/** LINEAGE_NOT_FOUND, or NOT_FOUND where the level has no such set. */
async function requireSet(
  sql: Sql,
  workspaceId: number,
  { sets, lineageId, id }: { sets: ReadonlyMap<number, KnownSet>; lineageId: string; id: number },
): Promise<KnownSet> {
  const set = sets.get(id)
  if (set?.lineage_id === lineageId) return set
  const [lineage] = await sql`select 1 from lineages where workspace_id = ${workspaceId} and id = ${lineageId}`
  throw lineage ? noSet(id) : await goneOrUnknown(sql, workspaceId, lineageId)
}

const noSet = (id: number): ApiError => new ApiError('NOT_FOUND', `The level has no set ${id}.`)

async function goneOrUnknown(sql: Sql, workspaceId: number, lineageId: string): Promise<ApiError> {
  const [deleted] = await selectDeletions(sql, workspaceId, { lineageIds: [lineageId] })
  if (!deleted) return lineagesNotFound([lineageId])
  const { name, at, by } = deleted
  return new ApiError('LINEAGE_NOT_FOUND', `${name ?? 'This file'} was deleted${by ? ` by ${by.name}` : ''}.`, {
    missing: [lineageId],
    deleted: { name, at, by },
  })
}
