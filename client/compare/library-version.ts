/** A version of the library as one side of a comparison. */
import type { Lineage, LineageObject, VersionDetail } from '../../contract/lineages.ts'
import type { Api } from '../http/api.ts'
import { isMissingRoute } from '../http/failures/missing-route.ts'
import type { ComparedNeed, ComparedVersion } from './compare.ts'

/** The calls that it takes. */
export interface VersionCalls {
  lineages: Pick<Api['lineages'], 'version'>
  entries: Pick<Api['entries'], 'get' | 'closure'>
}

/** Of servers that do not know the question, measures and pictures of the current version only (contract-gaps 9). */
export async function readVersion(calls: VersionCalls, lineage: Lineage, object: LineageObject): Promise<ComparedVersion> {
  const which = { lineage_id: lineage.id, object_id: object.object_id }
  const detail = await calls.lineages.version(which).catch(undefinedWithoutRoute)
  return detail ? toCompared(detail, detail) : toCompared(object, await readParts(calls, lineage, object))
}

type Media = 'thumbnail_artifact_id' | 'preview_artifact_id' | 'preview_kind'
type Parts = Pick<ComparedVersion, 'metadata' | Media> & { needs: Need[] | null }
type Need = Omit<VersionDetail['needs'][number], 'hard'>

function toCompared(object: LineageObject, { needs, ...parts }: Parts): ComparedVersion {
  const { object_id, version, content_hash, blob_size, asset_class, engine_version, origin_path, source_ext } = object
  return {
    ...{ file: null, object_id, version, content_hash, blob_size, asset_class, engine_version, origin_path, source_ext },
    ...{ metadata: parts.metadata, thumbnail_artifact_id: parts.thumbnail_artifact_id, needs: needs?.map(toNeed) ?? null },
    ...{ preview_artifact_id: parts.preview_artifact_id, preview_kind: parts.preview_kind },
    missing_dependencies: object.missing_dependencies ?? [],
    plugins: object.plugins ?? [],
    pushed_at: object.date_ingested,
    pushed_by: object.published_by?.name ?? null,
    push_note: object.push_note ?? null,
  }
}

function toNeed({ asset_name, origin_path, source_ext, lineage_id, object_id, version }: Need): ComparedNeed {
  const stem = asset_name ?? origin_path?.split('/').at(-1) ?? lineage_id
  const name = source_ext === null ? stem : `${stem}.${source_ext}`
  return { name, path: source_ext === null ? origin_path : null, lineage_id, object_id, version }
}

/** A file without an entry says nothing more. */
async function readParts(calls: VersionCalls, { entry_id }: Lineage, { object_id, is_face }: LineageObject): Promise<Parts> {
  const nothing = { metadata: null, thumbnail_artifact_id: null, preview_artifact_id: null, preview_kind: null }
  if (entry_id === null) return { ...nothing, needs: null }
  const [entry, closure] = await Promise.all([
    is_face ? calls.entries.get({ entry_id }) : undefined,
    calls.entries.closure({ entry_id, object_id }),
  ])
  const needs = closure.members.filter(({ depth }) => depth === 1)
  return { ...(entry ?? nothing), needs }
}

function undefinedWithoutRoute(error: unknown): undefined {
  const isOlder = isMissingRoute(error)
  if (!isOlder) throw error
}
