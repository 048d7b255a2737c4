/** The version of a prop that is current in the library, as people speak of it: its number, who pushed it, and when. */
import type { Lineage } from '../../contract/lineages.ts'

export interface CurrentVersion {
  entry_id: number | null
  object_id: number
  /** Counted from 1. */
  version: number
  pushed_by: string | null
  pushed_at: string
  /** Null: it has no place under /Game, so it cannot be pulled. */
  origin_path: string | null
  /** The project that it was pushed from; absent where the library does not say it. */
  pushed_from?: string | null
}

/** Undefined for a lineage that says no current version. */
export function currentVersion(lineage: Lineage): CurrentVersion | undefined {
  const face = lineage.objects.find(({ object_id }) => object_id === lineage.face_object_id)
  if (!face) return undefined
  return {
    entry_id: lineage.entry_id,
    object_id: face.object_id,
    version: versionNumber(lineage, face.object_id) ?? lineage.objects.length,
    pushed_by: face.published_by?.name ?? null,
    pushed_at: face.date_ingested,
    origin_path: face.origin_path,
    ...(face.pushed_from === undefined ? {} : { pushed_from: face.pushed_from }),
  }
}

/** The number of one of its versions: what the server says, else its position among those that are there, which come newest first. */
export function versionNumber({ objects }: Pick<Lineage, 'objects'>, objectId: number): number | undefined {
  const at = objects.findIndex(({ object_id }) => object_id === objectId)
  const object = objects[at]
  return object && (object.version ?? objects.length - at)
}

export interface Versioned {
  object_id: number
  version?: number | undefined
}

/** `v3`, as people say and type it. Servers that do not count versions have only ids for them. */
export const versionName = ({ object_id, version }: Versioned): string =>
  version === undefined ? String(object_id) : `v${version}`
